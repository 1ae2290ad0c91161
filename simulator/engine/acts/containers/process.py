"""What the acts on a container's main process share."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from simulator.engine.apiserver.refusal import Doing, Refusal
from simulator.engine.kernel.units import Key
from simulator.engine.kubelet.containers.runtime import carry_out, find_instance, host_of
from simulator.engine.runtime import Host, Process, Turn
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import Instance


def to_process(fx: Effects, command: Any, turn: Callable[[Process, Host], Turn]) -> Doing:
    """What ``turn`` makes of the running main process that ``target`` and ``container`` name. Raises Refusal where none runs."""
    row, process = running_process(fx, command.target, command.container)
    host = host_of(fx, command.target, row.container)

    def act() -> None:
        carry_out(fx, command.target, replace(row, seq=fx.cause), turn(process, host))

    return act


def running_process(fx: Effects, key: Key, container: str) -> tuple[Instance, Process]:
    """The running instance with its process; a pod whose object is gone may still have one (the ghost of a force delete)."""
    row = fx.tables.pods.get(key)
    if row is None:
        raise Refusal("COMMAND-NO-POD")
    instance = find_instance(fx, key, container or row.pod.spec.containers[0].name)
    if instance is None or not instance.runs or instance.process is None:
        raise Refusal("COMMAND-NOT-RUNNING")
    return instance, instance.process
