"""Label selectors and the requirements they are made of (apimachinery pkg/apis/meta/v1/validation)."""

from collections.abc import Iterator
from typing import Any

from simulator.engine.apiserver.validation.errors import FieldError, forbidden, invalid, required
from simulator.engine.apiserver.validation.metadata_rules import label_errors
from simulator.engine.apiserver.validation.names import label_value_problems, qualified_name_problems
from simulator.engine.apiserver.validation.pod_rules import Context, Fields, fields, items, text, texts


def selector_errors(selector: Any, path: str, context: Context) -> Iterator[FieldError]:
    """What is wrong with a label selector; None is no selector."""
    if not isinstance(selector, dict):
        return
    yield from label_errors(fields(selector, "matchLabels"), f"{path}.matchLabels")
    for index, expression in items(selector, "matchExpressions"):
        yield from _expression_errors(expression, f"{path}.matchExpressions[{index}]", context)


def _expression_errors(expression: Fields, path: str, context: Context) -> Iterator[FieldError]:
    yield from set_operator_errors(expression, path)
    yield from key_errors(text(expression, "key"), f"{path}.key")
    # Depending on the version any string is accepted as a value.
    if context.facts.label_values_in_selectors:
        yield from value_errors(texts(expression, "values"), f"{path}.values")


def set_operator_errors(expression: Fields, path: str, *, also_numbers: bool = False) -> Iterator[FieldError]:
    """What is wrong with the number of values for the operator of a requirement."""
    operator, values = text(expression, "operator"), texts(expression, "values")
    if operator in ("In", "NotIn"):
        if not values:
            yield required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            yield forbidden(f"{path}.values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
    elif operator in ("Gt", "Lt") and also_numbers:
        if len(values) != 1:
            yield required(f"{path}.values", "must be specified single value when `operator` is 'Lt' or 'Gt'")
    else:
        yield invalid(f"{path}.operator", operator, "not a valid selector operator")


def key_errors(key: str, field: str) -> Iterator[FieldError]:
    """What is wrong with the key of a label."""
    return (invalid(field, key, problem) for problem in qualified_name_problems(key))


def value_errors(values: list[str], path: str) -> Iterator[FieldError]:
    """What is wrong with values of labels."""
    for index, value in enumerate(values):
        yield from (invalid(f"{path}[{index}]", value, problem) for problem in label_value_problems(value))
