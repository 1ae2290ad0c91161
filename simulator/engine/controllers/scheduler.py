"""The scheduler: one pod at a time, filter the nodes, choose the one with most room, bind.

Source: spec/control-plane §5 (pkg/scheduler). Of the filters those a node's own facts decide are here: taints, nodeSelector,
free pods, cpu and memory. Ties, which a real scheduler breaks at random, go to the first node by name order (rule SCHEDULE-TIE).
"""

from msgspec.structs import replace

from simulator.engine.api.node_affinity import node_matches
from simulator.engine.api.pod import PodSpec, Toleration
from simulator.engine.api.qos import qos_class
from simulator.engine.api.status import PodCondition
from simulator.engine.controllers.facets import Draft, publish
from simulator.engine.controllers.k8s_events import emit_from
from simulator.engine.controllers.placement import PORTS_TAKEN, claim_problem, ports_taken
from simulator.engine.controllers.room import Need, give_back, need_of, shortages, with_pod
from simulator.engine.effects import Effects
from simulator.engine.events import KubeletSees, SchedulePod, TaintJudge
from simulator.engine.queue import Lane
from simulator.engine.records import RecordKind
from simulator.engine.rows import NodeRow, PodRow
from simulator.engine.rules.text import RuleText, gettext_noop
from simulator.engine.units import Key

COMPONENT = "default-scheduler"

RULES = (
    RuleText(
        "SCHEDULE-BIND",
        gettext_noop("The scheduler chose {node}: it passed every filter and had most room left. A pod is bound once in its life."),
        "spec/control-plane §5.3-5.5; pkg/scheduler/scheduler.go",
    ),
    RuleText(
        "SCHEDULE-TIE",
        gettext_noop("Nodes with the same score are taken in the order of the cluster; a real scheduler picks one at random."),
        "our choice, spec/control-plane §5.4",
        sure="assumed",
    ),
    RuleText(
        "SCHEDULE-UNSCHEDULABLE",
        gettext_noop("No node passed the filters, so the pod stays Pending and the scheduler tries again when something changes."),
        "spec/control-plane §5.6; pkg/scheduler/scheduler.go recordSchedulingFailure",
    ),
)


_MEMORY_PRESSURE = "node.kubernetes.io/memory-pressure"
_CORDON = ("node.kubernetes.io/unschedulable", "", "NoSchedule")


def tolerates(tolerations: tuple[Toleration, ...], taint: tuple[str, str, str]) -> bool:
    """Whether some toleration matches the taint (key, value, effect)."""
    key, text, effect = taint
    for item in tolerations:
        if item.effect and item.effect != effect:
            continue
        if item.operator == "Exists":
            if not item.key or item.key == key:
                return True
        elif item.key == key and item.value == text:
            return True
    return False


def refusals(fx: Effects, node: NodeRow, spec: PodSpec, need: Need) -> tuple[str, ...]:
    """Why the node cannot take the pod, in the words of the first filter that fails; empty when it can."""
    if node.unschedulable and not tolerates(spec.tolerations, _CORDON):
        return ("node(s) were unschedulable",)
    for taint in node.taints:
        if taint[2] != "PreferNoSchedule" and not tolerates(spec.tolerations, taint):
            if taint[0] == _MEMORY_PRESSURE and qos_class(spec) != "BestEffort":
                continue  # the control plane gives every such pod that toleration
            return (fx.profile.taint_text.format(taint=f"{taint[0]}: {taint[1]}"),)
    if not node_matches(spec, node.labels, node.name):
        return (fx.profile.node_affinity_text,)
    if ports_taken(fx, node, spec):
        return (PORTS_TAKEN,)
    return tuple("Too many pods" if item.resource == "pods" else f"Insufficient {item.resource}" for item in shortages(node, need))


def score(node: NodeRow, need: Need) -> int:
    """LeastAllocated over cpu and memory, 0 … 100, with a pod's mere presence as the tie breaker in thousandths."""
    cpu = (node.allocatable_cpu_milli - node.used_cpu_milli - need.cpu_milli) * 100 // max(node.allocatable_cpu_milli, 1)
    memory = (node.allocatable_memory_bytes - node.used_memory_bytes - need.memory_bytes) * 100 // max(node.allocatable_memory_bytes, 1)
    return (cpu + memory) // 2 * 1000 - node.used_pods


def schedule_pod(fx: Effects, event: SchedulePod) -> None:
    """Try to place one pod."""
    row = fx.tables.pods[event.pod]
    if row.gone_ms is not None:
        fx.set_unscheduled(row.key, waiting=False)
        return
    if row.node or row.pod.spec.scheduler_name != COMPONENT or row.pod.spec.scheduling_gates:
        return
    if row.deletion_ms is not None:
        return
    need = need_of(row.pod.spec)
    unbound = claim_problem(fx, row) if row.pod.spec.volumes else ""
    best: NodeRow | None = None
    best_score = 0
    refused: dict[str, int] = {}
    for node in fx.tables.nodes.values():
        if node.is_deleted:
            continue
        reasons = (unbound,) if unbound else refusals(fx, node, row.pod.spec, need)
        if reasons:
            for reason in reasons:
                refused[reason] = refused.get(reason, 0) + 1
        elif best is None or score(node, need) > best_score:
            best, best_score = node, score(node, need)
    if best is None:
        _reject(fx, row, refused)
    else:
        bind(fx, row, best, need, refused)


def bind(fx: Effects, row: PodRow, node: NodeRow, need: Need, refused: dict[str, int]) -> None:
    """Bind the pod to the node; the node's kubelet sees it next."""
    fx.set_unscheduled(row.key, waiting=False)
    fx.save_node(with_pod(node, need))
    fx.cause = fx.record(
        kind=RecordKind.DECISION.value,
        subject=row.subject,
        machine="scheduling",
        target=node.name,
        rule="SCHEDULE-BIND",
        data=(("node", node.name), *((reason, count) for reason, count in refused.items())),
    )
    condition = PodCondition(type="PodScheduled", status="True")
    status = replace(row.status, conditions=(condition,))
    publish(
        fx,
        replace(row, node=node.name, holds_room=True),
        status,
        rule="SCHEDULE-BIND",
        draft=Draft(status, {"PodScheduled": "SCHEDULE-BIND"}),
    )
    text = f"Successfully assigned {row.namespace}/{row.name} to {node.name}"
    emit_from(fx, row, COMPONENT, reason="Scheduled", message=text, rule="SCHEDULE-BIND")
    fx.schedule(fx.now + fx.profile.watch_ms, Lane.KUBELET, KubeletSees(row.key))
    if any(taint[2] == "NoExecute" for taint in node.taints):
        fx.schedule(fx.now, Lane.CONTROLLER, TaintJudge(row.key))


def _reject(fx: Effects, row: PodRow, refused: dict[str, int]) -> None:
    """Nothing fits: condition and event say why, per reason with the number of nodes."""
    fx.set_unscheduled(row.key, waiting=True)
    fx.note_try(row.key)
    total = sum(not node.is_deleted for node in fx.tables.nodes.values())
    listed = ", ".join(sorted(f"{count} {reason}" for reason, count in refused.items()))
    message = f"0/{total} nodes are available: {listed}." if total else "no nodes available to schedule pods"
    if total and fx.profile.preemption_in_failed_scheduling:
        message += f" preemption: 0/{total} nodes are available: {total} Preemption is not helpful for scheduling."
    fx.cause = fx.record(
        kind=RecordKind.DECISION.value,
        subject=row.subject,
        machine="scheduling",
        target="unschedulable",
        rule="SCHEDULE-UNSCHEDULABLE",
        data=tuple(refused.items()),
    )
    status = replace(
        row.status,
        conditions=(PodCondition(type="PodScheduled", status="False", reason="Unschedulable", message=message),),
    )
    publish(fx, row, status, rule="SCHEDULE-UNSCHEDULABLE", draft=Draft(status, {"PodScheduled": "SCHEDULE-UNSCHEDULABLE"}))
    emit_from(fx, row, COMPONENT, severity="Warning", reason="FailedScheduling", message=message, rule="SCHEDULE-UNSCHEDULABLE")


def release(fx: Effects, key: Key) -> None:
    """A pod that has ended or is gone frees its room on the node, and pods that wait for room get another try."""
    if not give_back(fx, fx.tables.pods[key]):
        return
    retry_unscheduled(fx)


def retry_unscheduled(fx: Effects) -> None:
    """Something changed that may help: pods that found no node are tried again, each after its own back-off."""
    profile = fx.profile
    for pod in tuple(fx.tables.unscheduled):
        tries, last_ms = fx.tables.tries.get(pod, (1, 0))
        wait = min(profile.scheduler_backoff_initial_ms << min(tries - 1, 10), profile.scheduler_backoff_max_ms)
        fx.schedule(max(fx.now + profile.api_to_scheduler_ms, last_ms + wait), Lane.CONTROLLER, SchedulePod(pod))
