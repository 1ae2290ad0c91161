"""When the pod garbage collector looks next. Its rounds are a grid; one is queued only where something waits for it.

Apart from the collector itself, so that whoever stores a pod can ask for a round.
"""

from simulator.engine.controllers.kubelet.beats import next_beat
from simulator.engine.effects import Effects
from simulator.engine.events import PodGC
from simulator.engine.queue import Lane
from simulator.engine.units import Ms


def next_round_ms(fx: Effects) -> Ms:
    """The next round after now."""
    period = fx.profile.pod_gc_ms
    return next_beat(fx.now, fx.uniform("pod-gc", 0, 0, period), period)


def expect_round(fx: Effects) -> None:
    """The next round looks at all pods, whatever node they are on; it is queued once."""
    due_ms = next_round_ms(fx)
    if fx.count(f"pod-gc/{due_ms}") == 1:
        fx.schedule(due_ms, Lane.CONTROLLER, PodGC(""))


def count_finished(fx: Effects) -> None:
    """A pod has finished: where the cluster may hold more such pods than it keeps, the next round counts them. O(1)."""
    if len(fx.tables.pods) > fx.profile.pod_gc_threshold > 0:
        expect_round(fx)
