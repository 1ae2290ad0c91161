"""The scheduling queue: when a pod that found no node is retried.

Upstream keeps three places: active (to be tried), back-off (may be tried, but not yet) and
unschedulable (nothing has happened that could help). A failed pod goes to unschedulable. It leaves
it when a cluster event may help it, when it is changed itself, or after five minutes
(``scheduler_flush_ms``) in any case. Then it waits for the rest of its back-off, 1 s doubled by
each attempt up to 10 s, counted from the last attempt. Here the places are implied: ``unscheduled``
holds the pods, and a planned check is the move.

Which events may help has become more precise (``scheduler_wakes``). Up to 1.21 any event moves all pods;
then each plugin names the kinds of events that could lift its rejection, and a pod is moved if one of
the plugins that rejected it named this kind; with queueing hints the plugin also examines the event
and the pod. A hint that is too strict would strand a pod until the flush, so when in doubt plugins
answer yes.

Pods moved by one event are tried in the order of the queue: higher priority first, then the older
one.

A planned retry can become pointless: an attempt made for another reason has restarted the
back-off. ``is_too_early`` drops it. From 1.33 (``scheduler_pops_backoff_early``) an idle scheduler
takes pods before their back-off ends.

The watches also maintain the cache (``cache.py``): the same write first frees room and then wakes the
pods that wait for it.

Source: internal/queue/scheduling_queue.go.
"""

from simulator.engine.kernel.grid import next_beat
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.policies.taint_eviction import Taint
from simulator.engine.scheduler import cache
from simulator.engine.scheduler.changes import forget_nodes, note_change
from simulator.engine.scheduler.framework import (
    CLAIM,
    NODE_ADDED,
    NODE_LABELS,
    NODE_TAINTS,
    POD_FREED,
    POD_LABELS,
    POD_PLACED,
    ClusterEvent,
    priority_of,
)
from simulator.engine.scheduler.plugins.inter_pod_affinity import INTER_POD_AFFINITY, is_wanted
from simulator.engine.scheduler.plugins.node_affinity import NODE_AFFINITY
from simulator.engine.scheduler.plugins.node_resources_fit import NODE_RESOURCES_FIT
from simulator.engine.scheduler.plugins.order import FILTERS
from simulator.engine.scheduler.plugins.pod_topology_spread import POD_TOPOLOGY_SPREAD
from simulator.engine.scheduler.plugins.taint_toleration import TAINT_TOLERATION
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import SchedulePod
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.watch import ADDED, BOUND, CHANGED, DELETING, ENDED, GONE, STATUS, Queue, Watch
from simulator.engine.world.world import ApiObject

_OF_READY = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
"""Taints that a node gets with both effects, the second some time after the first."""
QUEUE = Queue("scheduler", Lane.CONTROLLER, "api_to_scheduler_ms")

_CHECKED_FIRST = (NODE_AFFINITY, NODE_RESOURCES_FIT, TAINT_TOLERATION)
UPDATE, FLUSH = "update", "flush"
"""Kinds of retry: the pod itself changed; it has waited for long. Any other is a change of the cluster."""


def backoff_ms(fx: Effects, pod: Key) -> Ms:
    """The back-off of the pod after its last attempt: 1 s, doubled by each, at most 10 s."""
    tries, _ = fx.tables.tries.get(pod, (1, 0))
    return min(fx.profile.scheduler_backoff_initial_ms << min(max(tries - 1, 0), 10), fx.profile.scheduler_backoff_max_ms)


def is_too_early(fx: Effects, event: SchedulePod) -> bool:
    """Whether a later attempt has made this retry pointless."""
    if event.pod not in fx.tables.unscheduled or event.why == UPDATE:  # where an update must wait, no retry of that kind is planned
        return False
    _, last_ms = fx.tables.tries.get(event.pod, (0, 0))
    wait = fx.profile.scheduler_flush_ms if event.why == FLUSH else _held_ms(fx, event.pod)
    return fx.now < last_ms + max(wait, 1)


def _held_ms(fx: Effects, pod: Key) -> Ms:
    """The back-off, if an otherwise idle cluster would not cut it short (1.33)."""
    return 0 if fx.profile.scheduler_pops_backoff_early else backoff_ms(fx, pod)


def await_flush(fx: Effects, pod: Key) -> None:
    """Retry a pod that could not be placed after a few minutes even if nothing changes."""
    # Checked every 30 s, so a pod waits up to that much longer than five minutes.
    due = next_beat(fx.now + fx.profile.scheduler_flush_ms, 0, fx.profile.scheduler_flush_check_ms)
    fx.check(due, Lane.CONTROLLER, SchedulePod(pod, FLUSH), put_off=True)


def wake(fx: Effects, event: ClusterEvent) -> None:
    """Retry the waiting pods that the event may help, higher priority first, each after its back-off.

    Cost: the pods that wait because of a plugin to which such events matter.
    """
    if not fx.tables.unscheduled:
        return
    pods = fx.tables.pods
    for pod in sorted(_helped(fx, event), key=lambda key: (-priority_of(pods[key]), pods[key].number)):
        _retry(fx, pod)


def _retry(fx: Effects, pod: Key) -> None:
    """Retry the pod: at once, or after its back-off."""
    _, last_ms = fx.tables.tries.get(pod, (1, 0))
    key = SchedulePod(pod)
    planned = fx.tables.checks.get(key)
    is_idle = planned is not None and planned[0] < last_ms + max(_held_ms(fx, pod), 1)  # a later attempt has postponed it
    due = max(fx.now + fx.profile.api_to_scheduler_ms, _held_until(fx, pod, last_ms))
    fx.check(due, Lane.CONTROLLER, key, put_off=is_idle)


def _updated(fx: Effects, pod: Key) -> None:
    """The pod itself was changed. Until 1.20 that ends its back-off."""
    if pod in fx.tables.unscheduled and not fx.profile.pod_update_ends_backoff:
        _retry(fx, pod)
    else:
        fx.enqueue(QUEUE, SchedulePod(pod, UPDATE))


def _helped(fx: Effects, event: ClusterEvent) -> list[Key]:
    """The waiting pods that the event may help, in this version's way: all, by plugin, or by plugin and hint."""
    tables, how = fx.tables, fx.profile.scheduler_wakes
    if event.kind in (POD_PLACED, POD_LABELS) and how != "hints":
        waiting = tables.unscheduled if how == "all" else tables.unscheduled_by.of(INTER_POD_AFFINITY.name)
        return [key for key in waiting if is_wanted(fx.world, tables.pods[key], event)]
    if how == "all":
        return list(tables.unscheduled)
    found = dict.fromkeys(tables.unscheduled_by.of(""))
    for plugin in FILTERS:
        hint = plugin.wakes.get(event.kind)
        if hint is not None:
            for key in tables.unscheduled_by.of(plugin.name):
                row = tables.pods[key]
                if hint(fx.world, row, event) if how == "hints" else _may_take(fx, row, event):
                    found[key] = None
    return list(found)


def _may_take(fx: Effects, row: PodRow, event: ClusterEvent) -> bool:
    """Before hints: for a node event, only if the pod would fit on the empty node (preCheckForNode)."""
    return event.node is None or all(plugin.wakes[NODE_ADDED](fx.world, row, event) for plugin in _CHECKED_FIRST)


def _held_until(fx: Effects, pod: Key, last_ms: Ms) -> Ms:
    """The first check after the end of the back-off; 0 if nothing holds the pod back."""
    held = _held_ms(fx, pod)
    return next_beat(last_ms + held, 0, fx.profile.scheduler_backoff_check_ms) if held else 0


def _pod_written(fx: Effects, old: PodRow | None, row: PodRow) -> None:
    """A pod that waits for a node was created, changed or is terminating; one created with a node or already bound takes room there."""
    if row.node:
        if old is None:
            cache.add(fx, row)
            wake(fx, ClusterEvent(kind=POD_PLACED, pod=row))
            return
        if row.deletion_ms is not None and old.deletion_ms is None:
            cache.leave(fx, row)
        if row.pod is not old.pod:
            cache.update(fx, row)
            if row.pod.metadata.labels != old.pod.metadata.labels:
                forget_nodes(fx)
                wake(fx, ClusterEvent(kind=POD_LABELS, pod=row))
        return
    if old is None and row.status.nominated_node:
        fx.set_nominated(row.key, waiting=True)
    if old is None or (row.deletion_ms != old.deletion_ms and fx.profile.deleted_pod_scheduling_event):
        fx.enqueue(QUEUE, SchedulePod(row.key))
    elif row.deletion_ms is None and _may_fit_now(fx, old, row):
        _updated(fx, row.key)


def _may_fit_now(fx: Effects, old: PodRow, row: PodRow) -> bool:
    """Whether to retry a waiting pod after this change: any change, or with hints a change of its spec or of labels that its rules use."""
    if fx.profile.scheduler_wakes != "hints":
        return row.document != old.document
    by_labels = (INTER_POD_AFFINITY.name, POD_TOPOLOGY_SPREAD.name)
    relabelled = row.pod.metadata.labels != old.pod.metadata.labels
    return row.generation != old.generation or (relabelled and any(row.key in fx.tables.unscheduled_by.of(plugin) for plugin in by_labels))


def _status_written(fx: Effects, old: PodRow, row: PodRow) -> None:
    """In 1.20 a status write of a waiting pod is an update like any other, including the one that says why it waits.

    For a placed pod, its status shows what its kubelet has accepted.
    """
    if row.node:
        if row.status.allocated:
            cache.update(fx, row)
        return
    if bool(row.status.nominated_node) != bool(old.status.nominated_node):
        fx.set_nominated(row.key, waiting=bool(row.status.nominated_node))
    if row.gone_ms is None and fx.profile.status_update_wakes_scheduler and _unschedulable_message(old) != _unschedulable_message(row):
        _updated(fx, row.key)


def _unschedulable_message(row: PodRow) -> str | None:
    condition = row.status.condition("PodScheduled")
    return condition.message if condition is not None else None


def _pod_ended(fx: Effects, _old: PodRow | None, row: PodRow) -> None:
    """A pod that has ended or is gone frees its room on the node, and pods that wait for room are retried."""
    if row.key in fx.tables.scheduled:
        # First the room, then the wake: the attempt must find it free.
        cache.remove(fx, row)
        fx.save_volume_wait(row.key, "")
        wake(fx, ClusterEvent(kind=POD_FREED, pod=row))


def _node_written(fx: Effects, old: NodeRow | None, row: NodeRow) -> None:
    """A node that became more attractive: new (again) or with other labels, a taint less, no longer cordoned."""
    # Shortlists group nodes by their labels; with other labels, or another set of nodes, they are
    # useless.
    if old is None or old.is_deleted or row.labels is not old.labels:
        forget_nodes(fx)
    else:
        note_change(fx, row.name)
    if old is None or old.is_deleted:
        wake(fx, ClusterEvent(kind=NODE_ADDED, node=row))
        return
    if row.labels is not old.labels:
        wake(fx, ClusterEvent(kind=NODE_LABELS, node=row))
    gone = tuple(taint for taint in old.taints if taint not in row.taints)
    if (old.unschedulable and not row.unschedulable) or (gone and not _is_followed(gone, old.taints)):
        wake(fx, ClusterEvent(kind=NODE_TAINTS, node=row))


def _is_followed(gone: tuple[Taint, ...], before: tuple[Taint, ...]) -> bool:
    """Whether only NoSchedule taints for a node's condition were removed, while those with NoExecute go with the monitor's next pass.

    The scheduler tries at the node's update that made it Ready, before any of the taints is gone, and the back-off of that attempt holds
    its pods until both are gone (observed on a 1.20.2 node).
    """
    keys = {taint[0] for taint in before if taint[2] == "NoExecute" and taint[0] in _OF_READY}
    return all(taint[2] == "NoSchedule" and taint[0] in keys for taint in gone)


def _node_gone(fx: Effects, _old: NodeRow, _row: NodeRow) -> None:
    """There is one node less to examine."""
    forget_nodes(fx)


def _claim_written(fx: Effects, _old: ApiObject | None, _row: ApiObject) -> None:
    """A claim, volume or class that pods wait for may now exist; pods whose node is chosen wait for nothing else."""
    for pod in fx.tables.volume_waits:
        fx.enqueue(QUEUE, SchedulePod(pod))
    wake(fx, ClusterEvent(kind=CLAIM))


def _pod_gone(fx: Effects, _old: PodRow | None, row: PodRow) -> None:
    """A pod that is gone is not retried any more."""
    fx.drop_tries(row.key)
    _cancel_checks(fx, row.key)


def _cancel_checks(fx: Effects, pod: Key) -> None:
    fx.uncheck(SchedulePod(pod))
    fx.uncheck(SchedulePod(pod, FLUSH))


def _pod_bound(fx: Effects, _old: PodRow | None, row: PodRow) -> None:
    """The pod was bound: it takes room on its node and no longer waits in any queue."""
    tables = fx.tables
    if row.key in tables.unscheduled:
        fx.set_unscheduled(row.key, waiting=False)
    if tables.nominations:
        fx.set_nominated(row.key, waiting=False)
    if tables.checks:
        _cancel_checks(fx, row.key)
    if row.key not in tables.scheduled:  # bound by another client
        cache.add(fx, row)
    if tables.unscheduled:
        wake(fx, ClusterEvent(kind=POD_PLACED, pod=row))


WATCHES = (
    Watch("scheduler", "Pod", BOUND, _pod_bound, counts=True),
    Watch("scheduler", "Pod", ADDED | CHANGED | DELETING, _pod_written),
    Watch("scheduler", "Pod", STATUS, _status_written),
    Watch("scheduler", "Pod", ENDED | GONE, _pod_ended, counts=True),
    Watch("scheduler", "Pod", GONE, _pod_gone),
    Watch("scheduler", "Node", ADDED | CHANGED, _node_written),
    Watch("scheduler", "Node", GONE, _node_gone),
    Watch("scheduler", "PersistentVolumeClaim", ADDED | CHANGED, _claim_written),
    Watch("scheduler", "PersistentVolume", ADDED | CHANGED, _claim_written),
    Watch("scheduler", "StorageClass", ADDED | CHANGED, _claim_written),
    Watch("scheduler", "CSINode", ADDED | CHANGED, _claim_written),
)
