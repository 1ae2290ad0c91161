"""Probes that tick or get their answer: a result that requests a sync of its pod gets one before the probe continues."""

from collections.abc import Iterable

from simulator.engine.kernel.units import Key, Seq
from simulator.engine.kubelet.pods.containers.execs import Finished
from simulator.engine.kubelet.pods.probes import probe_workers
from simulator.engine.kubelet.pods.sync import sync
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import ProbeAnswer, ProbeTick
from simulator.engine.world.rows import Exec


def probe_tick(fx: Effects, event: ProbeTick) -> None:
    """A probe's ticker has ticked, or the kubelet has requested an extra attempt."""
    _sync_for_each(fx, event.pod, probe_workers.tick(fx, event))


def probe_answer(fx: Effects, event: ProbeAnswer) -> None:
    """A network probe that took time has ended."""
    _sync_for_each(fx, event.pod, probe_workers.answered(fx, event))


def probe_exec_ended(fx: Effects, row: Exec, finished: Finished) -> None:
    """An exec probe that took time has ended."""
    _sync_for_each(fx, row.pod, probe_workers.exec_ended(fx, row, finished))


def _sync_for_each(fx: Effects, pod: Key, results: Iterable[Seq]) -> None:
    """Process an attempt; each record that it yields requests a sync of the pod, which begins before the probe's worker continues."""
    for seq in results:
        sync.request(fx, pod, seq)
