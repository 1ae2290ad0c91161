"""Whether the API server would accept a Pod: the rules of pkg/apis/core/validation in a registry.

``validate_pod`` runs those that hold for a version, in the order in which the API server lists its causes.
"""

from collections.abc import Iterator
from functools import partial

from simulator.engine.api.validation import (
    container_rules,
    metadata_rules,
    probe_rules,
    resource_rules,
    sharing_rules,
    spec_rules,
    volume_rules,
)
from simulator.engine.api.validation.errors import FieldError
from simulator.engine.api.validation.kinds import KindRule, changes_come_first, validate_kind, validate_kind_update
from simulator.engine.api.validation.registry import (
    CONTAINER,
    METADATA,
    RULES,
    SPEC,
    VOLUME,
    Context,
    Fields,
    Place,
    Rule,
    containers,
    fields,
    items,
    text,
)

__all__ = [
    "RULES",
    "FieldError",
    "KindRule",
    "Rule",
    "validate_metadata",
    "validate_object",
    "validate_object_update",
    "validate_pod",
]

_MODULES = (metadata_rules, volume_rules, container_rules, probe_rules, resource_rules, spec_rules, sharing_rules)
"""Imported for their rules, in this order."""
NAME_RULES = frozenset({"NAME-SYNTAX", "GENERATE-NAME-SYNTAX"})
"""Rules of the metadata that every kind besides Pod has in a form of its own."""


def validate_pod(pod: Fields, *, minor: int) -> Iterator[tuple[Rule, FieldError]]:
    """The errors (and warnings: ``rule.warning``) of a new pod that passed the structural check. Cost: O(document)."""
    spec = fields(pod, "spec")
    context = Context(pod=pod, minor=minor, volume_names=_volume_names(spec), repeated=_repeated(spec))
    whole = Place("", pod)
    yield from _run(METADATA, whole, context)
    for index, volume in items(spec, "volumes"):
        yield from _run(VOLUME, Place(f"spec.volumes[{index}]", volume), context)
    for place in containers(spec):
        yield from _run(CONTAINER, place, context)
    yield from _run(SPEC, whole, context)


def validate_metadata(document: Fields, *, minor: int) -> Iterator[tuple[Rule, FieldError]]:
    """The errors in the metadata of any object whose name is a DNS subdomain."""
    context = Context(pod=document, minor=minor, volume_names=frozenset(), repeated=frozenset())
    yield from _run(METADATA, Place("", document), context)


def validate_object(document: Fields, *, minor: int) -> Iterator[tuple[Rule | KindRule, FieldError]]:
    """The errors (and warnings) of a new object of any kind, pod templates included, that passed the structural check."""
    if text(document, "kind") == "Pod":
        yield from validate_pod(document, minor=minor)
    else:
        yield from _other_kind(document, minor=minor, on_update=False)


def _other_kind(document: Fields, *, minor: int, on_update: bool) -> Iterator[tuple[Rule | KindRule, FieldError]]:
    for rule, error in validate_metadata(document, minor=minor):
        if rule.id not in NAME_RULES:
            yield rule, error
    yield from validate_kind(document, minor=minor, pod_check=partial(validate_pod, minor=minor), on_update=on_update)


def validate_object_update(old: Fields, new: Fields, *, minor: int) -> list[FieldError]:
    """What stands against changing an object of a kind besides Pod: the rules for its changes and those for the new object.

    Both are complete documents with defaults. What all kinds have in common (uid, resourceVersion, …) is judged elsewhere.
    """
    changes = list(validate_kind_update(old, new, minor=minor))
    anew = [error for rule, error in _other_kind(new, minor=minor, on_update=True) if not rule.warning]
    first, second = (changes, anew) if changes_come_first(text(new, "kind")) else (anew, changes)
    return [*first, *(error for error in second if error not in first)]


def _run(scope: str, place: Place, context: Context) -> Iterator[tuple[Rule, FieldError]]:
    for rule in RULES:
        if rule.scope == scope and rule.holds_for(context.minor):
            for error in rule.check(place, context):
                yield rule, error


def _volume_names(spec: Fields) -> frozenset[str]:
    return frozenset(text(volume, "name") for _, volume in items(spec, "volumes"))


def _repeated(spec: Fields) -> frozenset[str]:
    """Paths of volumes and containers whose name an earlier one has; containers count in the order of ``containers``."""
    places = [Place(f"spec.volumes[{index}]", volume) for index, volume in items(spec, "volumes")]
    return frozenset((*_later(places), *_later(list(containers(spec)))))


def _later(places: list[Place]) -> Iterator[str]:
    seen: set[str] = set()
    for place in places:
        name = text(place.value, "name")
        if name and name in seen:
            yield place.path
        seen.add(name)
