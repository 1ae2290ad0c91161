"""The StatefulSet controller: pods with identities, handled one after another by ordinal.

Every pod has an ordinal, and with it a name, a host name and claims that outlive it. From this
follows the rule that makes the set slow and safe: two pods of one identity must never run at once,
so a pod is replaced only when its object is gone from the API, not when it starts to terminate. On
a dead node the set waits until the pod's object is removed, by hand or by PodGC.

One round walks in a fixed order and, with OrderedReady, stops at the first pod that is not as it
should be:

1. Ordinals upwards: delete a pod that has ended; create a missing one (its claims first); wait for
one that terminates, is not Running and Ready, or not yet available. 2. Pods outside the range
("condemned"), from the highest ordinal down: delete one. One that is unhealthy itself goes only if
it is the first unhealthy pod of the set. 3. The update, from the highest ordinal down to partition:
delete pods of an older revision within maxUnavailable. OnDelete has no such step.

Creating and scaling down come before the update, so an update waits for a set that is not whole.
Its known dead end: with OrderedReady a pod of a broken revision never becomes Ready, step 1 waits
for it, and a corrected template is not reached until the pod is deleted by hand. Parallel walks the
same steps without waiting in 1 and 2.

A pod below partition is created from the current revision even during an update, a pod above from
the newest; status.currentRevision moves only when the update is complete.

Version differences come from the profile as ``stateful_set_*``: until 1.27 a pod that ended was
deleted and created in one round, succeeded pods count as ended since 1.27, and maxUnavailable is
behind a gate that was on in 1.35.0 to 1.35.3 and is again from 1.37.

Source: pkg/controller/statefulset/stateful_set_control.go.
"""

from msgspec import Struct

from simulator.engine.apiserver.k8s_events import emit_of_controller
from simulator.engine.controllers.stateful_set.claims import is_claim_stale, make_claims, own_claims
from simulator.engine.controllers.stateful_set.identity import (
    give_identity,
    identity_matches,
    is_member_name,
    ordinal_of,
    revision_of,
    stateful_pod,
)
from simulator.engine.controllers.stateful_set.status import write_set_status
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.records import Data
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.disruption import scaled
from simulator.engine.policies.availability import is_available
from simulator.engine.workloads.history import drop_old_revisions, latest_revision, revisions_of, template_of
from simulator.engine.workloads.objects import spec_of, status_of, stored_object
from simulator.engine.workloads.pod_control import PodNotMade, requests_a_pod, stored_pod_of, unmake_pod, within_limit
from simulator.engine.workloads.queueing import await_key, forget, go_on, look_when_available, retry, workload_watches
from simulator.engine.workloads.refs import claimed_pods, owned_pods
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import StatefulSetSync
from simulator.engine.world.rows import PodRow
from simulator.engine.world.work import PLACE
from simulator.engine.world.world import ApiObject

COMPONENT = "statefulset-controller"
KIND = "StatefulSet"
_CONTROL = "pkg/controller/statefulset/stateful_set_control.go"
_BY_REPLICA, _BY_CONDEMNED = f"{_CONTROL} processReplica", f"{_CONTROL} processCondemned"

RULES = (
    RuleText(
        "STATEFULSET-CREATE",
        gettext_noop(
            "The StatefulSet wants {wanted} {wanted:pod|pods} from ordinal {first}, and {pod} does not exist: it "
            "creates it, at revision {revision}."
        ),
        _BY_REPLICA,
    ),
    RuleText(
        "STATEFULSET-RECREATE",
        gettext_noop("{pod} is permanently {phase}: it is deleted, and recreated once its object is gone."),
        _BY_REPLICA,
    ),
    RuleText(
        "STATEFULSET-WAIT-GONE",
        gettext_noop("The StatefulSet waits: {pod} is being deleted, and no other pod may have its identity until its object is gone."),
        _BY_REPLICA,
    ),
    RuleText(
        "STATEFULSET-WAIT-READY",
        gettext_noop("The StatefulSet waits: {pod} is not Running and Ready, and pods are handled in ordinal order."),
        _BY_REPLICA,
    ),
    RuleText(
        "STATEFULSET-WAIT-AVAILABLE",
        gettext_noop("The StatefulSet waits: {pod} has not been Ready for {seconds} s."),
        _BY_REPLICA,
    ),
    RuleText(
        "STATEFULSET-WAIT-CLAIM",
        gettext_noop("The StatefulSet waits: a claim of {pod} still belongs to the earlier pod of that name and is deleted along with it."),
        "pkg/controller/statefulset/stateful_pod_control.go PodClaimIsStale",
    ),
    RuleText(
        "STATEFULSET-IDENTITY",
        gettext_noop("{pod} is missing an identity label: the controller restores it."),
        "pkg/controller/statefulset/stateful_pod_control.go UpdateStatefulPod",
    ),
    RuleText(
        "STATEFULSET-SCALE-DOWN",
        gettext_noop("The StatefulSet wants {wanted} {wanted:pod|pods} and {pod} is one too many: the highest ordinal is deleted first."),
        _BY_CONDEMNED,
    ),
    RuleText(
        "STATEFULSET-WAIT-SCALE-DOWN",
        gettext_noop(
            "The StatefulSet wants {wanted} {wanted:pod|pods}, but deletes {pod} only when {unhealthy} is Running and Ready or gone."
        ),
        _BY_CONDEMNED,
    ),
    RuleText(
        "STATEFULSET-UPDATE",
        gettext_noop(
            "{pod} is at revision {old}, not {new}: it is deleted and recreated, highest ordinal first. "
            "{unavailable} are unavailable, at most {allowed} may be."
        ),
        f"{_CONTROL} updateStatefulSet, updateStatefulSetAfterInvariantEstablished",
    ),
    RuleText(
        "STATEFULSET-UPDATE-UNAVAILABLE",
        gettext_noop(
            "{pod} is at revision {old}, not {new}, and not available anyway: the Parallel set deletes it at "
            "once, whatever maxUnavailable says."
        ),
        f"{_CONTROL} updateStatefulSetAfterInvariantEstablished",
        "1.37",
    ),
    RuleText(
        "STATEFULSET-WAIT-UPDATE",
        gettext_noop("The update waits: {pod} is not available, and at most {allowed} may be."),
        f"{_CONTROL} updateStatefulSet, updateStatefulSetAfterInvariantEstablished",
    ),
)

WATCHES = workload_watches(COMPONENT, KIND, StatefulSetSync)

_Outcome = tuple[str, Data] | None
"""The outcome of handling a pod: None lets the round continue, ``_DONE`` ends it, a rule with its numbers says what it waits for."""
_DONE: _Outcome = ("", ())


class Sought(Struct, frozen=True):
    """The desired state of a set: the object, its two revisions, and its spec."""

    row: ApiObject
    event: StatefulSetSync
    current: ApiObject
    latest: ApiObject
    wanted: int
    first: int  # the lowest ordinal
    min_ready_s: int
    in_order: bool  # podManagementPolicy OrderedReady
    rolling: Json | None  # of the strategy RollingUpdate
    on_delete: bool

    @property
    def partition(self) -> int:
        """How many pods, from the first on, keep the current revision."""
        return int((self.rolling or {}).get("partition") or 0)


def stateful_set_sync(fx: Effects, event: StatefulSetSync) -> None:
    """Run one round: claim pods, find the revisions, handle the pods in order, write the status."""
    row = stored_object(fx, KIND, event.namespace, event.name)
    if row is None:
        forget(fx, event)
        go_on(fx, event)
        fx.save_reserved(event, None)
        return
    revisions = revisions_of(fx, row)
    # Names count too: an orphan that matches the selector but not the naming scheme is not adopted.
    claimed_pods(fx, row, counts=lambda _: True, named=lambda name: is_member_name(event.name, name))
    before = status_of(row)
    latest, collisions = latest_revision(fx, row, revisions, int(before.get("collisionCount") or 0))
    current = next((item for item in revisions if item.name == before.get("currentRevision")), latest)
    sought = _sought(row, event, current, latest)
    problem: PodNotMade | None = None
    if row.deletion_ms is None:
        try:
            outcome = _manage(fx, sought)
        except PodNotMade as error:
            problem, outcome = error, None
        if outcome is not None and outcome[0]:
            await_key(fx, event, row.subject, *outcome)
        else:
            go_on(fx, event)
    pods = members(fx, row)
    write_set_status(fx, row, pods, (current, latest), collisions)
    drop_old_revisions(fx, row, revisions_of(fx, row), {current.name, latest.name, *(revision_of(pod) for pod in pods)})
    look_when_available(fx, event, pods, sought.min_ready_s)
    if problem is not None and not problem.is_ending:
        retry(fx, event)
    # A stale claim is waited for by retrying, so its back-off must keep growing.
    elif fx.tables.waits.get(event, ("", ()))[0] != "STATEFULSET-WAIT-CLAIM":
        forget(fx, event)


def members(fx: Effects, row: ApiObject) -> list[PodRow]:
    """The existing pods of a set by ordinal, including terminating ones."""
    found = [pod for pod in owned_pods(fx, row) if is_member_name(row.name, pod.name) and ordinal_of(pod.name) >= 0]
    return sorted(found, key=lambda pod: ordinal_of(pod.name))


def _sought(row: ApiObject, event: StatefulSetSync, current: ApiObject, latest: ApiObject) -> Sought:
    spec = spec_of(row)
    strategy = spec.get("updateStrategy") or {}
    wanted = spec.get("replicas")
    on_delete = strategy.get("type") == "OnDelete"
    return Sought(
        row, event, current, latest, 1 if wanted is None else int(wanted), int((spec.get("ordinals") or {}).get("start") or 0),
        int(spec.get("minReadySeconds") or 0), spec.get("podManagementPolicy") != "Parallel",
        None if on_delete else strategy.get("rollingUpdate"), on_delete,
    )  # fmt: skip


def _manage(fx: Effects, sought: Sought) -> _Outcome:
    """Handle every ordinal, then the pods beyond, then the update. Raises PodNotMade."""
    last = sought.first + sought.wanted - 1
    fx.world.spent += PLACE * sought.wanted
    for ordinal in fx.each(range(sought.first, last + 1)):
        outcome = _replica(fx, sought, ordinal)
        if outcome is not None and sought.in_order:
            return outcome
    there = members(fx, sought.row)
    within = [pod for pod in there if sought.first <= ordinal_of(pod.name) <= last]
    beyond = [pod for pod in reversed(there) if not sought.first <= ordinal_of(pod.name) <= last]
    for pod in fx.each(beyond):
        own_claims(fx, sought.row, pod, condemned=True)
    # The first unhealthy pod: the wanted ordinals upwards, then the condemned ones upwards.
    unhealthy = next((pod for pod in (*within, *beyond[::-1]) if is_unavailable(fx, pod, sought.min_ready_s)), None)
    for pod in fx.each(beyond):
        outcome = _condemned(fx, sought, pod, unhealthy)
        if outcome is not None and sought.in_order:
            return outcome
    return None if sought.on_delete else _update(fx, sought)


def is_unavailable(fx: Effects, pod: PodRow, min_ready_s: int) -> bool:
    """Whether a pod does not count for the update: not Ready for long enough, or being deleted."""
    return pod.deletion_ms is not None or not is_available(pod.status, min_ready_s=min_ready_s, now_ms=fx.now)


def _runs(fx: Effects, pod: PodRow, min_ready_s: int = 0) -> bool:
    """Whether the pod is Running and Ready, for that long."""
    return pod.status.phase == "Running" and is_available(pod.status, min_ready_s=min_ready_s, now_ms=fx.now)


def _replica(fx: Effects, sought: Sought, ordinal: int) -> _Outcome:
    """One step for the pod of an ordinal: delete, create or repair it, or wait for it. Raises PodNotMade."""
    name = f"{sought.row.name}-{ordinal}"
    pod = fx.world.live_pod(sought.row.namespace, name)
    if pod is None or pod.pod.metadata.controller is None or pod.pod.metadata.controller.uid != sought.row.uid:
        return _create(fx, sought, ordinal)
    if pod.status.phase == "Failed" or (pod.status.phase == "Succeeded" and fx.profile.stateful_set_replaces_succeeded):
        return _recreate(fx, sought, pod, ordinal)
    if pod.status.phase == "Pending":
        make_claims(fx, sought.row, name, component=COMPONENT)
    waits = _waits_for(fx, sought, pod)
    if waits is not None:
        return waits
    if not identity_matches(fx, pod):
        with fx.because(fx.note_step(pod.subject, "identity", rule="STATEFULSET-IDENTITY", data=(("pod", name),))):
            give_identity(fx, pod)
            _emit_event(fx, sought.row, "update", name, "STATEFULSET-IDENTITY")
    own_claims(fx, sought.row, fx.tables.pods[pod.key], condemned=False)
    return None


def _waits_for(fx: Effects, sought: Sought, pod: PodRow) -> _Outcome:
    """Why the pods after this one have to wait, if they are handled in order."""
    if not sought.in_order:
        return None
    if pod.deletion_ms is not None:
        return "STATEFULSET-WAIT-GONE", (("pod", pod.name),)
    if not _runs(fx, pod):
        return "STATEFULSET-WAIT-READY", (("pod", pod.name),)
    if not _runs(fx, pod, sought.min_ready_s):
        return "STATEFULSET-WAIT-AVAILABLE", (("pod", pod.name), ("seconds", sought.min_ready_s))
    return None


def _recreate(fx: Effects, sought: Sought, pod: PodRow, ordinal: int) -> _Outcome:
    """Delete a pod that has ended; once it is gone, the next round creates it again, before 1.31 this same round."""
    at_once = fx.profile.stateful_set_recreates_at_once
    if pod.deletion_ms is None or at_once:
        if not _allowed(fx, sought):
            return _DONE
        data = (("pod", pod.name), ("phase", pod.status.phase))
        with fx.because(fx.note_step(sought.row.subject, "recreate", rule="STATEFULSET-RECREATE", data=data)):
            if at_once:
                _emit_recreating(fx, sought.row, pod)
            _delete(fx, sought.row, pod, "STATEFULSET-RECREATE")
    return _create(fx, sought, ordinal) if at_once else _DONE


def _emit_recreating(fx: Effects, row: ApiObject, pod: PodRow) -> None:
    failed = pod.status.phase == "Failed"
    severity, reason, word = ("Warning", "RecreatingFailedPod", "failed") if failed else ("Normal", "RecreatingTerminatedPod", "terminated")
    text = f"StatefulSet {row.namespace}/{row.name} is recreating {word} Pod {pod.name}"
    emit_of_controller(fx, row, COMPONENT, severity=severity, reason=reason, message=text, rule="STATEFULSET-RECREATE")


def _create(fx: Effects, sought: Sought, ordinal: int) -> _Outcome:
    """Create the pod of an ordinal, its claims first. Raises PodNotMade."""
    row, name = sought.row, f"{sought.row.name}-{ordinal}"
    if is_claim_stale(fx, row, name):
        retry(fx, sought.event)  # the controller does not watch claims
        return "STATEFULSET-WAIT-CLAIM", (("pod", name),)
    if not _allowed(fx, sought):
        return _DONE
    revision = _revision_for(sought, ordinal)
    data = (("wanted", sought.wanted), ("first", sought.first), ("pod", name), ("revision", revision.name))
    with fx.because(fx.note_step(row.subject, "create", rule="STATEFULSET-CREATE", data=data)):
        try:
            with fx.aside():
                make_claims(fx, row, name, component=COMPONENT)
            pod = stored_pod_of(fx, row, stateful_pod(fx, row, template_of(revision), revision.name, ordinal))
        except PodNotMade as error:
            if not error.is_taken:
                _emit_event(fx, row, "create", name, "STATEFULSET-CREATE", problem=error.message)
            raise
        _emit_event(fx, row, "create", name, "STATEFULSET-CREATE")
        own_claims(fx, row, pod, condemned=False)
    return _DONE


def _revision_for(sought: Sought, ordinal: int) -> ApiObject:
    """The revision from which a pod is created: below the partition the current one, not the newest."""
    if sought.on_delete:
        return sought.latest
    kept = sought.partition if sought.rolling is not None else int(status_of(sought.row).get("currentReplicas") or 0)
    return sought.current if ordinal < sought.first + kept else sought.latest


def _condemned(fx: Effects, sought: Sought, pod: PodRow, unhealthy: PodRow | None) -> _Outcome:
    """Delete a pod beyond the wanted ones, when its turn has come."""
    if pod.deletion_ms is not None:
        return "STATEFULSET-WAIT-GONE", (("pod", pod.name),)
    if sought.in_order and not _runs(fx, pod, sought.min_ready_s) and unhealthy is not None and pod.key != unhealthy.key:
        return "STATEFULSET-WAIT-SCALE-DOWN", (("wanted", sought.wanted), ("pod", pod.name), ("unhealthy", unhealthy.name))
    if _allowed(fx, sought):
        data = (("wanted", sought.wanted), ("pod", pod.name))
        with fx.because(fx.note_step(sought.row.subject, "scale-down", rule="STATEFULSET-SCALE-DOWN", data=data)):
            _delete(fx, sought.row, pod, "STATEFULSET-SCALE-DOWN")
    return _DONE


def _update(fx: Effects, sought: Sought) -> _Outcome:
    """Delete pods of an older revision, the highest ordinal first; they are created again from the newest."""
    pods = {ordinal_of(pod.name) - sought.first: pod for pod in members(fx, sought.row)}
    indexes = [index for index in range(sought.wanted - 1, -1, -1) if index in pods]
    unavailable = [pods[index] for index in indexes if is_unavailable(fx, pods[index], sought.min_ready_s)]
    missing = sought.wanted - len(indexes)
    allowed = _max_unavailable(fx, sought)
    if not fx.profile.stateful_set_max_unavailable:
        return _update_one(fx, sought, [pods[index] for index in indexes if index >= sought.partition], len(unavailable) + missing)
    if not sought.in_order and fx.profile.stateful_set_parallel_replaces_broken:
        within = [pods[index] for index in indexes if index >= sought.partition]
        return _update_parallel(fx, sought, within, len(unavailable) + missing, allowed)
    # Pods that are missing altogether use up the budget like unavailable ones.
    room, old = allowed - len(unavailable) - missing, False
    for index in fx.each(indexes):
        pod = pods[index]
        if index < sought.partition or revision_of(pod) == sought.latest.name or pod.deletion_ms is not None:
            continue
        old = True
        if room > 0:
            room -= 1
            _replace(fx, sought, pod, len(unavailable) + missing, allowed)
    if old and room <= 0 and unavailable:
        return "STATEFULSET-WAIT-UPDATE", (("pod", unavailable[0].name), ("allowed", allowed))
    return None


def _update_one(fx: Effects, sought: Sought, pods: list[PodRow], unavailable: int) -> _Outcome:
    """The update in versions without maxUnavailable: delete the first pod of an older revision and stop at an unavailable one."""
    for pod in pods:
        if revision_of(pod) != sought.latest.name and pod.deletion_ms is None:
            _replace(fx, sought, pod, unavailable, 1)
            return _DONE
        if is_unavailable(fx, pod, sought.min_ready_s):
            is_last = all(revision_of(item) == sought.latest.name for item in pods)
            return None if is_last else ("STATEFULSET-WAIT-UPDATE", (("pod", pod.name), ("allowed", 1)))
    return None


def _update_parallel(fx: Effects, sought: Sought, pods: list[PodRow], unavailable: int, allowed: int) -> _Outcome:
    """Replace the unavailable pods of an older revision, then as many of the others as the budget allows."""
    well: list[PodRow] = []
    for pod in fx.each([item for item in pods if revision_of(item) != sought.latest.name and item.deletion_ms is None]):
        if _runs(fx, pod, sought.min_ready_s):
            well.append(pod)
        else:
            _replace(fx, sought, pod, unavailable, allowed, rule="STATEFULSET-UPDATE-UNAVAILABLE")
    room = max(0, allowed - unavailable)
    for pod in fx.each(well[:room]):
        _replace(fx, sought, pod, unavailable, allowed)
    down = next((pod for pod in pods if is_unavailable(fx, pod, sought.min_ready_s)), None)
    if len(well) > room and down is not None:
        return "STATEFULSET-WAIT-UPDATE", (("pod", down.name), ("allowed", allowed))
    return None


def _max_unavailable(fx: Effects, sought: Sought) -> int:
    """How many pods an update may leave unavailable: at least 1, percentages rounded up."""
    given = (sought.rolling or {}).get("maxUnavailable")
    if given is None or not fx.profile.stateful_set_max_unavailable:
        return 1
    return max(1, scaled(given, sought.wanted))


def _replace(
    fx: Effects, sought: Sought, pod: PodRow, unavailable: int, allowed: int, *, rule: str = "STATEFULSET-UPDATE"
) -> None:  # fmt: skip
    if not _allowed(fx, sought):
        return
    data = (
        ("pod", pod.name), ("old", revision_of(pod)), ("new", sought.latest.name), ("unavailable", unavailable), ("allowed", allowed),
    )  # fmt: skip
    with fx.because(fx.note_step(sought.row.subject, "update", rule=rule, data=data)):
        _delete(fx, sought.row, pod, rule)


def _allowed(fx: Effects, sought: Sought) -> bool:
    """Whether the controller's client may send a request now; else the round is retried when it may."""
    return bool(within_limit(fx, COMPONENT, sought.event, 1, each=requests_a_pod(fx, sought.row, COMPONENT)))


def _delete(fx: Effects, row: ApiObject, pod: PodRow, rule: str) -> None:
    unmake_pod(fx, row, pod, component=COMPONENT, event=False)
    _emit_event(fx, row, "delete", pod.name, rule)


def _emit_event(fx: Effects, row: ApiObject, verb: str, pod: str, rule: str, *, problem: str = "") -> None:
    """Write the Event of a create, update or delete of a pod (recordPodEvent)."""
    text = f"{verb} Pod {pod} in StatefulSet {row.name} " + (f"failed error: {problem}" if problem else "successful")
    severity, word = ("Warning", "Failed") if problem else ("Normal", "Successful")
    emit_of_controller(fx, row, COMPONENT, severity=severity, reason=f"{word}{verb.title()}", message=text, rule=rule)
