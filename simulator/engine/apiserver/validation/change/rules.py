"""The rules for what may change in a pod's spec through the pod itself, each with its versions, in their order.

Source: pkg/apis/core/validation ValidatePodUpdate (1.20.2 and 1.33).
"""

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from simulator.engine.apiserver.validation.errors import FieldError, forbidden, invalid, required
from simulator.engine.apiserver.validation.go_values import selector_term, selector_terms, text_map
from simulator.engine.apiserver.validation.pod.spec import INT32_MAX
from simulator.engine.apiserver.validation.pod_rules import Fields, fields, items, number, text
from simulator.engine.apiserver.validation.semantic import same
from simulator.engine.versions.facts import facts_of
from simulator.engine.versions.span import Span

NO_MORE_NO_LESS = "pod updates may not add or remove containers"
KEPT_TOLERATION = "existing toleration can not be modified except its tolerationSeconds"
_REQUIRED_TERMS = "requiredDuringSchedulingIgnoredDuringExecution"


class SpecChange(Struct, frozen=True):
    """The specs before and after; both with their defaults."""

    old: Fields
    new: Fields
    minor: int

    @property
    def is_gated(self) -> bool:
        """Whether the pod was held by scheduling gates before."""
        return bool(self.old.get("schedulingGates"))

    @property
    def as_json(self) -> bool:
        """How the version prints structured values."""
        return facts_of(self.minor).values_as_json


Check = Callable[[SpecChange], Iterable[FieldError]]


class PodUpdateRule(Span, frozen=True, kw_only=True):
    """A rule; if one that ``stops`` finds an error, the rules after it do not run."""

    check: Check
    stops: bool = False


def rule_errors(change: SpecChange) -> tuple[list[FieldError], bool]:
    """The errors that the rules find, and whether one of them stopped the rest. Cost: O(spec)."""
    found: list[FieldError] = []
    for rule in RULES:
        errors = list(rule.check(change)) if rule.holds_for(change.minor) else []
        found += errors
        if errors and rule.stops:
            return found, True
    return found, False


def _count(group: str) -> Check:
    def check(change: SpecChange) -> Iterator[FieldError]:
        if len(change.new.get(group) or ()) != len(change.old.get(group) or ()):
            yield forbidden(f"spec.{group}", NO_MORE_NO_LESS)

    return check


def _images(group: str) -> Check:
    def check(change: SpecChange) -> Iterator[FieldError]:
        for index, container in items(change.new, group):
            image = text(container, "image")
            if not image:
                yield required(f"spec.{group}[{index}].image")
            if image != image.strip():
                yield invalid(f"spec.{group}[{index}].image", image, "must not have leading or trailing whitespace")

    return check


def deadline_in_range(change: SpecChange) -> Iterator[FieldError]:
    """A deadline is not negative, and one that was set before does not increase."""
    new, old = number(change.new, "activeDeadlineSeconds"), number(change.old, "activeDeadlineSeconds")
    if new is None:
        return
    if not 0 <= new <= INT32_MAX:
        yield invalid("spec.activeDeadlineSeconds", new, f"must be between 0 and {INT32_MAX}, inclusive")
    elif old is not None and old < new:
        yield invalid("spec.activeDeadlineSeconds", new, "must be less than or equal to previous value")


def deadline_kept(change: SpecChange) -> Iterator[FieldError]:
    """A deadline that was set is not removed."""
    if number(change.new, "activeDeadlineSeconds") is None and number(change.old, "activeDeadlineSeconds") is not None:
        yield invalid("spec.activeDeadlineSeconds", None, "must not update from a positive integer to nil value")


def tolerations_kept(change: SpecChange) -> Iterator[FieldError]:
    """Every toleration stays, except for its seconds; tolerations may be added."""
    new = [_timeless(item) for _, item in items(change.new, "tolerations")]
    if any(not any(same(_timeless(old), item) for item in new) for _, old in items(change.old, "tolerations")):
        yield forbidden("spec.tolerations", KEPT_TOLERATION)


def _timeless(toleration: Fields) -> Fields:
    return {key: value for key, value in toleration.items() if key != "tolerationSeconds"}


def gates_only_go(change: SpecChange) -> Iterator[FieldError]:
    """Scheduling gates may be removed, never added."""
    known = [text(gate, "name") for _, gate in items(change.old, "schedulingGates")]
    for index, gate in items(change.new, "schedulingGates"):
        name = text(gate, "name")
        if name not in known:
            field = f"spec.schedulingGates[{index}].name"
            yield forbidden(field, f"only deletion is allowed, but found new scheduling gate '{name}'")


def selector_only_grows(change: SpecChange) -> Iterator[FieldError]:
    """The node selector of a gated pod may get more keys."""
    if not change.is_gated:
        return
    old, new = fields(change.old, "nodeSelector"), fields(change.new, "nodeSelector")
    if any(new.get(key) != value for key, value in old.items()):
        value = text_map(new or None, as_json=change.as_json)
        yield invalid("spec.nodeSelector", value, "only additions to spec.nodeSelector are allowed (no mutations or deletions)")


def affinity_only_narrows(change: SpecChange) -> Iterator[FieldError]:
    """Every term of the required node affinity of a gated pod may get more requirements; terms are not added or removed."""
    path = f"spec.affinity.nodeAffinity.{_REQUIRED_TERMS}.nodeSelectorTerms"
    old, new = _terms(change.old), _terms(change.new)
    if not change.is_gated or not old:
        return
    if len(old) != len(new):
        value = selector_terms(new or None, as_json=change.as_json)
        yield invalid(path, value, "no additions/deletions to non-empty NodeSelectorTerms list are allowed")
        return
    for index, (before, after) in enumerate(zip(old, new, strict=True)):
        if not _only_added(before, after):
            value = selector_term(after, as_json=change.as_json)
            yield invalid(f"{path}[{index}]", value, "only additions are allowed (no mutations or deletions)")


def _terms(spec: Fields) -> list[Fields]:
    required_terms = fields(fields(fields(spec, "affinity"), "nodeAffinity"), _REQUIRED_TERMS)
    return [term for _, term in items(required_terms, "nodeSelectorTerms")]


def _only_added(before: Fields, after: Fields) -> bool:
    lists = [(before.get(key) or [], after.get(key) or []) for key in ("matchExpressions", "matchFields")]
    # A term without requirements matches no node; adding some would make it match, which widens it.
    if not any(old for old, _ in lists):
        return not any(new for _, new in lists)
    return all(same(new[: len(old)], old) for old, new in lists)


RULES = (
    # The rules after it pair containers by index.
    PodUpdateRule(check=_count("containers"), stops=True),
    PodUpdateRule(check=_images("containers")),
    PodUpdateRule(check=_count("initContainers"), stops=True),
    PodUpdateRule(check=_images("initContainers")),
    PodUpdateRule(check=deadline_in_range, stops=True),
    PodUpdateRule(check=deadline_kept),
    PodUpdateRule(check=tolerations_kept),
    PodUpdateRule(check=gates_only_go, since=26),
    PodUpdateRule(check=selector_only_grows, since=27),
    PodUpdateRule(check=affinity_only_narrows, since=27),
)
"""In the order in which the API server lists the errors."""
