"""The ReplicaSets of a Deployment: which are its own, which is new, how one is created and scaled.

Four annotations carry what a ReplicaSet must remember for its Deployment: ``revision`` (a counter
that a rollback raises), ``revision-history`` (earlier numbers of the same ReplicaSet),
``desired-replicas`` and ``max-replicas`` (the Deployment's size and upper bound when this one was
last sized). The last two are how a later round notices that the Deployment has been scaled and how
it divides the difference.

The pod-template-hash is a label on the ReplicaSet, in its selector and on its pods: it keeps
ReplicaSets with otherwise equal selectors from adopting each other's pods. It is left out when
templates are compared, since the hash may change between versions while the template does not.

Source: pkg/controller/deployment/sync.go, util/deployment_util.go;
pkg/controller/controller_ref_manager.go ClaimReplicaSets.
"""

from collections.abc import Iterable

from simulator.engine.apiserver.store.objects import update_object
from simulator.engine.controllers.deployment.arithmetic import Bounds
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.meta import LAST_APPLIED
from simulator.engine.model.selectors import selects
from simulator.engine.model.whole import clamped
from simulator.engine.workloads.objects import annotations_of, labels_of, parsed, put_metadata, selector_of, spec_of, status_of
from simulator.engine.workloads.refs import controller_reference, manages, owned_objects
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import unmanaged_objects
from simulator.engine.world.world import ApiObject

KIND = "ReplicaSet"
HASH_LABEL = "pod-template-hash"
REVISION = "deployment.kubernetes.io/revision"
REVISION_HISTORY = "deployment.kubernetes.io/revision-history"
DESIRED = "deployment.kubernetes.io/desired-replicas"
MOST = "deployment.kubernetes.io/max-replicas"
OWN_ANNOTATIONS = (LAST_APPLIED, REVISION, REVISION_HISTORY, DESIRED, MOST, "deprecated.deployment.rollback.to")
"""Annotations that a Deployment does not pass on to its ReplicaSets."""

RULES = (
    RuleText(
        "REPLICASET-ADOPTED",
        gettext_noop("No controller manages the ReplicaSet and the selector of {text} matches it: that Deployment adopts it."),
        "pkg/controller/controller_ref_manager.go AdoptReplicaSet",
    ),
    RuleText(
        "REPLICASET-RELEASED",
        gettext_noop("The selector of {text} no longer matches the ReplicaSet: its Deployment releases it."),
        "pkg/controller/controller_ref_manager.go ReleaseReplicaSet",
    ),
)


def replicas_of(row: ApiObject) -> int:
    """How many pods a ReplicaSet requests."""
    wanted = spec_of(row).get("replicas")
    return 1 if wanted is None else int(wanted)


def number_of(row: ApiObject, field: str) -> int:
    """A number in a ReplicaSet's status; 0 if it is missing."""
    return int(status_of(row).get(field) or 0)


def total_requested(rows: Iterable[ApiObject]) -> int:
    """How many pods the ReplicaSets request together."""
    return sum(map(replicas_of, rows))


def total_counted(rows: Iterable[ApiObject], field: str) -> int:
    """The sum of a number over their statuses."""
    return sum(number_of(row, field) for row in rows)


def active(rows: Iterable[ApiObject]) -> list[ApiObject]:
    """The ReplicaSets that request pods."""
    return [row for row in rows if replicas_of(row)]


def oldest_first(rows: Iterable[ApiObject]) -> list[ApiObject]:
    """The oldest first; those created in the same second by name, since a creationTimestamp counts seconds."""
    return sorted(rows, key=lambda row: (row.created_ms // 1000, row.name))


def by_size(rows: Iterable[ApiObject], *, newer_first: bool) -> list[ApiObject]:
    """The largest first; among equally large ones the newer or the older one."""
    found = oldest_first(rows)
    if newer_first:
        found.reverse()
    return sorted(found, key=replicas_of, reverse=True)


def set_revision(row: ApiObject) -> int:
    """The revision in the annotation; 0 if there is none or it is not a number."""
    text = annotations_of(row).get(REVISION, "")
    return clamped(text) if text.isascii() and text.isdecimal() else 0


def annotated(row: ApiObject, name: str) -> int | None:
    """The number in an annotation of the ReplicaSet, or None."""
    text = annotations_of(row).get(name, "")
    return clamped(text) if text.isascii() and text.isdecimal() else None


def without_hash(template: Json) -> Json:
    """A pod template without its hash label."""
    metadata = template.get("metadata") or {}
    labels = metadata.get("labels") or {}
    if HASH_LABEL not in labels:
        return template
    return {**template, "metadata": {**metadata, "labels": {key: value for key, value in labels.items() if key != HASH_LABEL}}}


def is_of_template(row: ApiObject, deployment: ApiObject) -> bool:
    """Whether the ReplicaSet has the Deployment's template, whatever hash either carries."""
    mine, its = (spec_of(item).get("template") or {} for item in (deployment, row))
    return without_hash(mine) == without_hash(its)


def find_new(deployment: ApiObject, rows: Iterable[ApiObject]) -> ApiObject | None:
    """The ReplicaSet of the current template; the oldest if there are several."""
    return next((row for row in oldest_first(rows) if is_of_template(row, deployment)), None)


def claimed_sets(fx: Effects, deployment: ApiObject) -> list[ApiObject]:
    """The ReplicaSets that belong to the Deployment, after it has released and adopted. O(its own, and orphans)."""
    selector = selector_of(deployment)
    kept: list[ApiObject] = []
    for row in fx.each(owned_objects(fx.tables, deployment, KIND)):
        if selects(selector, labels_of(row)):
            kept.append(row)
        elif deployment.deletion_ms is None:
            _release(fx, row, deployment)
    if deployment.deletion_ms is None and selector:
        alone = [row for row in unmanaged_objects(fx.tables, KIND, deployment.namespace) if row.deletion_ms is None]
        kept += [_adopt(fx, row, deployment) for row in fx.each(alone) if selects(selector, labels_of(row))]
    return kept


def _references(row: ApiObject) -> list[Json]:
    return list((parsed(row).get("metadata") or {}).get("ownerReferences") or ())


def _adopt(fx: Effects, row: ApiObject, deployment: ApiObject) -> ApiObject:
    fx.cause = fx.note(row.subject, "adopted", f"Deployment {deployment.name}", rule="REPLICASET-ADOPTED")
    return put_metadata(fx, row, {"ownerReferences": [*_references(row), controller_reference(deployment)]})


def _release(fx: Effects, row: ApiObject, deployment: ApiObject) -> None:
    fx.cause = fx.note(row.subject, "released", f"Deployment {deployment.name}", rule="REPLICASET-RELEASED")
    put_metadata(fx, row, {"ownerReferences": [item for item in _references(row) if item.get("uid") != deployment.uid]})


def sizes(bounds: Bounds) -> dict[str, str]:
    """The annotations by which a ReplicaSet remembers for what size of the Deployment it was sized."""
    return {DESIRED: str(bounds.wanted), MOST: str(bounds.most)}


def marked(annotations: dict[str, str], deployment: ApiObject, revision: int) -> dict[str, str]:
    """The annotations of the new ReplicaSet: the Deployment's own, the revision, and its previous ones."""
    found = {**annotations, **{key: value for key, value in annotations_of(deployment).items() if key not in OWN_ANNOTATIONS}}
    before = found.get(REVISION)
    # A revision that is not a number is left as it is, and so is the history.
    if before and not (before.isascii() and before.isdecimal()):
        return found
    if clamped(before or "0") < revision:
        found[REVISION] = str(revision)
        if before:
            history = found.get(REVISION_HISTORY, "")
            found[REVISION_HISTORY] = f"{history},{before}" if history else before
    return found


def sized_as(fx: Effects, row: ApiObject, size: int, bounds: Bounds) -> ApiObject:
    """Write a ReplicaSet's size, and the size of the Deployment for which it was intended."""
    document = parsed(row)
    metadata = document.get("metadata") or {}
    annotations = {**(metadata.get("annotations") or {}), **sizes(bounds)}
    changed = {**document, "metadata": {**metadata, "annotations": annotations}, "spec": {**(document.get("spec") or {}), "replicas": size}}
    with fx.aside():
        return update_object(fx, row, changed)


def new_set(deployment: ApiObject, hashed: str, size: int, revision: int, bounds: Bounds) -> Json:
    """The ReplicaSet of the current template, as the controller sends it."""
    spec = spec_of(deployment)
    template = spec.get("template") or {}
    labels = {**((template.get("metadata") or {}).get("labels") or {}), HASH_LABEL: hashed}
    selector = spec.get("selector") or {}
    wanted: Json = {
        "replicas": size,
        "selector": {**selector, "matchLabels": {**(selector.get("matchLabels") or {}), HASH_LABEL: hashed}},
        "template": {**template, "metadata": {**(template.get("metadata") or {}), "labels": labels}},
    }
    if spec.get("minReadySeconds"):
        wanted["minReadySeconds"] = spec["minReadySeconds"]
    metadata = {
        "name": f"{deployment.name}-{hashed}", "namespace": deployment.namespace, "labels": labels,
        "annotations": {**marked({}, deployment, revision), **sizes(bounds)}, "ownerReferences": [controller_reference(deployment)],
    }  # fmt: skip
    return {"apiVersion": "apps/v1", "kind": KIND, "metadata": metadata, "spec": wanted}


def is_owned(deployment: ApiObject, row: ApiObject) -> bool:
    """Whether the ReplicaSet belongs to the Deployment and has its template, so that it need not be created."""
    return manages(deployment, row) and is_of_template(row, deployment)
