"""The verbs about resources and scheduling: pressure on a node, resizing a pod, scheduling gates."""

from collections.abc import Callable, Iterator

from simulator.engine.api.formats import is_quantity
from simulator.engine.api.thresholds import SIGNALS
from simulator.engine.commands import AnyCommand, RemoveSchedulingGates, ResizePod, SetNodePressure
from simulator.manifests.script_step import BadStep, Step
from simulator.manifests.texts import _


def _pressure(step: Step) -> Iterator[AnyCommand]:
    step.only("node", "signal", "available")
    signal = step.needed("signal", str)
    if signal not in SIGNALS:
        raise BadStep(_("signal is one of %s") % ", ".join(SIGNALS), "pressure.signal")
    available = step.field("available", (str, int))
    yield SetNodePressure(node=step.needed("node", str), signal=signal, available=None if available is None else str(available))


def _ungate(step: Step) -> Iterator[AnyCommand]:
    step.only("pod", "gate")
    yield RemoveSchedulingGates(target=step.target(), gate=step.field("gate", str, ""))


def _resize(step: Step) -> Iterator[AnyCommand]:
    step.only("pod", "container", "requests", "limits")
    requests, limits = (_quantities(step, name) for name in ("requests", "limits"))
    yield ResizePod(target=step.target(), container=step.field("container", str, ""), requests=requests, limits=limits)


def _quantities(step: Step, name: str) -> dict[str, str]:
    found = step.field(name, dict, {})
    if not all(isinstance(key, str) and is_quantity(value) for key, value in found.items()):
        raise BadStep(_("%s must be a map of quantities") % name, f"resize.{name}")
    return {key: str(value) for key, value in found.items()}


RESOURCE_VERBS: dict[str, Callable[[Step], Iterator[AnyCommand]]] = {"pressure": _pressure, "ungate": _ungate, "resize": _resize}
"""Verb → the function that turns its step into commands."""
