"""When the scheduler looks at a pod again that found no node: something changed, its back-off is over, or five minutes went by.

Source: internal/queue/scheduling_queue.go.
"""

from simulator.engine.controllers.kubelet.beats import next_beat
from simulator.engine.controllers.room import give_back
from simulator.engine.effects import Effects
from simulator.engine.events import KubeletSees, SchedulePod
from simulator.engine.queue import Lane
from simulator.engine.units import Key, Ms

UPDATE, FLUSH = "update", "flush"
"""Kinds of a retry: the pod itself changed; it has waited for long. Any other is a change of the cluster."""


def backoff_ms(fx: Effects, pod: Key) -> Ms:
    """How long the pod is held back after its last attempt: 1 s, doubled by each, at most 10 s."""
    tries, _ = fx.tables.tries.get(pod, (1, 0))
    return min(fx.profile.scheduler_backoff_initial_ms << min(max(tries - 1, 0), 10), fx.profile.scheduler_backoff_max_ms)


def is_too_early(fx: Effects, event: SchedulePod) -> bool:
    """Whether an attempt since then has made this retry idle."""
    if event.pod not in fx.tables.unscheduled or event.why == UPDATE:
        return False
    _, last_ms = fx.tables.tries.get(event.pod, (0, 0))
    wait = fx.profile.scheduler_flush_ms if event.why == FLUSH else _held_ms(fx, event.pod)
    return fx.now < last_ms + max(wait, 1)


def _held_ms(fx: Effects, pod: Key) -> Ms:
    """The back-off, where a cluster without other work would not cut it short (1.33)."""
    return 0 if fx.profile.scheduler_pops_backoff_early else backoff_ms(fx, pod)


def await_flush(fx: Effects, pod: Key) -> None:
    """A pod that could not be placed is tried again after a few minutes even if nothing changes."""
    due = next_beat(fx.now + fx.profile.scheduler_flush_ms, 0, fx.profile.scheduler_flush_check_ms)
    fx.schedule(due, Lane.CONTROLLER, SchedulePod(pod, FLUSH))


def retry_unscheduled(fx: Effects) -> None:
    """Something changed that may help: pods that found no node are tried again, the important first, each after its back-off."""
    pods = fx.tables.pods
    for pod in sorted(fx.tables.unscheduled, key=lambda key: -(pods[key].pod.spec.priority or 0)):
        _, last_ms = fx.tables.tries.get(pod, (1, 0))
        fx.schedule(max(fx.now + fx.profile.api_to_scheduler_ms, _held_until(fx, pod, last_ms)), Lane.CONTROLLER, SchedulePod(pod))


def _held_until(fx: Effects, pod: Key, last_ms: Ms) -> Ms:
    """The first look after the end of the back-off; 0 where nothing holds the pod back."""
    held = _held_ms(fx, pod)
    return next_beat(last_ms + held, 0, fx.profile.scheduler_backoff_check_ms) if held else 0


def release(fx: Effects, key: Key) -> None:
    """A pod that has ended or is gone frees its room on the node, and pods that wait for room get another try."""
    row = fx.tables.pods[key]
    if not give_back(fx, row):
        return
    retry_unscheduled(fx)
    for pod, resize in fx.tables.resizes.items():
        if resize.state == "deferred" and fx.tables.pods[pod].node == row.node:
            fx.schedule(fx.now + fx.profile.watch_ms, Lane.KUBELET, KubeletSees(pod))
