"""The conditions of a Node object, and the taints that follow from them at once.

The kubelet writes the four conditions of a healthy node and their opposites; the node lifecycle
controller overwrites them with Unknown when it has heard nothing for the grace period. Both go
through ``set_condition``: the transition time moves with the status alone, while reason and message
may change without it.

NoSchedule taints mirror the conditions and the cordon, and the controller sets them in a pass
triggered by the change of the node, not by its monitor period, so here they follow at once. The
NoExecute taints of a lost node, which evict pods, are another pass of the same controller and come
with its monitor. Taints of other keys or effects are never touched.

Source: kubelet nodestatus/setters.go, node_lifecycle_controller.go doNoScheduleTaintingPass.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.nodes.events import emit_node
from simulator.engine.apiserver.nodes.taints import change_taints
from simulator.engine.kernel.records import Data
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Ms
from simulator.engine.machines.node import NODE_CONDITION
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import NodeCondition, NodeLife
from simulator.engine.world.watch import STATUS

READY = "Ready"
PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure")
GOOD = {
    "MemoryPressure": ("False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    "DiskPressure": ("False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    "PIDPressure": ("False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    READY: ("True", "KubeletReady", "kubelet is posting ready status"),
}
"""Status, reason and message of every condition of a healthy node, in the order in which the kubelet writes them."""

UNSCHEDULABLE_TAINT = "node.kubernetes.io/unschedulable"
_PRESSURE_TAINTS = {
    "MemoryPressure": "node.kubernetes.io/memory-pressure",
    "DiskPressure": "node.kubernetes.io/disk-pressure",
    "PIDPressure": "node.kubernetes.io/pid-pressure",
}
READY_TAINTS = {"False": "node.kubernetes.io/not-ready", "Unknown": "node.kubernetes.io/unreachable"}
"""Taint key by the status of Ready; True has none."""

_MANAGED = (*READY_TAINTS.values(), *_PRESSURE_TAINTS.values(), UNSCHEDULABLE_TAINT)

RULES = (
    RuleText(
        "NODE-CONDITION",
        gettext_noop("The kubelet reports the node’s state in its conditions: {condition} is {status} ({message})."),
        "pkg/kubelet/nodestatus/setters.go",
    ),
    RuleText(
        "NODE-TAINT",
        gettext_noop("A node that is cordoned or in a bad condition gets a NoSchedule taint at once: no new pods without a toleration."),
        "pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoScheduleTaintingPass",
    ),
)


def healthy(now: Ms) -> tuple[NodeCondition, ...]:
    """The conditions of a healthy node, before anything has written them."""
    begin = NODE_CONDITION.initial
    return tuple(
        NodeCondition(type=kind, status=begin, reason=reason, message=text, transition_ms=now) for kind, (_, reason, text) in GOOD.items()
    )


def first_records(fx: Effects, node: str) -> None:
    """Write the conditions a node starts with."""
    life = fx.tables.node_life[node]
    for item in life.conditions:
        fx.become(NODE_CONDITION, node, item, "reported", GOOD[item.type][0], data=_data(item.type, GOOD[item.type]))


def _data(kind: str, wanted: tuple[str, str, str]) -> Data:
    return (("condition", kind), ("status", wanted[0]), ("reason", wanted[1]), ("message", wanted[2]))


def set_condition(fx: Effects, node: str, kind: str, wanted: tuple[str, str, str], *, trigger: str = "reported") -> bool:
    """Write one condition (status, reason, message) of a node, with its record; returns whether anything changed.

    Nothing changes if the Node object is gone: a kubelet that keeps running writes to an object that is not found. The writes of a
    kubelet that is cut off do not arrive.
    """
    if fx.is_cut_off or fx.tables.nodes[node].is_deleted:
        return False
    life = fx.tables.node_life[node]
    old = life.condition(kind)
    if (old.status, old.reason, old.message) == wanted:
        return False
    since = old.transition_ms if old.status == wanted[0] else fx.now
    changed = replace(old, reason=wanted[1], message=wanted[2], transition_ms=since)
    fresh, step, seq = fx.become(NODE_CONDITION, node, changed, trigger, wanted[0], data=_data(kind, wanted))
    assert step is not None
    fx.cause = seq
    life = fx.tables.node_life[node]
    fx.save_node_life(replace(life, conditions=tuple(replace(item, seq=seq) if item.type == kind else item for item in life.conditions)))
    if old.status != fresh.status:
        _emit_event(fx, node, kind, fresh.status, step.rule)
        # The taints are a side effect of the condition: what follows from Ready must not appear
        # to be caused by them.
        with fx.aside():
            sync_taints(fx, node)
        if kind == READY:
            fx.notify("Node", STATUS, fx.tables.nodes[node], fx.tables.nodes[node])
    return True


def _emit_event(fx: Effects, node: str, kind: str, status: str, rule: str) -> None:
    """Write the Event that goes with a change of a condition; the controller's own comes from the monitor."""
    # The node lifecycle controller writes Unknown, and its monitor writes the Event.
    if status == "Unknown":
        return
    if kind == READY:
        word = "NodeReady" if status == "True" else "NodeNotReady"
    elif status == "True":
        word = {"PIDPressure": "NodeHasInsufficientPID", "MemoryPressure": "NodeHasInsufficientMemory"}.get(kind, "NodeHasDiskPressure")
    else:
        word = f"NodeHas{GOOD[kind][1].removeprefix('KubeletHas')}"
    emit_node(fx, node, component="kubelet", reason=word, message=f"Node {node} status is now: {word}", rule=rule)


def wanted_taints(fx: Effects, node: str, life: NodeLife) -> tuple[tuple[str, str, str], ...]:
    """The NoSchedule taints that the node's conditions and cordon ask for."""
    keys = [READY_TAINTS.get(life.condition(READY).status, "")]
    keys += [_PRESSURE_TAINTS[kind] for kind in PRESSURES if life.condition(kind).status == "True"]
    if fx.tables.nodes[node].unschedulable:
        keys.append(UNSCHEDULABLE_TAINT)
    return tuple((key, "", "NoSchedule") for key in keys if key)


def sync_taints(fx: Effects, node: str) -> None:
    """Add the NoSchedule taints of the node's conditions, and remove those that no longer apply."""
    life = fx.tables.node_life[node]
    row = fx.tables.nodes[node]
    wanted = wanted_taints(fx, node, life)
    managed = [taint for taint in row.taints if taint[0] in _MANAGED and taint[2] == "NoSchedule"]
    change_taints(
        fx,
        node,
        add=tuple(taint for taint in wanted if taint not in row.taints),
        remove=tuple(taint for taint in managed if taint not in wanted),
        rule="NODE-TAINT",
    )
