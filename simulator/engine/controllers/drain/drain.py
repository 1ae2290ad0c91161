"""kubectl drain: cordons a node, checks every pod on it, then evicts those that may go.

drain is a client, not a controller: it reads, requests, waits and prints, and the cluster knows nothing
about it. It works in three steps.

First the cordon, so that what is evicted does not come back to this node. Then every pod passes
kubectl's filters, in their order; a filter may take the pod out of the drain (DaemonSet pods with
--ignore-daemonsets, mirror pods), warn, or forbid the drain (a DaemonSet pod, a pod without a
controller, local storage, each unless a flag allows it). One forbidden pod aborts the whole command
before anything is evicted, while the node stays cordoned: drain is all or nothing in what it
starts.

Then all pods are evicted at the same time, each in a loop of its own: 429 means that a budget does
not allow it now, and is tried again every five seconds without end; other refusals fail the drain
for good, although the other loops go on. An eviction granted is waited for until the pod is gone.
--timeout bounds the whole, --disable-eviction deletes instead and so asks no budget.

Because loops are independent, a drain can deadlock with a budget whose missing pods cannot start
anywhere else: it then retries until there is room again.

The texts differ by version (``drain_wait_text``, ``drain_bare_text``).

Source: kubectl pkg/drain; observed on a 1.20.2 node.
"""

from collections.abc import Mapping

from msgspec import Struct

from simulator.engine.apiserver.list_selectors import label_selector
from simulator.engine.apiserver.pods import delete_pod
from simulator.engine.apiserver.refusal import Refusal
from simulator.engine.apiserver.store.evictions import evicting
from simulator.engine.controllers.drain.drained import await_pods
from simulator.engine.kernel.records import RecordKind
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key, Seq, Subject, seconds
from simulator.engine.model.duration import go_duration
from simulator.engine.model.meta import MIRROR, OwnerReference
from simulator.engine.model.selectors import selects
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import DrainRetry, DrainTimeout
from simulator.engine.world.lookups import pods_on
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import PodRow

_TOO_MANY_REQUESTS = 429

RULES = (
    RuleText(
        "DRAIN-REFUSED",
        gettext_noop("kubectl drain gave up before evicting any pods: {message}"),
        "kubectl pkg/drain/filters.go",
    ),
    RuleText(
        "DRAIN-WARNED",
        gettext_noop("kubectl drain warns about pods that nothing will recreate and those it leaves alone: {message}"),
        "kubectl pkg/drain/filters.go Warnings",
    ),
    RuleText(
        "DRAIN-EVICT",
        gettext_noop("kubectl drain evicts the pod: a deletion with its own grace period, unless a disruption budget forbids it."),
        "kubectl pkg/drain/drain.go",
    ),
    RuleText(
        "DRAIN-RETRY",
        gettext_noop("A disruption budget does not allow the eviction; kubectl drain retries every 5 s: {message}"),
        "kubectl pkg/drain/drain.go evictPods",
    ),
    RuleText(
        "DRAIN-FAILED",
        gettext_noop("kubectl drain gives up on the pod: {message}"),
        "kubectl pkg/drain/drain.go evictPods",
    ),
    RuleText(
        "DRAIN-DELETE",
        gettext_noop("kubectl drain with --disable-eviction deletes the pod; no budget is consulted."),
        "kubectl pkg/drain/drain.go deletePods",
    ),
    RuleText(
        "DRAIN-SKIPPED",
        gettext_noop("kubectl drain leaves the pod alone: {message}"),
        "kubectl pkg/drain/filters.go",
    ),
)


class Filters(Struct, frozen=True, kw_only=True):
    """Which pods a drain covers, and which of them it evicts without asking."""

    force: bool
    delete_emptydir_data: bool
    ignore_daemonsets: bool
    pod_selector: str


class DrainPlan(Struct):
    """The result of the filters: pods to evict, pods left alone (with why), what forbids the drain and its warnings (text to pods)."""

    evict: list[Key]
    skip: list[tuple[Key, str]]
    errors: dict[str, list[str]]
    warnings: dict[str, list[str]]


def plan(fx: Effects, node: str, filters: Filters) -> DrainPlan:
    """Put every pod of the node, or the selected ones, through kubectl's filters. Raises ApiError for a bad selector."""
    found = DrainPlan([], [], {}, {})
    wanted = label_selector(filters.pod_selector)
    meant = (row for row in pods_on(fx.tables, node) if selects(wanted, row.pod.metadata.labels))
    for row in sorted(meant, key=lambda item: (item.namespace, item.name)):
        problem, skip, warning = _judge(fx, filters, row)
        if warning:
            found.warnings.setdefault(warning, []).append(f"{row.namespace}/{row.name}")
        if skip:
            found.skip.append((row.key, skip))
        elif problem:
            found.errors.setdefault(problem, []).append(f"{row.namespace}/{row.name}")
        else:
            found.evict.append(row.key)
    return found


_Verdict = tuple[str, str, str]
"""Why a pod forbids the drain, why it is left alone, and the warning about it; each empty if it does not apply."""
_EVICTED: _Verdict = ("", "", "")


def _judge(fx: Effects, filters: Filters, row: PodRow) -> _Verdict:
    """Apply kubectl's filters in their order. Only the warning of the last filter survives, so none about local storage."""
    metadata = row.pod.metadata
    owner = next((item for item in metadata.owner_references if item.controller), None)
    ended = row.status.phase in TERMINAL_PHASES
    if owner is not None and owner.kind == "DaemonSet" and not ended:
        verdict = _of_daemon_set(fx, filters, row, owner)
        if verdict != _EVICTED:
            return verdict
    # The API server could delete a mirror pod, but the kubelet would create it again.
    if MIRROR in metadata.annotations:
        return "", "it is a mirror pod", ""
    if ended:
        return _EVICTED
    if not filters.delete_emptydir_data and any(item.empty_dir is not None for item in row.pod.spec.volumes):
        return "Pods with local storage (use --delete-emptydir-data to override)", "", ""
    if owner is None:
        return ("", "", _bare_warning(fx)) if filters.force else (fx.profile.drain_bare_text, "", "")
    return _EVICTED


def _of_daemon_set(fx: Effects, filters: Filters, row: PodRow, owner: OwnerReference) -> _Verdict:
    """A pod whose DaemonSet is gone is evicted by force like any other (daemonSetFilter); one the run never had counts as existing."""
    if owner.uid in fx.tables.uids and ("DaemonSet", row.namespace, owner.name) not in fx.tables.objects:
        return _EVICTED if filters.force else (f'daemonsets.apps "{owner.name}" not found', "", "")
    if filters.ignore_daemonsets:
        return "", "it belongs to a DaemonSet", "ignoring DaemonSet-managed Pods"
    return "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)", "", ""


def _bare_warning(fx: Effects) -> str:
    if fx.world.release.facts.drain_warnings_named:
        return "deleting Pods that declare no controller"
    return "deleting Pods not managed by ReplicationController, ReplicaSet, Job, DaemonSet or StatefulSet"


def carry_out(fx: Effects, node: str, found: DrainPlan, *, grace_s: int | None, timeout_s: int, disable_eviction: bool) -> None:
    """Evict the planned pods, or report what forbids it. ``timeout_s`` 0 never gives up."""
    subject = f"node/{node}"
    _end_former(fx, node)
    if found.errors:
        texts = [f"cannot delete {text}: {', '.join(pods)}" for text, pods in found.errors.items()]
        data = (("message", ", ".join(texts)),)
        fx.record(kind=RecordKind.NOTE.value, subject=subject, machine="drain", target="refused", rule="DRAIN-REFUSED", data=data)
        return
    _warn(fx, subject, found.warnings)
    for pod, why in found.skip:
        data = (("message", why),)
        fx.record(kind=RecordKind.NOTE.value, subject=f"pod/{pod}", machine="drain", target="skipped", rule="DRAIN-SKIPPED", data=data)
    until_ms = fx.now + seconds(timeout_s) if timeout_s > 0 else 0
    # Before the first eviction: a pod without a grace period is gone at once, and its end must be
    # noticed.
    await_pods(fx, node, tuple(found.evict))
    if until_ms and found.evict:
        fx.check(until_ms, Lane.CONTROLLER, DrainTimeout(node, timeout_s))
    for pod in fx.each(found.evict):
        row = fx.tables.pods[pod]
        if disable_eviction:
            fx.cause = _record_decision(fx, row, "delete", "DRAIN-DELETE")
            delete_pod(fx, row, grace_s)
        else:
            _ask(fx, row, DrainRetry(pod, row.uid, grace_s, until_ms, timeout_s))


def _warn(fx: Effects, subject: Subject, warnings: Mapping[str, list[str]]) -> None:
    """Write the line with which kubectl begins if there are warnings."""
    if not warnings:
        return
    word = "Warning" if fx.world.release.facts.drain_warnings_named else "WARNING"
    listed = "; ".join(f"{text}: {', '.join(pods)}" for text, pods in warnings.items())
    data = (("message", f"{word}: {listed}"),)
    fx.record(kind=RecordKind.NOTE.value, subject=subject, machine="drain", target="warned", rule="DRAIN-WARNED", data=data)


def _end_former(fx: Effects, node: str) -> None:
    """End a previous drain that still retries pods of the node: there is one terminal, and Ctrl-C ended what ran in it."""
    # A drain's loops exist only as planned retries, so removing these ends it.
    for key in tuple(fx.tables.checks):
        if (isinstance(key, DrainRetry) and fx.tables.pods[key.pod].node == node) or (isinstance(key, DrainTimeout) and key.node == node):
            fx.uncheck(key)


def _record_decision(fx: Effects, row: PodRow, target: str, rule: str, message: str = "") -> Seq:
    data = (("message", message),) if message else ()
    return fx.record(kind=RecordKind.DECISION.value, subject=row.subject, machine="drain", target=target, rule=rule, data=data)


def _give_up(fx: Effects, row: PodRow, message: str) -> None:
    """Give up on one pod, which fails the whole drain; it continues with the others, but never reports that the node is drained."""
    _record_decision(fx, row, "failed", "DRAIN-FAILED", message)
    fx.save_drain(row.node, ())


def _ask(fx: Effects, row: PodRow, retry: DrainRetry) -> None:
    """Request the pod's eviction; if a budget does not allow it now, retry five seconds later."""
    try:
        act = evicting(fx, row, retry.grace_s)
    except Refusal as refusal:
        said = dict(refusal.data)
        text = f'error when evicting pods/"{row.name}" -n "{row.namespace}"'
        if said["code"] != _TOO_MANY_REQUESTS:
            _give_up(fx, row, f"{text}: {said['message']}")
            return
        fx.cause = _record_decision(fx, row, "retry", "DRAIN-RETRY", f"{text} (will retry after 5s): {said['message']}")
        fx.check(fx.now + fx.profile.drain_retry_ms, Lane.CONTROLLER, retry)
        return
    fx.cause = _record_decision(fx, row, "evict", "DRAIN-EVICT")
    act()


def drain_retry(fx: Effects, event: DrainRetry) -> None:
    """Retry for kubectl drain, unless the pod is gone or its time is over."""
    row = fx.tables.pods[event.pod]
    if row.gone_ms is not None:
        return
    if event.until_ms and fx.now >= event.until_ms:
        text = f'error when evicting pods/"{row.name}" -n "{row.namespace}": {_reached(event.timeout_s)}'
        _give_up(fx, row, text)
        return
    _ask(fx, row, event)


def _reached(timeout_s: int) -> str:
    return f"global timeout reached: {go_duration(seconds(timeout_s))}"


def drain_timeout(fx: Effects, event: DrainTimeout) -> None:
    """The timeout of a drain: give up on terminating pods. One that is being retried is given up at its next attempt."""
    asked = {key.pod for key in fx.tables.checks if isinstance(key, DrainRetry)}
    for pod in fx.each(fx.tables.drains.get(event.node, ())):
        row = fx.tables.pods[pod]
        if pod not in asked:
            text = fx.profile.drain_wait_text.format(pod=row.name, namespace=row.namespace)
            _give_up(fx, row, f"{text}: {_reached(event.timeout_s)}")
