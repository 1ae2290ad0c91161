"""What the carrying out of commands shares: refusals, and finding what a command is about."""

from collections.abc import Callable

from simulator.engine.behaviour import Process
from simulator.engine.controllers.kubelet.runtime import find_instance
from simulator.engine.effects import Effects
from simulator.engine.records import Data
from simulator.engine.rows import Instance, PodRow
from simulator.engine.units import Key

Act = Callable[[], None]
"""What an accepted command does; called after its record is written."""


class Refusal(Exception):
    """Why a command cannot be carried out: a rule and data for its sentence."""

    def __init__(self, rule: str, data: Data = ()) -> None:
        super().__init__(rule)
        self.rule = rule
        self.data = data


def live_pod(fx: Effects, key: Key) -> PodRow:
    """The pod that a key means now: that very pod, or the one that took over its name. Raises Refusal."""
    row = fx.tables.pods.get(key)
    if (row is None or row.gone_ms is not None) and "#" not in key:
        namespace, _, name = key.partition("/")
        row = fx.world.live_pod(namespace, name)
    if row is None or row.gone_ms is not None:
        raise Refusal("COMMAND-NO-POD")
    return row


def running(fx: Effects, key: Key, container: str) -> tuple[Instance, Process]:
    """The running instance with its process; a pod whose object is gone may still have one (the ghost of a force delete)."""
    row = fx.tables.pods.get(key)
    if row is None:
        raise Refusal("COMMAND-NO-POD")
    instance = find_instance(fx, key, container or row.pod.spec.containers[0].name)
    if instance is None or instance.state != "running" or instance.process is None:
        raise Refusal("COMMAND-NOT-RUNNING")
    return instance, instance.process
