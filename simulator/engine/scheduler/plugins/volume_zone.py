"""VolumeZone: the zone and region labels of a bound volume must match the node's, if it has any.

A label may hold several values, joined by two underscores. Source: plugins/volumezone.
"""

from typing import cast

from msgspec import Struct

from simulator.engine.kernel.records import Data
from simulator.engine.scheduler.framework import CLAIM, NODE_ADDED, NODE_LABELS, SKIP, Cycle, Plugin, Unfit, any_of
from simulator.engine.scheduler.plugins.volume_binding import claims_of
from simulator.engine.world.rows import NodeRow
from simulator.engine.world.storage import VOLUME, claim_facts, volume_facts

ZONE_CONFLICT = "node(s) had no available volume zone"
_SINCE_GA = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
}
_LABELS = (*_SINCE_GA, *_SINCE_GA.values())
_REFUSAL = Unfit((ZONE_CONFLICT,))


class VolumeTopology(Struct, frozen=True, gc=False):
    """A volume's location: a label and the values that match."""

    volume: str
    key: str
    values: tuple[str, ...]


def _begin(cycle: Cycle) -> object:
    if not any(volume.persistent_volume_claim for volume in cycle.spec.volumes):
        return SKIP
    found: list[VolumeTopology] = []
    for claim in claims_of(cycle.tables, cycle.row):
        row = cycle.tables.objects.get((VOLUME, "", claim_facts(claim).volume))
        labels = volume_facts(row).labels if row is not None else {}
        found += (VolumeTopology(claim_facts(claim).volume, key, _values(labels[key])) for key in _LABELS if key in labels)
    found = [place for place in found if place.values]
    return tuple(found) or SKIP


def _values(text: str) -> tuple[str, ...]:
    """The values of a label; none if one of them is empty, since the label then says nothing (LabelZonesToSet)."""
    parts = tuple(part.strip() for part in text.split("__"))
    return parts if all(parts) else ()


def _missed(cycle: Cycle, state: object, node: NodeRow) -> VolumeTopology | None:
    """The first location of a volume that the node does not match. A node without any of the labels counts as being in the only zone."""
    if not any(key in node.labels for key in _LABELS):
        return None
    for place in cast(tuple[VolumeTopology, ...], state):
        if _label(cycle, node, place.key) not in place.values:
            return place
    return None


def _label(cycle: Cycle, node: NodeRow, key: str) -> str:
    """The node's label with that key, or its successor if the version treats the two as equal."""
    if key not in node.labels and cycle.profile.volume_zone_knows_new_labels:
        key = _SINCE_GA.get(key, key)
    return node.labels.get(key, "")


def _filter(cycle: Cycle, state: object, node: NodeRow) -> Unfit | None:
    return _REFUSAL if _missed(cycle, state, node) is not None else None


def _explain(cycle: Cycle, state: object, node: NodeRow) -> Data:
    place = _missed(cycle, state, node)
    if place is None:
        return ()
    return (
        ("volume", place.volume),
        ("wanted", f"{place.key}={'|'.join(place.values)}"),
        ("node_has", f"{place.key}={_label(cycle, node, place.key)}"),
    )


VOLUME_ZONE = Plugin(
    name="VolumeZone",
    begin=_begin,
    filter=_filter,
    explain=_explain,
    wakes={NODE_ADDED: any_of, NODE_LABELS: any_of, CLAIM: any_of},
)
