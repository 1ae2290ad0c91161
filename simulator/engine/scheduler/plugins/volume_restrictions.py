"""VolumeRestrictions: an exclusive disk is used once per node, a ReadWriteOncePod claim by one pod in the cluster.

Source: plugins/volumerestrictions. Before 1.27 no claim may request ReadWriteOncePod here.
"""

from collections.abc import Iterable, Iterator
from typing import Any, cast

from msgspec import Struct

from simulator.engine.kernel.records import Data
from simulator.engine.kernel.units import Key
from simulator.engine.model.pod import Volume
from simulator.engine.scheduler.framework import CLAIM, NODE_ADDED, POD_FREED, SKIP, ClusterEvent, Cycle, Plugin, Unfit, any_of
from simulator.engine.scheduler.plugins.volume_binding import claims_of
from simulator.engine.world.lookups import pods_in
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.storage import claim_facts
from simulator.engine.world.world import World

DISK_TAKEN = "node(s) had no available disk"
_FOR_ONE_POD = "ReadWriteOncePod"


class Restricted(Struct, frozen=True):
    """What the filter uses: the pod's own disks, and its ReadWriteOncePod claims with the pods that use them."""

    disks: tuple[Volume, ...]
    users: tuple[tuple[str, Key], ...]


def has_disk(volumes: Iterable[Volume]) -> bool:
    """Whether one of the volumes is a disk that may conflict with other pods on a node. O(volumes)."""
    return any(_is_disk(volume) for volume in volumes)


def _is_disk(volume: Volume) -> bool:
    return any((volume.gce_persistent_disk, volume.aws_elastic_block_store, volume.iscsi, volume.rbd))


def _begin(cycle: Cycle) -> object:
    volumes = cycle.spec.volumes
    if not volumes:
        return SKIP
    disks = tuple(volume for volume in volumes if _is_disk(volume))
    users = tuple(_users(cycle)) if any(volume.persistent_volume_claim for volume in volumes) else ()
    return Restricted(disks, users) if disks or users else SKIP


def _users(cycle: Cycle) -> Iterator[tuple[str, Key]]:
    """The ReadWriteOncePod claims that the pod names, each with every placed pod that uses it. O(pods of the namespace)."""
    names = [claim.name for claim in claims_of(cycle.tables, cycle.row) if _FOR_ONE_POD in claim_facts(claim).modes]
    if names:
        for row in pods_in(cycle.tables, cycle.row.namespace):
            if row.key in cycle.tables.scheduled:
                yield from ((name, row.key) for name in _claim_names(row) if name in names)


def _claim_names(row: PodRow) -> Iterator[str]:
    return (str(volume.persistent_volume_claim.get("claimName")) for volume in row.pod.spec.volumes if volume.persistent_volume_claim)


def _filter(cycle: Cycle, state: object, node: NodeRow) -> Unfit | None:
    found = cast(Restricted, state)
    if found.disks and any(True for _ in _in_the_way(found.disks, cycle.pods_here(node.name))):
        return Unfit((DISK_TAKEN,), is_curable=True)
    if any(key not in cycle.removed for _, key in found.users):
        return Unfit((cycle.profile.claim_for_one_pod_text,), is_curable=True)
    return None


def _in_the_way(disks: tuple[Volume, ...], rows: Iterable[PodRow]) -> Iterator[tuple[Volume, PodRow]]:
    """Each of the disks that a pod uses too, if the two may not share it."""
    for row in rows:
        for disk in disks:
            if any(_conflict(disk, other) for other in row.pod.spec.volumes):
                yield disk, row


def _conflict(one: Volume, other: Volume) -> bool:
    """Whether two volumes are the same disk, unless both only read it (isVolumeConflict)."""
    if one.aws_elastic_block_store and other.aws_elastic_block_store:
        return bool(one.aws_elastic_block_store.get("volumeID") == other.aws_elastic_block_store.get("volumeID"))
    if one.gce_persistent_disk and other.gce_persistent_disk:
        return _is_written(one.gce_persistent_disk, other.gce_persistent_disk, "pdName")
    if one.iscsi and other.iscsi:
        return _is_written(one.iscsi, other.iscsi, "iqn")
    if one.rbd and other.rbd:
        share = set(one.rbd.get("monitors") or ()) & set(other.rbd.get("monitors") or ())
        return bool(share) and _is_written(one.rbd, other.rbd, "pool", "image")
    return False


def _is_written(one: dict[str, Any], other: dict[str, Any], *same: str) -> bool:
    is_one = all(one.get(field) == other.get(field) for field in same)
    return is_one and not (one.get("readOnly") and other.get("readOnly"))


def _explain(cycle: Cycle, state: object, node: NodeRow) -> Data:
    found = cast(Restricted, state)
    taken = [(disk.name, row.key) for disk, row in _in_the_way(found.disks, cycle.pods_here(node.name))]
    pairs = taken or [(name, key) for name, key in found.users if key not in cycle.removed]
    return (
        ("wanted", ", ".join(dict.fromkeys(name for name, _ in pairs))),
        ("taken_by", ", ".join(dict.fromkeys(key for _, key in pairs))),
    )


def _by_freed(_world: World, row: PodRow, event: ClusterEvent) -> bool:
    """Whether a pod of the same namespace that used one of the disks or claims has left."""
    if event.pod is None or event.pod.namespace != row.namespace:
        return False
    disks = tuple(volume for volume in row.pod.spec.volumes if _is_disk(volume))
    shared = set(_claim_names(row)) & set(_claim_names(event.pod))
    return bool(shared) or any(True for _ in _in_the_way(disks, (event.pod,)))


VOLUME_RESTRICTIONS = Plugin(
    name="VolumeRestrictions",
    begin=_begin,
    filter=_filter,
    explain=_explain,
    wakes={NODE_ADDED: any_of, POD_FREED: _by_freed, CLAIM: any_of},
)
