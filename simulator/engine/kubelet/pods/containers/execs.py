"""Processes that run in a container besides its main process: exec probes, exec hooks, kubectl exec.

An exec that ends at once costs nothing but the call; one that takes time is a row with its own wake-ups. Its end is
reported to the handler of its purpose as ``Finished``.
"""

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine import containers as behaviour
from simulator.engine.containers.process.turn import ExecTurn
from simulator.engine.containers.turns.sessions import NO_ENDS
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.kubelet.pods.containers.instances import carry_out_exec, find_instance, host_of
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import ExecTimeout, ExecWake
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Exec, Instance


class Finished(Struct, frozen=True, gc=False):
    """How an exec ended. ``outcome``: exited, timeout, error (the program could not be run) or container_gone."""

    outcome: str
    exit_code: int = 0
    output: str = ""
    error: str = ""
    took_ms: Ms = 0
    errors: str = ""  # what the command wrote to stderr …
    printed: str | None = None  # … and to stdout alone, if that was requested


Handler = Callable[[Effects, Exec, Finished], None]


def begin(
    fx: Effects,
    pod: Key,
    instance: Instance,
    argv: tuple[str, ...],
    *,
    purpose: str,
    probe: str = "",
    timeout_ms: Ms | None = None,
    ends: behaviour.Ends = NO_ENDS,
) -> tuple[int, Finished | None]:
    """Run ``argv`` in the container. Returns the exec's number (0 if it is over) and how it ended, if it has."""
    if instance.process is None or not instance.runs:
        return 0, Finished("container_gone", 137)
    turn = behaviour.exec_start(instance.process, argv, host_of(fx, pod, instance.container), is_probe=purpose == "probe", ends=ends)
    carry_out_exec(fx, pod, instance, turn)
    if turn.exec is None:
        return 0, _finished(turn, 0)
    n = fx.count("exec")
    row = Exec(
        pod=pod, container=instance.container, attempt=instance.attempt, purpose=purpose, probe=probe, state=turn.exec,
        began_ms=fx.now, seq=fx.cause,
    )  # fmt: skip
    timeout = fx.schedule(fx.now + timeout_ms, Lane.RUNTIME, ExecTimeout(n)) if timeout_ms is not None else 0
    wake = fx.schedule(turn.wake_ms, Lane.RUNTIME, ExecWake(n)) if turn.wake_ms is not None else 0
    fx.save_exec(n, replace(row, wake=wake, timeout=timeout))
    return n, None


def _finished(turn: ExecTurn, took_ms: Ms) -> Finished:
    if turn.not_found or turn.error:
        return Finished("error", turn.exit_code or 0, turn.output, turn.error, took_ms)
    return Finished("exited", turn.exit_code or 0, turn.output, "", took_ms, turn.errors, turn.printed)


def exec_wake(fx: Effects, event: ExecWake, handlers: Mapping[str, Handler]) -> None:
    """Continue an exec."""
    row = fx.tables.execs.get(event.n)
    if row is None:
        return
    fx.cause = row.seq
    instance = find_instance(fx, row.pod, row.container, row.attempt)
    if instance is None or instance.process is None or not instance.runs:
        _close(fx, event.n, row, Finished("container_gone", 137, took_ms=fx.now - row.began_ms), handlers)
        return
    turn = behaviour.exec_resume(instance.process, row.state, host_of(fx, row.pod, row.container))
    _after_turn(fx, event.n, replace(row, wake=0), instance, turn, handlers)


def _after_turn(fx: Effects, n: int, row: Exec, instance: Instance, turn: ExecTurn, handlers: Mapping[str, Handler]) -> None:
    carry_out_exec(fx, row.pod, instance, turn)
    if turn.exec is None:
        _close(fx, n, row, _finished(turn, fx.now - row.began_ms), handlers)
        return
    wake = fx.schedule(turn.wake_ms, Lane.RUNTIME, ExecWake(n)) if turn.wake_ms is not None else 0
    fx.save_exec(n, replace(row, state=turn.exec, wake=wake))


def write(fx: Effects, n: int, row: Exec, typed: behaviour.Typing, handlers: Mapping[str, Handler]) -> None:
    """Write to the input of an exec whose container runs. Its end is reported with its own cause."""
    instance = find_instance(fx, row.pod, row.container, row.attempt)
    if instance is None or instance.process is None or not instance.runs:
        return
    fx.cancel(row.wake)
    fx.cause = row.seq
    turn = behaviour.exec_input(instance.process, row.state, host_of(fx, row.pod, row.container), typed)
    _after_turn(fx, n, replace(row, wake=0), instance, turn, handlers)


def exec_timeout(fx: Effects, event: ExecTimeout, handlers: Mapping[str, Handler]) -> None:
    """Kill an exec whose timeout has expired."""
    row = fx.tables.execs.get(event.n)
    if row is None:
        return
    fx.cause = row.seq
    kill(fx, event.n, replace(row, timeout=0))
    _hand_over(fx, row, Finished("timeout", 137, took_ms=fx.now - row.began_ms), handlers)


def kill(fx: Effects, n: int, row: Exec) -> None:
    """End an exec without notifying its handler."""
    fx.cancel(row.wake)
    fx.cancel(row.timeout)
    fx.save_exec(n, None)
    instance = find_instance(fx, row.pod, row.container, row.attempt)
    if instance is not None and instance.process is not None and instance.runs:
        host = host_of(fx, row.pod, row.container)
        carry_out_exec(fx, row.pod, instance, behaviour.exec_kill(instance.process, row.state, host))


def end_with_container(fx: Effects, pod: Key, container: str, attempt: int, handlers: Mapping[str, Handler]) -> None:
    """The container is gone, and with it everything that ran in it."""
    for n, row in tuple(fx.tables.execs.items()):
        if row.pod == pod and row.container == container and row.attempt == attempt:
            _close(fx, n, row, Finished("container_gone", 137, took_ms=fx.now - row.began_ms), handlers)


def _close(fx: Effects, n: int, row: Exec, finished: Finished, handlers: Mapping[str, Handler]) -> None:
    fx.cancel(row.wake)
    fx.cancel(row.timeout)
    fx.save_exec(n, None)
    _hand_over(fx, row, finished, handlers)


def _hand_over(fx: Effects, row: Exec, finished: Finished, handlers: Mapping[str, Handler]) -> None:
    handlers[row.purpose](fx, row, finished)
