"""The processes of imported running containers: started when the container was, and run forward to the moment of import.

A running container needs a process that can be probed, stopped and restarted. The text does not show it,
so it is started at the moment given by its status and run forward to the present. What a script would have
done by then (files, timers, its next line) is then right. Where that contradicts the text (it would
have ended), the text wins: the process hangs until it is stopped.
"""

from msgspec.structs import replace

from simulator.engine import containers as behaviour
from simulator.engine.containers import Launch, Turn
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.kubelet.pods.containers.instances import carry_out, host_of
from simulator.engine.kubelet.pods.start.launch import build
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import Instance, PodRow

TURNS_MAX = 2000
"""How many turns of a process are caught up; one that takes more is restarted shortly before the import."""
_LATE_MS: Ms = 1000
"""How shortly before."""


def revive(fx: Effects, row: PodRow) -> None:
    """Give every running instance its process."""
    for instance in reversed(fx.tables.instances.get(row.key, ())):
        if instance.runs and instance.process is None:
            launch, problem = build(fx, row, instance.spec, instance.attempt)
            if launch is None or problem:  # what it was started with is gone, but the process is not
                launch = _stand_in(instance)
            _start(fx, row.key, instance, launch)


def _start(fx: Effects, pod: Key, instance: Instance, launch: Launch) -> None:
    began_ms = fx.now if instance.started_ms is None else instance.started_ms
    # Too many turns since its start: running it for a second still gives it its state, though not its age.
    turn = _caught_up(fx, pod, instance, launch, began_ms) or _caught_up(fx, pod, instance, launch, fx.now - _LATE_MS)
    if turn is None:
        # The program would have ended by now, but the text says that it runs: let it hang.
        host = host_of(fx, pod, instance.container)
        turn = behaviour.hang(behaviour.start(launch, host).process, True, host)
        if turn.exit_code is not None:
            turn = behaviour.start(_stand_in(instance), host)
    carry_out(fx, pod, instance, turn)


def _stand_in(instance: Instance) -> Launch:
    """What runs in place of a program that would not start here, because the text says that it runs."""
    return Launch(image=instance.image, command=("sleep", "infinity"), instance=instance.attempt)


def _caught_up(fx: Effects, pod: Key, instance: Instance, launch: Launch, began_ms: Ms) -> Turn | None:
    """The process as it is now if it started then; None if it would have ended or does too much."""
    host = host_of(fx, pod, instance.container)
    volumes = dict(host.volumes)
    turn = behaviour.start(launch, replace(host, now_ms=began_ms))
    lines = list(turn.log)
    volumes.update(turn.volumes)
    changed = dict(turn.volumes)
    for _ in range(TURNS_MAX):
        if turn.start_error or turn.exit_code is not None:
            return None
        if turn.wake_ms is None or turn.wake_ms > fx.now:
            return replace(turn, log=tuple(lines), volumes=tuple(changed.items()))
        turn = behaviour.resume(turn.process, replace(host, now_ms=turn.wake_ms, volumes=volumes))
        lines += turn.log
        volumes.update(turn.volumes)
        changed.update(turn.volumes)
    return None
