"""Rules that Deployment, ReplicaSet, StatefulSet and DaemonSet share (pkg/apis/apps/validation)."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, forbidden, invalid, not_supported, required
from simulator.engine.apiserver.validation.kinds import shown
from simulator.engine.apiserver.validation.kinds.common import (
    inner,
    is_empty_selector,
    label_selector_errors,
    not_negative,
    selector_matches,
)
from simulator.engine.apiserver.validation.kinds.kind_rules import WORKLOADS, kind_rule
from simulator.engine.apiserver.validation.pod_rules import Place, fields, number, text

_EMPTY_SELECTOR_WORDS = {
    "Deployment": "deployment",
    # Upstream's message names a deployment here.
    "ReplicaSet": "deployment",
    "StatefulSet": "statefulset",
    "DaemonSet": "daemonset",
}
# A Deployment's template is validated as a ReplicaSet's.
_DEADLINE_OWNER = {"Deployment": "ReplicaSet"}
"""The kind that the message about a deadline names, if it is not the object's own."""


@kind_rule("REPLICAS", "Deployment", "ReplicaSet", "StatefulSet")
def replicas(place: Place) -> Iterator[FieldError]:
    """The number of pods is not negative."""
    yield from not_negative(inner(place, "spec"), "replicas")


@kind_rule("SELECTOR-REQUIRED", "Deployment", "ReplicaSet", "StatefulSet")
def selector_required(place: Place) -> Iterator[FieldError]:
    """Workloads of apps/v1 have a selector for their pods."""
    if not isinstance(fields(place.value, "spec").get("selector"), dict):
        yield required("spec.selector")


@kind_rule("SELECTOR", *WORKLOADS)
def selector(place: Place) -> Iterator[FieldError]:
    """The selector is well formed."""
    yield from label_selector_errors(inner(place, "spec", "selector"))


@kind_rule("SELECTOR-EMPTY", *WORKLOADS)
def selector_empty(place: Place) -> Iterator[FieldError]:
    """A selector that would match every pod is refused."""
    value = fields(place.value, "spec").get("selector")
    if isinstance(value, dict) and is_empty_selector(value):
        word = _EMPTY_SELECTOR_WORDS[text(place.value, "kind")]
        yield invalid("spec.selector", shown.selector(value), f"empty selector is invalid for {word}")


@kind_rule("TEMPLATE-LABELS", *WORKLOADS)
def template_labels(place: Place) -> Iterator[FieldError]:
    """The selector of a workload matches the labels of its template."""
    spec = inner(place, "spec")
    value = fields(spec.value, "selector")
    is_unset = not isinstance(spec.value.get("selector"), dict) and text(place.value, "kind") == "DaemonSet"
    if any(True for _ in label_selector_errors(inner(spec, "selector"))):
        return
    labels = fields(fields(fields(spec.value, "template"), "metadata"), "labels")
    if is_unset or not selector_matches(value, labels):
        detail = "`selector` does not match template `labels`"
        yield invalid("spec.template.metadata.labels", shown.labels(labels), detail)


@kind_rule("TEMPLATE-RESTART-POLICY", *WORKLOADS)
def template_restart_policy(place: Place) -> Iterator[FieldError]:
    """The restart policy of a workload's pods is Always."""
    policy = text(fields(fields(fields(place.value, "spec"), "template"), "spec"), "restartPolicy")
    if policy not in ("", "Always"):
        yield not_supported("spec.template.spec.restartPolicy", policy, ("Always",))


@kind_rule("TEMPLATE-DEADLINE", *WORKLOADS)
def template_deadline(place: Place) -> Iterator[FieldError]:
    """A workload's pods cannot have a deadline."""
    spec = fields(fields(fields(place.value, "spec"), "template"), "spec")
    if number(spec, "activeDeadlineSeconds") is not None:
        kind = text(place.value, "kind")
        owner = _DEADLINE_OWNER.get(kind, kind)
        yield forbidden("spec.template.spec.activeDeadlineSeconds", f"activeDeadlineSeconds in {owner} is not Supported")


@kind_rule("MIN-READY-SECONDS", *WORKLOADS)
def min_ready_seconds(place: Place) -> Iterator[FieldError]:
    """The time is not negative."""
    yield from not_negative(inner(place, "spec"), "minReadySeconds")


@kind_rule("REVISION-HISTORY-LIMIT", "Deployment", "DaemonSet")
def revision_history_limit(place: Place) -> Iterator[FieldError]:
    """The number of old revisions to keep is not negative."""
    yield from not_negative(inner(place, "spec"), "revisionHistoryLimit")


@kind_rule("PROGRESS-DEADLINE", "Deployment")
def progress_deadline(place: Place) -> Iterator[FieldError]:
    """The progress deadline is longer than minReadySeconds."""
    spec = inner(place, "spec")
    deadline = number(spec.value, "progressDeadlineSeconds")
    if deadline is None:
        return
    yield from not_negative(spec, "progressDeadlineSeconds")
    if deadline <= (number(spec.value, "minReadySeconds") or 0):
        yield invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")
