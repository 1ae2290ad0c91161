"""The scheduler's cache: which pods it assumes or knows on a node, and the resources they take there.

The scheduler does not ask the API for each decision; it keeps what is taken per node. A pod counts
from the moment it is assumed, or seen to be bound by another client, until it has ended or is gone.
A pod that is being deleted takes its resources to the end: its containers still run. A pod that
succeeded or failed frees them at once, although its object stays.

What a pod counts as is computed from its object. During a resize it is the largest of
what it requests, what the kubelet has accepted and (if conditions report a resize) what its
containers have; for a resize that the kubelet calls infeasible the request is left out.

Every change is also logged for the shortlists (``changes.py``). For spreading, a pod stops counting
as soon as it has a deletionTimestamp, hence both ``leave`` and ``remove``.

Source: pkg/scheduler/backend/cache; component-helpers/resource determineContainerReqs.
"""

from collections.abc import Iterator

from msgspec.json import encode

from simulator.engine.policies.resize_rules import with_allocated
from simulator.engine.policies.room import EMPTY, larger, need_of, with_pod
from simulator.engine.scheduler.changes import note_change
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import pods_on
from simulator.engine.world.rows import Need, PodRow, Room
from simulator.engine.world.world import AffinityKey, Tables

_BY_KEY = b"LabelKeys"
INFEASIBLE = "Infeasible"


def room_on(tables: Tables, node: str) -> Room:
    """What is taken on a node."""
    return tables.room_scheduled.get(node, EMPTY)


def node_known(tables: Tables, row: PodRow) -> str:
    """The node on which the pod counts: its own, or the one reserved for it while its volumes are bound."""
    return row.node or tables.volume_waits.get(row.key, "")


def pods_here(tables: Tables, node: str) -> Iterator[PodRow]:
    """The pods that take resources on a node, in creation order. O(pods on the node) when iterated."""
    for row in pods_on(tables, node):
        if row.key in tables.scheduled:
            yield row


def assume(fx: Effects, row: PodRow, node: str, need: Need) -> None:
    """Count the pod on the node from now on."""
    fx.save_scheduled(node, with_pod(room_on(fx.tables, node), need), row.key, need)
    note_change(fx, node, row, int(row.deletion_ms is None))
    if row.pod.spec.affinity:
        fx.save_affinity(row.key, affinity_key(row))


def add(fx: Effects, row: PodRow) -> None:
    """Count a pod that another client has bound, perhaps to a node that does not exist yet, unless it is counted already."""
    if row.key not in fx.tables.scheduled and row.gone_ms is None:
        assume(fx, row, row.node, _need(fx, row))


def remove(fx: Effects, row: PodRow) -> None:
    """Stop counting the pod on its node, or on the node chosen for it while its volumes are bound."""
    node = node_known(fx.tables, row)
    fx.save_scheduled(node, with_pod(room_on(fx.tables, node), fx.tables.scheduled[row.key], -1), row.key, None)
    # leave() has already removed a pod that was being deleted from the spread's counts.
    note_change(fx, node, row, -int(row.deletion_ms is None))
    if row.key in fx.tables.affinity_of:
        fx.save_affinity(row.key, None)


def leave(fx: Effects, row: PodRow) -> None:
    """The pod is being deleted: it takes resources as before, but no longer counts for spreading."""
    if row.key in fx.tables.scheduled:
        note_change(fx, row.node, row, -1)


def update(fx: Effects, row: PodRow) -> None:
    """Update a counted pod after a change of its object."""
    held = fx.tables.scheduled.get(row.key)
    if held is None:
        return
    need = _need(fx, row)
    if need != held:
        room = with_pod(room_on(fx.tables, row.node), held, -1)
        fx.save_scheduled(row.node, with_pod(room, need), row.key, need)
        note_change(fx, row.node)


def affinity_key(row: PodRow) -> AffinityKey | None:
    """The pod's rules about other pods, equal for pods of one template; None if it has none. About 2 µs."""
    affinity = row.pod.spec.affinity or {}
    rules = [affinity.get(name) for name in ("podAffinity", "podAntiAffinity")]
    if not any(rules):
        return None
    encoded = encode(rules)
    return row.namespace, encoded, tuple(row.pod.metadata.labels.items()) if _BY_KEY in encoded else ()


def _need(fx: Effects, row: PodRow) -> Need:
    """What the pod counts as, according to its object."""
    wanted, status = need_of(row.pod.spec), row.status
    if not status.allocated:
        return wanted
    spec = with_allocated(row.pod.spec, status.allocated)
    held = need_of(spec)
    if fx.profile.resize_status != "field" and status.actual:
        held = larger(held, need_of(with_allocated(spec, status.actual)))
    pending = status.condition("PodResizePending")
    is_infeasible = status.resize == INFEASIBLE or (pending is not None and pending.reason == INFEASIBLE)
    return held if is_infeasible else larger(wanted, held)
