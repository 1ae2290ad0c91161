"""Whether the API server would accept an object of a kind besides Pod, or a change of one.

Source: pkg/apis/{core,apps,batch,policy,scheduling,node}/validation. Documents have passed the
structural check.
"""

from collections.abc import Iterator

from msgspec import structs

from simulator.engine.apiserver.validation.errors import FieldError
from simulator.engine.apiserver.validation.kinds import (
    autoscaling,
    claims,
    classes,
    data,
    disruption,
    limits,
    metadata,
    node,
    quota,
    service,
    service_addresses,
    updates,
)
from simulator.engine.apiserver.validation.kinds.common import each, inner
from simulator.engine.apiserver.validation.kinds.kind_rules import (
    CLAIM_SPEC,
    JOB_SPEC,
    KIND_RULES,
    UPDATE_RULES,
    KindRule,
    run_rules,
    run_update_rules,
)
from simulator.engine.apiserver.validation.kinds.order import kind_rank_of
from simulator.engine.apiserver.validation.kinds.volumes import volume_errors
from simulator.engine.apiserver.validation.kinds.workloads import cron_job, job, job_policies, stateful_set, strategies, workload_updates
from simulator.engine.apiserver.validation.kinds.workloads import shared as workloads
from simulator.engine.apiserver.validation.kinds.workloads.templates import pod_template, template_errors
from simulator.engine.apiserver.validation.pod_rules import Fields, Place, Rule, text
from simulator.engine.versions.release import Release

__all__ = ["KIND_RULES", "UPDATE_RULES", "KindRule", "lists_changes_first", "pod_template", "validate_kind", "validate_kind_update"]

_MODULES = (
    *(metadata, workloads, strategies, stateful_set, job, job_policies, cron_job, service, service_addresses, data, claims),
    *(node, limits, quota, disruption, autoscaling, classes, updates, workload_updates),
)
"""Imported for their rules, in this order."""
AnyRule = Rule | KindRule
_CHANGES_FIRST = frozenset({"Service", "ConfigMap", "Secret"})


def validate_kind(document: Fields, *, release: Release, on_update: bool = False) -> Iterator[tuple[AnyRule, FieldError]]:
    """The errors (and warnings: ``rule.warning``) of an object other than a pod. Cost: O(document).

    Errors in a template that the version accepts, although no pod could be created from it, become warnings.
    """
    kind = text(document, "kind")
    found: list[tuple[AnyRule, FieldError]] = list(run_rules(kind, Place("", document), release=release, on_update=on_update))
    # Old servers store StatefulSets although no pod could be made from their template.
    is_lenient = kind == "StatefulSet" and not release.facts.stateful_set_templates_judged
    for rule, error in _inside(document, release):
        looks_inside = not error.field.endswith((".labels", ".annotations"))
        found.append((structs.replace(rule, warning=True) if is_lenient and looks_inside else rule, error))
    yield from sorted(found, key=lambda item: kind_rank_of(kind, item[0].id, of_template=isinstance(item[0], Rule)))


def _inside(document: Fields, release: Release) -> Iterator[tuple[AnyRule, FieldError]]:
    for scope, place in _parts(document):
        yield from run_rules(scope, place, release=release)
    yield from template_errors(document, release=release)
    yield from volume_errors(document, release=release)


def _parts(document: Fields) -> Iterator[tuple[str, Place]]:
    """The parts that several kinds share."""
    whole = Place("", document)
    match text(document, "kind"):
        case "Job":
            yield JOB_SPEC, inner(whole, "spec")
        case "CronJob":
            yield JOB_SPEC, inner(whole, "spec", "jobTemplate", "spec")
        case "PersistentVolumeClaim":
            yield CLAIM_SPEC, inner(whole, "spec")
        case "StatefulSet":
            for claim in each(inner(whole, "spec"), "volumeClaimTemplates"):
                yield CLAIM_SPEC, inner(claim, "spec")


def validate_kind_update(old: Fields, new: Fields, *, release: Release) -> Iterator[FieldError]:
    """The errors of a change by the rules of the kind, except those of the new object."""
    yield from run_update_rules(text(new, "kind"), Place("", old), Place("", new), release=release)


def lists_changes_first(kind: str) -> bool:
    """Whether the API server lists the errors of the change before those of the new object."""
    return kind in _CHANGES_FIRST
