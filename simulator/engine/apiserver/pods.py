"""The API server's part in a pod's life: creation, deletion and removal of the object.

A DELETE of a pod rarely deletes. The registry decides the grace period (the request's, else the
spec's; 0 for a pod without a node or one that has ended), and with more than 0 seconds only writes
deletionTimestamp, the moment at which the period will be over, and deletionGracePeriodSeconds. The
kubelet sees the change, stops the containers, and sends a second DELETE with grace period 0, which
removes the object. No component of the control plane watches the deadline: on a node that is gone,
the pod stays Terminating until something else deletes it.

A second DELETE may only shorten the period. Its deadline is counted from the first request, not
from now: deletionTimestamp minus the old period plus the new one. An equal or longer period
changes nothing, and the client is not told. Finalizers keep the object after all that; removing the
last one ends it (``pod_updates``).

Rows outlive their objects, since records refer to them: a removed pod keeps its row with
``gone_ms`` set, and the next pod of the same name gets a key with ``#2``. A name is free again only
once the object is gone, not when it is marked.

A negative grace period becomes 1 where the version says so (``negative_grace_becomes_one``). In
1.20 the items of a collection delete share one options object, so a grace period decided for one
pod leaks to those after it (``collection_delete_shares_grace``).

Source: pkg/registry/core/pod/strategy.go and apiserver's generic registry store.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.publish import Draft, condition_of, publish
from simulator.engine.kernel.ids import NAME_PREFIX, name_suffix, pod_uid
from simulator.engine.kernel.machine import DECIDED
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key, Ms, Seq, seconds
from simulator.engine.machines.object import OBJECT, in_state, pod_state
from simulator.engine.machines.status_word import STATUS_WORD
from simulator.engine.model.manifest import stored_pod
from simulator.engine.model.pod import Pod
from simulator.engine.model.qos import qos_class
from simulator.engine.model.status import PodCondition, PodStatus
from simulator.engine.policies.grace import GraceVerdict, check_graceful_delete
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow

RULES = (
    RuleText(
        "POD-CREATED",
        gettext_noop("The API server stored the pod: it is Pending until containers run."),
        "pkg/registry/core/pod/strategy.go PrepareForCreate",
    ),
    RuleText(
        "DELETE-GRACEFUL",
        gettext_noop(
            "A delete request only marks the pod: deletionTimestamp is set {grace_s} s ahead, and the kubelet "
            "has that long to stop its containers."
        ),
        "apiserver rest/delete.go BeforeDelete",
    ),
    RuleText(
        "DELETE-AT-ONCE",
        gettext_noop("With grace period 0 the API server removes the object at once, without waiting for the node."),
        "registry/generic/registry/store.go Delete",
    ),
    RuleText(
        "DELETE-SHORTENED",
        gettext_noop("A second delete request may only shorten the grace period: the deadline moves to {grace_s} s after the first."),
        "apiserver rest/delete.go BeforeDelete",
    ),
    RuleText(
        "DELETE-UNCHANGED",
        gettext_noop("The pod is already being deleted and the request does not shorten its grace period, so nothing changes."),
        "apiserver rest/delete.go BeforeDelete",
    ),
    RuleText(
        "SCHEDULE-GATED",
        gettext_noop("Scheduling gates hold the pod back: the scheduler does not consider it until the last one is removed."),
        "pkg/registry/core/pod/strategy.go applySchedulingGatedCondition",
        "1.26",
    ),
    RuleText(
        "POD-REMOVED",
        gettext_noop("Containers and volumes are gone, so the kubelet asked the API server to remove the object."),
        "pkg/kubelet/status/status_manager.go syncPod",
    ),
)


NEGATIVE = "negative priorities"
"""Counter of pods that were created with a priority below 0."""


def create_pod(fx: Effects, text: str, *, applied: str = "", pod: Pod | None = None) -> PodRow:
    """Store a complete new Pod object, given as JSON text (``create.completed``), and wake the components that watch for it.

    ``applied``: the JSON text that was applied, for a later merge. ``pod``: the same pod typed, if available.
    """
    if pod is None:
        pod = stored_pod(text)
    namespace, name = pod.metadata.namespace, pod.metadata.name
    key = _new_key(fx, namespace, name)
    qos = qos_class(pod.spec, pod_level=fx.profile.pod_level_resources)
    if (pod.spec.priority or 0) < 0:
        fx.count(NEGATIVE)
    row = PodRow(
        key=key,
        namespace=namespace,
        name=name,
        uid=pod_uid(fx.world.header.seed, key),
        pod=pod,
        document=text,
        applied=applied,
        created_ms=fx.now,
        status=PodStatus(qos_class=qos),
        node=pod.spec.node_name,
    )
    step, seq = fx.fire(OBJECT, row.subject, "absent", "created", "", data=(("uid", row.uid), ("node", row.node)))
    assert step is not None
    row = replace(row, object_seq=seq)
    if step.target != "present":
        row = in_state(row, step.target, fx.now)
    fx.cause = seq
    # The row must exist before its first status is published.
    fx.add_pod(row)
    row = fx.tables.pods[key]
    gated = _gated(fx, row) if pod.spec.scheduling_gates else ()
    first = replace(row.status, conditions=gated) if gated else row.status
    publish(fx, row, first, rule="POD-CREATED", first=True, draft=Draft(first, {"PodScheduled": "SCHEDULE-GATED"}))
    return fx.tables.pods[key]


def _gated(fx: Effects, row: PodRow) -> tuple[PodCondition, ...]:
    """The conditions of a pod with scheduling gates, which states from the beginning what holds it."""
    if not fx.profile.scheduling_gated:
        return ()
    text = "Scheduling is blocked due to non-empty scheduling gates"
    return (condition_of(fx, row, "PodScheduled", "False", "SchedulingGated", text),)


def drawn_suffix(fx: Effects, namespace: str, prefix: str) -> str:
    """The suffix of the next name generated from a prefix; ``draw_name`` uses it up."""
    prefix = prefix[:NAME_PREFIX]
    n = fx.world.counters.get(_draws(namespace, prefix), 0) + 1
    header = fx.world.header
    return name_suffix(header.seed, f"{namespace}/{prefix}", n, in_order=not header.jitter)


def draw_name(fx: Effects, namespace: str, prefix: str) -> None:
    """Use up a suffix after generating a name from the prefix: the next name gets another one."""
    fx.count(_draws(namespace, prefix[:NAME_PREFIX]))


def _draws(namespace: str, prefix: str) -> str:
    return f"name/{namespace}/{prefix}"


def next_key(fx: Effects, namespace: str, name: str) -> Key:
    """The key that the next pod of that name gets."""
    n = fx.world.counters.get(f"pod/{namespace}/{name}", 0) + 1
    return f"{namespace}/{name}" if n == 1 else f"{namespace}/{name}#{n}"


def _new_key(fx: Effects, namespace: str, name: str) -> Key:
    n = fx.count(f"pod/{namespace}/{name}")
    return f"{namespace}/{name}" if n == 1 else f"{namespace}/{name}#{n}"


def grace_of_delete(fx: Effects, row: PodRow, asked_s: int | None) -> GraceVerdict:
    """The grace period of a first delete request."""
    spec = replace(row.pod.spec, node_name=row.node)
    return check_graceful_delete(spec, row.status.phase, asked_s=asked_s, negative_is_one=fx.profile.negative_grace_becomes_one)


def delete_pod(fx: Effects, row: PodRow, asked_s: int | None) -> None:
    """Carry out a DELETE request: mark, shorten or remove."""
    if row.deletion_ms is not None:
        _delete_again(fx, row, asked_s)
        return
    verdict = grace_of_delete(fx, row, asked_s)
    grace = verdict.grace_s
    at_once = verdict.immediate and not row.pod.metadata.finalizers
    rule = "DELETE-AT-ONCE" if at_once else "DELETE-GRACEFUL"
    _mark(fx, row, deletion_ms=fx.now + seconds(grace), grace_s=grace, rule=rule, by=verdict.rule_id)
    if at_once:
        remove_pod(fx, row.key, rule=rule)


def delete_collection(fx: Effects, rows: list[PodRow], asked_s: int | None) -> None:
    """One DELETE of a collection. In 1.20 the items share one options object, so a grace of 0 leaks to the later ones."""
    for row in fx.each(rows):
        current = fx.tables.pods[row.key]
        delete_pod(fx, current, asked_s)
        if fx.profile.collection_delete_shares_grace and current.deletion_ms is None:
            asked_s = grace_of_delete(fx, current, asked_s).grace_s


def _mark(fx: Effects, row: PodRow, *, deletion_ms: Ms, grace_s: int, rule: str, by: str = "GRACE-REQUEST") -> None:
    """Write deletionTimestamp and grace period; the kubelet sees the change."""
    data = (("grace_s", grace_s), ("deadline_ms", deletion_ms), ("by", by))
    step, seq = fx.fire(OBJECT, row.subject, pod_state(row), "delete", rule, data=data)
    if step is None or step.target != "terminating":
        return
    asked = fx.now if row.deletion_asked_ms is None else row.deletion_asked_ms
    generation = row.generation + (row.deletion_ms is None)  # shortening does not raise the generation
    changed = replace(row, deletion_ms=deletion_ms, deletion_asked_ms=asked, grace_s=grace_s, generation=generation, deletion_seq=seq)
    fx.cause = seq
    publish(fx, changed, changed.status, rule=rule)


def _delete_again(fx: Effects, row: PodRow, asked_s: int | None) -> None:
    old = row.grace_s or 0
    if asked_s is not None and asked_s < 0 and fx.profile.negative_grace_becomes_one:
        asked_s = 1
    if old == 0:
        if not row.pod.metadata.finalizers:
            remove_pod(fx, row.key, rule="DELETE-AT-ONCE")
        return
    if asked_s is None or asked_s >= old or row.deletion_ms is None:
        fx.note(row.subject, "grace-unchanged", "", rule="DELETE-UNCHANGED")
        return
    _mark(fx, row, deletion_ms=row.deletion_ms - seconds(old) + seconds(asked_s), grace_s=asked_s, rule="DELETE-SHORTENED")
    if asked_s <= 0 and not row.pod.metadata.finalizers:
        remove_pod(fx, row.key, rule="DELETE-AT-ONCE")


def finish_deletion(fx: Effects, key: Key) -> None:
    """Carry out the kubelet's last DELETE with grace period 0: the deadline moves back to the request, then the object is removed."""
    row = fx.tables.pods[key]
    if row.gone_ms is not None or row.deletion_ms is None or fx.is_cut_off:
        return
    if row.grace_s:
        # The kubelet's last DELETE is a shortening to 0, seen for a moment by watchers of the pod.
        row = fx.save_pod(replace(row, deletion_ms=row.deletion_ms - seconds(row.grace_s), grace_s=0))
    if not row.pod.metadata.finalizers:
        remove_pod(fx, key, rule="POD-REMOVED")


def remove_pod(fx: Effects, key: Key, *, rule: str) -> Seq:
    """Remove the object from the API server. The row stays for the records, marked with the moment."""
    row = fx.tables.pods[key]
    step, seq = fx.fire(OBJECT, row.subject, pod_state(row), "removed", rule)
    if step is None or step.target != "gone":
        return seq
    fx.cause = seq
    fx.fire(STATUS_WORD, row.subject, "", DECIDED, rule)
    fx.tables.managed.pop(row.uid, None)
    fx.save_pod(replace(row, gone_ms=fx.now, object_seq=seq, status_word=STATUS_WORD.decided(rule).target))
    return seq
