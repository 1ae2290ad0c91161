"""Commands about resources: pressure on a node."""

from collections.abc import Callable
from typing import Any

from simulator.engine.api.quantity import BadQuantity
from simulator.engine.api.thresholds import SIGNALS, amount_of
from simulator.engine.commands import SetNodePressure
from simulator.engine.controllers.kubelet.eviction import set_load
from simulator.engine.controllers.kubelet.signals import capacity_of, thresholds_of
from simulator.engine.controllers.refusal import Act, Refusal
from simulator.engine.effects import Effects
from simulator.engine.rules.text import RuleText, gettext_noop

RULES = (
    RuleText("COMMAND-NO-NODE", gettext_noop("There is no node of that name."), "a command of the run"),
    RuleText(
        "COMMAND-NO-THRESHOLD",
        gettext_noop("The node has no eviction threshold for {signal}, so nothing would come of it."),
        "spec/node §10.4; a command of the run",
    ),
)


def _bad_value(message: str) -> Refusal:
    return Refusal("COMMAND-BAD-VALUE", (("message", message),))


def _set_node_pressure(fx: Effects, command: SetNodePressure) -> Act:
    node = fx.tables.nodes.get(command.node)
    if node is None or node.is_deleted:
        raise Refusal("COMMAND-NO-NODE")
    if command.signal not in SIGNALS:
        raise _bad_value(f"a signal is one of {', '.join(SIGNALS)}")
    if command.available is None:
        return lambda: set_load(fx, node, command.signal, None)
    if not any(item.signal == command.signal for item in thresholds_of(fx, node)):
        raise Refusal("COMMAND-NO-THRESHOLD", (("signal", command.signal),))
    try:
        wanted = amount_of(command.available, capacity_of(node)[command.signal])
    except (BadQuantity, ValueError):
        raise _bad_value("what is available is a quantity such as 50Mi or a percentage such as 5%") from None
    if wanted < 0:
        raise _bad_value("what is available cannot be negative")
    return lambda: set_load(fx, node, command.signal, wanted)


RESOURCE_ACTS: dict[type, Callable[[Effects, Any], Act]] = {SetNodePressure: _set_node_pressure}
