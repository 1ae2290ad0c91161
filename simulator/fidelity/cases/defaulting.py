"""Family ``defaulting``: the values the API server fills into a pod that leaves them out."""

from typing import Any

from simulator.engine.apiserver.defaulting.pod import default_pod_document
from simulator.engine.apiserver.validation.semantic import same
from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.release import Release
from simulator.fidelity.cases.validation import MINOR


def evaluate(case: Json) -> Json:
    """The pod with its defaults."""
    return default_pod_document(case["pod"], release=Release(MINOR))


def agrees(expected: Json, got: Json) -> bool:
    """Whether every JSON pointer in ``values`` leads to its value; quantities are compared by amount."""
    values = expected.get("values")
    return isinstance(values, dict) and all(_agrees_at(got, pointer, value) for pointer, value in values.items())


def _agrees_at(document: Json, pointer: str, value: Any) -> bool:
    found: Any = document
    *_, key = steps = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    try:
        for step in steps:
            found = found[int(step)] if isinstance(found, list) else found[step]
    except (KeyError, IndexError, ValueError, TypeError):
        return False
    if isinstance(found, str) and "resources" in steps and isinstance(value, str):
        return same({"limits": {key: found}}, {"limits": {key: value}})
    return same({key: found}, {key: value})
