"""The node lifecycle controller: judges nodes by their heartbeats and taints those not Ready.

Every five seconds (``node_monitor_ms``) the controller looks at each node. It does not compare
timestamps written by the kubelet; it notes by its own clock when it last saw a heartbeat change
(the Lease's renewTime or the Ready condition). A node whose heartbeat has not changed for the grace
period (40 s, since 1.32 50 s) becomes Unknown. So detection is always late: by the age of the last
beat plus the time to the next round.

What follows, in this order:

* The pressure conditions and then Ready become Unknown; at the transition of Ready the pods on the
  node get Ready=False, at once. Endpoints therefore drop out long before any pod is deleted.
* A NoSchedule taint for the condition is added immediately.
* A NoExecute taint is added by a separate pass, rate limited per zone (one node in ten seconds),
  because it is what evicts pods.

The rate limit guards against a failure of the controller's own view. If in a small zone more than
two nodes and at least 55 % are not ready, no further NoExecute taint is added there; if no node in
the cluster is ready, the controller takes the fault to be its own and removes all of them. A node
that turns Ready again loses its taints with the next pass, whatever the limit.

The cordon is the other input: spec.unschedulable is mirrored by a NoSchedule taint, a little later.
In between the scheduler sees a cordoned node without the taint, or the reverse.

Rounds are a grid that starts at a random phase; a simulated round is queued only where it has work,
so a healthy cluster costs nothing.

Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go;
pkg/controller/util/node/controller_utils.go MarkPodsNotReady.
"""

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit_of_controller
from simulator.engine.apiserver.nodes.conditions import GOOD, READY, READY_TAINTS, set_condition, sync_taints
from simulator.engine.apiserver.nodes.events import emit_node
from simulator.engine.apiserver.nodes.taints import change_taints
from simulator.engine.apiserver.publish import Draft, condition_of, publish
from simulator.engine.kernel.grid import last_beat, next_beat
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Ms
from simulator.engine.policies.taint_eviction import Taint
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import NodeCheck, TaintPass
from simulator.engine.world.lookups import pods_on
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import NodeLife, NodeRow, PodRow
from simulator.engine.world.watch import CHANGED, GONE, STATUS, Queue, Watch

COMPONENT = "node-controller"
QUEUE = Queue(COMPONENT, Lane.CONTROLLER, "watch_ms")

RULES = (
    RuleText(
        "NODE-UNKNOWN",
        gettext_noop("The kubelet has not renewed its lease for longer than the grace period, so the node’s state is unknown."),
        "pkg/controller/nodelifecycle/node_lifecycle_controller.go tryUpdateNodeHealth",
    ),
    RuleText(
        "PODS-NOT-READY",
        gettext_noop(
            "The node has gone silent, so the node controller sets Ready to False on its pods; the kubelet overwrites it once it is back."
        ),
        "pkg/controller/util/node/controller_utils.go MarkPodsNotReady",
    ),
    RuleText(
        "NODE-TAINT-EXECUTE",
        gettext_noop("The node is still not ready in the controller’s next round: the NoExecute taint starts the clock for its pods."),
        "observed on a 1.20.2 node",
    ),
)


def round_after(fx: Effects, moment: Ms) -> Ms:
    """The controller's first round after a moment."""
    period = fx.profile.node_monitor_ms
    return next_beat(moment, fx.uniform("node-monitor", 0, 0, period), period)


def _node_written(fx: Effects, old: NodeRow, row: NodeRow) -> None:
    """A node that was cordoned or uncordoned: its taint follows.

    A waiting pod is tried once before the taint is gone, and in 1.20 its second try, triggered by its own new condition, comes just
    after (recorded: taint written 0 to 10 ms after the cordon, once before and once after that try, which then waits for its back-off).
    """
    if row.unschedulable != old.unschedulable:
        fx.enqueue(QUEUE, NodeCheck(row.name))


def _ready_written(fx: Effects, _old: NodeRow | None, _row: NodeRow) -> None:
    """Ready changed: the NoExecute taints of all nodes are checked in the next round, once for all changes until then."""
    fx.check(round_after(fx, fx.now), Lane.CONTROLLER, TaintPass())


def _silent(fx: Effects, _old: NodeRow | None, row: NodeRow) -> None:
    """The kubelet has stopped renewing the node's Lease."""
    expect_silence(fx, row.name)


WATCHES = (
    Watch("node-controller", "Node", CHANGED, _node_written),
    Watch("node-controller", "Node", STATUS, _ready_written),
    Watch("node-controller", "Lease", GONE, _silent),
)


def expect_silence(fx: Effects, node: str) -> None:
    """The kubelet has stopped: queue the round at which its silence will have lasted too long."""
    profile = fx.profile
    life = fx.tables.node_life[node]
    period = profile.node_monitor_ms
    heard = round_after(fx, last_beat(fx.now, life.lease_phase_ms, profile.node_lease_renew_ms))
    # The grace period counts from the round that saw the last heartbeat, and its end too is noticed
    # only by a round.
    due = heard + -(-profile.node_monitor_grace_ms // period) * period
    fx.save_node_life(replace(life, silent_ms=due))
    fx.check(due, Lane.CONTROLLER, NodeCheck(node), put_off=True)


def node_check(fx: Effects, event: NodeCheck) -> None:
    """The controller has something to do for a node: its silence has lasted too long, or its cordon changed."""
    life = fx.tables.node_life[event.node]
    if fx.tables.nodes[event.node].is_deleted:
        return
    if life.silent_ms is not None and fx.now >= life.silent_ms and life.condition(READY).status != "Unknown":
        _mark_unknown(fx, event.node)
    else:
        sync_taints(fx, event.node)


def _mark_unknown(fx: Effects, node: str) -> None:
    life = fx.tables.node_life[node]
    fx.cause = life.seq
    was_ready = life.condition(READY).status == "True"
    # Ready comes last: marking the pods follows from its change and names its record as the cause.
    for kind in (*(kind for kind in GOOD if kind != READY), READY):
        wanted = ("Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")
        with fx.aside():
            set_condition(fx, node, kind, wanted, trigger="fell_silent")
    fx.cause = fx.tables.node_life[node].condition(READY).seq
    if not was_ready:
        return
    message = f"Node {node} status is now: NodeNotReady"
    emit_node(fx, node, component=COMPONENT, reason="NodeNotReady", message=message, rule="NODE-UNKNOWN")
    for row in pods_on(fx.tables, node):
        _mark_pod(fx, row)


def _mark_pod(fx: Effects, row: PodRow) -> None:
    """Set Ready to False and change nothing else: not the reason, not ContainersReady, not the phase."""
    old = row.status.condition(READY)
    if old is None or old.status != "True":
        return
    changed = condition_of(fx, row, READY, "False", old.reason, old.message)
    conditions = tuple(changed if item.type == READY else item for item in row.status.conditions)
    status = replace(row.status, conditions=conditions)
    row = publish(fx, row, status, rule="PODS-NOT-READY", draft=Draft(status, {READY: "PODS-NOT-READY"}))
    text = "Node is not ready"
    emit_of_controller(fx, row, COMPONENT, severity="Warning", reason="NodeNotReady", message=text, rule="PODS-NOT-READY")


class _Zone(Struct):
    """The nodes of a zone as seen by one pass of the controller. ``tainted_ms``: when the last of them got its NoExecute taint."""

    total: int = 0
    unready: int = 0
    tainted_ms: Ms | None = None

    def is_half_down(self, permille: int) -> bool:
        """Partial disruption of a small zone: more than two nodes and too large a share are not ready; no further taints."""
        return 2 < self.unready < self.total and self.unready * 1000 >= self.total * permille


def taint_pass(fx: Effects, _event: TaintPass) -> None:
    """Bring the NoExecute taints of all nodes in line with their Ready conditions, as far as the state of their zones allows. O(nodes).

    With no ready node at all the controller suspects itself and evicts no pod (master disruption mode).
    """
    lives = [fx.tables.node_life[row.name] for row in fx.tables.nodes.values() if not row.is_deleted]
    everything_is_down = not any(_is_ready(life) for life in lives)
    zones: dict[str, _Zone] = {}
    for life in lives:
        zone = zones.setdefault(zone_of(fx, life.node), _Zone())
        zone.total += 1
        zone.unready += not _is_ready(life)
        zone.tainted_ms = max((at for at in (zone.tainted_ms, life.tainted_ms) if at is not None), default=None)
    for life in fx.each(lives):
        if everything_is_down or _is_ready(life):
            _untaint(fx, life)
        else:
            fx.cause = life.condition(READY).seq or fx.cause
            _taint(fx, life, zones[zone_of(fx, life.node)])


def _is_ready(life: NodeLife) -> bool:
    return life.condition(READY).status == "True"


def _held(fx: Effects, node: str) -> tuple[Taint, ...]:
    """The NoExecute taints that the node has for its Ready condition."""
    return tuple(taint for taint in fx.tables.nodes[node].taints if taint[2] == "NoExecute" and taint[0] in READY_TAINTS.values())


def _untaint(fx: Effects, life: NodeLife) -> None:
    if held := _held(fx, life.node):
        if _is_ready(life):
            fx.cause = life.condition(READY).seq or fx.cause
        change_taints(fx, life.node, add=(), remove=held, rule="NODE-TAINT-EXECUTE")


def _taint(fx: Effects, life: NodeLife, zone: _Zone) -> None:
    """Add the taint of its condition to the node; a zone gets a further tainted node only every ten seconds."""
    held = _held(fx, life.node)
    wanted = (READY_TAINTS[life.condition(READY).status], "", "NoExecute")
    if wanted in held:
        return
    # A node that only swaps not-ready for unreachable (or back) does not wait for the limit: it has
    # already been counted.
    turn = fx.now if held or zone.tainted_ms is None else zone.tainted_ms + fx.profile.node_taint_every_ms
    if turn > fx.now:
        fx.check(round_after(fx, turn - 1), Lane.CONTROLLER, TaintPass())
    elif held or not zone.is_half_down(fx.profile.unhealthy_zone_permille):
        zone.tainted_ms = fx.now
        fx.save_node_life(replace(fx.tables.node_life[life.node], tainted_ms=fx.now))
        change_taints(fx, life.node, add=(wanted,), remove=held, rule="NODE-TAINT-EXECUTE")


def zone_of(fx: Effects, node: str) -> str:
    """The node's zone by its labels; nodes without one share a zone."""
    labels = fx.tables.nodes[node].labels
    return f"{labels.get('topology.kubernetes.io/region', '')}:{labels.get('topology.kubernetes.io/zone', '')}"
