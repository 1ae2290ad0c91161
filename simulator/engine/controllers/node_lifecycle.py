"""The node controller: every five seconds it looks at the nodes' heartbeats and conditions. Rounds with nothing to do are not queued.

Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit_from
from simulator.engine.apiserver.nodes.conditions import GOOD, READY, READY_TAINTS, set_condition, sync_taints
from simulator.engine.apiserver.nodes.events import emit_node
from simulator.engine.apiserver.nodes.taints import change_taints
from simulator.engine.apiserver.publish import Draft, publish
from simulator.engine.kernel.grid import last_beat, next_beat
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Ms
from simulator.engine.model.status import PodCondition
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import pods_on
from simulator.engine.world.node_events import NodeCheck
from simulator.engine.world.node_rows import NodeLife
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.watch import CHANGED, GONE, STATUS, Queue, Watch

COMPONENT = "node-controller"
QUEUE = Queue(COMPONENT, Lane.CONTROLLER, "watch_ms")

RULES = (
    RuleText(
        "NODE-UNKNOWN",
        gettext_noop("The kubelet has not renewed its lease for longer than the grace period, so nobody knows how the node is."),
        "pkg/controller/nodelifecycle/node_lifecycle_controller.go tryUpdateNodeHealth",
    ),
    RuleText(
        "PODS-NOT-READY",
        gettext_noop(
            "The node fell silent, so the node controller sets Ready to False on its pods; the kubelet will overwrite it when it is back."
        ),
        "pkg/controller/util/node/controller_utils.go MarkPodsNotReady",
    ),
    RuleText(
        "NODE-TAINT-EXECUTE",
        gettext_noop("The node is not ready at the controller's next round: the NoExecute taint sets the clock of its pods going."),
        "observed on a 1.20.2 node",
    ),
)


def round_after(fx: Effects, moment: Ms) -> Ms:
    """The controller's first round after a moment."""
    period = fx.profile.node_monitor_ms
    return next_beat(moment, fx.uniform("node-monitor", 0, 0, period), period)


def _node_written(fx: Effects, old: NodeRow, row: NodeRow) -> None:
    """A node that was cordoned or uncordoned: its taint follows."""
    if row.unschedulable != old.unschedulable:
        fx.enqueue(QUEUE, NodeCheck(row.name), after_ms=fx.profile.watch_ms)  # the informer, then the worker that sets the taint


def _ready_written(fx: Effects, _old: NodeRow | None, row: NodeRow) -> None:
    """Ready changed: the NoExecute taints follow at the next round."""
    look_next_round(fx, row.name)


def _silent(fx: Effects, _old: NodeRow | None, row: NodeRow) -> None:
    """Nobody renews the node's lease any more."""
    expect_silence(fx, row.name)


WATCHES = (
    Watch("node-controller", "Node", CHANGED, _node_written),
    Watch("node-controller", "Node", STATUS, _ready_written),
    Watch("node-controller", "Lease", GONE, _silent),
)


def look_next_round(fx: Effects, node: str) -> None:
    """Something about the node wants the controller's attention at its next round."""
    fx.schedule(round_after(fx, fx.now), Lane.CONTROLLER, NodeCheck(node))


def expect_silence(fx: Effects, node: str) -> None:
    """The kubelet has stopped: queue the round at which its silence will have lasted too long."""
    profile = fx.profile
    life = fx.tables.node_life[node]
    period = profile.node_monitor_ms
    heard = round_after(fx, last_beat(fx.now, life.lease_phase_ms, profile.node_lease_renew_ms))
    due = heard + -(-profile.node_monitor_grace_ms // period) * period
    fx.save_node_life(replace(life, silent_ms=due))
    fx.schedule(due, Lane.CONTROLLER, NodeCheck(node))


def node_check(fx: Effects, event: NodeCheck) -> None:
    """A round of the controller that has something to do about a node."""
    life = fx.tables.node_life[event.node]
    if fx.tables.nodes[event.node].is_deleted:
        return
    if life.silent_ms is not None and fx.now >= life.silent_ms and life.condition(READY).status != "Unknown":
        _mark_unknown(fx, event.node)
        return
    sync_taints(fx, event.node)
    fx.cause = life.condition(READY).seq or life.seq
    for name in fx.each(fx.tables.nodes):
        if name == event.node or fx.tables.node_life[name].condition(READY).status != "True":
            _execute_taint(fx, name)


def _mark_unknown(fx: Effects, node: str) -> None:
    life = fx.tables.node_life[node]
    fx.cause = life.seq
    was_ready = life.condition(READY).status == "True"
    for kind in (*(kind for kind in GOOD if kind != READY), READY):
        wanted = ("Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")
        with fx.aside():
            set_condition(fx, node, kind, wanted, trigger="fell_silent")
    fx.cause = fx.tables.node_life[node].condition(READY).seq
    if not was_ready:
        return
    message = f"Node {node} status is now: NodeNotReady"
    emit_node(fx, node, component=COMPONENT, reason="NodeNotReady", message=message, rule="NODE-UNKNOWN")
    for row in pods_on(fx.tables, node):
        _mark_pod(fx, row)


def _mark_pod(fx: Effects, row: PodRow) -> None:
    """Ready becomes False, nothing else changes: not the reason, not ContainersReady, not the phase."""
    old = row.status.condition(READY)
    if old is None or old.status != "True":
        return
    changed = PodCondition(type=READY, status="False", reason=old.reason, message=old.message)
    conditions = tuple(changed if item.type == READY else item for item in row.status.conditions)
    status = replace(row.status, conditions=conditions)
    row = publish(fx, row, status, rule="PODS-NOT-READY", draft=Draft(status, {READY: "PODS-NOT-READY"}))
    text = "Node is not ready"
    emit_from(fx, row, COMPONENT, severity="Warning", reason="NodeNotReady", message=text, rule="PODS-NOT-READY")


def _execute_taint(fx: Effects, node: str) -> None:
    """Bring the NoExecute taint of a node in line with its Ready condition, as far as the zone's state allows."""
    row = fx.tables.nodes[node]
    key = READY_TAINTS.get(fx.tables.node_life[node].condition(READY).status)
    wanted = (key, "", "NoExecute") if key else None
    held = tuple(taint for taint in row.taints if taint[2] == "NoExecute" and taint[0] in READY_TAINTS.values())
    if wanted is None or _everything_is_down(fx):
        change_taints(fx, node, add=(), remove=held, rule="NODE-TAINT-EXECUTE")
    elif wanted not in held:
        wait = 0 if held else _turn(fx, node) - fx.now
        if wait > 0:
            fx.schedule(round_after(fx, fx.now + wait - 1), Lane.CONTROLLER, NodeCheck(node))
        elif held or not _is_half_down(fx, node):
            fx.save_node_life(replace(fx.tables.node_life[node], tainted_ms=fx.now))
            change_taints(fx, node, add=(wanted,), remove=held, rule="NODE-TAINT-EXECUTE")


def zone_of(fx: Effects, node: str) -> str:
    """The node's zone by its labels; nodes without one share a zone."""
    labels = fx.tables.nodes[node].labels
    return f"{labels.get('topology.kubernetes.io/region', '')}:{labels.get('topology.kubernetes.io/zone', '')}"


def _lives(fx: Effects) -> list[NodeLife]:
    return [fx.tables.node_life[row.name] for row in fx.tables.nodes.values() if not row.is_deleted]


def _everything_is_down(fx: Effects) -> bool:
    """Master disruption: with no ready node at all the controller suspects itself and evicts nobody."""
    return all(life.condition(READY).status != "True" for life in _lives(fx))


def _is_half_down(fx: Effects, node: str) -> bool:
    """Partial disruption of a small zone: more than two nodes and too large a part are not ready; no further taints."""
    zone = [life for life in _lives(fx) if zone_of(fx, life.node) == zone_of(fx, node)]
    bad = sum(life.condition(READY).status != "True" for life in zone)
    return 2 < bad < len(zone) and bad * 1000 >= len(zone) * fx.profile.unhealthy_zone_permille


def _turn(fx: Effects, node: str) -> Ms:
    """When the zone may taint its next node."""
    zone = zone_of(fx, node)
    past = [life.tainted_ms for life in _lives(fx) if life.tainted_ms is not None and life.node != node and zone_of(fx, life.node) == zone]
    return max(past) + fx.profile.node_taint_every_ms if past else fx.now
