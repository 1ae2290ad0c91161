"""A PATCH as it comes in: text to apply to the object, with the answers for texts that are not a patch or do not fit.

Source: apiserver pkg/endpoints/handlers/patch.go; checked against answers recorded from a 1.20
server.
"""

import json
from typing import Any

from simulator.engine.apiserver.answer import Answer, ApiError, bad_request, invalid_object
from simulator.engine.apiserver.patch.patch import BadPatch, CopiesTooMuch, PatchFault, go_text, json_patch, merge_patch, strategic_patch
from simulator.engine.apiserver.validation.errors import invalid
from simulator.engine.apiserver.wire.go_json import UNFINISHED, syntax_problem
from simulator.engine.apiserver.wire.shapes import restore_problem
from simulator.engine.kernel.json_text import TOO_DEEP, Json, TooDeep, decode, is_too_deep_value
from simulator.engine.model.kinds import KINDS
from simulator.engine.versions.facts import facts_of

_APPLY = {"json": json_patch, "merge": merge_patch, "strategic": strategic_patch}
UNEXPLAINED = "the server rejected our request due to an error in our request"
"""The whole explanation the API server gives for a JSON patch that cannot be applied."""
_MALFORMED = "Invalid JSON Patch"
_GO_TYPES = {"json": "jsonpatch.Patch", "strategic": "map[string]interface {}"}
_NO_OBJECT = (
    "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { "
    'APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)
OPERATIONS_MAX = 10_000
"""Maximum number of operations of a JSON patch (apiserver maxJSONPatchOperations)."""


def patched(document: Json, patch: str, kind: str, *, minor: int) -> Json:
    """The document with a patch of ``kind`` strategic, merge or json applied. Raises ApiError. Cost: O(document)."""
    apply_patch = _APPLY.get(kind)
    if apply_patch is None:
        raise bad_request(f'the patch type "{kind}" is not supported')
    body = _body(patch, kind, minor=minor)
    try:
        found: Json = apply_patch(document, body)
    except BadPatch:
        raise ApiError(Answer(code=422, reason="Invalid", message=UNEXPLAINED)) from None
    except TooDeep as error:
        raise bad_request(str(error)) from None
    except CopiesTooMuch as error:
        raise ApiError(Answer(code=422, reason="", message=str(error))) from None
    except PatchFault as error:
        raise ApiError(Answer(code=500, reason="", message=str(error))) from None
    # Operations can nest a document deeper than the texts it was made from.
    if kind == "json" and is_too_deep_value(found):
        raise bad_request(TOO_DEEP)
    problem = restore_problem(found, minor=minor) if kind == "strategic" else _other_type(document, found, minor)
    if problem:
        raise _invalid(go_text(body) if kind == "strategic" else _compact(found), problem)
    return found


def _other_type(document: Json, found: Json, minor: int) -> str:
    """The decoder's text for an object whose type the patch changed."""
    for key, word in (("kind", "Kind"), ("apiVersion", "apiVersion")):
        if document.get(key) and not found.get(key):
            return f"Object '{word}' is missing in '{_compact(found)}'"
    kind, version = found.get("kind"), found.get("apiVersion")
    if (kind, version) == (document.get("kind"), document.get("apiVersion")):
        return ""
    known = KINDS.get(str(kind))
    if known is None or version not in known.api_versions(minor):
        return f'no kind "{kind}" is registered for version "{version}" in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"'
    return "" if kind == document.get("kind") else f"converting (v1.{kind}) to (core.{document['kind']}): unknown conversion"


def undecodable(document: Json, why: str) -> ApiError:
    """422: the patched object has a value of the wrong type; ``why`` is the decoder's text."""
    return _invalid(_compact(document), why)


def _invalid(shown: str, why: str) -> ApiError:
    return invalid_object("", "", [invalid("patch", shown, why)])


def _too_large(why: str) -> ApiError:
    return ApiError(Answer(code=413, reason="RequestEntityTooLarge", message=f"Request entity too large: {why}"))


def _compact(document: Json) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _body(patch: str, kind: str, *, minor: int) -> Any:
    try:
        body = decode(patch)
    except ValueError:
        raise _unreadable(syntax_problem(patch) or UNFINISHED, kind, minor) from None
    if kind == "merge" and isinstance(body, list):
        raise _invalid(json.dumps(body, separators=(",", ":")), _NO_OBJECT)
    # The body null is an empty patch for two of the kinds; as a merge patch it is refused.
    if body is None and kind != "merge":
        return [] if kind == "json" else {}
    if not isinstance(body, list if kind == "json" else dict):
        raise _unreadable(f"json: cannot unmarshal {_given(body)} into Go value of type {_GO_TYPES.get(kind)}", kind, minor)
    if kind == "json" and len(body) > OPERATIONS_MAX:
        raise _too_large(f"The allowed maximum operations in a JSON patch is {OPERATIONS_MAX}, got {len(body)}")
    for item in body if kind == "json" else ():
        if not isinstance(item, dict):
            raise bad_request(f"json: cannot unmarshal {_given(item)} into Go value of type jsonpatch.Operation")
    return body


def _unreadable(problem: str, kind: str, minor: int) -> ApiError:
    if kind == "merge":
        # Depending on the version this is a 500 or a 400.
        is_internal = facts_of(minor).malformed_merge_is_internal
        return ApiError(Answer(code=500, reason="", message=_MALFORMED)) if is_internal else bad_request(_MALFORMED)
    if kind == "strategic" and problem == UNFINISHED:
        return bad_request("unexpected EOF")
    return bad_request(problem)


def _given(value: Any) -> str:
    if isinstance(value, dict | list):
        return "object" if isinstance(value, dict) else "array"
    return "bool" if isinstance(value, bool) else "string" if isinstance(value, str) else "number"
