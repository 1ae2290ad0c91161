"""A PATCH as it comes in: text to apply to the object, with the answers for texts that are no patch or do not fit.

Source: apiserver pkg/endpoints/handlers/patch.go; checked against answers recorded from a 1.20 server.
"""

import json
from typing import Any

from simulator.engine.api.answer import Answer, ApiError, bad_request, invalid_object
from simulator.engine.api.patch import BadPatch, json_patch, merge_patch, strategic_patch
from simulator.engine.api.validation.errors import invalid

Json = dict[str, Any]
_APPLY = {"json": json_patch, "merge": merge_patch, "strategic": strategic_patch}
_UNEXPLAINED = "the server rejected our request due to an error in our request"
_MALFORMED = "Invalid JSON Patch"
_INTERNAL_UNTIL = 20
"""The last minor version that takes a malformed merge patch for its own mistake."""


def patched(document: Json, patch: str, kind: str, *, minor: int) -> Json:
    """The document with a patch of ``kind`` strategic, merge or json applied. Raises ApiError. Cost: O(document)."""
    apply_patch = _APPLY.get(kind)
    if apply_patch is None:
        raise bad_request(f'the patch type "{kind}" is not supported')
    body = _body(patch, kind, minor=minor)
    try:
        found: Json = apply_patch(document, body)
    except BadPatch:
        raise ApiError(Answer(code=422, reason="Invalid", message=_UNEXPLAINED)) from None
    return found


def undecodable(document: Json, why: str) -> ApiError:
    """422: what a patch made of the object has a value of the wrong type; ``why`` is the decoder's text."""
    return invalid_object("", "", [invalid("patch", json.dumps(document, ensure_ascii=False, separators=(",", ":")), why)])


def _body(patch: str, kind: str, *, minor: int) -> Any:
    try:
        body = json.loads(patch)
    except ValueError as error:
        if kind == "merge" and minor <= _INTERNAL_UNTIL:
            raise ApiError(Answer(code=500, reason="", message=_MALFORMED)) from None
        raise bad_request(_MALFORMED if kind == "merge" else str(error)) from None
    if not isinstance(body, list if kind == "json" else dict):
        raise bad_request(_MALFORMED)
    return body
