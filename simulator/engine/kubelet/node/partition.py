"""A node cut off from the rest of the cluster, including the API server: its kubelet keeps running and catches up once it can.

While it is cut off the kubelet goes by what it knew. The world keeps those objects separately (``held_objects``, ``held_pods``,
``apiserver/cut_off.py``), so that the kubelet's code reads and writes them as if nothing had happened.

What it does every ten seconds keeps being tried all the while: its status manager's batch, its node status, its lease. That its
watches reconnect with the first of these to succeed is an assumption: client-go's reflector waits up to a minute between attempts.

When the network is back the order is that of the kubelet's own loops: the node's status first, since the control plane reacts
to it soonest; then the waiting Events, except those older than two minutes, which are given up; then the status of each pod,
merged with what others have written meanwhile, each followed by what has happened to that pod; and last the pods bound meanwhile.
So the kubelet learns of a missed deletion only after its status has gone out. A kubelet that was started meanwhile registers
and takes stock instead.

Source: pkg/kubelet/status/status_manager.go syncBatch, pkg/kubelet/kubelet_node_status.go, client-go tools/record/event.go
recordToSink.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from simulator.engine.apiserver.cut_off import RULES as HELD_RULES
from simulator.engine.apiserver.cut_off import record_divergence
from simulator.engine.apiserver.k8s_events import send_held
from simulator.engine.apiserver.nodes.events import write_node_event
from simulator.engine.apiserver.pods import finish_deletion
from simulator.engine.apiserver.publish import Draft, publish
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kubelet.base.beats import next_status_beat, with_status_beat
from simulator.engine.kubelet.node import eviction, kubelet_restart, node_status
from simulator.engine.kubelet.pods.static import static_pods
from simulator.engine.kubelet.pods.status.reconcile import is_of_kubelet
from simulator.engine.machines.node import UPLINK
from simulator.engine.model.status import PodStatus
from simulator.engine.world.changed_parts import changed_parts_of_pod
from simulator.engine.world.effects import CLIENT, KUBELET, Effects
from simulator.engine.world.events import NetworkBack
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import HeldEvent, PodRow
from simulator.engine.world.watch import ADDED, GONE, STATUS

CAUGHT_UP = "STATUS-CAUGHT-UP"
RULES = (
    RuleText(
        "NODE-CUT",
        gettext_noop(
            "The node is disconnected from the API server and from the other nodes. Its kubelet lives on: it "
            "probes, restarts and stops containers, but its writes do not arrive, and it does not see changes in "
            "the API."
        ),
        "a command of the run",
    ),
    RuleText(
        "NODE-RESTORED",
        gettext_noop("The node’s network is back; its kubelet finds out on its next attempt."),
        "a command of the run; pkg/kubelet/status/status_manager.go syncBatch",
    ),
    RuleText(
        "NODE-CAUGHT-UP",
        gettext_noop(
            "The kubelet can reach the API server: it renews its lease, writes the statuses it held back, and learns what has changed."
        ),
        "pkg/kubelet/kubelet_node_status.go; pkg/kubelet/status/status_manager.go syncBatch; client-go tools/cache/reflector.go",
    ),
    RuleText(
        "EVENTS-LOST",
        gettext_noop(
            "The kubelet tried to send each of its Events for two minutes and then gave up: {count} of them never reached the API server."
        ),
        "client-go tools/record/event.go maxTriesPerEvent, sleepDuration",
    ),
    *HELD_RULES,
)


def cut(fx: Effects, node: str) -> None:
    """Cut the node's network to the rest of the cluster. A kubelet that had not tried again since the last cut carries on as before."""
    life = fx.tables.node_life[node]
    is_first = life.cut_ms is None
    life, _, fx.cause = fx.become(UPLINK, node, life, "cut", None, cut_ms=fx.now if life.cut_ms is None else life.cut_ms)
    life = fx.save_node_life(replace(life, seq=fx.cause))
    fx.uncheck(NetworkBack(node))
    if is_first:
        fx.hold_node(node)
        if life.kubelet == "running":
            row = fx.tables.nodes[node]
            fx.notify("Lease", GONE, row, row)  # the object stays, but it is not renewed
    fx.touch_loads()


def restore(fx: Effects, node: str) -> None:
    """Restore the network. The kubelet tries every ten seconds."""
    life, _, fx.cause = fx.become(UPLINK, node, fx.tables.node_life[node], "restored", None)
    fx.save_node_life(replace(life, seq=fx.cause))
    kubelet = with_status_beat(fx, fx.tables.kubelets[node], fx.now)
    fx.save_kubelet(kubelet)
    fx.check(next_status_beat(fx, kubelet), Lane.HOUSEKEEPING, NetworkBack(node))
    fx.touch_loads()


def network_back(fx: Effects, event: NetworkBack) -> None:
    """The kubelet reaches the API server again: it writes what it held back and learns what has changed."""
    node, tables = event.node, fx.tables
    life = tables.node_life[node]
    cut_ms = life.cut_ms
    if life.uplink != "back" or cut_ms is None:
        return
    works = life.kubelet == "running"
    life, _, fx.cause = fx.become(UPLINK, node, life, "tried_again", None, cut_ms=None, silent_ms=None if works else life.silent_ms)
    fx.save_node_life(replace(life, seq=fx.cause))
    held = tuple(row for row in tables.held_pods.values() if row.node == node)
    events = tables.held_events.get(node, ())
    fx.release_node(node)
    if not works:
        return
    is_new = life.started_ms > cut_ms
    with fx.aside():
        _report_node(fx, node, is_new=is_new)
    with fx.aside():
        _send_events(fx, node, events)
    for row in fx.each(held):
        _catch_up(fx, row)
    with fx.aside():
        _deliver_missed(fx, node, {row.key for row in held}, is_new=is_new)


def _report_node(fx: Effects, node: str, *, is_new: bool) -> None:
    """Write the node's status; a kubelet that was started meanwhile first registers its node."""
    if is_new:
        node_status.mention_reboot(fx, node)
        node_status.register(fx, node)
    node_status.write_status(fx, node)
    eviction.report_conditions(fx, node)


def _send_events(fx: Effects, node: str, events: tuple[HeldEvent, ...]) -> None:
    """Send the waiting Events. Each one is tried for two minutes and then given up."""
    free_ms, lost = 0, 0
    for event in fx.each(events):
        given_up_ms = max(free_ms, event.at_ms) + fx.profile.event_give_up_ms
        if given_up_ms <= fx.now:
            free_ms, lost = given_up_ms, lost + 1
            continue
        fx.cause = event.cause
        if event.pod:
            send_held(fx, fx.tables.pods[event.pod], event)
        else:
            write_node_event(
                fx, node, component=KUBELET, severity=event.severity, reason=event.reason, message=event.message, rule=event.rule,
                at_ms=event.at_ms,
            )  # fmt: skip
    if lost:
        fx.note_step(f"node/{node}", "events-lost", rule="EVENTS-LOST", data=(("count", lost),))


def _catch_up(fx: Effects, held: PodRow) -> None:
    """Write the status of a pod as the kubelet has it, and let the kubelet learn what has happened to the pod."""
    row = fx.tables.pods[held.key]
    changed = changed_parts_of_pod(held, row) & ~STATUS
    if held.key in fx.tables.held_words:
        record_divergence(fx, row, "caught_up")
    if row.gone_ms is None:
        row = replace(row, version=max(row.version, held.version))
        merged = _merged(held.status, row.status)
        rules = dict.fromkeys(_faces(merged, row.status), CAUGHT_UP)
        row = publish(fx, row, merged, rule=CAUGHT_UP, draft=Draft(merged, rules, is_sent=True))
        row = fx.save_pod(replace(row, version=max(row.version, held.version)))
        worker = fx.tables.workers.get(row.key)
        if worker is not None and worker.state == "finished" and row.deletion_ms is not None:
            finish_deletion(fx, row.key)
            return
    if changed:
        _deliver_to_kubelet(fx, changed, held, fx.tables.pods[held.key])


def _merged(said: PodStatus, shown: PodStatus) -> PodStatus:
    """The kubelet's status, with conditions that are not its own as the API has them (mergePodStatus)."""
    foreign = tuple(item for item in shown.conditions if not is_of_kubelet(item))
    mine = tuple(item for item in said.conditions if is_of_kubelet(item))
    return shown if said is shown else replace(said, conditions=(*foreign, *mine))


def _faces(*statuses: PodStatus) -> Iterable[str]:
    yield "phase"
    for status_ in statuses:
        yield from (item.type for item in status_.conditions)


def _deliver_to_kubelet(fx: Effects, changed: int, old: PodRow | None, row: PodRow) -> None:
    """Deliver to the kubelet a pod that changed while it was cut off."""
    owner = row.pod.metadata.controller_kind
    for component, handler, _ in fx.each(fx.world.watches.notified("Pod", changed, CLIENT, owner, owner)):
        if component == KUBELET:
            handler(fx, old, row)


def _deliver_missed(fx: Effects, node: str, known: set[str], *, is_new: bool) -> None:
    """Pods that were bound to the node meanwhile; to a kubelet that was started meanwhile all pods are new."""
    if is_new:
        kubelet_restart.take_stock(fx, node)
    for row in tuple(fx.tables.pods.values()):
        if row.node == node and row.gone_ms is None and row.key not in known and row.key not in fx.tables.workers and not is_new:
            _deliver_to_kubelet(fx, ADDED, None, row)
    static_pods.check_mirrors(fx, node)
