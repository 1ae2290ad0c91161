"""NodeResourcesBalancedAllocation: prefers nodes whose CPU and memory are used evenly.

Source: plugins/noderesources/balanced_allocation.go.
"""

from simulator.engine.scheduler.framework import Cycle, Plugin
from simulator.engine.world.rows import Need, NodeRow, Room


def balance(node: NodeRow, room: Room, need: Need) -> int:
    """0 … 100: how similar the used shares of CPU and memory are with the pod on the node (100 minus half their difference)."""
    cpu_all, memory_all = node.allocatable_cpu_milli, node.allocatable_memory_bytes
    if not cpu_all or not memory_all:
        return 100
    cpu = min(room.cpu_milli + need.cpu_milli, cpu_all) * memory_all
    memory = min(room.memory_bytes + need.memory_bytes, memory_all) * cpu_all
    whole = 2 * cpu_all * memory_all
    # Half the difference is the standard deviation of two shares, which upstream subtracts from 1.
    return 100 * (whole - abs(cpu - memory)) // whole


def is_asked(cycle: Cycle) -> bool:
    """Newer schedulers skip pods without requests, which would otherwise gather on one node."""
    need = cycle.need
    return bool(need.cpu_milli or need.memory_bytes) or not cycle.profile.balance_skips_best_effort


def _score(cycle: Cycle, nodes: list[NodeRow]) -> list[int] | None:
    if not is_asked(cycle):
        return None
    return [balance(node, cycle.room_taken(node.name), cycle.need) for node in nodes]


BALANCED_ALLOCATION = Plugin(name="NodeResourcesBalancedAllocation", score=_score)
