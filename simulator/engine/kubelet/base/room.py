"""The room that a kubelet has given: what the pods it has admitted take of its node, as it reckons itself.

A pod counts from its admission until it has ended, its object is gone for the kubelet, or the kubelet has stopped. While new resources are
asked for, what the kubelet has agreed to counts. Source: pkg/kubelet/kubelet_pods.go filterOutInactivePods; pkg/kubelet/allocation.
"""

from collections.abc import Iterator

from simulator.engine.kernel.units import Key
from simulator.engine.policies.resize_rules import with_allocated
from simulator.engine.policies.room import EMPTY, need_of, with_pod
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import pods_on
from simulator.engine.world.rows import Need, PodRow, Room


def room_on(fx: Effects, node: str) -> Room:
    """What the pods take that the node's kubelet has admitted."""
    return fx.tables.room_admitted.get(node, EMPTY)


def pods_here(fx: Effects, node: str) -> Iterator[PodRow]:
    """The pods that the node's kubelet has admitted, in the order of their creation. O(pods of the node), once it is gone through."""
    for row in pods_on(fx.tables, node):
        if row.key in fx.tables.admitted:
            yield row


def without(fx: Effects, node: str, pods: list[Key]) -> Room:
    """What would be taken without those of these pods that count."""
    room, admitted = room_on(fx, node), fx.tables.admitted
    for pod in pods:
        if pod in admitted:
            room = with_pod(room, admitted[pod], -1)
    return room


def agreed_need(fx: Effects, row: PodRow) -> Need:
    """What the pod counts as: what its kubelet has agreed to, which is what it asks for unless that has changed since."""
    resize = fx.tables.resizes.get(row.key)
    return need_of(row.pod.spec if resize is None else with_allocated(row.pod.spec, resize.allocated))


def hold(fx: Effects, row: PodRow) -> None:
    """Count a pod; one that counts already counts as what it needs now."""
    need, tables = agreed_need(fx, row), fx.tables
    room = without(fx, row.node, [row.key]) if row.key in tables.admitted else tables.room_admitted.get(row.node, EMPTY)
    fx.save_admitted(row.node, with_pod(room, need), row.key, need)


def release(fx: Effects, row: PodRow) -> None:
    """Count a pod no longer."""
    if row.key in fx.tables.admitted:
        fx.save_admitted(row.node, without(fx, row.node, [row.key]), row.key, None)
