"""Room on a node: what its pods ask for, counted per resource against what the node can give.

A pod takes room when it is bound (or, bound past the scheduler, when the kubelet admits it) and gives it back when it has
ended or is gone. Source: noderesources/fit.go. Cost: O(resources).
"""

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.model.pod import PodSpec
from simulator.engine.model.quantity import NANO
from simulator.engine.model.requests import pod_requests, resource_request
from simulator.engine.world.effects import Effects
from simulator.engine.world.resize_rows import Need
from simulator.engine.world.rows import NodeRow, PodRow

KNOWN = ("pods", "cpu", "memory", "ephemeral-storage")


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


def shortages(node: NodeRow, need: Need) -> list[Shortage]:
    """Everything of which the node has too little for one more pod. A request of zero always fits."""
    found = []
    if node.used_pods + 1 > node.allocatable_pods:
        found.append(Shortage("pods", 1, node.used_pods, node.allocatable_pods))
    if need is _NOTHING:
        return found
    for name, asked, used, capacity in (
        ("cpu", need.cpu_milli, node.used_cpu_milli, node.allocatable_cpu_milli),
        ("memory", need.memory_bytes, node.used_memory_bytes, node.allocatable_memory_bytes),
        ("ephemeral-storage", need.storage_bytes, node.used_storage_bytes, node.allocatable_storage_bytes),
    ):
        if asked and used + asked > capacity:
            found.append(Shortage(name, asked, used, capacity))
    for name, asked in need.other:
        used, capacity = node.used_other.get(name, 0), node.allocatable_other.get(name, 0)
        if asked and used + asked > capacity:
            found.append(Shortage(name, asked, used, capacity))
    return found


def with_pod(node: NodeRow, need: Need, sign: int = 1) -> NodeRow:
    """The node with the pod's request added, or taken off with ``sign`` -1."""
    other = node.used_other
    if need.other:
        other = {**other, **{name: other.get(name, 0) + sign * asked for name, asked in need.other}}
    return replace(
        node,
        used_cpu_milli=node.used_cpu_milli + sign * need.cpu_milli,
        used_memory_bytes=node.used_memory_bytes + sign * need.memory_bytes,
        used_storage_bytes=node.used_storage_bytes + sign * need.storage_bytes,
        used_pods=node.used_pods + sign,
        used_other=other,
    )


def counted_need(fx: Effects, row: PodRow) -> Need:
    """What the pod counts as on its node: its request, or while it is being resized the larger of what it had and will have."""
    resize = fx.tables.resizes.get(row.key)
    return resize.counted if resize is not None and resize.counted is not None else need_of(row.pod.spec)


def without(fx: Effects, node: NodeRow, rows: list[PodRow]) -> NodeRow:
    """The node as it would be without these pods."""
    for row in rows:
        if row.holds_room:
            node = with_pod(node, counted_need(fx, row), -1)
    return node


def larger(one: Need, other: Need) -> Need:
    """Per resource the larger of two requests."""
    return Need(
        max(one.cpu_milli, other.cpu_milli),
        max(one.memory_bytes, other.memory_bytes),
        max(one.storage_bytes, other.storage_bytes),
        one.other,
    )


def take(fx: Effects, row: PodRow) -> PodRow:
    """Count the pod on its node, unless it counts already."""
    node = fx.tables.nodes.get(row.node)
    if node is None or row.holds_room:
        return row
    fx.save_node(with_pod(node, counted_need(fx, row)))
    return fx.save_pod(replace(row, holds_room=True))


def give_back(fx: Effects, row: PodRow) -> bool:
    """Count the pod no longer; returns whether it did count."""
    node = fx.tables.nodes.get(row.node)
    if node is None or not row.holds_room:
        return False
    fx.save_pod(replace(row, holds_room=False))
    fx.save_node(with_pod(fx.tables.nodes[row.node], counted_need(fx, row), -1))
    return True
