"""Cut a node's network to the rest of the cluster, or restore it.

Nothing on the node stops. Its kubelet continues with what it knew, which ``apiserver.cut_off`` keeps
separately, and catches up when the network is back; meanwhile the control plane considers the node lost
and acts on its pods.
"""

from collections.abc import Iterator

from simulator.engine.acts.act import Act, Either, the_node
from simulator.engine.acts.form import NODE, SWITCH, Form, FormField
from simulator.engine.acts.nodes.named import node_of
from simulator.engine.acts.offer import Offer, Offers, button
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.apiserver.refusal import Doing, Refusal, already
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kubelet.node import partition
from simulator.engine.projection.model_run import NodeView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World


class CutNetwork(Command, frozen=True, kw_only=True, tag="cut_network"):
    """Cut a node off from the API server and the other nodes, or reconnect it with ``restore``."""

    node: str
    restore: bool = False


def _cut(fx: Effects, command: CutNetwork) -> Doing:
    # The machine, not the object: a node whose object is deleted can be cut off too.
    life = fx.tables.node_life.get(command.node)
    if life is None:
        raise Refusal("COMMAND-NO-NODE")
    if command.restore != (life.uplink == "cut"):
        raise already("the node is not cut off" if command.restore else "the node is cut off")
    if command.restore:
        return lambda: partition.restore(fx, command.node)
    return lambda: partition.cut(fx, command.node)


def _offer(world: World, node: NodeView) -> Iterator[Offer]:
    """A node whose object is gone still has its machine, and the machine its network."""
    if node.is_cut_off:
        yield Offer(
            key=f"{node.name}-uplink",
            place="machine",
            given={"node": node.name, "restore": "on"},
            buttons=button(gettext_noop("Restore network")),
            help=Text(gettext_noop("Within ten seconds the kubelet catches up: it writes what it held back and learns what changed.")),
        )
        return
    yield Offer(
        key=f"{node.name}-uplink",
        place="machine",
        given={"node": node.name},
        buttons=button(gettext_noop("Cut network")),
        help=Text(
            gettext_noop("The kubelet lives on and keeps its containers running, but it can reach neither the API server nor other nodes.")
        ),
    )


def _read_cut(step: StepReader) -> Iterator[CutNetwork]:
    yield CutNetwork(node=node_of(step))


def _read_restore(step: StepReader) -> Iterator[CutNetwork]:
    yield CutNetwork(node=node_of(step), restore=True)


CUT_NETWORK = Act(
    command=CutNetwork,
    handler=_cut,
    subject=the_node,
    sentence=Either("restore", gettext_noop("Restore the network of {node}"), gettext_noop("Cut the network of {node}")),
    headline=Either("restore", gettext_noop("You restored the network of node {node}"), gettext_noop("You cut the network of node {node}")),
    icon="exit",
    form=Form((NODE, FormField("restore", SWITCH))),
    offers=Offers(node=_offer),
    verbs=(
        Verb(
            "cut_network", "cuts a node off from the API server and the other nodes; its kubelet keeps running", _read_cut, needs=("node",)
        ),
        Verb("restore_network", "reconnects such a node; its kubelet catches up within ten seconds", _read_restore, needs=("node",)),
    ),
)
