"""What the scheduler considers besides machines: claims that must exist, and bare Node objects.

A Node object may be created through the API without a machine behind it. The scheduler cannot tell
the difference: if the object claims to have room, pods are bound to it and stay Pending, since no
kubelet starts them.

Source: plugin VolumeBinding; observed on a 1.20.2 node.
"""

import json

from simulator.engine.model.quantity import milli, value
from simulator.engine.policies.room import KNOWN
from simulator.engine.world.lookups import objects_of
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.world import ApiObject, Tables


def claim_problem(tables: Tables, row: PodRow) -> str:
    """Why no node can be tried: a claim that does not exist or is being deleted. Empty if there is none."""
    for volume in row.pod.spec.volumes:
        if volume.persistent_volume_claim is None:
            continue
        name = str(volume.persistent_volume_claim.get("claimName"))
        claim = tables.objects.get(("PersistentVolumeClaim", row.namespace, name))
        if claim is None or claim.deletion_ms is not None:
            return f'persistentvolumeclaim "{name}" {"not found" if claim is None else "is being deleted"}'
    return ""


def nodes_known(tables: Tables) -> list[NodeRow]:
    """Every Node that the API server has at this moment: first those of machines, then those that are only objects. O(nodes)."""
    # This order breaks the last tie between nodes, which must depend on creation alone.
    machines = [row for row in tables.nodes.values() if not row.is_deleted]
    return [*machines, *(_as_row(held) for held in objects_of(tables, "Node"))]


def _as_row(held: ApiObject) -> NodeRow:
    """A Node object as the scheduler reads it; whatever it does not specify it does not have."""
    document = json.loads(held.document)
    spec, status = document.get("spec") or {}, document.get("status") or {}
    given = {"cpu": "0", "memory": "0", "ephemeral-storage": "0", "pods": "0", **(status.get("allocatable") or {})}
    return NodeRow(
        name=held.name,
        ip="",
        labels=document["metadata"].get("labels") or {},
        taints=tuple((item["key"], item.get("value") or "", item["effect"]) for item in spec.get("taints") or ()),
        unschedulable=bool(spec.get("unschedulable")),
        allocatable_cpu_milli=milli(str(given["cpu"])),
        allocatable_memory_bytes=value(str(given["memory"])),
        allocatable_storage_bytes=value(str(given["ephemeral-storage"])),
        allocatable_pods=value(str(given["pods"])),
        allocatable_other={name: value(str(text)) for name, text in sorted(given.items()) if name not in KNOWN},
    )
