"""Room on a node: what its pods ask for, counted per resource against what the node can give.

Who counts them keeps the sum: the scheduler that of the pods it has placed, the kubelet that of the pods it has admitted.
Source: noderesources/fit.go. Cost: O(resources).
"""

from msgspec import Struct

from simulator.engine.model.pod import PodSpec
from simulator.engine.model.quantity import NANO
from simulator.engine.model.requests import pod_requests, resource_request
from simulator.engine.world.resize_rows import Need, Room
from simulator.engine.world.rows import NodeRow

KNOWN = ("pods", "cpu", "memory", "ephemeral-storage")
EMPTY = Room()
"""A node without pods."""


class Shortage(Struct, frozen=True, gc=False):
    """A resource of which the node has too little; cpu in milli."""

    resource: str
    requested: int
    used: int
    capacity: int

    @property
    def missing(self) -> int:
        """How much more it would take."""
        return self.requested + self.used - self.capacity


_NOTHING = Need(0, 0)


def need_of(spec: PodSpec) -> Need:
    """The effective request of a pod. About 1 µs for a pod without requests."""
    if not spec.overhead and spec.resources is None:
        for container in (*spec.containers, *spec.init_containers):  # every pod comes here several times: a loop, not a generator
            if container.resources.requests:
                break
        else:
            return _NOTHING
    other = tuple(
        (name, -(-nano // NANO)) for name, nano in sorted(pod_requests(spec).items()) if name not in ("cpu", "memory", "ephemeral-storage")
    )
    storage = resource_request(spec, "ephemeral-storage")
    return Need(resource_request(spec, "cpu"), resource_request(spec, "memory"), storage, other)


def shortages(node: NodeRow, room: Room, need: Need) -> list[Shortage]:
    """Everything of which the node, with so much taken, has too little for one more pod. A request of zero always fits."""
    found = []
    if room.pods + 1 > node.allocatable_pods:
        found.append(Shortage("pods", 1, room.pods, node.allocatable_pods))
    if need is _NOTHING:
        return found
    for name, asked, used, capacity in (
        ("cpu", need.cpu_milli, room.cpu_milli, node.allocatable_cpu_milli),
        ("memory", need.memory_bytes, room.memory_bytes, node.allocatable_memory_bytes),
        ("ephemeral-storage", need.storage_bytes, room.storage_bytes, node.allocatable_storage_bytes),
    ):
        if asked and used + asked > capacity:
            found.append(Shortage(name, asked, used, capacity))
    for name, asked in need.other:
        used, capacity = room.other.get(name, 0), node.allocatable_other.get(name, 0)
        if asked and used + asked > capacity:
            found.append(Shortage(name, asked, used, capacity))
    return found


def with_pod(room: Room, need: Need, sign: int = 1) -> Room:
    """The room with a pod's request added, or taken off with ``sign`` -1."""
    if need is _NOTHING:
        return Room(room.pods + sign, room.cpu_milli, room.memory_bytes, room.storage_bytes, room.other)
    other = room.other
    if need.other:
        other = {**other, **{name: other.get(name, 0) + sign * asked for name, asked in need.other}}
    return Room(
        room.pods + sign,
        room.cpu_milli + sign * need.cpu_milli,
        room.memory_bytes + sign * need.memory_bytes,
        room.storage_bytes + sign * need.storage_bytes,
        other,
    )


def larger(one: Need, other: Need) -> Need:
    """Per resource the larger of two requests."""
    return Need(
        max(one.cpu_milli, other.cpu_milli),
        max(one.memory_bytes, other.memory_bytes),
        max(one.storage_bytes, other.storage_bytes),
        one.other,
    )
