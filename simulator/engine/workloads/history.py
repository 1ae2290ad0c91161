"""ControllerRevisions: the templates that a StatefulSet or DaemonSet has had, named by a hash.

A revision keeps the template as the JSON patch that would restore it, byte for byte as Go writes
it, because its name contains a hash of that text. Two revisions are the same if their data is the
same; so returning to an earlier template does not create a revision but gives the old one the next
number, and the pods made from it are up to date again without being replaced.

The hash includes a count of collisions, since another template may already own the name: then the
count rises until the name is free. For a DaemonSet the hash is that of the bare template (as for
ReplicaSets), for a StatefulSet that of the patch.

Until 1.33 the patch contains a null creationTimestamp (``revision_keeps_creation_time``). It affects
the name like the rest.

Revisions beyond revisionHistoryLimit are deleted, the oldest first, except those that a pod still
has.

Source: pkg/controller/history/controller_history.go;
pkg/controller/statefulset/stateful_set_utils.go getPatch, newRevision.
"""

import json
from collections.abc import Collection, Iterable
from typing import cast

from simulator.engine.apiserver.store.objects import create_object, delete_object
from simulator.engine.kernel.caching import cached_when_short
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.meta import without_empty
from simulator.engine.model.selectors import selects
from simulator.engine.workloads.hashing import safe_encoded, template_hash
from simulator.engine.workloads.objects import annotations_of, labels_of, parsed, put_metadata, put_top, selector_of, spec_of, stored_object
from simulator.engine.workloads.refs import controller_reference, owned_objects
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import unmanaged_objects
from simulator.engine.world.world import ApiObject, Tables

KIND = "ControllerRevision"
HASH_LABEL = "controller.kubernetes.io/hash"
POD_HASH_LABEL = "controller-revision-hash"
_PREFIX_MAX = 223
_FNV_BASIS, _FNV_PRIME, _FNV_MASK = 2166136261, 16777619, 0xFFFFFFFF
_ESCAPED = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})

RULES = (
    RuleText(
        "REVISION-NEW",
        gettext_noop("This pod template is new: it is stored as revision {revision}, {name}."),
        "pkg/controller/history/controller_history.go CreateControllerRevision",
    ),
    RuleText(
        "REVISION-BACK",
        gettext_noop("The pod template matches {name} again, which becomes revision {revision}."),
        "pkg/controller/history/controller_history.go UpdateControllerRevision",
    ),
    RuleText(
        "REVISION-DROPPED",
        gettext_noop(
            "At most {limit} {limit:revision|revisions} that no pod uses any more {limit:is|are} kept: the oldest, {name}, is deleted."
        ),
        "pkg/controller/statefulset/stateful_set_control.go truncateHistory; pkg/controller/daemon/update.go cleanupHistory",
    ),
    RuleText(
        "REVISION-ADOPTED",
        gettext_noop("The revision has no owner and the selector of {owner} matches it: that controller adopts it."),
        "pkg/controller/history/controller_history.go AdoptControllerRevision",
    ),
)


def revision_hash(text: str, collisions: int) -> str:
    """The suffix of a revision's name: 32-bit FNV-1 of its data and the collision count, in characters that cannot form words."""
    value = _FNV_BASIS
    for byte in f"{text}{collisions}".encode():
        # FNV-1: multiply, then xor. The hash of templates is FNV-1a, the other way round.
        value = (value * _FNV_PRIME & _FNV_MASK) ^ byte
    return safe_encoded(str(value))


@cached_when_short(maxsize=1024, chars_max=20_000)
def _patch(text: str) -> str:
    """The data of an object's revision, as Go writes it: sorted keys, no blanks, ``<``, ``>`` and ``&`` escaped."""
    document = json.loads(text)
    template = (document.get("spec") or {}).get("template") or {}
    kept = {"spec": {"template": {**template, "metadata": without_empty(template.get("metadata") or {}), "$patch": "replace"}}}
    return json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=False).translate(_ESCAPED)


@cached_when_short(maxsize=1024, chars_max=20_000)
def _timed_patch(text: str) -> str:
    """The patch with a null creationTimestamp in the template's metadata, which Go wrote until 1.33."""
    document = json.loads(text)
    spec = document.get("spec") or {}
    template = spec.get("template") or {}
    metadata = {"creationTimestamp": None, **(template.get("metadata") or {})}
    return _patch(json.dumps({"spec": {"template": {**template, "metadata": metadata}}}, ensure_ascii=False))


def patch_of(fx: Effects, owner: ApiObject) -> str:
    """The JSON text of the data of a revision for the object's current template. O(1) while the object is unchanged."""
    return _timed_patch(owner.document) if fx.profile.revision_keeps_creation_time else _patch(owner.document)


def number_of(revision: ApiObject) -> int:
    """The number of a revision among those of its owner."""
    return int(parsed(revision).get("revision") or 0)


def template_of(revision: ApiObject) -> Json:
    """The pod template that a revision keeps."""
    template = ((parsed(revision).get("data") or {}).get("spec") or {}).get("template") or {}
    return {key: value for key, value in template.items() if key != "$patch"}


def restored_template(revision: ApiObject) -> Json:
    """The same as it appears in an object to which the revision was applied as a patch: null removes a field."""
    template = template_of(revision)
    return {**template, "metadata": {key: value for key, value in (template.get("metadata") or {}).items() if value is not None}}


def kept_revisions(tables: Tables, owner: ApiObject) -> list[ApiObject]:
    """The revisions that an object manages, the oldest first. O(its own)."""
    return _by_age(owned_objects(tables, owner, KIND))


def is_of_template(owner: ApiObject, revision: ApiObject) -> bool:
    """Whether a revision keeps the object's current template."""
    kept = {"spec": {"template": restored_template(revision)}}
    return _patch(json.dumps(kept, ensure_ascii=False)) == _patch(owner.document)


def _by_age(revisions: Iterable[ApiObject]) -> list[ApiObject]:
    return sorted(revisions, key=lambda row: (number_of(row), row.created_ms, row.name))


def revisions_of(fx: Effects, owner: ApiObject) -> list[ApiObject]:
    """The revisions of an object, the oldest first; orphans that its selector matches are adopted. O(its own and orphans)."""
    found = owned_objects(fx.tables, owner, KIND)
    if owner.deletion_ms is None:
        selector = selector_of(owner)
        alone = [row for row in unmanaged_objects(fx.tables, KIND, owner.namespace) if row.deletion_ms is None]
        found += [_adopt(fx, owner, row) for row in fx.each(alone) if selects(selector, labels_of(row))]
    return _by_age(found)


def _adopt(fx: Effects, owner: ApiObject, row: ApiObject) -> ApiObject:
    fx.cause = fx.note_step(row.subject, "adopted", rule="REVISION-ADOPTED", data=(("owner", f"{owner.kind} {owner.name}"),))
    owners = (parsed(row).get("metadata") or {}).get("ownerReferences") or []
    return put_metadata(fx, row, {"ownerReferences": [*owners, controller_reference(owner)]})


def latest_revision(
    fx: Effects, owner: ApiObject, revisions: list[ApiObject], collisions: int, *, of_template: bool = False
) -> tuple[ApiObject, int]:  # fmt: skip
    """The revision of the current template, created or renumbered if needed, and the new number of collisions.

    ``of_template``: its hash is that of the pod template, as for a Deployment, and is also in the label of its pods, as for a DaemonSet.
    """
    patch = patch_of(fx, owner)
    kept = cast(Json, json.loads(patch))
    following = number_of(revisions[-1]) + 1 if revisions else 1
    equal = [row for row in revisions if parsed(row).get("data") == kept]
    if not equal:
        return _create(fx, owner, patch, following, collisions, of_template=of_template)
    if equal[-1] is revisions[-1]:
        return equal[-1], collisions
    row = equal[-1]
    with fx.because(fx.note_step(owner.subject, "revision", rule="REVISION-BACK", data=(("revision", following), ("name", row.name)))):
        return put_top(fx, row, {"revision": following}), collisions


def _create(
    fx: Effects, owner: ApiObject, patch: str, number: int, collisions: int, *, of_template: bool
) -> tuple[ApiObject, int]:  # fmt: skip
    kept = json.loads(patch)
    template = spec_of(owner).get("template") or {}
    while True:
        digest = (
            template_hash(template, collisions or None, fx.world.release.minor) if of_template else revision_hash(patch, collisions)
        )  # fmt: skip
        name = f"{owner.name[:_PREFIX_MAX]}-{digest}"
        taken = stored_object(fx, KIND, owner.namespace, name)
        if taken is None:
            break
        # Not a collision: it keeps this very template, though it is not among the owner's
        # revisions.
        if parsed(taken).get("data") == kept:
            return taken, collisions
        collisions += 1
    labels = (template.get("metadata") or {}).get("labels") or {}
    label = POD_HASH_LABEL if of_template else HASH_LABEL
    metadata: Json = {"name": name, "namespace": owner.namespace, "labels": {**labels, label: digest}}
    if annotations_of(owner):
        metadata["annotations"] = dict(annotations_of(owner))
    metadata["ownerReferences"] = [controller_reference(owner)]
    document = {"apiVersion": "apps/v1", "kind": KIND, "metadata": metadata, "data": kept, "revision": number}
    with fx.because(fx.note_step(owner.subject, "revision", rule="REVISION-NEW", data=(("revision", number), ("name", name)))):
        return create_object(fx, document, owner.namespace, applied=""), collisions


def drop_old_revisions(
    fx: Effects, owner: ApiObject, revisions: list[ApiObject], live: Collection[str], *, counts_live: bool = False
) -> None:  # fmt: skip
    """Delete the oldest revisions beyond the history limit; ``live``: names of revisions still in use, which stay.

    ``counts_live``: these count towards the limit too, as for a DaemonSet.
    """
    limit = spec_of(owner).get("revisionHistoryLimit")
    limit = 10 if limit is None else int(limit)
    old = [row for row in revisions if row.name not in live]
    for row in fx.each(old[: max(0, len(revisions if counts_live else old) - limit)] if limit >= 0 else []):
        fx.cause = fx.note_step(owner.subject, "revision", rule="REVISION-DROPPED", data=(("limit", limit), ("name", row.name)))
        delete_object(fx, row)
