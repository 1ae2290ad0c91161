"""``fieldValidation``: the API server's response to unknown and duplicate fields.

Strict refuses the write, Warn (the default) reports them in headers, Ignore does nothing; before 1.25 nothing is
checked. A value of a wrong type takes precedence and is reported where the write is tried. Source: apiserver
pkg/endpoints/handlers/{create,patch,rest}.go and pkg/warning; apimachinery pkg/apis/meta/v1/validation;
sigs.k8s.io/json (strict errors); feature gate ServerSideFieldValidation.
"""

import json
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.openapi.paths import FIELD_VALIDATION
from simulator.door.paths import ApiPath
from simulator.door.resources import Resource
from simulator.door.rows import document_at
from simulator.door.scene import DoorScene
from simulator.engine.apiserver.answer import ApiError, invalid_object
from simulator.engine.apiserver.documents.custom_schema import custom_schema
from simulator.engine.apiserver.documents.definitions import defined_kind
from simulator.engine.apiserver.kind_answers import unreadable
from simulator.engine.apiserver.patch.patch import go_text
from simulator.engine.apiserver.patch.request import patched, undecodable
from simulator.engine.apiserver.validation.errors import invalid, not_supported
from simulator.engine.apiserver.wire.catalog import catalog
from simulator.engine.apiserver.wire.decoding import STRICT_MAX, strict_error, strict_problems
from simulator.engine.apiserver.wire.field_paths import child
from simulator.engine.apiserver.wire.shapes import misread
from simulator.engine.kernel.json_text import Json, RepeatedKeys, decode, decode_with_repeats
from simulator.engine.model.kinds import KINDS
from simulator.kubectl.yaml import from_yaml

STRICT, WARN, IGNORE = "Strict", "Warn", "Ignore"
_KNOWN = ("", IGNORE, STRICT, WARN)
_OPTIONS = {"POST": "CreateOptions", "PUT": "UpdateOptions", "PATCH": "PatchOptions"}
_PATCHES = {
    "application/strategic-merge-patch+json": "strategic",
    "application/merge-patch+json": "merge",
    "application/json-patch+json": "json",
}
_SUBRESOURCES = ("", "status", "resize", "ephemeralcontainers")
_LONG, _CUT = 4096, 256
"""The total length of all warnings, in characters, above which each one is cut, and the length it is cut to."""


def field_warnings(request: DoorRequest, place: ApiPath, resource: Resource, scene: DoorScene) -> tuple[str, ...]:
    """The warnings for a client. Raises ApiError for problems under Strict, or for an unknown directive (422)."""
    if request.method not in _OPTIONS or not FIELD_VALIDATION.holds_for(scene.sight.minor):
        return ()
    directive = request.value("fieldValidation")
    if directive not in _KNOWN:
        wrong = not_supported("fieldValidation", directive, _KNOWN)
        raise invalid_object(_OPTIONS[request.method], "", [wrong], group="meta.k8s.io")
    if directive == IGNORE or place.subresource not in _SUBRESOURCES:
        return ()
    try:
        text = request.body.decode()
        if _is_yaml(request):
            text = json.dumps(from_yaml(text))
        found = _of_patch(request, text, place, resource, scene) if request.method == "PATCH" else _of_body(text, resource, scene)
    except ValueError:  # the write itself is refused for it, with its own message
        return ()
    problems, refusal = found
    if problems and directive == STRICT and refusal is not None:
        raise refusal
    return tuple(problems)


def _is_yaml(request: DoorRequest) -> bool:
    """Whether a whole object is sent as YAML. Duplicate keys in it are not reported: the last one counts."""
    return request.method != "PATCH" and request.headers.get("content-type", "").partition(";")[0].strip().lower() == "application/yaml"


_Found = tuple[list[str], ApiError | None]
"""The problems, and the refusal that reports them."""
_NONE: _Found = ([], None)


def _of_body(text: str, resource: Resource, scene: DoorScene) -> _Found:
    document = decode_with_repeats(text)
    schema = _schema(resource, scene)
    if schema is None or not isinstance(document, dict):
        return _NONE
    typed = {"apiVersion": resource.group_version, "kind": resource.info.kind, **document}
    if resource.info.kind in KINDS and misread(typed, schema):
        return _NONE
    problems = _listed(document, schema)
    return problems, unreadable(typed, strict_error(problems))


def _of_patch(request: DoorRequest, text: str, place: ApiPath, resource: Resource, scene: DoorScene) -> _Found:
    how = _PATCHES.get(request.headers.get("content-type", "").partition(";")[0].strip().lower())
    shown = document_at(resource, scene.sight, place.namespace, place.name)
    schema = _schema(resource, scene)
    if how is None or shown is None or schema is None:
        return _NONE
    repeated = [f'duplicate field "{path}"' for path in _repeated(decode_with_repeats(text), "")][:STRICT_MAX]
    try:
        wanted = patched(_deep_copy(shown), text, how, minor=scene.sight.minor)
    except ApiError:
        return _NONE
    if resource.info.kind in KINDS and misread(wanted, schema):
        return _NONE
    # The stored object may have fields of another version of the kind; only fields added by the patch count.
    before = set(_listed(shown, schema))
    problems = [*repeated, *(each for each in _listed(wanted, schema) if each not in before)][:STRICT_MAX]
    why = strict_error(problems)
    refusal = invalid_object("", "", [invalid("patch", go_text(decode(text)), why)]) if how == "strategic" else undecodable(wanted, why)
    return problems, refusal


def _schema(resource: Resource, scene: DoorScene) -> Json | None:
    if resource.info.kind in KINDS:
        return catalog(scene.sight.minor).schema(resource.group_version, resource.info.kind)
    defined = defined_kind(scene.world, resource.info.kind)
    version = defined.versions.get(resource.version) if defined is not None else None
    return custom_schema(version.schema, scene.sight.minor) if version is not None and version.schema else None


def _listed(document: Any, schema: Json) -> list[str]:
    return strict_problems(document, schema, again=_again)


def _repeated(value: Any, path: str) -> Iterator[str]:
    """The paths of the fields that a text gives twice."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _repeated(item, child(path, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _repeated(item, child(path, key))
        yield from (child(path, key) for key in _again(value))


def _again(value: Json) -> list[str]:
    return value.again if isinstance(value, RepeatedKeys) else []


def _deep_copy(document: Json) -> Json:
    """A deep copy: a patch may modify its input."""
    return {key: _copy(item) for key, item in document.items()}


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def with_warnings(reply: DoorReply, warnings: tuple[str, ...]) -> DoorReply:
    """The answer with its warnings as headers; a refusal has only those the API server issued before it."""
    total = sum(map(len, warnings))
    cut = (text[:_CUT] if total > _LONG else text for text in dict.fromkeys(warnings))
    headers = [("Warning", warning) for text in cut if (warning := warning_value(text))]
    return replace(reply, headers=(*reply.headers, *headers)) if headers else reply


def warning_value(text: str) -> str:
    """The value of a Warning header; "" for a text with control characters, which the API server leaves out.

    Source: apimachinery pkg/util/net/http.go NewWarningHeader. Characters outside Latin-1 are sent as UTF-8.
    """
    if not text.isprintable():
        return ""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'299 - "{quoted}"'.encode().decode("latin-1")
