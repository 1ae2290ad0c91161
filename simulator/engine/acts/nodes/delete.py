"""``kubectl delete node``."""

from collections.abc import Iterator

from simulator.engine.acts.act import Act, the_node
from simulator.engine.acts.form import NODE, Form
from simulator.engine.acts.offer import Offer, Offers, button
from simulator.engine.command_base import Command
from simulator.engine.controllers.node.objects import deleting_node
from simulator.engine.controllers.refusal import Doing
from simulator.engine.effects import Effects
from simulator.engine.rules.text import gettext_noop
from simulator.engine.views.model_run import NodeView
from simulator.engine.views.text import Text
from simulator.engine.world import World


class DeleteNode(Command, frozen=True, kw_only=True, tag="delete_node"):
    """``kubectl delete node``: the object goes, the machine stays."""

    node: str


def _delete_node(fx: Effects, command: DeleteNode) -> Doing:
    return deleting_node(fx, command.node)


def _offer(world: World, node: NodeView) -> Iterator[Offer]:
    yield Offer(
        key=f"{node.name}-delete",
        place="node-more",
        given={"node": node.name},
        buttons=button(gettext_noop("Delete node object")),
        kubectl=f"kubectl delete node {node.name}",
        help=Text(gettext_noop("The object goes, the machine stays; its kubelet may register it again.")),
        is_destructive=True,
        why_not="COMMAND-NO-NODE" if node.is_deleted else "",
    )


DELETE_NODE = Act(
    command=DeleteNode,
    handler=_delete_node,
    subject=the_node,
    sentence=gettext_noop("Delete node {node}"),
    headline=gettext_noop("You deleted node {node}"),
    icon="trash",
    form=Form((NODE,)),
    offers=Offers(node=_offer),
    no_verb="the verb delete, beside the deletion of any object",
)
