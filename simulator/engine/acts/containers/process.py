"""What the acts on a container's main process share."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from simulator.engine.apiserver.refusal import Doing, Refusal
from simulator.engine.kernel.units import Key
from simulator.engine.kubelet.pods.containers.instances import carry_out, find_instance, host_of
from simulator.engine.runtime import Host, Process, Turn
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import Instance


def pod_meant(fx: Effects, key: Key) -> Key:
    """The pod whose containers a key means: that very pod while anything of it is there, else the one that took over its name.

    A pod whose object is gone may still have something that runs (the ghost of a force delete). Raises Refusal where there is no pod.
    """
    row = fx.tables.pods.get(key)
    is_there = row is not None and (row.gone_ms is None or any(item.runs for item in fx.tables.instances.get(key, ())))
    if not is_there and "#" not in key:
        namespace, _, name = key.partition("/")
        row = fx.world.live_pod(namespace, name) or row
    if row is None:
        raise Refusal("COMMAND-NO-POD")
    return row.key


def to_process(fx: Effects, command: Any, turn: Callable[[Process, Host], Turn]) -> Doing:
    """What ``turn`` makes of the running main process that ``target`` and ``container`` name. Raises Refusal where none runs."""
    pod, row, process = running_process(fx, command.target, command.container)
    host = host_of(fx, pod, row.container)

    def act() -> None:
        carry_out(fx, pod, replace(row, seq=fx.cause), turn(process, host))

    return act


def running_process(fx: Effects, key: Key, container: str) -> tuple[Key, Instance, Process]:
    """The pod that the key means, and the running instance of its container (empty: the first) with its process. Raises Refusal."""
    pod = pod_meant(fx, key)
    instance = find_instance(fx, pod, container or fx.tables.pods[pod].pod.spec.containers[0].name)
    if instance is None or not instance.runs or instance.process is None:
        raise Refusal("COMMAND-NOT-RUNNING")
    return pod, instance, instance.process
