"""Rules for LimitRanges (pkg/apis/core/validation)."""

from collections.abc import Iterator
from typing import Any

from simulator.engine.apiserver.validation.errors import FieldError, duplicate, forbidden, invalid, required
from simulator.engine.apiserver.validation.kinds.amounts import canonical_text, container_name_errors, is_overcommitted, name_errors
from simulator.engine.apiserver.validation.kinds.common import each, inner, named
from simulator.engine.apiserver.validation.kinds.kind_rules import kind_rule
from simulator.engine.apiserver.validation.names import qualified_name_problems
from simulator.engine.apiserver.validation.pod.resource import amount
from simulator.engine.apiserver.validation.pod_rules import Fields, Place, fields, text
from simulator.engine.model.quantity import NANO

_TYPES = ("Pod", "Container", "PersistentVolumeClaim")
_LISTS = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")


def _limits(place: Place) -> Iterator[Place]:
    return each(inner(place, "spec"), "limits")


@kind_rule("LIMIT-TYPE", "LimitRange")
def limit_type(place: Place) -> Iterator[FieldError]:
    """Each limit is for another type: pods, containers, claims, or one with a domain."""
    seen: set[str] = set()
    for limit in _limits(place):
        kind, field = text(limit.value, "type"), f"{limit.path}.type"
        found = list(named(field, kind, qualified_name_problems))
        yield from found
        if not found and "/" not in kind and kind not in _TYPES:
            yield invalid(field, kind, "must be a standard limit type or fully qualified")
        if kind in seen:
            yield duplicate(field, kind)
        seen.add(kind)


@kind_rule("LIMIT-RESOURCES", "LimitRange")
def limit_resources(place: Place) -> Iterator[FieldError]:
    """A limit must be for a resource that its type knows."""
    for limit in _limits(place):
        check = container_name_errors if text(limit.value, "type") in ("Pod", "Container") else name_errors
        for key in _lists_of(limit.value):
            for name in fields(limit.value, key):
                yield from check(f"{limit.path}.{key}[{name}]", name)


def _lists_of(limit: Fields) -> tuple[str, ...]:
    """The lists that count: a pod has no defaults."""
    # Defaults of a pod are refused by a separate rule and otherwise ignored.
    return tuple(key for key in _LISTS if text(limit, "type") != "Pod" or not key.startswith("default"))


@kind_rule("LIMIT-POD-DEFAULTS", "LimitRange")
def limit_pod_defaults(place: Place) -> Iterator[FieldError]:
    """Defaults are for containers, not for a pod as a whole."""
    for limit in _limits(place):
        if text(limit.value, "type") == "Pod":
            for key in ("default", "defaultRequest"):
                if fields(limit.value, key):
                    yield forbidden(f"{limit.path}.{key}", "may not be specified when `type` is 'Pod'")


@kind_rule("LIMIT-CLAIM-STORAGE", "LimitRange")
def limit_claim_storage(place: Place) -> Iterator[FieldError]:
    """A limit for claims limits storage."""
    for limit in _limits(place):
        has_storage = any("storage" in fields(limit.value, key) for key in ("min", "max"))
        if text(limit.value, "type") == "PersistentVolumeClaim" and not has_storage:
            detail = "either minimum or maximum storage value is required, but neither was provided"
            yield required(f"{limit.path}.limits", detail)


@kind_rule("LIMIT-ORDER", "LimitRange")
def limit_order(place: Place) -> Iterator[FieldError]:
    """min ≤ default request ≤ default ≤ max."""
    for limit in _limits(place):
        for name in _names(limit.value):
            yield from _order_errors(limit, name)


def _names(limit: Fields) -> list[str]:
    return sorted({name for key in _lists_of(limit) for name in fields(limit, key)})


_ORDER = (
    ("min", "max", "min", "min", "min", "max"),
    ("min", "defaultRequest", "defaultRequest", "defaultRequest", "min", "default request"),
    ("defaultRequest", "max", "defaultRequest", "defaultRequest", "default request", "max"),
    ("defaultRequest", "default", "defaultRequest", "defaultRequest", "default request", "default limit"),
    ("min", "default", "default", "min", "min", "default"),
    ("default", "max", "default", "max", "default", "max"),
)
"""(smaller, larger, list of the field that is wrong, list of the value shown, word for the smaller, word for the larger)."""


def _order_errors(limit: Place, name: str) -> Iterator[FieldError]:
    for smaller, larger, at, value, first, second in _ORDER:
        low, high = _amount(limit.value, smaller, name), _amount(limit.value, larger, name)
        if low is not None and high is not None and low > high:
            # Upstream names field and value inconsistently from pair to pair; _ORDER has what it
            # prints.
            first_text, second_text = (canonical_text(fields(limit.value, key)[name]) for key in (smaller, larger))
            detail = f"{first} value {first_text} is greater than {second} value {second_text}"
            yield invalid(f"{limit.path}.{at}[{name}]", canonical_text(fields(limit.value, value)[name]), detail)


def _amount(limit: Fields, key: str, name: str) -> int | None:
    if key not in _lists_of(limit) or name not in fields(limit, key):
        return None
    return amount(fields(limit, key)[name])


@kind_rule("LIMIT-RATIO", "LimitRange")
def limit_ratio(place: Place) -> Iterator[FieldError]:
    """The maximum ratio of limit to request is at least 1 and at most the ratio of max to min."""
    for limit in _limits(place):
        for name, value in fields(limit.value, "maxLimitRequestRatio").items():
            yield from _ratio_errors(limit, name, value)


def _ratio_errors(limit: Place, name: str, value: Any) -> Iterator[FieldError]:
    ratio, low, high = amount(value), _amount(limit.value, "min", name), _amount(limit.value, "max", name)
    field, written = f"{limit.path}.maxLimitRequestRatio[{name}]", canonical_text(value)
    if ratio is None:
        return
    # Amounts are in billionths: this is a ratio below 1.
    if ratio < NANO:
        yield invalid(field, written, f"ratio {written} is less than 1")
    if low and high is not None and ratio * low > high * NANO:
        yield invalid(field, written, f"ratio {written} is greater than max/min = {_six_digits(high, low)}")


def _six_digits(high: int, low: int) -> str:
    """A quotient with six decimal places, without floating point."""
    millionths = (high * 10**6 + low // 2) // low
    return f"{millionths // 10**6}.{millionths % 10**6:06d}"


@kind_rule("LIMIT-NOT-OVERCOMMITTED", "LimitRange")
def limit_not_overcommitted(place: Place) -> Iterator[FieldError]:
    """A resource that cannot be overcommitted has the same default for request and limit."""
    for limit in _limits(place):
        for name in _names(limit.value):
            request, default = _amount(limit.value, "defaultRequest", name), _amount(limit.value, "default", name)
            if is_overcommitted(name) or request is None or default is None or request == default:
                continue
            first, second = (canonical_text(fields(limit.value, key)[name]) for key in ("default", "defaultRequest"))
            detail = f"default value {first} must equal to defaultRequest value {second} in {name}"
            yield invalid(f"{limit.path}.defaultRequest[{name}]", second, detail)
