"""Rules for requests and limits."""

from collections.abc import Iterator
from typing import Any

from simulator.engine.api.quantity import BadQuantity, parse
from simulator.engine.api.validation.errors import FieldError, invalid
from simulator.engine.api.validation.names import qualified_name_problems
from simulator.engine.api.validation.registry import CONTAINER, Context, Place, fields, rule

STANDARD = ("cpu", "memory", "ephemeral-storage")
QUANTITY_CHARS_MAX = 100


def amount(value: Any) -> int | None:
    """Billionths of a quantity's base unit; None for what is no quantity or longer than any sensible one."""
    if isinstance(value, bool) or not isinstance(value, str | int | float) or len(str(value)) > QUANTITY_CHARS_MAX:
        return None
    try:
        return parse(value).nano
    except BadQuantity:
        return None


def _amounts(place: Place, which: str) -> dict[str, tuple[Any, int]]:
    written = fields(fields(place.value, "resources"), which)
    parsed = {name: (value, amount(value)) for name, value in written.items()}
    return {name: (value, exact) for name, (value, exact) in parsed.items() if exact is not None}


@rule("RESOURCE-NAMES", CONTAINER)
def resource_names(place: Place, context: Context) -> Iterator[FieldError]:
    """A resource is a standard one or fully qualified."""
    for which in ("limits", "requests"):
        for name in fields(fields(place.value, "resources"), which):
            field = f"{place.path}.resources.{which}[{name}]"
            yield from (invalid(field, name, problem) for problem in qualified_name_problems(name))
            if "/" not in name and name not in STANDARD and not name.startswith("hugepages-"):
                yield invalid(field, name, "must be a standard resource type or fully qualified")
                yield invalid(field, name, "must be a standard resource for containers")


@rule("RESOURCE-NEGATIVE", CONTAINER)
def resource_negative(place: Place, context: Context) -> Iterator[FieldError]:
    """No amount is negative."""
    for which in ("limits", "requests"):
        for name, (value, exact) in _amounts(place, which).items():
            if exact < 0:
                detail = "must be greater than or equal to 0"
                yield invalid(f"{place.path}.resources.{which}[{name}]", str(value), detail)


def _requests_above_limits(place: Place) -> Iterator[tuple[str, Any, Any]]:
    limits = _amounts(place, "limits")
    for name, (value, exact) in _amounts(place, "requests").items():
        if name in limits and exact > limits[name][1]:
            yield name, value, limits[name][0]


@rule("REQUEST-ABOVE-LIMIT", CONTAINER, since=27)
def request_above_limit(place: Place, context: Context) -> Iterator[FieldError]:
    """A request stays within its limit."""
    for name, value, limit in _requests_above_limits(place):
        yield invalid(f"{place.path}.resources.requests", str(value), f"must be less than or equal to {name} limit of {limit}")


@rule("REQUEST-ABOVE-LIMIT-1.26", CONTAINER, until=26)
def request_above_limit_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same with the older text."""
    for name, value, _ in _requests_above_limits(place):
        yield invalid(f"{place.path}.resources.requests", str(value), f"must be less than or equal to {name} limit")
