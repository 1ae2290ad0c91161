"""Leases of nodes: not objects of the store; their content follows from the heartbeats."""

from collections.abc import Iterator

from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.apiserver.documents.node import renewed_ms
from simulator.engine.kernel.ids import object_uid
from simulator.engine.kernel.json_text import Json
from simulator.engine.world.world import World

LEASES = "kube-node-lease"
"""The namespace of the leases."""
_LEASE_S = 40


def leases(world: World) -> Iterator[Json]:
    """The lease of every node, as its kubelet renews it, by name."""
    epoch_s = world.header.epoch_s
    for name, life in sorted(world.tables.node_life.items()):
        if name not in world.tables.nodes or world.tables.nodes[name].is_deleted:
            continue
        renewed = renewed_ms(world, life)
        metadata = {
            "name": name,
            "namespace": LEASES,
            "uid": object_uid(world.header.seed, "Lease", name),
            "creationTimestamp": timestamp(life.registered_ms, epoch_s),
        }
        spec = {"holderIdentity": name, "leaseDurationSeconds": _LEASE_S, "renewTime": timestamp(renewed, epoch_s).replace("Z", ".000000Z")}
        yield {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec}
