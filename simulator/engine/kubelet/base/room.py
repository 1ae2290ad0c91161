"""What the pods that a kubelet has admitted take of its node, by the kubelet's own count.

A pod counts from its admission until it has ended, its object is gone for the kubelet, or the kubelet has stopped. While new
resources are requested, what the kubelet has accepted counts. Source: pkg/kubelet/kubelet_pods.go filterOutInactivePods;
pkg/kubelet/allocation.
"""

from collections.abc import Iterator

from simulator.engine.kernel.units import Key
from simulator.engine.policies.resize_rules import with_allocated
from simulator.engine.policies.room import EMPTY, need_of, with_pod
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import pods_on
from simulator.engine.world.rows import Need, PodRow, Room


def room_on(fx: Effects, node: str) -> Room:
    """What the pods that the node's kubelet has admitted take."""
    return fx.tables.room_admitted.get(node, EMPTY)


def pods_here(fx: Effects, node: str) -> Iterator[PodRow]:
    """The pods that the node's kubelet has admitted, in creation order. O(pods on the node) when iterated."""
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
    """What the pod counts as: what its kubelet has accepted, which is what it requests unless that has changed since."""
    resize = fx.tables.resizes.get(row.key)
    return need_of(row.pod.spec if resize is None else with_allocated(row.pod.spec, resize.allocated))


def hold(fx: Effects, row: PodRow) -> None:
    """Count a pod; one that is already counted is updated to what it needs now."""
    need, tables = agreed_need(fx, row), fx.tables
    room = without(fx, row.node, [row.key]) if row.key in tables.admitted else tables.room_admitted.get(row.node, EMPTY)
    fx.save_admitted(row.node, with_pod(room, need), row.key, need)


def release(fx: Effects, row: PodRow) -> None:
    """Stop counting a pod."""
    if row.key in fx.tables.admitted:
        fx.save_admitted(row.node, without(fx, row.node, [row.key]), row.key, None)
