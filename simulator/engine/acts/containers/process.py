"""What the acts on a container's main process share."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from simulator.engine.acts.pods.target import target_pod
from simulator.engine.apiserver.refusal import Doing, Refusal
from simulator.engine.containers import Host, Process, Turn
from simulator.engine.kernel.units import Key
from simulator.engine.kubelet.pods.containers.instances import carry_out, find_instance, host_of
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import Instance


def to_process(fx: Effects, command: Any, turn: Callable[[Process, Host], Turn]) -> Doing:
    """Apply ``turn`` to the running main process that ``target`` and ``container`` name. Raises Refusal if none is running."""
    pod, row, process = running_process(fx, command.target, command.container)
    host = host_of(fx, pod, row.container)

    def act() -> None:
        # The record of the command becomes the cause of what the process does.
        carry_out(fx, pod, replace(row, seq=fx.cause), turn(process, host))

    return act


def running_process(fx: Effects, key: Key, container: str) -> tuple[Key, Instance, Process]:
    """The pod of the key, and the running instance of its container (empty: the first) with its process. Raises Refusal."""
    pod = target_pod(fx, key)
    instance = find_instance(fx, pod, container or fx.tables.pods[pod].pod.spec.containers[0].name)
    if instance is None or not instance.runs or instance.process is None:
        raise Refusal("COMMAND-NOT-RUNNING")
    return pod, instance, instance.process
