"""Family ``validation_create``: the rules by which the API server accepts or refuses a new pod."""

from typing import Any

from simulator.engine.api.validation import validate_pod

Json = dict[str, Any]
MINOR = 37
"""The Kubernetes minor version whose rules the cases are held against."""


def evaluate(case: Json) -> Json:
    """``{valid, errors: [{type, field}]}``; warnings do not count."""
    errors = [error for rule, error in validate_pod(case["pod"], minor=MINOR) if not rule.warning]
    return {"valid": not errors, "errors": [{"type": error.type, "field": error.field} for error in errors]}


def agrees(expected: Json, got: Json) -> bool:
    """Every expected error must be among those reported; more may be. Type and field may be lists of alternatives."""
    if expected["valid"] != got["valid"]:
        return False
    return all(any(_matches(wanted, error) for error in got["errors"]) for wanted in expected.get("errors", ()))


def _matches(wanted: Json, error: Json) -> bool:
    return all(error[key] in (value if isinstance(value, list) else [value]) for key, value in wanted.items())
