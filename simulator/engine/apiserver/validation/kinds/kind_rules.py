"""The registry of rules for the kinds besides Pod: as for pods, small functions with an id, a scope and their versions.

A scope is a kind (the place is the whole document) or a part that several kinds share, such as the
spec of a Job. Rules for new objects and rules for changes are registered separately: a change is
checked by both, but ``create_only`` rules (mostly about names) do not look at a stored object.

Rules run by scope; ``kinds.order`` then sorts their errors into upstream's order. A rule yields
values as they are; how the version prints them is decided on the way out (``as_shown``).
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from simulator.engine.apiserver.validation.errors import FieldError
from simulator.engine.apiserver.validation.kinds.shown import as_shown
from simulator.engine.apiserver.validation.pod_rules import Place
from simulator.engine.versions.release import Release
from simulator.engine.versions.span import OPEN, Span

JOB_SPEC = "JobSpec"
CLAIM_SPEC = "PersistentVolumeClaimSpec"
WORKLOADS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")

Check = Callable[[Place], Iterable[FieldError]]
UpdateCheck = Callable[[Place, Place], Iterable[FieldError]]


class KindRule(Span, frozen=True, kw_only=True):
    """A rule for new objects of some versions; a ``warning`` does not reject the object.

    ``create_only`` rules do not look at an object that changes.
    """

    id: str
    scopes: tuple[str, ...]
    check: Check
    warning: bool
    create_only: bool


class UpdateRule(Span, frozen=True, kw_only=True):
    """A rule about what may change; its check gets the place before and after."""

    id: str
    scopes: tuple[str, ...]
    check: UpdateCheck


KIND_RULES: list[KindRule] = []
UPDATE_RULES: list[UpdateRule] = []


def kind_rule(
    rule_id: str,
    *scopes: str,
    since: int = 0,
    until: int = OPEN,
    warning: bool = False,
    create_only: bool = False,
) -> Callable[[Check], Check]:
    """Register the decorated check; the rules of a scope run in the order of their registration."""

    def register(check: Check) -> Check:
        assert scopes, rule_id
        assert all(known.id != rule_id for known in KIND_RULES), rule_id
        rule = KindRule(id=rule_id, scopes=scopes, check=check, since=since, until=until, warning=warning, create_only=create_only)
        KIND_RULES.append(rule)
        return check

    return register


def update_rule(rule_id: str, *scopes: str, since: int = 0, until: int = OPEN) -> Callable[[UpdateCheck], UpdateCheck]:
    """Register the decorated check of a change."""

    def register(check: UpdateCheck) -> UpdateCheck:
        assert scopes, rule_id
        assert all(known.id != rule_id for known in UPDATE_RULES), rule_id
        UPDATE_RULES.append(UpdateRule(id=rule_id, scopes=scopes, check=check, since=since, until=until))
        return check

    return register


def run_rules(scope: str, place: Place, *, release: Release, on_update: bool = False) -> Iterator[tuple[KindRule, FieldError]]:
    """The errors of a place by the rules of a scope."""
    for rule in _rules_of(scope, release.minor):
        if not (on_update and rule.create_only):
            for error in rule.check(place):
                yield rule, as_shown(error, minor=release.minor)


@lru_cache(maxsize=512)
def _rules_of(scope: str, minor: int) -> tuple[KindRule, ...]:
    """The rules of a scope and version; called only after every module with rules has been imported."""
    return tuple(rule for rule in KIND_RULES if scope in rule.scopes and rule.holds_for(minor))


def run_update_rules(scope: str, old: Place, new: Place, *, release: Release) -> Iterator[FieldError]:
    """The errors of a change by the rules of a scope."""
    for rule in UPDATE_RULES:
        if scope in rule.scopes and rule.holds_for(release.minor):
            for error in rule.check(old, new):
                yield as_shown(error, minor=release.minor)
