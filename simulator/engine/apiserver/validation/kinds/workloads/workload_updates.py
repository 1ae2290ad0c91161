"""Rules for changes of workloads (pkg/apis/{apps,batch}/validation and the strategies of their registries)."""

from collections.abc import Iterator
from typing import Any

from simulator.engine.apiserver.validation.errors import FieldError, forbidden, invalid
from simulator.engine.apiserver.validation.kinds import shown
from simulator.engine.apiserver.validation.kinds.common import immutable
from simulator.engine.apiserver.validation.kinds.kind_rules import update_rule
from simulator.engine.apiserver.validation.kinds.workloads.job import is_indexed
from simulator.engine.apiserver.validation.pod_rules import Fields, Place, fields, text
from simulator.engine.apiserver.validation.semantic import same

_FREE = ("replicas", "template", "updateStrategy")
_SCHEDULING = ("nodeSelector", "tolerations")


def _spec(place: Place) -> Fields:
    return fields(place.value, "spec")


@update_rule("SELECTOR-IMMUTABLE", "Deployment", "ReplicaSet", "DaemonSet")
def selector_immutable(old: Place, new: Place) -> Iterator[FieldError]:
    """The selector of workloads in apps/v1 is immutable."""
    after = fields(_spec(new), "selector")
    yield from immutable("spec.selector", fields(_spec(old), "selector"), after, shown.selector(after))


def _other_fields(old: Place, new: Place, free: tuple[str, ...]) -> bool:
    kept = [{key: value for key, value in _spec(place).items() if key not in free} for place in (old, new)]
    # One error for all other fields, by comparison with the free ones left out.
    return not same(_claims_plain(kept[0]), _claims_plain(kept[1]))


def _claims_plain(spec: Fields) -> Fields:
    """The spec with its claim templates as they are stored: what defaulting adds to them does not count as a change."""
    claims = spec.get("volumeClaimTemplates")
    if not isinstance(claims, list):
        return spec
    plain = [_claim_plain(claim) if isinstance(claim, dict) else claim for claim in claims]
    return {**spec, "volumeClaimTemplates": plain}


def _claim_plain(claim: Fields) -> Fields:
    inner = {"volumeMode": "Filesystem", **fields(claim, "spec")}
    return {"metadata": claim.get("metadata"), "spec": inner}


@update_rule("STATEFUL-SET-FIELDS", "StatefulSet", since=33)
def stateful_set_fields(old: Place, new: Place) -> Iterator[FieldError]:
    """Claims, selector, Service and the pod management policy stay as they are."""
    free = (*_FREE, "ordinals", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy", "minReadySeconds")
    if _other_fields(old, new, free):
        names = "'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy'"
        yield _other(f"{names} and 'minReadySeconds'")


@update_rule("STATEFUL-SET-FIELDS-1.32", "StatefulSet", since=26, until=32)
def stateful_set_fields_32(old: Place, new: Place) -> Iterator[FieldError]:
    """Until 1.32 the revision history limit is immutable, too."""
    if _other_fields(old, new, (*_FREE, "ordinals", "persistentVolumeClaimRetentionPolicy", "minReadySeconds")):
        names = "'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy'"
        yield _other(f"{names} and 'minReadySeconds'")


@update_rule("STATEFUL-SET-FIELDS-1.25", "StatefulSet", since=23, until=25)
def stateful_set_fields_25(old: Place, new: Place) -> Iterator[FieldError]:
    """Until 1.25, before there were ordinals."""
    if _other_fields(old, new, (*_FREE, "persistentVolumeClaimRetentionPolicy", "minReadySeconds")):
        names = "'replicas', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy'"
        yield _other(f"{names} and 'minReadySeconds'")


@update_rule("STATEFUL-SET-FIELDS-1.22", "StatefulSet", since=22, until=22)
def stateful_set_fields_22(old: Place, new: Place) -> Iterator[FieldError]:
    """Until 1.22, before claims could be deleted with their pods."""
    if _other_fields(old, new, (*_FREE, "minReadySeconds")):
        yield _other("'replicas', 'template', 'updateStrategy' and 'minReadySeconds'")


@update_rule("STATEFUL-SET-FIELDS-1.21", "StatefulSet", until=21)
def stateful_set_fields_21(old: Place, new: Place) -> Iterator[FieldError]:
    """Until 1.21, when three fields could change."""
    if _other_fields(old, new, _FREE):
        yield _other("'replicas', 'template', and 'updateStrategy'")


def _other(names: str) -> FieldError:
    return forbidden("spec", f"updates to statefulset spec for fields other than {names} are forbidden")


@update_rule("JOB-COMPLETIONS", "Job", since=27)
def job_completions(old: Place, new: Place) -> Iterator[FieldError]:
    """An indexed job changes its completions together with its parallelism; others keep their completions."""
    before, after = _spec(old).get("completions"), _spec(new).get("completions")
    if not is_indexed(_spec(new)):
        yield from immutable("spec.completions", before, after)
    # Elastic indexed Jobs: both numbers change together or not at all.
    elif before != after and after is not None and after != _spec(new).get("parallelism", 1):
        yield invalid("spec.completions", after, "can only be modified in tandem with spec.parallelism")


@update_rule("JOB-COMPLETIONS-1.26", "Job", until=26)
def job_completions_before(old: Place, new: Place) -> Iterator[FieldError]:
    """Until 1.26 no job changed its completions."""
    yield from immutable("spec.completions", _spec(old).get("completions"), _spec(new).get("completions"))


@update_rule("JOB-SELECTOR", "Job")
def job_selector(old: Place, new: Place) -> Iterator[FieldError]:
    """The selector of a Job is immutable."""
    after = fields(_spec(new), "selector")
    yield from immutable("spec.selector", fields(_spec(old), "selector"), after, shown.selector(after))


@update_rule("JOB-TEMPLATE", "Job", since=23)
def job_template(old: Place, new: Place) -> Iterator[FieldError]:
    """The template stays; before its first start a suspended job may change its scheduling directives."""
    before, after = fields(_spec(old), "template"), fields(_spec(new), "template")
    # Queueing controllers place a suspended Job this way before its first start.
    if _spec(old).get("suspend") is True and not text(fields(old.value, "status"), "startTime"):
        before = _with_scheduling_of(before, after)
    yield from immutable("spec.template", before, after)


@update_rule("JOB-TEMPLATE-1.22", "Job", until=22)
def job_template_before(old: Place, new: Place) -> Iterator[FieldError]:
    """Until 1.22 the template stayed in any case."""
    yield from immutable("spec.template", fields(_spec(old), "template"), fields(_spec(new), "template"))


def _with_scheduling_of(before: Fields, after: Fields) -> Fields:
    """The old template with what a suspended job may change taken from the new one."""
    metadata = _taken(fields(before, "metadata"), fields(after, "metadata"), ("labels", "annotations"))
    old_spec, new_spec = fields(before, "spec"), fields(after, "spec")
    spec = _taken(old_spec, new_spec, (*_SCHEDULING, "schedulingGates"))
    affinity = _taken(fields(old_spec, "affinity"), fields(new_spec, "affinity"), ("nodeAffinity",))
    if affinity or "affinity" in new_spec:
        spec["affinity"] = affinity
    else:
        spec.pop("affinity", None)
    return {**before, "metadata": metadata, "spec": spec}


def _taken(old: Fields, new: Fields, keys: tuple[str, ...]) -> dict[str, Any]:
    kept = {key: value for key, value in old.items() if key not in keys}
    return {**kept, **{key: new[key] for key in keys if key in new}}


def _job_field(key: str) -> Any:
    def check(old: Place, new: Place) -> Iterator[FieldError]:
        yield from immutable(f"spec.{key}", _spec(old).get(key), _spec(new).get(key))

    return check


for _key, _since in (
    ("completionMode", 22),
    ("podFailurePolicy", 26),
    ("backoffLimitPerIndex", 29),
    ("managedBy", 32),
    ("successPolicy", 31),
):
    update_rule(f"JOB-IMMUTABLE-{_key}", "Job", since=_since)(_job_field(_key))
