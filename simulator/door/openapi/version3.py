"""``/openapi/v3``: a document for each group version, with its types and everything they refer to.

Source: kube-openapi pkg/handler3, pkg/builder3.
"""

from typing import Any

from simulator.door.openapi.custom import CustomKinds, custom_types
from simulator.door.openapi.definitions import closure, described, types_of
from simulator.door.openapi.paths import PathOperation, operations
from simulator.door.resources import Resource
from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.span import Span

SERVED = Span(since=24)
"""The releases that serve it (the feature gate OpenAPIV3: beta and on by default since 1.24)."""
_PREFIX = "#/components/schemas/"
_ONE_OF = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"oneOf": [{"type": "string"}, {"type": "number"}]},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
        "format": "int-or-string",
        "oneOf": [{"type": "integer"}, {"type": "string"}],
    },
}
"""Types that version 3 documents describe by the JSON they accept (OpenAPIV3OneOfTypes of each)."""


def group_paths(minor: int) -> dict[str, str]:
    """The paths of the documents, ``api/v1`` and ``apis/apps/v1``, each with its group version."""
    versions = dict.fromkeys(item.group_version for item in described(types_of(minor)))
    return {f"apis/{version}" if "/" in version else f"api/{version}": version for version in versions}


def openapi3(minor: int, group_version: str) -> Json:
    """The document of a group version, as JSON values."""
    types = types_of(minor)
    resources = [item for item in described(types) if item.group_version == group_version]
    names = {name for key, name in types.kinds.items() if key.partition(" ")[0] == group_version}
    return document(minor, resources, closure(types, names))


def custom_openapi3(minor: int, custom: CustomKinds, group_version: str) -> Json:
    """The document of a group version of custom kinds."""
    resources = [item for item in custom.resources if item.group_version == group_version]
    return document(minor, resources, custom_types(custom, types_of(minor), is_version2=False, group_version=group_version))


def document(minor: int, resources: list[Resource], definitions: dict[str, Json]) -> Json:
    """A document with these resources and types."""
    paths: dict[str, Json] = {}
    for resource in resources:
        for item in operations(resource):
            paths.setdefault(item.path, {})[item.method] = _operation(item)
    schemas = {name: _ONE_OF.get(name) or _pointing(schema) for name, schema in definitions.items()}
    info = {"title": "Kubernetes", "version": f"v1.{minor}.0"}
    return {"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": schemas}}


def _operation(item: PathOperation) -> Json:
    parameters = [{"name": name, "in": "query", "schema": {"type": form, "uniqueItems": True}} for name, form in item.parameters]
    kind = {"x-kubernetes-action": item.action, "x-kubernetes-group-version-kind": item.kind}
    return {"operationId": item.id, "parameters": parameters, "responses": {"200": {"description": "OK"}}, **kind}


def _pointing(node: Any) -> Any:
    """The schema with references in the form of version 3 documents: inside allOf if there are other keys next to them."""
    if isinstance(node, list):
        return [_pointing(item) for item in node]
    if not isinstance(node, dict):
        return node
    if isinstance(node.get("$ref"), str):
        reference = {"$ref": f"{_PREFIX}{node['$ref']}"}
        others = {key: item for key, item in node.items() if key != "$ref"}
        return {"allOf": [reference], **others} if others else reference
    return {key: _pointing(item) for key, item in node.items()}
