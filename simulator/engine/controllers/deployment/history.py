"""The revisions of a Deployment, and how it returns to one: what ``kubectl rollout`` works with.

A revision is a ReplicaSet with a number in an annotation; there is no other record of the past, so
``kubectl rollout undo`` reaches back as far as ReplicaSets are kept (revisionHistoryLimit). It is a
client's operation: the template of that ReplicaSet is written into the Deployment, and the
controller then finds that a ReplicaSet of this template exists and gives it the next number.
Revision numbers are therefore never reused, and the one returned to disappears from the list.

Source: kubectl pkg/polymorphichelpers/rollback.go, history.go.
"""

from simulator.engine.controllers.deployment.replica_sets import HASH_LABEL, KIND, OWN_ANNOTATIONS, find_new, set_revision
from simulator.engine.kernel.json_text import Json
from simulator.engine.workloads.objects import annotations_of, spec_of
from simulator.engine.workloads.refs import manages
from simulator.engine.world.lookups import dependents_of
from simulator.engine.world.world import ApiObject, Tables


def sets_of(tables: Tables, deployment: ApiObject) -> list[ApiObject]:
    """The ReplicaSets that a Deployment manages, by revision."""
    found = dependents_of(tables, (deployment.kind, deployment.namespace, deployment.name), deployment.uid)
    return sorted((row for row in found if isinstance(row, ApiObject) and row.kind == KIND and manages(deployment, row)), key=set_revision)


def revision_to_return_to(tables: Tables, deployment: ApiObject, revision: int) -> ApiObject | None:
    """The ReplicaSet of that revision; for 0 the second newest. None if there is none."""
    rows = sets_of(tables, deployment)
    if revision:
        return next((row for row in rows if set_revision(row) == revision), None)
    return rows[-2] if len(rows) > 1 else None


def is_current_revision(deployment: ApiObject, row: ApiObject) -> bool:
    """Whether the ReplicaSet has the current template: returning to it would change nothing."""
    return find_new(deployment, [row]) is not None


def rolled_back(whole: Json, to: ApiObject) -> Json:
    """The Deployment with the template of a ReplicaSet and the annotations that it carries."""
    template = template_of(to)
    metadata = whole["metadata"]
    kept = {key: value for key, value in (metadata.get("annotations") or {}).items() if key in OWN_ANNOTATIONS}
    annotations = {**kept, **{key: value for key, value in annotations_of(to).items() if key not in OWN_ANNOTATIONS}}
    return {**whole, "metadata": {**metadata, "annotations": annotations}, "spec": {**whole["spec"], "template": template}}


def template_of(row: ApiObject) -> Json:
    """The pod template of a ReplicaSet without its hash."""
    template = spec_of(row).get("template") or {}
    metadata = template.get("metadata") or {}
    labels = {key: value for key, value in (metadata.get("labels") or {}).items() if key != HASH_LABEL}
    return {**template, "metadata": {**metadata, "labels": labels}}
