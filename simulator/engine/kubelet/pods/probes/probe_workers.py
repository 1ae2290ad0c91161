"""Probe workers: a ticker per container and type of probe, the attempt, and what a result does.

A worker is a row of the world with two clocks. Its ticker has its own grid (``first_ms`` plus a
multiple of the period), which begins at a random moment within one period and is never aligned to the
container. An attempt takes time if the handler does; the worker is ``busy`` then.

What a worker can receive, and what it does:

* a tick: an attempt begins, unless one is in progress. Go's ticker keeps one tick for a busy reader, so
  ``missed`` is a flag and not a number: several ticks during a long attempt cause one attempt after it.
* a poke (1.22 and later, readiness only): after a sync that found a container started but not ready
  the kubelet probes at once. One poke is kept too (``poked``), and is taken before a missed tick. From 1.35
  on a poke also resets the ticker's period.
* a stop: a busy worker notices it only after the attempt (``is_stopping``), whose outcome still
  counts. A kubelet that dies takes its workers along at once (``lose``).

An attempt is split in two. ``before`` decides by what the kubelet has published about the container whether
the handler runs at all; ``after`` counts the outcome. Both are pure (``probe_step``). Counters live as
long as the worker: a restarted container continues the run of its predecessor, as in Kubernetes.

Order within ``finish_attempt``: the attempt is recorded first, then its Event, then the worker's row is
saved, then the stored result changes, then a sync begins, and only then does the worker take what was
kept for it. A sync may stop the worker or kill the container, so the row is read again after it. Beginning
a sync is up to the caller: the functions are generators that yield the record that requests
one, and ``loop.probing`` begins it before they continue. So probes know nothing about syncs.

Source: pkg/kubelet/prober/worker.go, prober_manager.go; the random first tick observed on a 1.20.2 node.
"""

from collections.abc import Iterator
from typing import assert_never

from msgspec.structs import replace

from simulator.engine.kernel.machine import DECIDED
from simulator.engine.kernel.records import Data, RecordKind
from simulator.engine.kernel.units import Key, Ms, Seq, seconds
from simulator.engine.kubelet.pods.containers.execs import Finished
from simulator.engine.kubelet.pods.containers.instances import find_instance
from simulator.engine.kubelet.pods.probes import probe_handlers
from simulator.engine.kubelet.pods.probes.probe_handlers import FIELDS, HandlerAnswer
from simulator.engine.kubelet.pods.probes.probe_machine import PROBE
from simulator.engine.kubelet.pods.probes.probe_results import apply_result, report
from simulator.engine.kubelet.pods.probes.probe_step import ProbedStatus, after, before, next_tick
from simulator.engine.kubelet.pods.status.pod_status import outlives_kubelet
from simulator.engine.model.container import Container
from simulator.engine.model.probe import SUCCESS, Probe
from simulator.engine.model.status import ContainerStatus, Running, Terminated, Waiting
from simulator.engine.policies.restart_policy import is_sidecar, restarts_after
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import ProbeAnswer, ProbeTick
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Exec, PodRow, ProbeRow, ProbeWorker

KINDS = ("startup", "liveness", "readiness")
_ATTEMPT = RecordKind.ATTEMPT.value
_SHOWN_SKIPS = ("PROBE-STARTUP-FIRST", "PROBE-INITIAL-DELAY")
_UNPROBED = ("PROBE-NOT-RUNNING", "PROBE-CONTAINER-OVER", "PROBE-SIDECAR-STARTED")


def probe_of(container: Container, kind: str) -> Probe | None:
    """The container's probe of that kind."""
    found: Probe | None = getattr(container, FIELDS[kind])
    return found


def ensure(fx: Effects, row: PodRow) -> None:
    """Create the probe workers of a pod that the kubelet has accepted."""
    for container in _probed(row):
        for kind in KINDS:
            probe: Probe | None = getattr(container, FIELDS[kind])
            if probe is None:
                continue
            key = (row.key, container.name, kind)
            if key in fx.tables.probes:
                continue
            period = seconds(probe.period_s)
            first = fx.now + _first_delay(fx, row, container.name, kind, period)
            handle = fx.schedule(first, Lane.PROBE, ProbeTick(*key))
            worker = ProbeWorker(kind, probe.initial_delay_seconds)
            fx.save_probe(key, ProbeRow(worker=worker, first_ms=first, period_ms=period, handle=handle, is_asleep=first > fx.now))


def _first_delay(fx: Effects, row: PodRow, container: str, kind: str, period: Ms) -> Ms:
    """How long a new worker waits: a random part of its period, so that a kubelet that has just started does not probe all at once."""
    life = fx.tables.node_life[row.node]
    is_young = life.starts > 0 and fx.now - life.started_ms < period
    if not is_young and not fx.profile.probe_first_always_random:
        return 0
    return fx.uniform(f"probe/{row.key}/{container}/{kind}", life.starts, 0, period)


def stop(fx: Effects, row: PodRow) -> None:
    """Stop the pod's workers (prober_manager.go RemovePod)."""
    _stop(fx, row, _probed(row), KINDS)


def stop_liveness_and_startup(fx: Effects, row: PodRow) -> None:
    """Stop these workers of the app containers.

    Those of sidecars continue: prober_manager.go StopLivenessAndStartup iterates over spec.containers only, up to 1.37
    (kubernetes/kubernetes#141766).
    """
    _stop(fx, row, row.pod.spec.containers, ("liveness", "startup"))  # not _probed(row): the upstream bug is reproduced


def _stop(fx: Effects, row: PodRow, containers: tuple[Container, ...], kinds: tuple[str, ...]) -> None:
    """Stop workers; a busy one notices when its attempt is over: worker.go run reads stopCh between two calls of doProbe."""
    for key in [(row.key, container.name, kind) for container in containers for kind in kinds]:
        probe_row = fx.tables.probes.get(key)
        if probe_row is not None:
            fx.cancel(probe_row.handle)
            fx.save_probe(key, replace(probe_row, is_stopping=True) if probe_row.busy else None)


def lose(fx: Effects, row: PodRow) -> None:
    """The kubelet's process is gone, and with it the pod's workers and their attempts."""
    stop(fx, row)
    for key in [(row.key, container.name, kind) for container in _probed(row) for kind in KINDS]:
        fx.save_probe(key, None)


def _probed(row: PodRow) -> tuple[Container, ...]:
    """The containers that may have probes."""
    return (*row.pod.spec.init_containers, *row.pod.spec.containers)


def results(fx: Effects, row: PodRow, kind: str) -> dict[str, str]:
    """The stored results of a kind by container, for the newest instances only."""
    found: dict[str, str] = {}
    field = FIELDS[kind]
    for container in _probed(row) if row.pod.spec.init_containers else row.pod.spec.containers:
        if getattr(container, field) is None:
            continue
        probe_row = fx.tables.probes.get((row.key, container.name, kind))
        if probe_row is None or probe_row.worker.result is None:
            continue
        newest = find_instance(fx, row.key, container.name)
        if newest is not None and probe_row.worker.container_id == f"{newest.container}#{newest.attempt}":
            found[container.name] = probe_row.worker.result
    return found


def poke(fx: Effects, row: PodRow) -> None:
    """Probe readiness at once for containers that run and have started, and for which no success is stored (1.22+)."""
    for item in (*row.status.init_containers, *row.status.containers):
        probe_row = fx.tables.probes.get((row.key, item.name, "readiness"))
        if probe_row is None or not isinstance(item.state, Running) or not item.started:
            continue
        if probe_row.worker.container_id != item.container_id or probe_row.worker.result != SUCCESS:
            fx.schedule(fx.now, Lane.PROBE, ProbeTick(row.key, item.name, "readiness", extra=True))


def tick(fx: Effects, event: ProbeTick) -> Iterator[Seq]:
    """A tick of a worker's ticker, or a poke. A busy worker keeps one of each; a poke is also kept before the first tick."""
    key = (event.pod, event.container, event.probe)
    probe_row = fx.tables.probes.get(key)
    if probe_row is None:
        return
    if not event.extra:
        probe_row = _ticks_from_now(fx, key, probe_row)
    if probe_row.busy or probe_row.is_asleep:
        fx.save_probe(key, replace(probe_row, missed=probe_row.missed or not event.extra, poked=probe_row.poked or event.extra))
    elif event.extra:
        yield from _poked(fx, key, probe_row)
    else:
        yield from attempt(fx, key, probe_row)


def _ticks_from_now(fx: Effects, key: tuple[Key, str, str], probe_row: ProbeRow) -> ProbeRow:
    """Restart the ticker: its next tick comes one period from now, replacing the one that was due."""
    if probe_row.handle != fx.handle:
        fx.cancel(probe_row.handle)
    return replace(probe_row, handle=fx.schedule(fx.now + probe_row.period_ms, Lane.PROBE, ProbeTick(*key), cause=0), is_asleep=False)


def _poked(fx: Effects, key: tuple[Key, str, str], probe_row: ProbeRow) -> Iterator[Seq]:
    """Take a poke: probe, and in newer kubelets restart the ticker, so that a tick that was kept is dropped."""
    probe_row = replace(probe_row, poked=False)
    if fx.profile.readiness_poke_restarts_period:
        probe_row = replace(_ticks_from_now(fx, key, probe_row), first_ms=fx.now + probe_row.period_ms, missed=False)
    yield from attempt(fx, key, probe_row)


def _go_on(fx: Effects, key: tuple[Key, str, str]) -> Iterator[Seq]:
    """After an attempt, end the worker if it was stopped meanwhile; else let it take at once what was kept for it."""
    probe_row = fx.tables.probes.get(key)
    if probe_row is None or probe_row.busy:
        return
    if probe_row.is_stopping:
        fx.save_probe(key, None)
    elif probe_row.poked:
        yield from _poked(fx, key, probe_row)
    elif probe_row.missed:
        yield from attempt(fx, key, replace(probe_row, missed=False))


def attempt(fx: Effects, key: tuple[Key, str, str], probe_row: ProbeRow) -> Iterator[Seq]:
    """Run one step of the worker: decide, and if the decision is to run, run the probe."""
    pod, name, kind = key
    row = fx.tables.pods[pod]
    step = before(probe_row.worker, view_of(fx, row, name), options=fx.world.options.probes)
    is_stored = step.rule_id in _UNPROBED and step.worker != probe_row.worker
    if step.worker is not probe_row.worker:
        probe_row = replace(probe_row, worker=step.worker)
    fx.save_probe(key, probe_row)  # before what follows: creating a status reads the stored result from the row
    if is_stored:
        yield from _stored_unprobed(fx, row, key, step.rule_id)
    if step.action == "stop":
        fx.cancel(probe_row.handle)
        fx.save_probe(key, None)
        return
    if step.action == "skip":
        if step.rule_id in _SHOWN_SKIPS and not (probe_row.poked or probe_row.missed):  # a skipped kept tick or poke is recorded too
            fx.record(
                kind=_ATTEMPT,
                subject=f"probe/{pod}/{name}/{kind}",
                machine="probe_attempt",
                target="suppressed",
                rule=step.rule_id,
                cause=0,
                data=(("next_ms", next_tick(probe_row, fx.now)),),
            )
        yield from _go_on(fx, key)
        return
    instance = find_instance(fx, pod, name)
    if instance is None:
        yield from _go_on(fx, key)
        return
    fx.cause = probe_row.outcome_seq or instance.seq  # an outcome set by a user follows from that act, not from the container
    answer = probe_handlers.run(fx, row, instance, kind, probe_row)
    if answer is not None:
        yield from finish_attempt(fx, key, answer)


def _stored_unprobed(fx: Effects, row: PodRow, key: tuple[Key, str, str], rule: str) -> Iterator[Seq]:
    """Store a result that follows from the container's state alone, such as a failure when it is not running, with all consequences."""
    name = key[1]
    instance = find_instance(fx, row.key, name)
    fx.cause = instance.seq if instance is not None else 0
    container = container_named(row, name)
    yield from _result_changed(fx, key, fx.tables.probes[key].worker.result or "", rule, container)


def view_of(fx: Effects, row: PodRow, name: str) -> ProbedStatus:
    """What the worker sees: the status as the kubelet has published it."""
    status, phase = find_status(row, name), _phase_seen(fx, row)
    if status is None:
        return ProbedStatus(fx.now, phase)
    state = status.state
    if isinstance(state, Running):
        return ProbedStatus(
            fx.now, phase, status.container_id, "running", bool(status.started), state.started_ms or 0,
            keeps_result=fx.profile.keep_status_on_kubelet_restart and outlives_kubelet(fx, row, state),
            is_sidecar=bool(row.pod.spec.init_containers) and _is_sidecar(row, name),
        )  # fmt: skip
    if isinstance(state, Terminated):
        container = container_named(row, name)
        again = row.deletion_ms is None and restarts_after(
            container, row.pod.spec.restart_policy, state.exit_code, restart_rules=fx.profile.container_restart_rules
        )
        return ProbedStatus(fx.now, phase, status.container_id, "terminated", will_restart=again)
    if state is None or isinstance(state, Waiting):
        return ProbedStatus(fx.now, phase, status.container_id)
    assert_never(state)


def _is_sidecar(row: PodRow, name: str) -> bool:
    return any(item.name == name and is_sidecar(item) for item in row.pod.spec.init_containers)


def _phase_seen(fx: Effects, row: PodRow) -> str:
    """The phase in the kubelet's own memory: terminal for a pod that it ends itself, which the API is told once nothing runs."""
    worker = fx.tables.workers.get(row.key)
    return "Failed" if worker is not None and worker.is_over else row.status.phase


def container_named(row: PodRow, name: str) -> Container:
    """The container or init container of the pod's spec; there must be one of that name."""
    for item in row.pod.spec.containers:
        if item.name == name:
            return item
    return next(item for item in row.pod.spec.init_containers if item.name == name)


def find_status(row: PodRow, name: str) -> ContainerStatus | None:
    """The published status of a container."""
    for item in row.status.containers:
        if item.name == name:
            return item
    return next((item for item in row.status.init_containers if item.name == name), None)


def exec_ended(fx: Effects, row: Exec, finished: Finished) -> Iterator[Seq]:
    """An exec probe that took time has ended."""
    answer = probe_handlers.exec_answer(fx, finished, row.pod, row.container, row.probe)
    yield from finish_attempt(fx, (row.pod, row.container, row.probe), answer)


def answered(fx: Effects, event: ProbeAnswer) -> Iterator[Seq]:
    """A network probe that took time has ended."""
    yield from finish_attempt(
        fx, (event.pod, event.container, event.probe), HandlerAnswer(event.outcome, event.output, fx.now - event.began_ms)
    )


def finish_attempt(fx: Effects, key: tuple[Key, str, str], answer: HandlerAnswer) -> Iterator[Seq]:
    """Process an attempt's outcome: count it, and at the threshold store the result and do what it requires."""
    probe_row = fx.tables.probes.get(key)
    if probe_row is None:
        return
    pod, name, kind = key
    row = fx.tables.pods[pod]
    container = container_named(row, name)
    probe: Probe | None = getattr(container, FIELDS[kind])
    if probe is None:
        return
    outcome = "success" if answer.outcome in ("success", "warning") else "error" if answer.outcome == "error" else "failure"
    step = after(probe_row.worker, probe, outcome, options=fx.world.options.probes)
    needed = probe.successes_needed if outcome == "success" else probe.failures_needed
    run = step.worker.run or needed
    numbers = (("run", run), ("threshold", needed), ("took_ms", answer.took_ms), *_next(fx, probe_row, step.worker))
    seq = _record_attempt(fx, key, answer, numbers, step.rule_id)
    fx.cause = seq
    if answer.outcome != "success":
        report(fx, row, container, kind, answer)
    changed = step.stored and step.worker.result != probe_row.worker.result
    spent = probe_row.outcome and probe_row.outcome_left == 1
    probe_row = replace(
        probe_row, worker=step.worker, busy=False, outcome="" if spent else probe_row.outcome,
        outcome_left=max(probe_row.outcome_left - 1, 0), outcome_seq=0 if spent else probe_row.outcome_seq,
        result_seq=seq if changed else probe_row.result_seq,
    )  # fmt: skip
    # Saved now, without the record number of the stored result: what changes the result reads the row, and a sync that follows
    # from it may stop this worker. ``_result_changed`` adds the number, and ``_go_on`` reads the row again.
    fx.save_probe(key, probe_row)
    if changed:
        yield from _result_changed(fx, key, step.worker.result or "", step.rule_id, container)
    if changed or probe_row.is_stopping or probe_row.poked or probe_row.missed:
        yield from _go_on(fx, key)


def _record_attempt(fx: Effects, key: tuple[Key, str, str], answer: HandlerAnswer, numbers: tuple[tuple[str, int], ...], rule: str) -> Seq:
    pod, name, kind = key
    data: Data = (("output", answer.output[:200]), *numbers)
    target = answer.outcome if answer.outcome != "warning" else "success"
    return fx.record(kind=_ATTEMPT, subject=f"probe/{pod}/{name}/{kind}", machine="probe_attempt", target=target, rule=rule, data=data)


def _next(fx: Effects, probe_row: ProbeRow, worker: ProbeWorker) -> tuple[tuple[str, int], ...]:
    """``next_ms``, when the same instance is probed again if nothing intervenes; nothing if its worker is on hold."""
    if probe_row.is_stopping or worker.on_hold or (worker.kind == "startup" and worker.result == SUCCESS):
        return ()
    return (("next_ms", fx.now if probe_row.missed or probe_row.poked else next_tick(probe_row, fx.now)),)


def _result_changed(fx: Effects, key: tuple[Key, str, str], result: str, rule: str, container: Container) -> Iterator[Seq]:
    pod, name, kind = key
    _, seq = fx.fire(PROBE, f"probe/{pod}/{name}/{kind}", PROBE.initial, DECIDED, rule)
    fx.cause = seq
    fx.save_probe(key, replace(fx.tables.probes[key], result_seq=seq))
    wants_sync = apply_result(fx, fx.tables.pods[pod], container, kind, result)
    # The probe's result is part of what a calm sync found. Forget that, or the next sync would skip its checks.
    worker = fx.tables.workers.get(pod)
    if worker is not None and worker.calm is not None:
        fx.save_worker(replace(worker, calm=None))
    if wants_sync:
        yield seq
