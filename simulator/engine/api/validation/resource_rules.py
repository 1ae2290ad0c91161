"""Rules for requests and limits (spec/control-plane §1.4 rows 50, 51)."""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from simulator.engine.api.validation.errors import FieldError, invalid
from simulator.engine.api.validation.names import qualified_name_problems
from simulator.engine.api.validation.registry import CONTAINER, Context, Place, fields, rule

STANDARD = ("cpu", "memory", "ephemeral-storage")
_QUANTITY = re.compile(r"([+-]?[0-9.]+?)\.?(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?[0-9]{1,3}))?", re.ASCII)
_DIGITS_MAX = 40
_TENS = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}


def amount(value: Any) -> Fraction | None:
    """The exact amount of a quantity; None for what is no quantity or beyond all sense."""
    match = _QUANTITY.fullmatch(str(value))
    if match is None or len(match[1]) > _DIGITS_MAX:
        return None
    try:
        base = Fraction(match[1])
    except ValueError:
        return None
    if match[2]:
        return base * Fraction(1024 ** _BINARY[match[2]])
    return base * _power_of_ten(_TENS[match[3]] if match[3] else int(match[4] or 0))


def _power_of_ten(exponent: int) -> Fraction:
    return Fraction(10**exponent) if exponent >= 0 else Fraction(1, 10**-exponent)


def _amounts(place: Place, which: str) -> dict[str, tuple[Any, Fraction]]:
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
