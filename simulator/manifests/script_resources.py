"""The verbs about resources: pressure on a node."""

from collections.abc import Callable, Iterator

from simulator.engine.api.thresholds import SIGNALS
from simulator.engine.commands import AnyCommand, SetNodePressure
from simulator.manifests.script_step import BadStep, Step
from simulator.manifests.texts import _


def _pressure(step: Step) -> Iterator[AnyCommand]:
    step.only("node", "signal", "available")
    signal = step.needed("signal", str)
    if signal not in SIGNALS:
        raise BadStep(_("signal is one of %s") % ", ".join(SIGNALS), "pressure.signal")
    available = step.field("available", (str, int))
    yield SetNodePressure(node=step.needed("node", str), signal=signal, available=None if available is None else str(available))


RESOURCE_VERBS: dict[str, Callable[[Step], Iterator[AnyCommand]]] = {"pressure": _pressure}
"""Verb → the function that turns its step into commands."""
