"""Admission at the kubelet: a bound pod may still be rejected. The pod then becomes Failed without ever having had a container.

The scheduler decided by what it knew; the kubelet checks again what is true on the node. The handlers are asked in order
and the first rejection counts: node pressure, operating system, resources, node name, affinity, host ports, NoExecute taints.
The object stays, Failed, and its controller creates another pod, perhaps for the same node.

A critical pod that lacks only resources is not rejected: the kubelet ends others for it, and checks again each second until
they are gone (``_make_room``). Pods it has already ended for such a reason count as leaving, so that no more are ended than needed.

What counts as taken is what the kubelet itself has admitted (``base.room``), not what is bound: two pods bound past the
scheduler at the same moment are seen one after the other, and the second may not fit.

Source: pkg/kubelet/lifecycle/predicate.go, pkg/kubelet/preemption/preemption.go, pkg/kubelet/kubelet.go canAdmitPod.
"""

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit
from simulator.engine.apiserver.publish import Draft, publish
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import SECOND
from simulator.engine.kubelet.base import room
from simulator.engine.kubelet.base.pressure import pressure_of_node
from simulator.engine.kubelet.node.critical import is_critical, is_static
from simulator.engine.kubelet.node.eviction_rules import REASON as EVICTED
from simulator.engine.kubelet.node.kubelet_preemption import Victim, choose_victims
from simulator.engine.kubelet.pods.status import endings
from simulator.engine.machines.phase import phase_by
from simulator.engine.model.node_affinity import node_matches
from simulator.engine.model.status import PodStatus
from simulator.engine.model.tolerations import tolerates
from simulator.engine.policies.host_ports import PORTS_TAKEN, ports_taken
from simulator.engine.policies.room import Shortage, shortages
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import KubeletSees
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Ending, NodeRow, PodRow

PREEMPTING = "Preempting"
_PREEMPTED = "Preempted in order to admit critical pod"
_CONDITION_MESSAGE = "Pod was preempted by Kubelet to accommodate a critical pod."
_OS_LABEL = "kubernetes.io/os"
_MEMORY_PRESSURE = ("node.kubernetes.io/memory-pressure", "", "NoSchedule")

RULES = (
    RuleText(
        "ADMISSION-REJECTED",
        gettext_noop("The kubelet checks a pod again before admitting it, and rejected it: {message}"),
        "pkg/kubelet/kubelet.go HandlePodAdditions, lifecycle/predicate.go",
    ),
    RuleText(
        "ADMISSION-PRESSURE",
        gettext_noop("A node under pressure accepts no new pods; under memory pressure only BestEffort pods are rejected."),
        "pkg/kubelet/eviction/eviction_manager.go Admit",
    ),
)


class Rejection(Struct, frozen=True, gc=False):
    """Why the kubelet rejects a pod."""

    reason: str
    message: str
    rule: str = "ADMISSION-REJECTED"


def admit(fx: Effects, row: PodRow, *, again: bool = False) -> bool:
    """Whether the kubelet admits the pod now. A rejected pod is Failed afterwards; one that waits for resources is checked again.

    ``again``: a restarted kubelet also checks pods that are already running.
    """
    is_here = row.key in fx.tables.instances or row.key in fx.tables.sandboxes
    if (is_here and not again) or endings.is_ended(row):
        return is_here
    if row.deletion_ms is not None:
        return True
    node = fx.tables.nodes[row.node]
    rejection = (_pressed(fx, row, node) if node.name in fx.tables.pressures else None) or _wrong_os(fx, row, node)
    lacking = shortages(node, room.room_on(fx, row.node), room.agreed_need(fx, row)) if rejection is None else []
    if lacking and is_critical(fx, row):
        made = _make_room(fx, row, lacking)
        if made is None:
            return False
        rejection = made if made.reason else None
    elif lacking:
        rejection = _out_of(lacking[0])
    rejection = rejection or _misplaced(fx, row, node) or (_shutting_down(fx, row) if fx.tables.unhealthy else None)
    if rejection is None:
        return True
    reject(fx, row, rejection)
    return False


def reject(fx: Effects, row: PodRow, rejection: Rejection) -> None:
    """Write the Event and the final status of a rejected pod; its object stays."""
    fx.cause = emit(fx, row, severity="Warning", reason=rejection.reason, message=rejection.message, rule=rejection.rule)
    message = f"{fx.profile.rejected_prefix}{rejection.message}"
    status = replace(
        PodStatus(qos_class=row.status.qos_class), phase=phase_by(rejection.rule), reason=rejection.reason, message=message, start_ms=fx.now
    )
    foreign = endings.foreign_conditions(row)
    status = replace(status, conditions=foreign)
    publish(fx, row, status, rule=rejection.rule, draft=Draft(status, {"phase": rejection.rule}))


def _shutting_down(fx: Effects, row: PodRow) -> Rejection | None:
    """A node that is shutting down admits no pods."""
    if not fx.tables.node_life[row.node].shutdown:
        return None
    return Rejection("NodeShutdown", "Pod was rejected as the node is shutting down.", "NODE-SHUTDOWN")


def _out_of(item: Shortage) -> Rejection:
    text = f"requested: {item.requested}, used: {item.used}, capacity: {item.capacity}"
    return Rejection(f"OutOf{item.resource}", f"Node didn't have enough resource: {item.resource}, {text}")


def _pressed(fx: Effects, row: PodRow, node: NodeRow) -> Rejection | None:
    """The eviction manager's check: a node under pressure admits only pods that can cope with it."""
    kinds = [kind for kind, _ in pressure_of_node(fx, node.name).last_seen]
    if not kinds or is_critical(fx, row):
        return None
    copes = row.status.qos_class != "BestEffort" or tolerates(row.pod.spec.tolerations, _MEMORY_PRESSURE)
    if kinds == ["MemoryPressure"] and copes:
        return None
    return Rejection(EVICTED, f"The node had condition: [{' '.join(kinds)}]. ", "ADMISSION-PRESSURE")


def _wrong_os(fx: Effects, row: PodRow, node: NodeRow) -> Rejection | None:
    """Label and field of the operating system. The label is read from the pod's own labels; the node's OS is what the kubelet runs on."""
    wanted = row.pod.metadata.labels.get(_OS_LABEL)
    if wanted is not None and wanted != node.os:
        text = "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label"
        return Rejection("PodOSSelectorNodeLabelDoesNotMatch", text)
    if row.pod.spec.os is not None and fx.profile.pod_os_field and row.pod.spec.os.name != node.os:
        return Rejection("PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS")
    return None


def _misplaced(fx: Effects, row: PodRow, node: NodeRow) -> Rejection | None:
    """The scheduler's filters once more, for pods that were bound past it or whose node has changed."""
    spec = row.pod.spec
    if not node_matches(spec, node.labels, node.name):
        return Rejection("NodeAffinity", f"Predicate NodeAffinity failed: {fx.profile.node_affinity_text}")
    wants_port = [port for container in spec.containers for port in container.ports if port.host_port]
    if wants_port and ports_taken(room.pods_here(fx, row.node), spec):
        return Rejection("NodePorts", f"Predicate NodePorts failed: {PORTS_TAKEN}")
    if not node.taints or is_static(row):
        return None
    for taint in node.taints:
        if taint[2] == "NoExecute" and not tolerates(spec.tolerations, taint):
            text = fx.profile.taint_text.format(taint=f"{taint[0]}: {taint[1]}")
            return Rejection("TaintToleration", f"Predicate TaintToleration failed: {text}")
    return None


def _make_room(fx: Effects, row: PodRow, lacking: list[Shortage]) -> Rejection | None:
    """End other pods for a critical one. None: pods are being ended and this one is checked again; an empty reason: there is room."""
    leaving, candidates = [], []
    for worker in tuple(fx.tables.workers.values()):
        other = fx.tables.pods[worker.pod]
        if worker.node != row.node or other.key not in fx.tables.admitted or other.key == row.key:
            continue
        if worker.ending is not None and worker.ending.reason == PREEMPTING:
            leaving.append(other)
        elif worker.state == "syncing" and other.deletion_ms is None and _may_preempt(fx, row, other):
            candidates.append(other)
    rest = room.without(fx, row.node, [other.key for other in leaving])
    missing = {item.resource: item.missing for item in shortages(fx.tables.nodes[row.node], rest, room.agreed_need(fx, row))}
    if missing:
        chosen = choose_victims([_victim(fx, other) for other in candidates], missing)
        if chosen is None:
            wanted = "".join(f"(res: {name}, q: {amount}), " for name, amount in missing.items())
            cause = f"preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [{wanted}]"
            return Rejection("UnexpectedAdmissionError", f"Unexpected error while attempting to recover from admission failure: {cause}")
        for victim in chosen:
            _preempt(fx, fx.tables.pods[victim.name])
    fx.schedule(fx.now + SECOND, Lane.KUBELET, KubeletSees(row.key))
    return None


def _may_preempt(fx: Effects, row: PodRow, other: PodRow) -> bool:
    """A critical pod may end pods that are not critical or that have a lower priority."""
    if not is_critical(fx, other):
        return True
    return not is_static(other) and (row.pod.spec.priority or 0) > (other.pod.spec.priority or 0)


def _victim(fx: Effects, row: PodRow) -> Victim:
    need = fx.tables.admitted[row.key]
    gives = {"pods": 1, "cpu": need.cpu_milli, "memory": need.memory_bytes, "ephemeral-storage": need.storage_bytes, **dict(need.other)}
    return Victim(row.key, row.status.qos_class, gives)


def _preempt(fx: Effects, row: PodRow) -> None:
    with fx.because(emit(fx, row, severity="Warning", reason=PREEMPTING, message=_PREEMPTED, rule="CRITICAL-PREEMPTION")):
        endings.end(fx, row, Ending(PREEMPTING, _PREEMPTED, "CRITICAL-PREEMPTION", disruption=True, told=_CONDITION_MESSAGE))
