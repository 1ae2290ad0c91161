"""Something else uses up a node's resource, or gives it back."""

from collections.abc import Iterator

from simulator.engine.acts.act import Act, Either, the_node
from simulator.engine.acts.form import CHOICE, NODE, VALUE, Form, FormField, Values
from simulator.engine.acts.offer import Input, Offer, Offers, button, plain_choices
from simulator.engine.acts.script import BadStep, StepReader, Verb
from simulator.engine.apiserver.cut_off import at_node
from simulator.engine.apiserver.refusal import Doing, Refusal, bad_value, check_node
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kubelet.node.eviction import set_load
from simulator.engine.kubelet.node.eviction_signals import capacity_of, thresholds_of
from simulator.engine.kubelet.node.thresholds import SIGNALS, amount_of
from simulator.engine.model.quantity import BadQuantity
from simulator.engine.projection.model_run import NodeView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World


class SetNodePressure(Command, frozen=True, kw_only=True, tag="node_pressure"):
    """Use up a node's resource until ``available`` of it is left, as a quantity or a percentage; None gives it back.

    ``signal``: memory.available, nodefs.available, nodefs.inodesFree, imagefs.available, imagefs.inodesFree or pid.available.
    """

    node: str
    signal: str
    available: str | None = None


def _set_node_pressure(fx: Effects, command: SetNodePressure) -> Doing:
    check_node(fx, command.node)
    node = fx.tables.nodes[command.node]
    if command.signal not in SIGNALS:
        raise bad_value(f"a signal is one of {', '.join(SIGNALS)}")
    if command.available is None:
        # at_node: the kubelet of a disconnected node measures too, but cannot report it.
        return lambda: set_load(at_node(fx, command.node), node, command.signal, None)
    # Without a threshold the kubelet would never act on the signal.
    if not any(item.signal == command.signal for item in thresholds_of(fx, node)):
        raise Refusal("COMMAND-NO-THRESHOLD", (("signal", command.signal),))
    try:
        wanted = amount_of(command.available, capacity_of(node)[command.signal])
    except (BadQuantity, ValueError):
        raise bad_value("what is available is a quantity such as 50Mi or a percentage such as 5%") from None
    if wanted < 0:
        raise bad_value("what is available cannot be negative")
    return lambda: set_load(at_node(fx, command.node), node, command.signal, wanted)


def _make(values: Values) -> SetNodePressure:
    return SetNodePressure(node=values["node"], signal=values["pressure"], available=values["value"] or None)


def _offers(world: World, node: NodeView) -> Iterator[Offer]:
    """Use up a resource, or give back what was used up."""
    why_not = "COMMAND-NO-NODE" if node.is_deleted else ""
    yield Offer(
        key=f"{node.name}-pressure",
        place="node-more",
        given={"node": node.name},
        buttons=button(gettext_noop("Limit to")),
        help=Text(gettext_noop("Below a threshold the kubelet reports pressure and evicts pods.")),
        inputs=(
            Input("pressure", Text(gettext_noop("Resource")), "memory.available", choices=plain_choices(SIGNALS)),
            Input("value", Text(gettext_noop("Amount")), "50Mi"),
        ),
        why_not=why_not,
    )
    for signal in node.loads:
        yield Offer(
            key=f"{node.name}-relief-{signal}",
            place="node-more",
            given={"node": node.name, "pressure": signal},
            buttons=button(gettext_noop("Restore {signal}"), signal=signal),
            why_not=why_not,
        )


def _read(step: StepReader) -> Iterator[SetNodePressure]:
    signal = step.needed("signal", str)
    if signal not in SIGNALS:
        raise BadStep(gettext_noop("signal must be one of {known}"), "pressure.signal", known=", ".join(SIGNALS))
    available = step.field("available", (str, int))
    yield SetNodePressure(node=step.needed("node", str), signal=signal, available=None if available is None else str(available))


SET_NODE_PRESSURE = Act(
    command=SetNodePressure,
    handler=_set_node_pressure,
    subject=the_node,
    sentence=Either("available", gettext_noop("Limit {signal} on {node} to {available}"), gettext_noop("Restore {signal} on {node}")),
    headline=gettext_noop("You changed how much {signal} is left on node {node}"),
    icon="memory",
    form=Form((NODE, FormField("pressure", CHOICE, gettext_noop("Resource"), choices=tuple(SIGNALS), is_needed=True), VALUE), _make),
    offers=Offers(node=_offers),
    verbs=(
        Verb(
            "pressure",
            "uses up a resource of a node, as measured by an eviction signal; without `available` it is released",
            _read,
            needs=("node", "signal"),
            may=("available",),
        ),
    ),
    rules=(
        RuleText(
            "COMMAND-NO-THRESHOLD",
            gettext_noop("The node has no eviction threshold for {signal}, so nothing would happen."),
            "a command of the run",
        ),
    ),
)
