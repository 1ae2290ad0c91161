"""What the acts on a container's main process share."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from simulator.engine.behaviour import Host, Process, Turn
from simulator.engine.controllers.kubelet.runtime import carry_out, host_of
from simulator.engine.controllers.refusal import Doing, running
from simulator.engine.effects import Effects


def to_process(fx: Effects, command: Any, turn: Callable[[Process, Host], Turn]) -> Doing:
    """What ``turn`` makes of the running main process that ``target`` and ``container`` name. Raises Refusal where none runs."""
    row, process = running(fx, command.target, command.container)
    host = host_of(fx, command.target, row.container)

    def act() -> None:
        carry_out(fx, command.target, replace(row, seq=fx.cause), turn(process, host))

    return act
