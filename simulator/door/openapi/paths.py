"""The operations of a release as its OpenAPI documents list them: clients look up which parameters exist.

kubectl leaves field validation to a server whose PATCH has ``fieldValidation``, and since 1.20 requests a dry run only
if there is ``dryRun``. Source: apiserver pkg/endpoints/installer.go; the feature gate ServerSideFieldValidation (beta
and on by default since 1.25).
"""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from simulator.door.resources import Resource
from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.span import Span

FIELD_VALIDATION = Span(since=25)
_STRINGS = {"dryRun": "string", "fieldManager": "string", "fieldValidation": "string", "force": "boolean", "pretty": "string"}
_WRITES = ("dryRun", "fieldManager", "fieldValidation")
_PARAMETERS = {"post": _WRITES, "put": _WRITES, "patch": (*_WRITES, "force"), "delete": ("dryRun",), "get": ("pretty",)}
_VERBS = {"post": "create", "put": "replace", "patch": "patch", "delete": "delete", "get": "read"}


class PathOperation(Struct, frozen=True, kw_only=True):
    """One operation of a path: ``method`` in lower case, ``parameters`` of its query with their types."""

    path: str
    method: str
    id: str
    action: str
    kind: Json
    parameters: tuple[tuple[str, str], ...]


def operations(resource: Resource) -> Iterator[PathOperation]:
    """The operations of a resource and its objects."""
    info = resource.info
    root = f"/apis/{resource.group_version}" if info.group else f"/api/{resource.version}"
    many = f"{root}/namespaces/{{namespace}}/{info.plural}" if info.namespaced else f"{root}/{info.plural}"
    verbs = set(resource.verbs)
    if "list" in verbs:
        yield _operation(resource, many, "get", "list")
    if "list" in verbs and info.namespaced:
        # kubectl 1.27 and 1.28 look for a resource only at this path.
        everywhere = _operation(resource, f"{root}/{info.plural}", "get", "list")
        yield replace(everywhere, id=f"{everywhere.id.replace('Namespaced', '')}ForAllNamespaces")
    if "create" in verbs:
        yield _operation(resource, many, "post", "post")
    for method, verb, action in (
        ("get", "get", "get"),
        ("put", "update", "put"),
        ("patch", "patch", "patch"),
        ("delete", "delete", "delete"),
    ):
        if verb in verbs:
            yield _operation(resource, f"{many}/{{name}}", method, action)


def _operation(resource: Resource, path: str, method: str, action: str) -> PathOperation:
    info = resource.info
    group = "".join(part.capitalize() for part in info.group.removesuffix(".k8s.io").split(".")) or "Core"
    namespaced = "Namespaced" if info.namespaced else ""
    verb = "list" if action == "list" else _VERBS[method]
    known = (name for name in _PARAMETERS[method] if name != "fieldValidation" or FIELD_VALIDATION.holds_for(resource.minor))
    return PathOperation(
        path=path,
        method=method,
        id=f"{verb}{group}{resource.version.capitalize()}{namespaced}{info.kind}",
        action=action,
        kind={"group": info.group, "kind": info.kind, "version": resource.version},
        parameters=tuple((name, _STRINGS[name]) for name in known),
    )
