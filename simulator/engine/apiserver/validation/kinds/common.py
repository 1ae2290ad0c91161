"""Checks that many kinds share: numbers, percentages, labels, selectors, names, immutable fields."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from simulator.engine.apiserver.validation.errors import FieldError, invalid
from simulator.engine.apiserver.validation.kinds import shown
from simulator.engine.apiserver.validation.metadata_rules import label_errors
from simulator.engine.apiserver.validation.pod_rules import Fields, Place, fields, items, number, text, texts
from simulator.engine.apiserver.validation.selectors import key_errors, set_operator_errors, value_errors
from simulator.engine.apiserver.validation.semantic import same
from simulator.engine.model.whole import clamped

IMMUTABLE = "field is immutable"
NOT_NEGATIVE = "must be greater than or equal to 0"
PORT_RANGE = "must be between 1 and 65535, inclusive"
_PERCENT = re.compile(r"[0-9]+%", re.ASCII)
_PERCENT_RULE = (
    "a valid percent string must be a numeric string followed by an ending '%' "
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)
_PORT_MAX = 65_535


def not_negative(place: Place, *keys: str) -> Iterator[FieldError]:
    """Whole numbers of a place that must not be below zero; unset ones pass."""
    for key in keys:
        value = number(place.value, key)
        if value is not None and value < 0:
            yield invalid(child(place.path, key), value, NOT_NEGATIVE)


def child(path: str, key: str) -> str:
    """The path of a field inside a path; "" is the document."""
    return f"{path}.{key}" if path else key


def inner(place: Place, *keys: str) -> Place:
    """The place of a map further inside; empty if there is none."""
    path, value = place.path, place.value
    for key in keys:
        path, value = child(path, key), fields(value, key)
    return Place(path, value)


def each(place: Place, key: str) -> Iterator[Place]:
    """The places of the maps in a list field."""
    for index, item in items(place.value, key):
        yield Place(f"{child(place.path, key)}[{index}]", item)


def list_in(value: Fields, key: str) -> list[Any]:
    """The list in a field; empty when there is none."""
    found = value.get(key)
    return found if isinstance(found, list) else []


def named(field: str, value: str, problems: Callable[[str], list[str]]) -> Iterator[FieldError]:
    """One error for every problem of a name."""
    yield from (invalid(field, value, problem) for problem in problems(value))


def port_errors(field: str, value: int) -> Iterator[FieldError]:
    """A port is a non-zero number of 16 bits."""
    if not 1 <= value <= _PORT_MAX:
        yield invalid(field, value, PORT_RANGE)


def immutable(field: str, old: Any, new: Any, value: Any = None) -> Iterator[FieldError]:
    """A field that keeps its value; ``value`` is what the message shows for the new one, if it is not the value itself."""
    if not same(old, new):
        yield invalid(field, new if value is None else value, IMMUTABLE)


def int_or_percent(field: str, value: Any) -> Iterator[FieldError]:
    """A number that is not negative, or a percentage; unset passes."""
    if isinstance(value, str):
        if not _PERCENT.fullmatch(value):
            yield invalid(field, shown.int_or_text(value), _PERCENT_RULE)
    elif isinstance(value, int) and value < 0:
        yield invalid(field, value, NOT_NEGATIVE)


def at_most_all(field: str, value: Any) -> Iterator[FieldError]:
    """A percentage of 100 % or less."""
    # clamped: a percentage of a thousand digits is not worth converting.
    if isinstance(value, str) and _PERCENT.fullmatch(value) and clamped(value[:-1]) > 100:
        yield invalid(field, shown.int_or_text(value), "must not be greater than 100%")


def scaled_amount(value: Any) -> int:
    """The number in a number or percentage; zero for anything else, as in the API server."""
    if isinstance(value, str):
        return clamped(value[:-1]) if _PERCENT.fullmatch(value) else 0
    # Zero, as upstream ignores a string that does not parse here.
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def label_selector_errors(place: Place) -> Iterator[FieldError]:
    """A label selector: ``place`` is the selector itself."""
    yield from label_errors(fields(place.value, "matchLabels"), child(place.path, "matchLabels"))
    for expression in each(place, "matchExpressions"):
        yield from set_operator_errors(expression.value, expression.path)
        yield from key_errors(text(expression.value, "key"), f"{expression.path}.key")
        yield from value_errors(texts(expression.value, "values"), f"{expression.path}.values")


def is_empty_selector(selector: Fields) -> bool:
    """Whether a selector selects everything."""
    return not selector.get("matchLabels") and not selector.get("matchExpressions")


def selector_matches(selector: Fields, labels: Fields) -> bool:
    """Whether a valid selector matches labels."""
    if any(labels.get(key) != value for key, value in fields(selector, "matchLabels").items()):
        return False
    return all(_expression_holds(item, labels) for _, item in items(selector, "matchExpressions"))


def _expression_holds(expression: Fields, labels: Fields) -> bool:
    key, values = text(expression, "key"), list_in(expression, "values")
    match text(expression, "operator"):
        case "In":
            return key in labels and labels[key] in values
        case "NotIn":
            return key not in labels or labels[key] not in values
        case "Exists":
            return key in labels
        # DoesNotExist, as the selector is valid.
        case _:
            return key not in labels
