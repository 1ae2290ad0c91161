"""Claims, volumes and storage classes as the components that bind them read them: the binder and the scheduler.

Source: k8s.io/component-helpers/storage/volume; pkg/controller/volume/persistentvolume/util. Every cluster has the class ``standard``,
which provisions volumes immediately; an object of that name replaces it.
"""

import json
from typing import Any

from msgspec import Struct

from simulator.engine.kernel.caching import cached_when_short
from simulator.engine.model.node_affinity import term_matches
from simulator.engine.model.quantity import value
from simulator.engine.model.selectors import Selector, from_document, selects
from simulator.engine.world.lookups import objects_of
from simulator.engine.world.rows import NodeRow
from simulator.engine.world.world import ApiObject, Tables

CLAIM, VOLUME, CLASS = "PersistentVolumeClaim", "PersistentVolume", "StorageClass"
IS_DEFAULT = "storageclass.kubernetes.io/is-default-class"
BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"
NO_PROVISIONER = "kubernetes.io/no-provisioner"
_COUNTED = ("csi", "awsElasticBlockStore", "gcePersistentDisk", "azureDisk")


class ClassFacts(Struct, frozen=True, gc=False, kw_only=True):
    """A StorageClass. ``waits``: its claims are bound once the scheduler has chosen a node; ``is_ours``: it came with the cluster."""

    name: str
    provisioner: str
    reclaim: str = "Delete"
    waits: bool = False
    is_default: bool = False
    is_ours: bool = False


STANDARD = ClassFacts(name="standard", provisioner="podscope.dev/volumes", is_default=True, is_ours=True)


class ClaimFacts(Struct, frozen=True, gc=False, kw_only=True):
    """A claim as the components that bind it read it."""

    name: str
    namespace: str
    class_name: str | None
    volume: str
    node: str  # chosen by the scheduler
    asked: int  # bytes
    asked_text: str
    modes: tuple[str, ...]
    mode: str
    selector: Selector | None
    is_bound: bool


class VolumeFacts(Struct, frozen=True, gc=False, kw_only=True):
    """A volume as the components that bind it read it. ``claim``: namespace, name and uid of the claim it is reserved for."""

    name: str
    class_name: str
    size: int
    capacity: dict[str, str]
    modes: tuple[str, ...]
    mode: str
    labels: dict[str, str]
    claim: tuple[str, str, str] | None
    phase: str
    reclaim: str
    provisioner: str
    terms: tuple[dict[str, Any], ...] | None
    disks: dict[str, dict[str, Any]] = {}  # the sources whose number is limited per node

    def reaches(self, node: NodeRow) -> bool:
        """Whether pods on the node can use the volume."""
        return self.terms is None or any(term_matches(term, node.labels, node.name) for term in self.terms)


@cached_when_short(maxsize=4096, chars_max=20_000)
def _claim(text: str) -> ClaimFacts:
    document = json.loads(text)
    metadata, spec = document.get("metadata") or {}, document.get("spec") or {}
    annotations = metadata.get("annotations") or {}
    asked = str(((spec.get("resources") or {}).get("requests") or {}).get("storage") or "0")
    return ClaimFacts(
        name=str(metadata.get("name")),
        namespace=str(metadata.get("namespace") or ""),
        class_name=annotations.get(BETA_CLASS, spec.get("storageClassName")),
        volume=str(spec.get("volumeName") or ""),
        node=str(annotations.get(SELECTED_NODE) or ""),
        asked=value(asked),
        asked_text=asked,
        modes=tuple(spec.get("accessModes") or ()),
        mode=str(spec.get("volumeMode") or "Filesystem"),
        selector=from_document(spec["selector"]) if spec.get("selector") else None,
        is_bound=bool(spec.get("volumeName")) and (document.get("status") or {}).get("phase") == "Bound",
    )


@cached_when_short(maxsize=4096, chars_max=20_000)
def _volume(text: str) -> VolumeFacts:
    document = json.loads(text)
    metadata, spec = document.get("metadata") or {}, document.get("spec") or {}
    reference = spec.get("claimRef")
    required = (spec.get("nodeAffinity") or {}).get("required")
    capacity = {str(key): str(amount) for key, amount in (spec.get("capacity") or {}).items()}
    return VolumeFacts(
        name=str(metadata.get("name")),
        class_name=str(spec.get("storageClassName") or ""),
        size=value(capacity.get("storage") or "0"),
        capacity=capacity,
        modes=tuple(spec.get("accessModes") or ()),
        mode=str(spec.get("volumeMode") or "Filesystem"),
        labels=metadata.get("labels") or {},
        claim=_place(reference) if reference else None,
        phase=str((document.get("status") or {}).get("phase") or ""),
        reclaim=str(spec.get("persistentVolumeReclaimPolicy") or "Retain"),
        provisioner=str((metadata.get("annotations") or {}).get(PROVISIONED_BY) or ""),
        terms=tuple(required.get("nodeSelectorTerms") or ()) if required else None,
        disks={key: spec[key] for key in _COUNTED if spec.get(key)},
    )


def _place(reference: dict[str, Any]) -> tuple[str, str, str]:
    return str(reference.get("namespace") or ""), str(reference.get("name") or ""), str(reference.get("uid") or "")


@cached_when_short(maxsize=256, chars_max=20_000)
def _class(text: str) -> ClassFacts:
    document = json.loads(text)
    metadata = document.get("metadata") or {}
    return ClassFacts(
        name=str(metadata.get("name")),
        provisioner=str(document.get("provisioner") or ""),
        reclaim=str(document.get("reclaimPolicy") or "Delete"),
        waits=document.get("volumeBindingMode") == "WaitForFirstConsumer",
        is_default=(metadata.get("annotations") or {}).get(IS_DEFAULT) == "true",
    )


def claim_facts(row: ApiObject) -> ClaimFacts:
    """What a claim asks for. O(1) while it is unchanged."""
    return _claim(row.document)


def volume_facts(row: ApiObject) -> VolumeFacts:
    """What a volume offers. O(1) while it is unchanged."""
    return _volume(row.document)


def class_named(tables: Tables, name: str) -> ClassFacts | None:
    """The StorageClass of that name, or None."""
    row = tables.objects.get((CLASS, "", name))
    return _class(row.document) if row is not None else STANDARD if name == STANDARD.name else None


def default_class(tables: Tables) -> ClassFacts | None:
    """The class of claims that name none: the newest of those marked as default, else the one that came with the cluster."""
    marked = [row for row in objects_of(tables, CLASS) if _class(row.document).is_default]
    if marked:
        return _class(sorted(marked, key=lambda row: (-row.created_ms, row.name))[0].document)
    found = class_named(tables, STANDARD.name)
    return found if found is not None and found.is_default else None


def waits_for_node(tables: Tables, claim: ClaimFacts) -> bool:
    """Whether the claim is bound only once the scheduler has chosen a node (IsDelayBindingMode)."""
    found = class_named(tables, claim.class_name) if claim.class_name else None
    return found is not None and found.waits


def best_volume(tables: Tables, claim: ApiObject, node: NodeRow | None = None, *, without: tuple[str, ...] = ()) -> ApiObject | None:
    """The volume that fits a claim best: one reserved for it, else the smallest free one that is big enough (FindMatchingVolume).

    ``node``: only volumes that this node can reach; ``without``: names already taken in the same pass. A volume reserved for the
    claim need not be of its class. O(volumes).
    """
    asked = claim_facts(claim)
    best: tuple[int, ApiObject] | None = None
    for row in objects_of(tables, VOLUME):
        found = volume_facts(row)
        if row.deletion_ms is not None or found.name in without or not _is_enough(found, asked):
            continue
        if found.claim is not None:
            if is_kept_for(found, claim):
                return row if node is None or found.reaches(node) else None
            continue
        if found.phase != "Available" or not _is_of_the_kind(found, asked) or (node is not None and not found.reaches(node)):
            continue
        if best is None or found.size < best[0]:
            best = (found.size, row)
    return best[1] if best is not None else None


def is_kept_for(found: VolumeFacts, claim: ApiObject) -> bool:
    """Whether a volume's claimRef is this claim: the uid of an earlier claim of the same name does not match (IsVolumeBoundToClaim)."""
    return found.claim is not None and found.claim[:2] == (claim.namespace, claim.name) and found.claim[2] in ("", claim.uid)


def volume_mismatch(volume: ApiObject, claim: ApiObject) -> str:
    """Why a volume that a claim names cannot be bound to it, in the controller's words; empty if it can (checkVolumeSatisfyClaim)."""
    found, asked = volume_facts(volume), claim_facts(claim)
    if volume.deletion_ms is not None:
        return f'the volume is marked for deletion "{volume.name}"'
    if found.size < asked.asked:
        return "requested PV is too small"
    if found.class_name != (asked.class_name or ""):
        return "storageClassName does not match"
    if found.mode != asked.mode:
        return "incompatible volumeMode"
    return "" if set(asked.modes) <= set(found.modes) else "incompatible accessMode"


def _is_enough(found: VolumeFacts, asked: ClaimFacts) -> bool:
    return found.size >= asked.asked and found.mode == asked.mode and set(asked.modes) <= set(found.modes)


def _is_of_the_kind(found: VolumeFacts, asked: ClaimFacts) -> bool:
    return found.class_name == (asked.class_name or "") and (asked.selector is None or selects(asked.selector, found.labels))
