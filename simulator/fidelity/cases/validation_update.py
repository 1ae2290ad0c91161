"""Family ``validation_update``: the rules by which the API server allows changes to a pod.

A case has two pods as sent; both are defaulted first, as a stored pod and a request for it would be. An error in a
field of a list item also counts for the item, because cases name either.
"""

import re

from simulator.engine.apiserver.defaulting.pod import default_pod_document
from simulator.engine.apiserver.validation.change.update import validate_pod_update
from simulator.engine.apiserver.validation.errors import FieldError
from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.release import Release
from simulator.fidelity.cases.validation import minor_of

_IN_ITEM = re.compile(r"(.*\[\d+\])\.\w+")


def evaluate(case: Json, *, note: str = "") -> Json:
    """``{valid, errors: [{type, field}]}``. ``note`` may name the versions that the case applies to."""
    release = Release(minor_of(note))
    old, new = (default_pod_document(case[key], release=release) for key in ("old", "new"))
    errors = validate_pod_update(old, new, release=release, subresource=case["subresource"])
    return {"valid": not errors, "errors": [{"type": error.type, "field": field} for error in errors for field in _fields(error)]}


def _fields(error: FieldError) -> tuple[str, ...]:
    inside = _IN_ITEM.fullmatch(error.field)
    return (error.field, inside[1]) if inside else (error.field,)
