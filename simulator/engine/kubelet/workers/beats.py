"""The kubelet's fixed beats. Nothing is queued while nothing happens: a beat is worked out when somebody waits for it.

A beat is a grid ``phase + k × period``; the phases are drawn once per node (recordings: each kubelet has its own).
"""

from msgspec.structs import replace

from simulator.engine.kernel.grid import next_beat
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import Relist, StatusBeat
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import NodeRow

RULES = (
    RuleText(
        "RELIST",
        gettext_noop("The kubelet looks at its containers once a second; what changed in between becomes known only then."),
        "pkg/kubelet/pleg/generic.go",
    ),
    RuleText(
        "EQUAL-TIME-ORDER",
        gettext_noop(
            "What is due in the same millisecond happens in this order: container runtime, API server, kubelet, probes, controllers, "
            "housekeeping, the scenario's script."
        ),
        "our choice (a real kubelet's choice is random)",
        sure="assumed",
    ),
)


def can_relist(fx: Effects, node: str) -> bool:
    """Whether the node's kubelet runs and reaches its runtime."""
    life = fx.tables.node_life[node]
    return life.kubelet == "running" and life.runtime == "up"


def mark_dirty(fx: Effects, node: NodeRow, pod: Key) -> None:
    """Something about a pod's containers changed: the next relist of its node will see it, once kubelet and runtime are there."""
    if node.name in fx.tables.ailing and not can_relist(fx, node.name):
        return
    if node.relist_due_ms is None:
        due = next_beat(fx.now, node.relist_phase_ms, fx.profile.relist_ms)
        fx.schedule(due, Lane.RELIST, Relist(node.name), cause=0)
        fx.save_node(replace(node, relist_due_ms=due, dirty=(pod,)))
    elif pod not in node.dirty:
        fx.save_node(replace(node, dirty=(*node.dirty, pod)))


def with_status_beat(fx: Effects, node: NodeRow, ready_ms: Ms) -> NodeRow:
    """The node with the phase of its status manager's beat. Without chance the first wait, from ``ready_ms`` on, is the mean one."""
    if node.beat_phase_ms is not None:
        return node
    return replace(node, beat_phase_ms=ready_ms + fx.profile.status_batch_ms // 2)


def next_status_beat(fx: Effects, node: NodeRow) -> Ms:
    """The next beat of the status manager of a node whose phase is known."""
    assert node.beat_phase_ms is not None
    return next_beat(fx.now, node.beat_phase_ms, fx.profile.status_batch_ms)


def await_status_beat(fx: Effects, node: NodeRow, pod: Key, *, ready_ms: Ms) -> None:
    """A pod waits for the status manager's next beat to be removed; ``ready_ms``: when nothing of it is left on the node."""
    waiting = node.removals if pod in node.removals else (*node.removals, pod)
    due = node.beat_due_ms
    if due is None:
        node = with_status_beat(fx, node, ready_ms)
        due = next_status_beat(fx, node)
        fx.schedule(due, Lane.HOUSEKEEPING, StatusBeat(node.name))
    fx.save_node(replace(node, removals=waiting, beat_due_ms=due))
