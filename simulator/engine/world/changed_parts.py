"""Which parts of an object a write has changed, for its watchers. Cost: a few pointer comparisons."""

from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.watch import ADDED, BOUND, CHANGED, DELETING, ENDED, GONE, STATUS
from simulator.engine.world.world import ApiObject


def changed_parts_of_pod(old: PodRow, new: PodRow) -> int:
    """The parts in which the API objects of two rows differ; 0 if a client sees no difference."""
    changed = 0
    if new.status is not old.status:
        changed |= STATUS if new.status.phase == old.status.phase or new.status.phase not in TERMINAL_PHASES else STATUS | ENDED
    if new.pod is not old.pod or new.document != old.document:
        changed |= CHANGED
    if new.node != old.node:
        changed |= BOUND
    if new.deletion_ms != old.deletion_ms or new.grace_s != old.grace_s:
        changed |= DELETING
    if new.gone_ms != old.gone_ms:
        changed |= GONE
    return changed


def changed_parts_of_object(old: ApiObject | None, new: ApiObject) -> int:
    """The same for an object of another kind; rewriting an unchanged object still counts as a change, namely of its status."""
    if old is None:
        return ADDED | (DELETING if new.deletion_ms is not None else 0)
    if new.deletion_ms != old.deletion_ms:
        return DELETING | (CHANGED if new.document != old.document else 0)
    return CHANGED if new.document != old.document else STATUS


def changed_parts_of_node(old: NodeRow | None, new: NodeRow) -> int:
    """The same for a Node: labels, taints and cordon. Its status is reported differently, through the kubelet's heartbeats."""
    if old is None:
        return 0 if new.is_deleted else ADDED  # a machine whose kubelet has not registered it yet
    if new.is_deleted is old.is_deleted and new.taints is old.taints and new.labels is old.labels:
        return 0 if new.is_deleted or new.unschedulable is old.unschedulable else CHANGED
    if new.is_deleted:
        return 0 if old.is_deleted else GONE
    return ADDED if old.is_deleted else CHANGED
