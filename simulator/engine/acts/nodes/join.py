"""A machine joins the cluster: its kubelet starts and registers the node."""

import re
from collections.abc import Iterator

from simulator.engine.acts.act import Act, the_node
from simulator.engine.acts.form import NODE, Form, FormField, Values
from simulator.engine.acts.nodes.named import node_of
from simulator.engine.acts.offer import Input, Offer, Offers, button
from simulator.engine.acts.script import BadStep, StepReader, Verb
from simulator.engine.apiserver.refusal import Doing, already, bad_value
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kubelet.node.new_node import DEFAULT_NODE, add_machine
from simulator.engine.projection.model_run import NodeView
from simulator.engine.projection.text import Text
from simulator.engine.world.cluster import NodeSpec
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import NodeRow
from simulator.engine.world.world import World

NODES_MAX = 5_000
"""As many as Kubernetes supports in a cluster."""
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*")
_TAINT = re.compile(r"[^=:]+(=[^=:]*)?:(NoSchedule|PreferNoSchedule|NoExecute)")
_OWN = ("kubernetes.io/hostname", "node.kubernetes.io/windows-build")


class JoinNode(Command, frozen=True, kw_only=True, tag="join_node"):
    """Switch on a machine named ``node``, which joins. ``like``: the node whose size, system and labels it copies; empty: a default one.

    ``labels`` are added to those; ``taints`` are ``key=value:effect``. It has no images yet.
    """

    node: str
    like: str = ""
    labels: dict[str, str] = {}
    taints: tuple[str, ...] = ()


def _join(fx: Effects, command: JoinNode) -> Doing:
    if command.node in fx.tables.nodes:
        raise already(f"there is a machine named {command.node}")
    if not _NAME.fullmatch(command.node) or len(command.node) > 253:
        raise bad_value(f"{command.node!r} is no name for a node")
    if command.like and command.like not in fx.tables.nodes:
        raise bad_value(f"there is no node {command.like!r} to be like")
    wrong = next((taint for taint in command.taints if not _TAINT.fullmatch(taint)), None)
    if wrong is not None:
        raise bad_value(f"{wrong!r} is no taint: key=value:effect")
    if len(fx.tables.nodes) >= NODES_MAX:
        raise bad_value(f"a cluster has at most {NODES_MAX} nodes")
    # The node registers only once its kubelet has started.
    spec = _spec(fx.tables.nodes.get(command.like), command, fx.now + fx.profile.kubelet_startup_ms)
    return lambda: add_machine(fx, spec, len(fx.tables.nodes))


def _spec(model: NodeRow | None, command: JoinNode, joins_ms: int) -> NodeSpec:
    if model is None:
        return NodeSpec(
            name=command.node, labels=command.labels, taints=command.taints, allocatable=DEFAULT_NODE.allocatable, joins_ms=joins_ms
        )
    size = {
        "cpu": f"{model.allocatable_cpu_milli}m",
        "memory": str(model.allocatable_memory_bytes),
        "ephemeral-storage": str(model.allocatable_storage_bytes),
        "pods": str(model.allocatable_pods),
        **{name: str(amount) for name, amount in model.allocatable_other.items()},
    }
    # The hostname and the Windows build belong to the model and are set by the new kubelet.
    labels = {name: text for name, text in model.labels.items() if name not in _OWN}
    return NodeSpec(
        name=command.node, labels={**labels, **command.labels}, taints=command.taints, allocatable=size, joins_ms=joins_ms, os=model.os,
        os_image=model.os_image, kernel_version=model.kernel_version,
    )  # fmt: skip


def _make(values: Values) -> JoinNode:
    return JoinNode(node=values["node"], like=values["like"])


def _offer(world: World, node: NodeView) -> Iterator[Offer]:
    yield Offer(
        key=f"{node.name}-join",
        place="node-more",
        given={"like": node.name},
        buttons=button(gettext_noop("Join another machine")),
        help=Text(gettext_noop("A machine like this one is powered on; its kubelet registers the node after a few seconds.")),
        inputs=(Input("node", Text(gettext_noop("Name")), _free_name(world, node.name)),),
    )


def _free_name(world: World, name: str) -> str:
    """The first name like ``node-4`` that no machine has."""
    stem = name.rstrip("0123456789") or name
    return next(f"{stem}{number}" for number in range(1, len(world.tables.nodes) + 2) if f"{stem}{number}" not in world.tables.nodes)


def _read(step: StepReader) -> Iterator[JoinNode]:
    if isinstance(step.body, str):
        yield JoinNode(node=step.body)
        return
    labels = step.field("labels", dict, {})
    if not all(isinstance(value, str) for value in labels.values()):
        raise BadStep(gettext_noop("{name} must be one of {known}"), "join.labels", name="a label's value", known="texts")
    yield JoinNode(node=node_of(step), like=step.field("like", str, ""), labels=labels, taints=step.words("taints"))


JOIN_NODE = Act(
    command=JoinNode,
    handler=_join,
    subject=the_node,
    sentence=gettext_noop("Join machine {node} to the cluster"),
    headline=gettext_noop("You joined machine {node} to the cluster"),
    omitted=("node", "labels", "taints"),
    omitted_if_empty=("like",),
    icon="plus",
    form=Form((NODE, FormField("like", limit=253)), _make),
    offers=Offers(node=_offer),
    verbs=(Verb("join", "adds a machine with the size and labels of `like`", _read, needs=("node",), may=("like", "labels", "taints")),),
)
