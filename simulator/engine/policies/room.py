"""Resources on a node: what its pods request, per resource, against what the node can offer.

Requests count, never usage: a node whose containers are idle is full when its requests are. Each
component keeps its own sum, and the two need not agree: the scheduler has the pods it has
placed, the kubelet those it has admitted.

A second pair of sums, nonzero, is used for scores: there a missing request counts as a small one, so
that pods without requests have some weight.

Source: noderesources/fit.go. Cost: O(resources).
"""

from functools import lru_cache

from msgspec import Struct

from simulator.engine.model.container import Container, ResourceRequirements
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.quantity import NANO
from simulator.engine.model.requests import nonzero_requests, pod_requests, resource_request
from simulator.engine.world.rows import Need, NodeRow, Room

KNOWN = ("pods", "cpu", "memory", "ephemeral-storage")
EMPTY = Room()
"""A node without pods."""
_MILLI = NANO // 1000


class Shortage(Struct, frozen=True, gc=False):
    """A resource of which the node has too little; cpu in milli."""

    resource: str
    requested: int
    used: int
    capacity: int

    @property
    def missing(self) -> int:
        """How much more would be needed."""
        return self.requested + self.used - self.capacity


_Asked = tuple[tuple[str, str], ...]
"""The requests of one container, as written."""
_FEW = 16
_ALIKE = 1024
"""Pods of one template have the same requests, so they are computed once."""


def need_of(spec: PodSpec) -> Need:
    """The effective request of a pod. About 1 µs once another pod has requested the same."""
    if spec.overhead or spec.resources is not None or len(spec.containers) + len(spec.init_containers) > _FEW:
        return _worked_out(spec)
    apps = tuple([tuple(container.resources.requests.items()) for container in spec.containers])
    if not spec.init_containers:
        return _need_of(apps, ())
    inits = tuple([(tuple(each.resources.requests.items()), each.restart_policy == "Always") for each in spec.init_containers])
    return _need_of(apps, inits)


@lru_cache(maxsize=_ALIKE)
def _need_of(apps: tuple[_Asked, ...], inits: tuple[tuple[_Asked, bool], ...]) -> Need:
    """The effective request, from the requests alone; init containers with whether they are sidecars."""
    return _worked_out(
        PodSpec(
            containers=tuple(_asking(asked) for asked in apps),
            init_containers=tuple(_asking(asked, "Always" if is_sidecar else None) for asked, is_sidecar in inits),
        )
    )


def _asking(asked: _Asked, restart_policy: str | None = None) -> Container:
    return Container(name="", image="", resources=ResourceRequirements(requests=dict(asked)), restart_policy=restart_policy)


def _worked_out(spec: PodSpec) -> Need:
    other = tuple(
        (name, -(-nano // NANO)) for name, nano in sorted(pod_requests(spec).items()) if name not in ("cpu", "memory", "ephemeral-storage")
    )
    scored = nonzero_requests(spec)
    return Need(
        resource_request(spec, "cpu"),
        resource_request(spec, "memory"),
        resource_request(spec, "ephemeral-storage"),
        other,
        -(-scored.get("cpu", 0) // _MILLI),
        -(-scored.get("memory", 0) // NANO),
    )


def shortages(node: NodeRow, room: Room, need: Need) -> list[Shortage]:
    """Every resource of which the node, with this much taken, has too little for one more pod. A request of zero always fits."""
    found = []
    if room.pods + 1 > node.allocatable_pods:
        found.append(Shortage("pods", 1, room.pods, node.allocatable_pods))
    # A pod without requests fits even on an over-committed node.
    if not (need.cpu_milli or need.memory_bytes or need.storage_bytes or need.other):
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
    """The sum with a pod's request added, or subtracted with ``sign`` -1."""
    other = room.other
    if need.other:
        other = {**other, **{name: other.get(name, 0) + sign * asked for name, asked in need.other}}
    return Room(
        room.pods + sign,
        room.cpu_milli + sign * need.cpu_milli,
        room.memory_bytes + sign * need.memory_bytes,
        room.storage_bytes + sign * need.storage_bytes,
        other,
        room.nonzero_cpu_milli + sign * need.nonzero_cpu_milli,
        room.nonzero_memory_bytes + sign * need.nonzero_memory_bytes,
    )


def larger(one: Need, other: Need) -> Need:
    """Per resource the larger of two requests."""
    return Need(
        max(one.cpu_milli, other.cpu_milli),
        max(one.memory_bytes, other.memory_bytes),
        max(one.storage_bytes, other.storage_bytes),
        one.other,
        max(one.nonzero_cpu_milli, other.nonzero_cpu_milli),
        max(one.nonzero_memory_bytes, other.nonzero_memory_bytes),
    )
