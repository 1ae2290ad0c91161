"""When two parts of an object are equal to the API server: unset equals empty, quantities are compared by value.

Source: apimachinery pkg/api/equality Semantic.DeepEqual over the internal types, in which most
fields are not pointers.
"""

from typing import Any

from simulator.engine.model.quantity import BadQuantity, parse

_TEXT_MAPS = frozenset({"nodeSelector", "matchLabels", "labels", "annotations"})
_QUANTITY_MAPS = frozenset({"limits", "requests", "overhead", "capacity"})
_QUANTITIES = frozenset({"sizeLimit", "divisor"})
_EMPTY_IS_UNSET = _TEXT_MAPS | _QUANTITY_MAPS | {"resources"}
_ZERO_IS_UNSET = frozenset(
    {
        *("hostNetwork", "hostPID", "hostIPC", "stdin", "stdinOnce", "tty", "readOnly"),
        *("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"),
        *("hostPort", "containerPort"),
    }
)
"""Numbers and booleans that are not pointers: zero is the same as unset."""


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are semantically equal. Cost: O(values)."""
    return bool(normal(one) == normal(other))


def normal(value: Any, key: str = "") -> Any:
    """The value without anything that is equivalent to unset; ``key`` is the field that holds it."""
    if isinstance(value, dict):
        return _normal_map(value, key)
    if isinstance(value, list | tuple):
        return [normal(item) for item in value]
    return _amount(value) if key in _QUANTITIES else value


def _normal_map(value: dict[str, Any], key: str) -> dict[str, Any]:
    # In maps of strings an empty value is a value: its key counts.
    if key in _TEXT_MAPS:
        return dict(value)
    if key in _QUANTITY_MAPS:
        return {name: _amount(amount) for name, amount in value.items()}
    found = {name: normal(item, name) for name, item in value.items()}
    return {name: item for name, item in found.items() if not _is_unset(name, item)}


def _is_unset(name: str, value: Any) -> bool:
    if value is None or value == "" or value == []:
        return True
    if value == {}:
        return name in _EMPTY_IS_UNSET
    # False is a value for fields that are pointers in Go.
    return not value and name in _ZERO_IS_UNSET


def _amount(value: Any) -> Any:
    try:
        return parse(value).nano
    except BadQuantity:
        return value
