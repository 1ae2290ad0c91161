"""``kubectl label node``."""

from collections.abc import Iterator

from simulator.engine.acts.act import Act, the_node
from simulator.engine.acts.form import NAME, NODE, VALUE, Form, Values, is_needed
from simulator.engine.acts.offer import Input, Offer, Offers, button
from simulator.engine.apiserver.nodes.labels import labelling
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.projection.model_run import NodeView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World


class LabelNode(Command, frozen=True, kw_only=True, tag="label_node"):
    """``kubectl label node``: set these labels; None removes one."""

    node: str
    labels: dict[str, str | None]


def _label(fx: Effects, command: LabelNode) -> Doing:
    return labelling(fx, command.node, command.labels)


def _make(values: Values) -> LabelNode:
    # An empty value in the form removes the label.
    return LabelNode(node=values["node"], labels={values["name"]: values["value"] or None})


def _offer(world: World, node: NodeView) -> Iterator[Offer]:
    if node.is_deleted:
        return
    yield Offer(
        key=f"{node.name}-label",
        place="node-more",
        given={"node": node.name},
        buttons=button(gettext_noop("Set label")),
        kubectl=f"kubectl label node {node.name} --overwrite {{name}}={{value}}",
        help=Text(gettext_noop("Pods waiting for such a node are retried; running pods stay.")),
        inputs=(Input("name", Text(gettext_noop("Label")), "disk"), Input("value", Text(gettext_noop("Value")), "ssd")),
    )


LABEL_NODE = Act(
    command=LabelNode,
    handler=_label,
    subject=the_node,
    sentence=gettext_noop("Label {node}"),
    headline=gettext_noop("You changed the labels of node {node}"),
    icon="yaml",
    form=Form((NODE, is_needed(NAME), VALUE), _make),
    offers=Offers(node=_offer),
    no_verb="the verb label, beside the labels of any object",
)
