"""The kubelet's fixed ticks: relist, status manager, housekeeping, garbage collection.

The ticks lie on a grid ``phase + k × period``; the phases are drawn once per node (recordings: each kubelet has its own).
Nothing is queued while nothing happens: a tick is computed when something waits for it, so an idle node costs
nothing. One consequence: a tick that finds nothing to do leaves no record, as in the kubelet.

Without jitter a phase that has not been used yet is set so that the first wait is half a period, which is the mean of
all waits; from then on the grid is fixed. A kubelet that starts restarts all its ticks.
"""

from msgspec.structs import replace

from simulator.engine.kernel.grid import next_beat
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import Relist, StatusBeat
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import KubeletRow

RULES = (
    RuleText(
        "RELIST",
        gettext_noop("The kubelet looks at its containers once a second; it learns of changes in between only then."),
        "pkg/kubelet/pleg/generic.go",
    ),
    RuleText(
        "EQUAL-TIME-ORDER",
        gettext_noop(
            "Things due in the same millisecond happen in this order: container runtime, API server, kubelet, "
            "probes, controllers, housekeeping, the scenario’s script."
        ),
        "our choice (a real kubelet's choice is random)",
        sure="assumed",
    ),
)


def can_relist(fx: Effects, node: str) -> bool:
    """Whether the node's kubelet is running and can reach its runtime."""
    life = fx.tables.node_life[node]
    return life.kubelet == "running" and life.runtime == "up"


def mark_dirty(fx: Effects, node: str, pod: Key) -> None:
    """Note that a pod's containers changed: the next relist of its node will see it, once kubelet and runtime are up."""
    if node in fx.tables.unhealthy and not can_relist(fx, node):
        return
    kubelet = fx.tables.kubelets[node]
    if kubelet.relist_due_ms is None:
        due = next_beat(fx.now, kubelet.relist_phase_ms, fx.profile.relist_ms)
        fx.schedule(due, Lane.RELIST, Relist(node), cause=0)
        fx.save_kubelet(replace(kubelet, relist_due_ms=due, dirty=(pod,)))
    elif pod not in kubelet.dirty:
        fx.save_kubelet(replace(kubelet, dirty=(*kubelet.dirty, pod)))


def with_status_beat(fx: Effects, kubelet: KubeletRow, ready_ms: Ms) -> KubeletRow:
    """The kubelet with the phase of its status manager's tick. Without jitter the first wait, from ``ready_ms`` on, is the mean one."""
    if kubelet.beat_phase_ms is not None:
        return kubelet
    return replace(kubelet, beat_phase_ms=ready_ms + fx.profile.status_batch_ms // 2)


def next_housekeeping(fx: Effects, node: str) -> Ms:
    """The next round of a kubelet's housekeeping. Without jitter the first wait for one is the mean one."""
    kubelet, period = fx.tables.kubelets[node], fx.profile.housekeeping_ms
    if not kubelet.is_housekeeping_known:
        kubelet = replace(kubelet, housekeeping_phase_ms=fx.now + period // 2, is_housekeeping_known=True)
        fx.save_kubelet(kubelet)
    return next_beat(fx.now, kubelet.housekeeping_phase_ms, period)


def next_collection(fx: Effects, node: str) -> Ms:
    """The next round of a kubelet's container garbage collection. Without jitter the first wait for one is the mean one."""
    kubelet, period = fx.tables.kubelets[node], fx.profile.container_gc_ms
    phase = kubelet.collection_phase_ms
    if phase is None:
        phase = fx.now + period // 2
        fx.save_kubelet(replace(kubelet, collection_phase_ms=phase))
    return next_beat(fx.now, phase, period)


def next_status_beat(fx: Effects, kubelet: KubeletRow) -> Ms:
    """The next tick of a status manager whose phase is known."""
    assert kubelet.beat_phase_ms is not None
    return next_beat(fx.now, kubelet.beat_phase_ms, fx.profile.status_batch_ms)


def await_status_beat(fx: Effects, node: str, pod: Key, *, ready_ms: Ms) -> None:
    """Let a pod wait for the status manager's next tick to be removed; ``ready_ms``: when nothing of it is left on the node."""
    kubelet = fx.tables.kubelets[node]
    waiting = kubelet.removals if pod in kubelet.removals else (*kubelet.removals, pod)
    due = kubelet.beat_due_ms
    if due is None:
        kubelet = with_status_beat(fx, kubelet, ready_ms)
        due = next_status_beat(fx, kubelet)
        fx.schedule(due, Lane.HOUSEKEEPING, StatusBeat(node))
    fx.save_kubelet(replace(kubelet, removals=waiting, beat_due_ms=due))
