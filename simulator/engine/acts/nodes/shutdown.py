"""Shut a node down gracefully, or cancel the shutdown."""

from collections.abc import Iterator

from msgspec.structs import replace

from simulator.engine.acts.act import Act, Either, the_node
from simulator.engine.acts.form import NODE, SECONDS, SWITCH, Form, FormField, Values
from simulator.engine.acts.nodes.named import node_of
from simulator.engine.acts.offer import Input, Offer, Offers, button
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.apiserver.cut_off import at_node
from simulator.engine.apiserver.refusal import Doing, already, check_node
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kubelet.node import shutdown
from simulator.engine.kubelet.node.eviction_signals import spec_of_node
from simulator.engine.projection.model_run import NodeView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World


class ShutdownNode(Command, frozen=True, kw_only=True, tag="shutdown_node"):
    """Shut a node down gracefully: ``grace_s`` for all pods, of which ``critical_s`` is reserved for critical ones.

    ``by_priority`` are (priority, seconds) pairs that replace these two if the version has them. What is not given here is
    taken from the cluster's settings for the node. ``cancel`` cancels the shutdown.
    """

    node: str
    grace_s: int | None = None
    critical_s: int | None = None
    by_priority: tuple[tuple[int, int], ...] = ()
    cancel: bool = False


def _shutdown(fx: Effects, command: ShutdownNode) -> Doing:
    check_node(fx, command.node)
    life = fx.tables.node_life[command.node]
    if command.cancel != bool(life.shutdown):
        raise already("the node is not shutting down" if command.cancel else "the node is shutting down")
    if command.cancel:
        return lambda: shutdown.cancel(at_node(fx, command.node), command.node)
    spec = spec_of_node(fx, command.node)
    # A given grace period also replaces the node's own configuration by priorities.
    own = command.grace_s is None and not command.by_priority
    groups = shutdown.groups_of(
        fx,
        grace_s=spec.shutdown_grace_s if command.grace_s is None else command.grace_s,
        critical_s=spec.shutdown_critical_s if command.critical_s is None else command.critical_s,
        by_priority=spec.shutdown_by_priority if own else command.by_priority,
    )
    return lambda: shutdown.shut_down(at_node(fx, command.node), command.node, groups)


def _make(values: Values) -> ShutdownNode:
    if values["cancel"]:
        return ShutdownNode(node=values["node"], cancel=True)
    grace_s = 30 if values["seconds"] is None else values["seconds"]
    # The form asks for one number; a third of it is reserved for critical pods. 0 cuts the power.
    return ShutdownNode(node=values["node"], grace_s=grace_s, critical_s=grace_s // 3)


def _offer(world: World, node: NodeView) -> Iterator[Offer]:
    why_not = "COMMAND-NO-NODE" if node.is_deleted else ""
    if node.is_shutting_down:
        yield Offer(
            key=f"{node.name}-shutdown",
            place="node-more",
            given={"node": node.name, "cancel": "on"},
            buttons=button(gettext_noop("Cancel shutdown")),
            kubectl="shutdown -c",
            why_not=why_not,
        )
        return
    if node.is_off:
        return
    yield Offer(
        key=f"{node.name}-power",
        place="machine",
        given={"node": node.name, "seconds": 0},
        buttons=button(gettext_noop("Cut power")),
        help=Text(gettext_noop("The machine stops at once with every process on it, and the API does not know yet.")),
        is_destructive=True,
        why_not=why_not,
    )
    yield Offer(
        key=f"{node.name}-shutdown",
        place="node-more",
        given={"node": node.name},
        buttons=button(gettext_noop("Shut down")),
        kubectl="systemctl poweroff",
        help=Text(gettext_noop("The kubelet terminates ordinary pods first, and critical ones in the last third of the time.")),
        inputs=(Input("seconds", Text(gettext_noop("Seconds for all pods")), 30, unit="s", minimum=1, maximum=3600),),
        is_destructive=True,
        why_not=why_not,
    )


def _read(step: StepReader) -> Iterator[ShutdownNode]:
    pairs, grace_ms, critical_ms = step.priorities("by-priority"), step.duration("grace"), step.duration("critical")
    yield ShutdownNode(
        node=node_of(step),
        grace_s=None if grace_ms is None else grace_ms // 1000,
        critical_s=None if critical_ms is None else critical_ms // 1000,
        by_priority=pairs,
        cancel=step.field("cancel", bool, False),
    )


SHUTDOWN_NODE = Act(
    command=ShutdownNode,
    handler=_shutdown,
    subject=the_node,
    sentence=Either("cancel", gettext_noop("Cancel the shutdown of {node}"), gettext_noop("Shut {node} down")),
    headline=Either("cancel", gettext_noop("You cancelled the shutdown of node {node}"), gettext_noop("You shut node {node} down")),
    icon="exit",
    form=Form((NODE, replace(SECONDS, minimum=0), FormField("cancel", SWITCH)), _make),
    offers=Offers(node=_offer),
    verbs=(
        Verb(
            "shutdown",
            "shuts a node down gracefully, or cancels that",
            _read,
            needs=("node",),
            may=("grace", "critical", "by-priority", "cancel"),
        ),
    ),
)
