"""NodeResourcesFit: the node must have room for what the pod requests; more room scores higher.

Every resource that is short is named, not only the first, which is why the numbers in
FailedScheduling may add up to more than the nodes. The filter includes reservations for nominated
pods, the score does not. A lack of room can be cured by preemption, unless the request
exceeds the empty node (``oversized_request_unresolvable``, 1.34).

Source: plugins/noderesources/fit.go, least_allocated.go.
"""

from simulator.engine.kernel.records import Data
from simulator.engine.policies.room import EMPTY, Shortage, need_of, shortages
from simulator.engine.scheduler.framework import NODE_ADDED, POD_FREED, ClusterEvent, Cycle, Plugin, Unfit, any_of
from simulator.engine.world.rows import Need, NodeRow, PodRow, Room
from simulator.engine.world.world import World


def _begin(_cycle: Cycle) -> object:
    return True


def reason_of(short: Shortage) -> str:
    """The reason text for a resource that is short."""
    return "Too many pods" if short.resource == "pods" else f"Insufficient {short.resource}"


def lacks_room(cycle: Cycle, _state: object, node: NodeRow) -> Unfit | None:
    """The filter: which resources the node is short of."""
    short = shortages(node, cycle.room(node.name), cycle.need)
    if not short:
        return None
    # Too large even for an empty node: no eviction can help (1.34).
    is_hopeless = cycle.profile.oversized_request_unresolvable and bool(shortages(node, EMPTY, cycle.need))
    return Unfit(tuple(map(reason_of, short)), is_curable=not is_hopeless)


def _explain(cycle: Cycle, _state: object, node: NodeRow) -> Data:
    short = shortages(node, cycle.room(node.name), cycle.need)
    return tuple(
        (item.resource, f"requested {item.requested}, used {item.used} of {item.capacity}{' milli' if item.resource == 'cpu' else ''}")
        for item in short
    )


def least_allocated(node: NodeRow, room: Room, need: Need) -> int:
    """0 … 100: the share of CPU and memory left with the pod on the node, averaged; a missing request counts as a small one."""
    points = parts = 0
    for used, capacity in (
        # With missing requests taken as 100m and 200Mi, so that pods without requests do not all
        # gather on one node.
        (room.nonzero_cpu_milli + need.nonzero_cpu_milli, node.allocatable_cpu_milli),
        (room.nonzero_memory_bytes + need.nonzero_memory_bytes, node.allocatable_memory_bytes),
    ):
        if capacity:
            parts += 1
            points += 100 * max(capacity - used, 0) // capacity
    return points // parts if parts else 0


def _score(cycle: Cycle, nodes: list[NodeRow]) -> list[int]:
    return [least_allocated(node, cycle.room_taken(node.name), cycle.need) for node in nodes]


def _hint(_world: World, row: PodRow, event: ClusterEvent) -> bool:
    return event.node is None or not shortages(event.node, EMPTY, need_of(row.pod.spec))


NODE_RESOURCES_FIT = Plugin(
    name="NodeResourcesFit", begin=_begin, filter=lacks_room, explain=_explain, score=_score, wakes={NODE_ADDED: _hint, POD_FREED: any_of}
)
