"""``kubectl cordon`` and ``kubectl uncordon``."""

from collections.abc import Iterator

from simulator.engine.acts.act import Act, Either, the_node
from simulator.engine.acts.form import NODE, SWITCH, Form, FormField
from simulator.engine.acts.nodes.named import node_of
from simulator.engine.acts.offer import Offer, Offers, button
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.apiserver.nodes.objects import cordon
from simulator.engine.apiserver.refusal import Doing, already, check_node
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.projection.model_run import NodeView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World


class CordonNode(Command, frozen=True, kw_only=True, tag="cordon"):
    """``kubectl cordon``, or ``kubectl uncordon`` with ``unschedulable`` False."""

    node: str
    unschedulable: bool = True


def _cordon(fx: Effects, command: CordonNode) -> Doing:
    check_node(fx, command.node)
    if fx.tables.nodes[command.node].unschedulable == command.unschedulable:
        word = "cordoned" if command.unschedulable else "uncordoned"
        # kubectl only prints this and succeeds; in a run it would be a command without effect.
        raise already(f"node/{command.node} already {word}")
    return lambda: cordon(fx, command.node, unschedulable=command.unschedulable)


def _offer(world: World, node: NodeView) -> Iterator[Offer]:
    given: dict[str, str | int] = {"node": node.name}
    if node.unschedulable:
        label, word, effect = gettext_noop("Uncordon"), "uncordon", None
    else:
        label, word, effect = gettext_noop("Cordon"), "cordon", Text(gettext_noop("No new pods are scheduled here."))
        given["unschedulable"] = "on"
    yield Offer(
        key=f"{node.name}-cordon",
        place="node",
        given=given,
        buttons=button(label),
        kubectl=f"kubectl {word} {node.name}",
        help=effect,
        why_not="COMMAND-NO-NODE" if node.is_deleted else "",
    )


def _read(step: StepReader) -> Iterator[CordonNode]:
    yield CordonNode(node=node_of(step), unschedulable=step.verb == "cordon")


CORDON_NODE = Act(
    command=CordonNode,
    handler=_cordon,
    subject=the_node,
    sentence=Either("unschedulable", gettext_noop("Cordon {node}"), gettext_noop("Uncordon {node}")),
    headline=Either("unschedulable", gettext_noop("You cordoned node {node}"), gettext_noop("You uncordoned node {node}")),
    form=Form((NODE, FormField("unschedulable", SWITCH))),
    offers=Offers(node=_offer),
    verbs=(
        Verb("cordon", "as `kubectl cordon`", _read, needs=("node",)),
        Verb("uncordon", "as `kubectl uncordon`", _read, needs=("node",)),
    ),
)
