"""Which object controls which pods: the controller reference, adoption of orphans, release.

A pod has at most one ownerReference with controller: true, and by its uid it belongs to one object,
whatever selectors say. Selectors only decide about changes: a controller releases pods of its own
that it no longer selects (their entry is removed, the pod stays), and adopts active orphans that
it does select. Two controllers with overlapping selectors therefore do not fight over pods; the
first to adopt keeps them.

An owner that is being deleted neither adopts nor releases: the garbage collector is about to use
the references as they are.

Source: pkg/controller/controller_ref_manager.go ClaimPods, AdoptPod, ReleasePod.
"""

import json
from collections.abc import Callable

from msgspec.structs import replace

from simulator.engine.apiserver.pod_updates import update_pod
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.meta import OwnerReference
from simulator.engine.model.selectors import selects
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.workloads.objects import parsed, selector_of
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import orphans_labelled, pods_owned_by
from simulator.engine.world.rows import PodRow
from simulator.engine.world.work import OWNED
from simulator.engine.world.world import ApiObject, Tables

RULES = (
    RuleText(
        "POD-ADOPTED",
        gettext_noop("No controller manages the pod and the selector of {text} matches it: that controller adopts it."),
        "pkg/controller/controller_ref_manager.go AdoptPod",
    ),
    RuleText(
        "POD-RELEASED",
        gettext_noop("The selector of {text} no longer matches the pod: its controller releases it."),
        "pkg/controller/controller_ref_manager.go ReleasePod",
    ),
)


def controller_reference(row: ApiObject) -> Json:
    """The entry of ownerReferences by which an object manages others (metav1.NewControllerRef)."""
    version = str(parsed(row).get("apiVersion") or "")
    return {
        "apiVersion": version, "kind": row.kind, "name": row.name, "uid": row.uid, "controller": True, "blockOwnerDeletion": True,
    }  # fmt: skip


def is_active(row: PodRow) -> bool:
    """Whether a controller counts the pod: not finished and not being deleted (controller.IsPodActive)."""
    return row.status.phase not in TERMINAL_PHASES and row.deletion_ms is None and row.gone_ms is None


def reference_of(row: PodRow | ApiObject) -> OwnerReference | None:
    """The reference of the pod or object to its managing owner."""
    if isinstance(row, PodRow):
        return row.pod.metadata.controller
    owners = (parsed(row).get("metadata") or {}).get("ownerReferences") or ()
    found = next((item for item in owners if item.get("controller")), None)
    return OwnerReference(kind=str(found.get("kind")), name=str(found.get("name")), uid=str(found.get("uid"))) if found else None


def manages(owner: ApiObject, row: PodRow | ApiObject) -> bool:
    """Whether the object's managing owner is this very one, by its uid; a uid written by hand in advance does not count."""
    reference = reference_of(row)
    return reference is not None and reference.uid == owner.uid


def controller_of(tables: Tables, row: PodRow | ApiObject) -> ApiObject | None:
    """The object that manages this one, if it exists."""
    reference = reference_of(row)
    owner = tables.objects.get((reference.kind, row.namespace, reference.name)) if reference is not None else None
    return owner if owner is not None and manages(owner, row) else None


def managers_of(tables: Tables, row: PodRow | ApiObject) -> list[OwnerReference]:
    """The managing owner, its owner, and so on. The chain ends at an owner that no longer exists, or that was replaced by a namesake."""
    found: list[OwnerReference] = []
    at: PodRow | ApiObject | None = row
    while at is not None and (reference := reference_of(at)) is not None and reference.uid not in {one.uid for one in found}:
        owner = tables.objects.get((reference.kind, row.namespace, reference.name))
        if owner is not None and owner.uid != reference.uid:
            break
        found.append(reference)
        at = owner
    return found


def owned_pods(fx: Effects, owner: ApiObject) -> list[PodRow]:
    """The pods that an object manages, in creation order, whatever their labels. O(what it owns)."""
    found = pods_owned_by(fx.tables, owner.uid)
    fx.world.spent += OWNED * len(found)
    return [row for row in found if is_managed_in(owner, row)]


def is_managed_in(owner: ApiObject, row: PodRow) -> bool:
    """Whether the object manages a pod of its own namespace."""
    reference = row.pod.metadata.controller
    return reference is not None and reference.uid == owner.uid and owner.namespace in ("", row.namespace)


def owned_objects(tables: Tables, owner: ApiObject, kind: str) -> list[ApiObject]:
    """The objects of a kind that an object manages, in creation order. O(what it owns except pods)."""
    found = [tables.objects[item] for item in tables.owned_by_uid.of(owner.uid) if item[0] == kind]
    return [row for row in found if owner.namespace in ("", row.namespace) and manages(owner, row)]


def claimed_pods(
    fx: Effects, owner: ApiObject, *, counts: Callable[[PodRow], bool] = is_active, named: Callable[[str], bool] = lambda _: True
) -> list[PodRow]:  # fmt: skip
    """The pods that belong to a controller after it has released those that its selector no longer matches and adopted orphans.

    ``counts``: which pods are considered; ``named``: whether a pod's name matches, if names count too. Nothing is claimed for an owner
    that is being deleted. O(what it owns, and orphans of the namespace).
    """
    selector = selector_of(owner)
    looked_at = [row for row in owned_pods(fx, owner) if counts(row)]
    kept = [row for row in looked_at if selects(selector, row.pod.metadata.labels) and named(row.name)]
    if owner.deletion_ms is not None:
        return kept
    # Nearly always equal, and then no set of keys is built.
    if len(kept) < len(looked_at):
        held_fast = {row.key for row in kept}
        for row in fx.each(item for item in looked_at if item.key not in held_fast):
            _release(fx, row, owner)
    orphans = (
        [row for row in orphans_labelled(fx.tables, owner.namespace, selector) if is_active(row) and named(row.name)] if selector else []
    )
    if not orphans:
        return kept
    # In creation order, as if they had always belonged to it.
    return sorted([*kept, *(_adopt(fx, row, owner) for row in fx.each(orphans))], key=lambda row: row.number)


def _adopt(fx: Effects, row: PodRow, owner: ApiObject) -> PodRow:
    """Add the controller reference to a pod that has none."""
    fx.cause = fx.note(row.subject, "adopted", f"{owner.kind} {owner.name}", rule="POD-ADOPTED")
    reference = controller_reference(owner)
    given = OwnerReference(kind=owner.kind, name=owner.name, uid=owner.uid, api_version=reference["apiVersion"], controller=True)
    return _with_owners(fx, row, [*_references(row), reference], (*row.pod.metadata.owner_references, given))


def _release(fx: Effects, row: PodRow, owner: ApiObject) -> PodRow:
    """Remove the controller reference from a pod."""
    fx.cause = fx.note(row.subject, "released", f"{owner.kind} {owner.name}", rule="POD-RELEASED")
    references = [item for item in _references(row) if item.get("uid") != owner.uid]
    return _with_owners(fx, row, references, tuple(item for item in row.pod.metadata.owner_references if item.uid != owner.uid))


def _references(row: PodRow) -> list[Json]:
    return list((json.loads(row.document).get("metadata") or {}).get("ownerReferences") or ())


def _with_owners(fx: Effects, row: PodRow, references: list[Json], typed: tuple[OwnerReference, ...]) -> PodRow:
    document = json.loads(row.document)
    metadata = {key: value for key, value in document["metadata"].items() if key != "ownerReferences"}
    document["metadata"] = {**metadata, **({"ownerReferences": references} if references else {})}
    pod = replace(row.pod, metadata=replace(row.pod.metadata, owner_references=typed))
    update_pod(fx, row, document, pod, grown=False)
    return fx.tables.pods[row.key]
