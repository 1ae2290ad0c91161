"""NodeVolumeLimits and its older siblings: a node can attach only so many disks of a driver.

A CSI driver reports its limit in the node's CSINode; a driver that reports none has no limit. Disks of
drivers that were part of Kubernetes (Amazon EBS, GCE persistent disks, Azure disks) have limits
of their own as long as the version has not migrated them to their CSI drivers. A disk used by several
pods on a node counts once. Generic ephemeral volumes and VolumeAttachments are left out.

Source: plugins/nodevolumelimits (csi.go, non_csi.go); pkg/volume/util/attach_limit.go.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

from msgspec import Struct

from simulator.engine.kernel.caching import cached_when_short
from simulator.engine.kernel.records import Data
from simulator.engine.model.pod import Volume
from simulator.engine.scheduler.framework import CLAIM, NODE_ADDED, POD_FREED, SKIP, ClusterEvent, Cycle, Plugin, Unfit, any_of
from simulator.engine.scheduler.plugins.volume_binding import claims_of
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.storage import VOLUME, ClaimFacts, claim_facts, class_named, volume_facts
from simulator.engine.world.world import ApiObject, Tables, World

TOO_MANY = "node(s) exceed max volume count"
CSI_NODE = "CSINode"
_REFUSAL = Unfit((TOO_MANY,), is_curable=True)
_FEWER_ON_NITRO = re.compile(r"^[cmr]5.*|t3|z1d")
_INSTANCE_TYPES = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")


class OldDriver(Struct, frozen=True, kw_only=True):
    """A driver that was part of Kubernetes: its volume source, the field that identifies a disk, its provisioner, what limits it."""

    plugin: str
    source: str
    disk: str
    provisioner: str
    limit_key: str
    csi: str
    most: Callable[[NodeRow], int]


class Disk(Struct, frozen=True, gc=False):
    """A disk that a pod uses: its driver, and what identifies it."""

    driver: str
    handle: str


def _most_ebs(node: NodeRow) -> int:
    kinds = [node.labels[key] for key in _INSTANCE_TYPES if key in node.labels]
    return 25 if kinds and _FEWER_ON_NITRO.match(kinds[0]) else 39


EBS = OldDriver(
    plugin="EBSLimits", source="awsElasticBlockStore", disk="volumeID", provisioner="kubernetes.io/aws-ebs",
    limit_key="attachable-volumes-aws-ebs", csi="ebs.csi.aws.com", most=_most_ebs,
)  # fmt: skip
GCE = OldDriver(
    plugin="GCEPDLimits", source="gcePersistentDisk", disk="pdName", provisioner="kubernetes.io/gce-pd",
    limit_key="attachable-volumes-gce-pd", csi="pd.csi.storage.gke.io", most=lambda _: 16,
)  # fmt: skip
AZURE = OldDriver(
    plugin="AzureDiskLimits", source="azureDisk", disk="diskName", provisioner="kubernetes.io/azure-disk",
    limit_key="attachable-volumes-azure-disk", csi="disk.csi.azure.com", most=lambda _: 16,
)  # fmt: skip
OLD_DRIVERS = (EBS, GCE, AZURE)


def has_limited_disk(volumes: Iterable[Volume]) -> bool:
    """Whether a limit may apply to one of the volumes defined in a pod itself. O(volumes)."""
    return any(_source(volume, driver.source) for volume in volumes for driver in OLD_DRIVERS)


def _source(volume: Volume, name: str) -> dict[str, Any] | None:
    sources = {EBS.source: volume.aws_elastic_block_store, GCE.source: volume.gce_persistent_disk, AZURE.source: volume.azure_disk}
    return sources[name]


def _disks(cycle: Cycle, row: PodRow) -> Iterator[Disk]:
    """The disks of a pod by the drivers that handle them in this version. O(volumes)."""
    for volume in row.pod.spec.volumes:
        for driver in OLD_DRIVERS:
            source = _source(volume, driver.source)
            if source is not None:
                yield Disk(_handling_driver(cycle, driver), str(source.get(driver.disk)))
    for claim in claims_of(cycle.tables, row):
        disk = _disk_of(cycle, claim_facts(claim))
        if disk is not None:
            yield disk


def _disk_of(cycle: Cycle, claim: ClaimFacts) -> Disk | None:
    """The disk behind a claim; before it has one the claim itself represents it, as a disk of its class's provisioner."""
    row = cycle.tables.objects.get((VOLUME, "", claim.volume)) if claim.volume else None
    if row is None:
        kind = class_named(cycle.tables, claim.class_name or "")
        drivers = {driver.provisioner: _handling_driver(cycle, driver) for driver in OLD_DRIVERS}
        return Disk(drivers.get(kind.provisioner, kind.provisioner), f"{claim.namespace}/{claim.name}") if kind is not None else None
    sources = volume_facts(row).disks
    for driver in OLD_DRIVERS:
        if driver.source in sources:
            return Disk(_handling_driver(cycle, driver), str(sources[driver.source].get(driver.disk)))
    csi = sources.get("csi")
    return Disk(str(csi.get("driver")), str(csi.get("volumeHandle"))) if csi is not None else None


def _handling_driver(cycle: Cycle, driver: OldDriver) -> str:
    """The driver that handles an old driver's disks: itself, or the CSI driver that has replaced it."""
    return driver.csi if cycle.profile.old_drivers_are_csi else driver.provisioner


class LimitedDisks(Struct, frozen=True):
    """What the filters use: the new disks under one limit, and the source of that limit."""

    wanted: tuple[Disk, ...]
    driver: OldDriver | None = None


def _begin_csi(cycle: Cycle) -> object:
    if not cycle.spec.volumes or not any(True for _ in cycle.tables.names_by_kind.of((CSI_NODE, ""))):
        return SKIP
    wanted = tuple(dict.fromkeys(_disks(cycle, cycle.row)))
    return LimitedDisks(wanted) if wanted else SKIP


def _begin_old(driver: OldDriver) -> Callable[[Cycle], object]:
    def begin(cycle: Cycle) -> object:
        if not cycle.spec.volumes or cycle.profile.old_drivers_are_csi:
            return SKIP
        wanted = tuple(dict.fromkeys(disk for disk in _disks(cycle, cycle.row) if disk.driver == driver.provisioner))
        return LimitedDisks(wanted, driver) if wanted else SKIP

    return begin


class Count(Struct, frozen=True):
    """Disks of a driver on a node: how many there are, how many would be added, how many it can attach."""

    driver: str
    held: int
    new: int
    most: int


def _overrun(cycle: Cycle, state: object, node: NodeRow) -> Count | None:
    """The first limit that the pod would exceed. O(volumes of the node's pods)."""
    limited = cast(LimitedDisks, state)
    most = _limits(cycle.tables, limited, node)
    if not most:
        return None
    held = dict.fromkeys(disk for row in cycle.pods_here(node.name) for disk in _disks(cycle, row))
    for driver in dict.fromkeys(disk.driver for disk in limited.wanted):
        new = sum(disk.driver == driver and disk not in held for disk in limited.wanted)
        there = sum(disk.driver == driver for disk in held)
        # The old plugins reject an overfull node even if the pod adds no disk; the CSI plugin
        # checks only new ones.
        if driver in most and (new or limited.driver) and there + new > most[driver]:
            return Count(driver, there, new, most[driver])
    return None


def _limits(tables: Tables, limited: LimitedDisks, node: NodeRow) -> dict[str, int]:
    """How many disks of each driver the node can attach."""
    if limited.driver is not None:
        return {limited.driver.provisioner: node.allocatable_other.get(limited.driver.limit_key, limited.driver.most(node))}
    row = tables.objects.get((CSI_NODE, "", node.name))
    return csi_limits(row) if row is not None else {}


def csi_limits(row: ApiObject) -> dict[str, int]:
    """The limits reported by the drivers of a CSINode. O(1) while it is unchanged."""
    return _csi_limits(row.document)


@cached_when_short(maxsize=1024, chars_max=20_000)
def _csi_limits(text: str) -> dict[str, int]:
    drivers = (json.loads(text).get("spec") or {}).get("drivers") or ()
    counts = {str(driver.get("name")): (driver.get("allocatable") or {}).get("count") for driver in drivers}
    return {name: count for name, count in counts.items() if isinstance(count, int)}


def _filter(cycle: Cycle, state: object, node: NodeRow) -> Unfit | None:
    return _REFUSAL if _overrun(cycle, state, node) is not None else None


def _explain(cycle: Cycle, state: object, node: NodeRow) -> Data:
    count = _overrun(cycle, state, node)
    if count is None:
        return ()
    return ((count.driver, f"requested {count.new}, used {count.held} of {count.most}"),)


def _by_freed(_world: World, _row: PodRow, event: ClusterEvent) -> bool:
    """Whether a pod that used a claim or a disk has left."""
    volumes = event.pod.pod.spec.volumes if event.pod is not None else ()
    return any(volume.persistent_volume_claim for volume in volumes) or has_limited_disk(volumes)


NODE_VOLUME_LIMITS = Plugin(
    name="NodeVolumeLimits", begin=_begin_csi, filter=_filter, explain=_explain, wakes={POD_FREED: _by_freed, CLAIM: any_of}
)


def _old(driver: OldDriver) -> Plugin:
    begin = _begin_old(driver)
    return Plugin(name=driver.plugin, begin=begin, filter=_filter, explain=_explain, wakes={NODE_ADDED: any_of, POD_FREED: any_of})


EBS_LIMITS, GCEPD_LIMITS, AZURE_DISK_LIMITS = (_old(driver) for driver in OLD_DRIVERS)
