"""Graceful node shutdown: pods are ended group by group while the kubelet delays it, then the machine powers off.

The kubelet holds an inhibitor lock of systemd-logind, which delays the shutdown; the lock ends with the process
(systemd.io/INHIBITOR_LOCKS), so a kubelet that stops meanwhile lets the machine power off at once (``lock_lost``).

Groups go in order of priority, the least important first, each with its own time. A pod belongs to the highest
group that is not above it. In 1.20 there are two, ordinary and critical pods, and the second waits until the time of the
first is over; later versions continue as soon as a group has ended, and let the user define groups by priority.

Pods are only told to end here (``endings.end``): their workers do it, with the group's time as the longest grace period. During
the shutdown the node is NotReady and admits no pods. It can be cancelled; pods that were ended stay ended.

``power_off`` is how it finishes, or what happens without any of it. Processes end before the kubelet does, since a stop
in progress must end with its process and not start over. The API is not told: the node's lease expires.

Source: pkg/kubelet/nodeshutdown/nodeshutdown_manager_linux.go.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.nodes.events import emit_node
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import SECOND, seconds
from simulator.engine.kubelet.node import kubelet_restart, node_status
from simulator.engine.kubelet.node.critical import is_critical
from simulator.engine.kubelet.pods.containers.instances import end_instance
from simulator.engine.kubelet.pods.sandbox.sandbox_machine import SANDBOX
from simulator.engine.kubelet.pods.status import endings
from simulator.engine.machines.node import RUNTIME, SHUTDOWN
from simulator.engine.model.system import WINDOWS
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import ShutdownStep
from simulator.engine.world.lookups import pods_on
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Ending, NodeLife, PodRow, ShutdownGroup

KILLED = 137

RULES = (
    RuleText(
        "NODE-SHUTDOWN",
        gettext_noop("The node is shutting down, so the kubelet terminates its pods, the least important first."),
        "pkg/kubelet/nodeshutdown",
        "1.20",
    ),
    RuleText(
        "NODE-SHUTDOWN-GROUP",
        gettext_noop("Pods with priority {priority} or higher now have {seconds} s to stop."),
        "pkg/kubelet/nodeshutdown",
        "1.20",
    ),
    RuleText(
        "NODE-OFF",
        gettext_noop("The machine is off. Everything still running on it is gone, and the API does not know yet."),
        "what a machine without power does",
    ),
    RuleText(
        "RUNTIME-OFF",
        gettext_noop("The container runtime went down with its machine, which has no power."),
        "what a machine without power does",
    ),
    RuleText(
        "NODE-SHUTDOWN-CANCELLED",
        gettext_noop("The shutdown was cancelled; pods that have been terminated stay terminated."),
        "pkg/kubelet/nodeshutdown",
        "1.21",
    ),
)


def groups_of(fx: Effects, *, grace_s: int, critical_s: int, by_priority: tuple[tuple[int, int], ...]) -> tuple[ShutdownGroup, ...]:
    """The groups in shutdown order; none if the version or the settings have no graceful shutdown."""
    profile = fx.profile
    if not profile.graceful_node_shutdown:
        return ()
    if by_priority and profile.graceful_node_shutdown_by_priority:
        return tuple(ShutdownGroup(priority, max(part, 0)) for priority, part in sorted(by_priority))
    if grace_s <= 0:
        return ()
    critical = min(max(critical_s, 0), grace_s)
    return (ShutdownGroup(0, grace_s - critical), ShutdownGroup(profile.critical_priority, critical))


def shut_down(fx: Effects, node: str, groups: tuple[ShutdownGroup, ...]) -> None:
    """Begin the machine's shutdown."""
    life = fx.tables.node_life[node]
    is_noticed = fx.tables.nodes[node].os != WINDOWS or fx.profile.graceful_node_shutdown_windows
    if not groups or life.kubelet != "running" or not is_noticed:
        power_off(fx, node)
        return
    life, _, seq = fx.become(SHUTDOWN, node, life, "shut_down", None, shutdown=groups, shutdown_step=life.shutdown_step + 1)
    fx.cause = seq
    fx.save_node_life(replace(life, seq=seq))
    emit_node(fx, node, component="kubelet", reason="Shutdown", message="Shutdown manager detected shutdown event", rule="NODE-SHUTDOWN")
    with fx.aside():
        node_status.write_status(fx, node)
    _begin_group(fx, node)


def _group_of(fx: Effects, row: PodRow, groups: tuple[ShutdownGroup, ...]) -> ShutdownGroup:
    """The group with the highest priority not above the pod's; a pod below all belongs to the lowest."""
    priority = fx.profile.critical_priority if is_critical(fx, row) else row.pod.spec.priority or 0
    found = groups[0]
    for group in groups:
        if group.priority <= priority:
            found = group
    return found


def _begin_group(fx: Effects, node: str) -> None:
    """End the pods of the current group."""
    life = fx.tables.node_life[node]
    group = _current(life)
    rows = [row for row in pods_on(fx.tables, node) if _is_active(fx, row) and _group_of(fx, row, life.shutdown) == group]
    wait_ms = seconds(group.seconds)
    if not rows and fx.profile.pod_worker_states:
        wait_ms = 0
    data = (("priority", group.priority), ("seconds", group.seconds), ("pods", len(rows)))
    _, _, fx.cause = fx.become(SHUTDOWN, node, life, "group_begins", None, data=data)
    for row in fx.each(rows):
        grace_s = min(group.seconds, row.pod.spec.termination_grace_period_seconds or 0)
        ending = Ending(
            fx.profile.shutdown_reason, fx.profile.shutdown_message, "NODE-SHUTDOWN", grace_s=grace_s, disruption=True,
        )  # fmt: skip
        endings.end(fx, row, ending)
    fx.save_node_life(replace(fx.tables.node_life[node], group_until_ms=fx.now + wait_ms))
    _wait(fx, node)


def _current(life: NodeLife) -> ShutdownGroup:
    return life.shutdown[life.shutdown_at]


def _wait(fx: Effects, node: str) -> None:
    """Check again in a second, at the latest when the group's time is over; in 1.20 only then."""
    life = fx.tables.node_life[node]
    due = min(fx.now + SECOND, life.group_until_ms) if fx.profile.pod_worker_states else life.group_until_ms
    fx.schedule(max(due, fx.now), Lane.HOUSEKEEPING, ShutdownStep(node, life.shutdown_step))


def _is_active(fx: Effects, row: PodRow) -> bool:
    worker = fx.tables.workers.get(row.key)
    return worker is not None and worker.state in ("syncing", "terminating") and not endings.is_ended(row)


def shutdown_step(fx: Effects, event: ShutdownStep) -> None:
    """Check the current group: its time is over, or it may have ended before."""
    life = fx.tables.node_life[event.node]
    if not life.shutdown or life.shutdown_step != event.n or life.kubelet != "running":
        return
    group = _current(life)
    fx.cause = life.seq
    left = any(_is_active(fx, row) and _group_of(fx, row, life.shutdown) == group for row in pods_on(fx.tables, event.node))
    if fx.now < life.group_until_ms and left:
        _wait(fx, event.node)
    elif life.shutdown_at + 1 < len(life.shutdown):
        fx.save_node_life(replace(life, shutdown_at=life.shutdown_at + 1))
        _begin_group(fx, event.node)
    else:
        power_off(fx, event.node)


def cancel(fx: Effects, node: str) -> None:
    """Cancel the shutdown: later groups are left alone, and the node becomes ready again."""
    life = fx.tables.node_life[node]
    life, _, fx.cause = fx.become(SHUTDOWN, node, life, "cancelled", None, shutdown=(), shutdown_at=0)
    fx.save_node_life(replace(life, seq=fx.cause))
    node_status.write_status(fx, node)


def lock_lost(fx: Effects, node: str) -> None:
    """The kubelet is gone. If it was delaying a shutdown, nothing does any more: the lock ends with the process that holds it."""
    if fx.tables.node_life[node].power == "group":
        power_off(fx, node)


def power_off(fx: Effects, node: str) -> None:
    """Power the machine off: kubelet, runtime and every process with it."""
    life, step, seq = fx.become(SHUTDOWN, node, fx.tables.node_life[node], "power_lost", None)
    if step is None or life.power != "off":
        return
    fx.cause = seq
    _end_processes(fx, node)  # first: a stop in progress ends with its process, and does not start over
    if life.kubelet != "stopped":
        with fx.aside():
            kubelet_restart.stop_kubelet(fx, node, "power_lost")
    life, _, _ = fx.become(RUNTIME, node, fx.tables.node_life[node], "power_lost", None)
    fx.save_node_life(replace(life, shutdown=(), shutdown_at=0, runtime_lost_ms=None))


def _end_processes(fx: Effects, node: str) -> None:
    for row in [row for row in fx.tables.pods.values() if row.node == node]:
        for item in fx.tables.instances.get(row.key, ()):
            if item.runs:
                with fx.aside():
                    end_instance(fx, row.key, item, KILLED)
        sandbox = fx.tables.sandboxes.get(row.key)
        if sandbox is not None and sandbox.state == "ready":
            fx.become(SANDBOX, row.key, sandbox, "died", None, data=(("attempt", sandbox.attempt),), stopped_ms=fx.now)
