"""VolumeBinding: every claim that the pod names must exist and be bound, or wait for this very choice of a node.

A volume that only some nodes can reach restricts the pod to these. For a claim of a class that waits for
its first consumer a node needs a free volume that fits, or a provisioner that creates one;
``begin_binding`` then requests it, and the pod is bound once its claims are.

Source: plugins/volumebinding.
"""

from typing import cast

from msgspec import Struct

from simulator.engine.apiserver.store.objects import update_object
from simulator.engine.kernel.json_text import decode
from simulator.engine.model.service_account import own_volumes
from simulator.engine.scheduler.framework import CLAIM as CLAIM_CHANGED
from simulator.engine.scheduler.framework import NODE_ADDED, SKIP, Cycle, Plugin, PreFilterRejection, Unfit, any_of
from simulator.engine.scheduler.placement import claim_problem
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.storage import (
    CLAIM,
    NO_PROVISIONER,
    SELECTED_NODE,
    VOLUME,
    best_volume,
    claim_facts,
    class_named,
    volume_facts,
    waits_for_node,
)
from simulator.engine.world.world import ApiObject, Tables

CONFLICT = "node(s) had volume node affinity conflict"
NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind"
UNBOUND = "pod has unbound immediate PersistentVolumeClaims"


class Volumes(Struct, frozen=True):
    """What the filter uses: volumes that not every node can reach, and claims that wait for a node."""

    bound: tuple[ApiObject, ...]
    waiting: tuple[ApiObject, ...]


def _begin(cycle: Cycle) -> object:
    volumes = own_volumes(cycle.spec)
    if not volumes:
        return SKIP
    problem = claim_problem(cycle.tables, cycle.row)
    if problem:
        return PreFilterRejection(problem)
    claims = claims_of(cycle.tables, cycle.row)
    waiting = tuple(claim for claim in claims if not claim_facts(claim).is_bound)
    if any(claim_facts(claim).volume or not waits_for_node(cycle.tables, claim_facts(claim)) for claim in waiting):
        # A claim that binds immediately is up to the volume controller: no choice of a node would
        # bind it.
        return PreFilterRejection(UNBOUND)
    held = (cycle.tables.objects.get((VOLUME, "", claim_facts(claim).volume)) for claim in claims if claim_facts(claim).is_bound)
    bound = tuple(row for row in held if row is not None and volume_facts(row).terms is not None)
    return Volumes(bound, waiting) if bound or waiting else SKIP


def claims_of(tables: Tables, row: PodRow) -> list[ApiObject]:
    """The claims that a pod names and that exist."""
    named = (volume.persistent_volume_claim for volume in row.pod.spec.volumes)
    found = (tables.objects.get((CLAIM, row.namespace, str(source.get("claimName")))) for source in named if source is not None)
    return [claim for claim in found if claim is not None]


def _filter(cycle: Cycle, state: object, node: NodeRow) -> Unfit | None:
    volumes = cast(Volumes, state)
    if any(not volume_facts(row).reaches(node) for row in volumes.bound):
        return Unfit((CONFLICT,))
    taken: list[str] = []
    for claim in volumes.waiting:
        found = claim_facts(claim)
        if found.node and found.node != node.name:
            return Unfit((NOTHING_TO_BIND,))
        # Two claims of the pod must not count on the same volume.
        volume = best_volume(cycle.tables, claim, node, without=tuple(taken))
        if volume is not None:
            taken.append(volume.name)
            continue
        kind = class_named(cycle.tables, found.class_name or "")
        if kind is None or kind.provisioner == NO_PROVISIONER:
            return Unfit((NOTHING_TO_BIND,))
    return None


def begin_binding(fx: Effects, row: PodRow, node: NodeRow) -> bool:
    """Start binding the claims that waited for a node: to free volumes that the node can reach, else to new ones. Whether any waits."""
    if not [volume for volume in row.pod.spec.volumes if volume.persistent_volume_claim]:
        return False
    waiting = [claim for claim in claims_of(fx.tables, row) if not claim_facts(claim).is_bound]
    for claim in fx.each(waiting):
        volume = best_volume(fx.tables, claim, node)
        if volume is not None:
            document = decode(volume.document)
            reference = {"apiVersion": "v1", "kind": CLAIM, "namespace": claim.namespace, "name": claim.name, "uid": claim.uid}
            document["spec"] = {**document["spec"], "claimRef": reference}
            update_object(fx, volume, document)
            continue
        document = decode(claim.document)
        metadata = document["metadata"]
        document["metadata"] = {**metadata, "annotations": {**(metadata.get("annotations") or {}), SELECTED_NODE: node.name}}
        update_object(fx, claim, document)
    return bool(waiting)


def is_waiting(tables: Tables, row: PodRow) -> bool:
    """Whether a claim of the pod is not bound yet."""
    return any(not claim_facts(claim).is_bound for claim in claims_of(tables, row))


VOLUME_BINDING = Plugin(name="VolumeBinding", begin=_begin, filter=_filter, wakes={CLAIM_CHANGED: any_of, NODE_ADDED: any_of})
