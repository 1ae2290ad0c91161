"""The rules for the metadata of any object whose name is a DNS subdomain."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation import metadata_rules
from simulator.engine.apiserver.validation.errors import FieldError
from simulator.engine.apiserver.validation.pod_rules import METADATA, Context, Fields, Place, Rule, RuleRun, rules_of
from simulator.engine.versions.release import Release

_MODULES = (metadata_rules,)
"""Imported for their rules."""


def validate_metadata(document: Fields, *, release: Release) -> Iterator[tuple[Rule, FieldError]]:
    """The errors in an object's metadata. Cost: O(metadata)."""
    context = Context(pod=document, release=release, facts=release.facts)
    yield from RuleRun(rules_of(release, defaulted=False), context).at(METADATA, Place("", document))
