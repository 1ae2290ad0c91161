"""The kubelet's node status: every ten seconds it writes the node's conditions. Ticks with nothing new are not queued.

Ready is the kubelet's own verdict: no problem, or all of them in one message (runtime down, no network, shutting down). The
pressure conditions are the eviction manager's. A real kubelet computes its status every ten seconds and
writes it when something has changed, else every five minutes; the lease is its sign of life, so silent ticks can be left out.

The Node object is created once, when the kubelet starts (``register``): if it is deleted while the kubelet runs, it does not
come back until the next start. After a deletion the node has neither its taints nor its cordon.

Source: pkg/kubelet/kubelet_node_status.go, pkg/kubelet/nodestatus/setters.go.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.nodes.conditions import GOOD, READY, set_condition
from simulator.engine.apiserver.nodes.events import emit_node
from simulator.engine.kernel.grid import next_beat
from simulator.engine.kernel.ids import boot_id
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Ms
from simulator.engine.kubelet.base.health import network_text
from simulator.engine.machines.node import NODE_CONDITION
from simulator.engine.machines.object import OBJECT
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import NodeStatusDue
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import NodeLife, NodeRow
from simulator.engine.world.watch import CHANGED, Watch

RULES = (
    RuleText(
        "NODE-REGISTERED",
        gettext_noop("The kubelet registered its node with the API server, which it does once, on start."),
        "pkg/kubelet/kubelet_node_status.go registerWithAPIServer; issues 71398, 92769, 115761",
    ),
    RuleText(
        "NODE-REBOOTED",
        gettext_noop("The machine was restarted: the kubelet finds a different boot ID from the one in its Node object."),
        "pkg/kubelet/nodestatus/setters.go MachineInfo",
    ),
    RuleText(
        "NODE-SCHEDULABLE",
        gettext_noop("The kubelet noticed that its node was cordoned or uncordoned."),
        "observed on a 1.20.2 node; pkg/kubelet/kubelet_node_status.go recordNodeSchedulableEvent",
        sure="recording",
    ),
)


def _node_written(fx: Effects, old: NodeRow | None, row: NodeRow) -> None:
    """The node was cordoned or uncordoned: the kubelet's next status says so."""
    if old is not None and row.unschedulable != old.unschedulable:
        fx.save_node_life(replace(fx.tables.node_life[row.name], seq=fx.cause))
        report_later(fx, row.name)


WATCHES = (Watch("kubelet", "Node", CHANGED, _node_written),)


def report_later(fx: Effects, node: str, *, after_ms: Ms | None = None) -> None:
    """Queue a node status tick (at once by default), because something about the node has changed."""
    life = fx.tables.node_life[node]
    moment = fx.now if after_ms is None else after_ms
    due = next_beat(moment, life.status_phase_ms, fx.profile.node_status_ms)
    fx.check(due, Lane.KUBELET, NodeStatusDue(node))


def node_status_due(fx: Effects, event: NodeStatusDue) -> None:
    """Write the kubelet's node status."""
    life = fx.tables.node_life[event.node]
    if life.kubelet == "running":
        fx.cause = life.seq
        write_status(fx, event.node)


def write_status(fx: Effects, node: str, *, just_started: bool = False) -> None:
    """Write Ready as the kubelet sees it, and report a cordon. Does nothing without the Node object or a connection to the API server."""
    if fx.is_cut_off or fx.tables.nodes[node].is_deleted:
        return
    life = fx.tables.node_life[node]
    for kind, values in GOOD.items():
        if kind != READY and life.condition(kind).status in ("Unknown", NODE_CONDITION.initial):
            set_condition(fx, node, kind, values)
    problems = _problems(fx, life, just_started=just_started)
    text = problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"
    wanted = ("False", "KubeletNotReady", text) if problems else GOOD[READY]
    set_condition(fx, node, READY, wanted)
    _mention_cordon(fx, node)


def _problems(fx: Effects, life: NodeLife, *, just_started: bool) -> list[str]:
    found = []
    if just_started:
        found.append("container runtime status check may not have completed yet")
    if life.is_runtime_down:
        found.append("container runtime is down")
    if not life.network_seen:
        found.append(network_text(fx))
    if life.shutdown:
        found.append("node is shutting down")
    return found


def _mention_cordon(fx: Effects, node: str) -> None:
    life, row = fx.tables.node_life[node], fx.tables.nodes[node]
    if life.told_unschedulable == row.unschedulable:
        return
    fx.save_node_life(replace(life, told_unschedulable=row.unschedulable))
    word = "NodeNotSchedulable" if row.unschedulable else "NodeSchedulable"
    emit_node(fx, node, component="kubelet", reason=word, message=f"Node {node} status is now: {word}", rule="NODE-SCHEDULABLE")


def mention_reboot(fx: Effects, node: str) -> None:
    """Report a reboot if the machine's boot id differs from the Node object's; a newly created object has none."""
    life = fx.tables.node_life[node]
    if fx.is_cut_off or life.boots == life.told_boots:
        return
    fx.save_node_life(replace(life, told_boots=life.boots))
    if fx.tables.nodes[node].is_deleted:
        return
    text = f"Node {node} has been rebooted, boot id: {boot_id(fx.world.header.seed, node, life.boots)}"
    emit_node(fx, node, component="kubelet", severity="Warning", reason="Rebooted", message=text, rule="NODE-REBOOTED")


def register(fx: Effects, node: str) -> None:
    """Create the Node object at the kubelet's start if there is none: schedulable, and after a deletion without its old taints.

    While the kubelet runs it never does so again (issue 71398).
    """
    row, life = fx.tables.nodes[node], fx.tables.node_life[node]
    if fx.is_cut_off or not row.is_deleted:
        return
    is_first = life.condition(READY).status == NODE_CONDITION.initial
    step, seq = fx.fire(OBJECT, f"node/{node}", "absent" if is_first else "gone", "registered", "NODE-REGISTERED")
    fx.save_node_life(replace(life, registered_ms=fx.now))
    taints = row.taints if is_first else ()
    fx.save_node(replace(row, is_deleted=step is None or step.target != "present", unschedulable=False, taints=taints))
    fx.cause = seq
    text = f"Node {node} event: Registered Node {node} in Controller"
    emit_node(fx, node, component="node-controller", reason="RegisteredNode", message=text, rule="NODE-REGISTERED")
