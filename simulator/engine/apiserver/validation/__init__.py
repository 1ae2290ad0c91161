"""Whether the API server would accept a Pod: the rules of pkg/apis/core/validation in a registry.

Upstream validates with nested functions that append to one list of errors. Here each rule is a
small function with an id, a scope (pod, container, volume, …) and the minor versions it applies to,
registered by a decorator, so a rule can be named, counted, tested alone, and shown in an editor
at its position. ``validate_pod`` runs the rules that apply to a version.

The order of errors is part of the answer: the causes of a 422 and the lines that kubectl prints
follow it. Rules run by scope, but the server's order follows its call tree and interleaves scopes;
``pod_order`` and ``kinds/order`` restore that order. Where the wording or position of an error
changed between versions there are two rules with complementary spans, the older one named after
the last version that has it (``…-1.31``).

Values are printed the way Go prints them: ``printed`` and ``go_values`` turn documents into ``%#v`` or
the JSON that newer versions print. A rule passes on the value, not its text.

Rules see documents that have passed the structural check: fields have the right JSON type, so a rule
need not guard against a list where a map should be. Null counts as missing.

Source: pkg/apis/core/validation.
"""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError
from simulator.engine.apiserver.validation.kinds import KindRule, lists_changes_first, validate_kind, validate_kind_update
from simulator.engine.apiserver.validation.metadata import validate_metadata
from simulator.engine.apiserver.validation.pod.whole import validate_pod
from simulator.engine.apiserver.validation.pod_rules import RULES, Fields, Rule, text
from simulator.engine.versions.release import Release

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


NAME_RULES = frozenset({"NAME-SYNTAX", "GENERATE-NAME-SYNTAX"})
"""Metadata rules that every kind besides Pod has in a form of its own."""


def validate_object(document: Fields, *, release: Release) -> Iterator[tuple[Rule | KindRule, FieldError]]:
    """The errors (and warnings) of a new object of any kind, pod templates included, that passed the structural check."""
    if text(document, "kind") == "Pod":
        yield from validate_pod(document, release=release)
    else:
        yield from _other_kind(document, release=release, on_update=False)


def _other_kind(document: Fields, *, release: Release, on_update: bool) -> Iterator[tuple[Rule | KindRule, FieldError]]:
    for rule, error in validate_metadata(document, release=release):
        if rule.id not in NAME_RULES:
            yield rule, error
    yield from validate_kind(document, release=release, on_update=on_update)


def validate_object_update(old: Fields, new: Fields, *, release: Release) -> list[FieldError]:
    """The errors of changing an object of a kind besides Pod: by the rules for its changes and those for the new object.

    Both are complete documents with defaults. What all kinds have in common (uid, resourceVersion, …) is checked elsewhere.
    """
    changes = list(validate_kind_update(old, new, release=release))
    found_in_new = [error for rule, error in _other_kind(new, release=release, on_update=True) if not rule.warning]
    first, second = (changes, found_in_new) if lists_changes_first(text(new, "kind")) else (found_in_new, changes)
    return [*first, *(error for error in second if error not in first)]
