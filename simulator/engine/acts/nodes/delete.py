"""``kubectl delete node``."""

from collections.abc import Iterator

from simulator.engine.acts.act import Act, the_node
from simulator.engine.acts.form import NODE, Form
from simulator.engine.acts.offer import Offer, Offers, button
from simulator.engine.apiserver.nodes.objects import deleting_node
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.projection.model_run import NodeView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World


class DeleteNode(Command, frozen=True, kw_only=True, tag="delete_node"):
    """``kubectl delete node``: removes the object; the machine stays."""

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
        help=Text(
            gettext_noop(
                "The object goes, the machine stays. Its kubelet keeps running, but registers the node again only when it restarts."
            )
        ),
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
