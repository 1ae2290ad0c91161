"""Probes as the inspector shows them: fields, worker, imposed outcomes, and the next tick."""

from typing import Any

from msgspec import to_builtins

from simulator.engine.kernel.units import SECOND, Ms, whole_second
from simulator.engine.kubelet.pods.probes.probe_step import next_tick
from simulator.engine.model.container import Container
from simulator.engine.model.probe import SUCCESS, UNKNOWN, Probe
from simulator.engine.model.status import TERMINAL_PHASES, ContainerStatus, Running
from simulator.engine.projection.detection import detection, remaining
from simulator.engine.projection.model import ProbeView, Remaining
from simulator.engine.projection.node_side import newest_instance
from simulator.engine.projection.probe_texts import handler_text, numbers_text
from simulator.engine.world.rows import PodRow, ProbeRow
from simulator.engine.world.world import World


def probe_views(world: World, row: PodRow, container: Container, now_ms: Ms) -> tuple[ProbeView, ...]:
    """The container's probes in order of importance: startup, liveness, readiness."""
    return tuple(
        _view(world, row, container, kind=kind, probe=probe, now_ms=now_ms)
        for kind, probe in (
            ("startup", container.startup_probe),
            ("liveness", container.liveness_probe),
            ("readiness", container.readiness_probe),
        )
        if probe is not None
    )


def _view(world: World, row: PodRow, container: Container, *, kind: str, probe: Probe, now_ms: Ms) -> ProbeView:
    held = world.tables.probes.get((row.key, container.name, kind))
    fields: dict[str, Any] = to_builtins(probe)
    last = held.worker.last if held is not None else UNKNOWN
    return ProbeView(
        subject=f"probe/{row.key}/{container.name}/{kind}",
        kind=kind,
        handler_text=handler_text(fields),
        fields_text=numbers_text(fields),
        result=_result(world, row, container, kind=kind, held=held),
        last=last.lower(),
        run=held.worker.run if held is not None else 0,
        threshold=probe.successes_needed if last == SUCCESS else probe.failures_needed,
        successes_needed=probe.successes_needed,
        failures_needed=probe.failures_needed,
        period_s=probe.period_s,
        timeout_s=probe.timeout_s,
        initial_delay_s=probe.initial_delay_seconds,
        override=(held.outcome or None) if held is not None else None,
        override_left=held.outcome_left if held is not None else 0,
        next_ms=_next_attempt(world, row, container, held=held, now_ms=now_ms) if held is not None else None,
        is_busy=held is not None and held.busy,
        detection=detection(row.pod.spec, container, kind, probe, profile=world.profile),
        remaining=_remaining(world, row, container, probe=probe, held=held, now_ms=now_ms),
    )


def _next_attempt(world: World, row: PodRow, container: Container, *, held: ProbeRow, now_ms: Ms) -> Ms | None:
    """The first tick that runs the probe if nothing changes; None if the worker, with its view of the container, skips them all.

    Its view is the published status. For a process that is gone although the status does not say so yet, no attempt is announced,
    just as the lanes show none.
    """
    worker, status, kubelet = held.worker, _status(row, container), world.tables.workers.get(row.key)
    instance = newest_instance(world, row.key, container.name)
    if held.is_stopping or status is None or not isinstance(status.state, Running) or instance is None or not instance.runs:
        return None
    if status.container_id != f"{instance.container}#{instance.attempt}":
        return None
    if row.status.phase in TERMINAL_PHASES or (kubelet is not None and kubelet.is_over):
        return None
    is_known = worker.container_id == status.container_id  # for an older instance it keeps neither the result nor the hold
    if is_known and (worker.on_hold or (worker.kind == "startup" and worker.result == SUCCESS)):
        return None
    # Startup runs until started, the others from then on.
    if bool(status.started) == (worker.kind == "startup"):
        return None
    # The kubelet compares with startedAt of the status, which has whole seconds.
    due_ms = whole_second(status.state.started_ms or 0) + worker.initial_delay_s * SECOND
    return next_tick(held, max(now_ms, due_ms - 1))


def _remaining(world: World, row: PodRow, container: Container, *, probe: Probe, held: ProbeRow | None, now_ms: Ms) -> Remaining | None:
    """The rest of a run of failures of the newest instance, which must be running and neither stopped nor deleted."""
    instance = newest_instance(world, row.key, container.name)
    if held is None or instance is None or not instance.runs or instance.stop is not None or row.deletion_ms is not None:
        return None
    if held.worker.container_id != f"{instance.container}#{instance.attempt}":
        return None
    return remaining(held, probe, next_tick(held, now_ms), now_ms)


def _result(world: World, row: PodRow, container: Container, *, kind: str, held: ProbeRow | None) -> str:
    """The probe's result for the newest instance; it has none for an older one."""
    instance = newest_instance(world, row.key, container.name)
    if held is None or instance is None or held.worker.container_id != f"{instance.container}#{instance.attempt}":
        return "unknown"
    if held.worker.on_hold:
        return "held"
    if kind != "startup" and container.startup_probe is not None and instance.runs and not _has_started(row, container):
        return "suppressed"
    return (held.worker.result or UNKNOWN).lower()


def _has_started(row: PodRow, container: Container) -> bool:
    status = _status(row, container)
    return status is not None and bool(status.started)


def _status(row: PodRow, container: Container) -> ContainerStatus | None:
    """The published status of the container."""
    return next((item for item in (*row.status.containers, *row.status.init_containers) if item.name == container.name), None)
