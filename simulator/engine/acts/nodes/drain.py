"""``kubectl drain``.

Drain is a client: it cordons the node, lists its pods, and then evicts them one by one, retrying
every five seconds if a disruption budget refuses. Its own refusals come before the
first eviction: pods of DaemonSets without ``--ignore-daemonsets``, pods with local data without
``--delete-emptydir-data``, pods without a controller without ``--force``. The list is made once, so
pods that are created later are not drained.
"""

from collections.abc import Iterator

from simulator.engine.acts.act import Act, the_node
from simulator.engine.acts.form import GRACE_S, NODE, Form, Values
from simulator.engine.acts.nodes.named import node_of
from simulator.engine.acts.offer import Offer, Offers, button
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.apiserver.nodes.objects import cordon
from simulator.engine.apiserver.refusal import Doing, check_node
from simulator.engine.controllers.drain import drain
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.projection.model_run import NodeView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World


class DrainNode(Command, frozen=True, kw_only=True, tag="drain"):
    """``kubectl drain`` with its options. ``grace_s`` None takes each pod's own grace period, ``timeout_s`` 0 never gives up."""

    node: str
    force: bool = False
    delete_emptydir_data: bool = False
    ignore_daemonsets: bool = False
    grace_s: int | None = None
    timeout_s: int = 0
    disable_eviction: bool = False
    pod_selector: str = ""


def _drain(fx: Effects, command: DrainNode) -> Doing:
    node = command.node
    check_node(fx, node)
    filters = drain.Filters(
        force=command.force,
        delete_emptydir_data=command.delete_emptydir_data,
        ignore_daemonsets=command.ignore_daemonsets,
        pod_selector=command.pod_selector,
    )
    # kubectl lists and filters the pods before it evicts the first; a pod rejected by a filter
    # makes the whole drain fail.
    plan = drain.plan(fx, node, filters)

    def act() -> None:
        # A node that is already cordoned gets no second record.
        if not fx.tables.nodes[node].unschedulable:
            cordon(fx, node, unschedulable=True)
        drain.carry_out(fx, node, plan, grace_s=command.grace_s, timeout_s=command.timeout_s, disable_eviction=command.disable_eviction)

    return act


def _make(values: Values) -> DrainNode:
    return DrainNode(node=values["node"], grace_s=values["grace_s"], force=True, delete_emptydir_data=True, ignore_daemonsets=True)


def _offer(world: World, node: NodeView) -> Iterator[Offer]:
    yield Offer(
        key=f"{node.name}-drain",
        place="node",
        given={"node": node.name},
        buttons=button(gettext_noop("Drain")),
        kubectl=f"kubectl drain {node.name} --force --delete-emptydir-data --ignore-daemonsets",
        help=Text(gettext_noop("Cordons the node and evicts its pods one by one.")),
        is_destructive=True,
        why_not="COMMAND-NO-NODE" if node.is_deleted else "",
    )


def _read(step: StepReader) -> Iterator[DrainNode]:
    grace = step.field("grace-period", int)
    yield DrainNode(
        node=node_of(step),
        force=step.field("force", bool, False),
        delete_emptydir_data=step.field("delete-emptydir-data", bool, False),
        ignore_daemonsets=step.field("ignore-daemonsets", bool, False),
        # kubectl's default is -1: the pod's own.
        grace_s=grace if grace is None or grace >= 0 else None,
        # Rounded up: a fraction of a second must not become 0, which never gives up.
        timeout_s=-(-(step.duration("timeout") or 0) // 1000),
        disable_eviction=step.field("disable-eviction", bool, False),
        pod_selector=step.field("pod-selector", str, ""),
    )


DRAIN_NODE = Act(
    command=DrainNode,
    handler=_drain,
    subject=the_node,
    sentence=gettext_noop("Drain {node}"),
    headline=gettext_noop("You drained node {node}"),
    omitted_if_empty=("timeout_s", "disable_eviction", "pod_selector"),
    form=Form((NODE, GRACE_S), _make),
    offers=Offers(node=_offer),
    verbs=(
        Verb(
            "drain",
            "as `kubectl drain`: retries every 5 s if a disruption budget forbids an eviction",
            _read,
            needs=("node",),
            may=("force", "delete-emptydir-data", "ignore-daemonsets", "grace-period", "timeout", "disable-eviction", "pod-selector"),
        ),
    ),
)
