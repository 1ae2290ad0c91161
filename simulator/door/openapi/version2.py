"""``/openapi/v2``: the document as JSON, and as protobuf, which is the only form that kubectl reads.

Source: gnostic openapiv2/OpenAPIv2.proto, whose field numbers are used here.
"""

import json
from typing import Any

from simulator.door.openapi.custom import CustomKinds, custom_types
from simulator.door.openapi.definitions import closure, types_of
from simulator.door.openapi.paths import PathOperation, operations
from simulator.door.resources import built_in
from simulator.engine.kernel.json_text import Json

_METHODS = {"get": 2, "put": 3, "post": 4, "delete": 5, "patch": 8}
_PREFIX = "#/definitions/"


def swagger(minor: int, custom: CustomKinds | None = None) -> Json:
    """The document as JSON values, including the cluster's custom kinds if it has any."""
    types = types_of(minor)
    paths: dict[str, Json] = {}
    # kubectl 1.20 tries only what it finds here, so kinds without a definition have their operations too.
    for resource in [*built_in(minor), *(custom.resources if custom else ())]:
        for item in operations(resource):
            paths.setdefault(item.path, {})[item.method] = _operation(item)
    found = closure(types, set(types.kinds.values())) | (custom_types(custom, types, is_version2=True) if custom else {})
    info = {"title": "Kubernetes", "version": f"v1.{minor}.0"}
    return {"swagger": "2.0", "info": info, "paths": paths, "definitions": {name: _pointing(schema) for name, schema in found.items()}}


def _operation(item: PathOperation) -> Json:
    parameters = [{"uniqueItems": True, "type": form, "name": name, "in": "query"} for name, form in item.parameters]
    kind = {"x-kubernetes-action": item.action, "x-kubernetes-group-version-kind": item.kind}
    return {"operationId": item.id, "parameters": parameters, "responses": {"200": {"description": "OK"}}, **kind}


def _pointing(node: Any) -> Any:
    """The schema with references in the form of version 2 documents."""
    if isinstance(node, dict):
        return {key: f"{_PREFIX}{item}" if key == "$ref" and isinstance(item, str) else _pointing(item) for key, item in node.items()}
    return [_pointing(item) for item in node] if isinstance(node, list) else node


def in_protobuf(document: Json) -> bytes:
    """The document as a gnostic openapi.v2.Document."""
    info = _field(1, document["info"]["title"]) + _field(2, document["info"]["version"])
    paths = b"".join(_field(2, _named(path, _path(item))) for path, item in document["paths"].items())
    definitions = b"".join(_field(1, _named(name, _schema(item))) for name, item in document["definitions"].items())
    return _field(1, document["swagger"]) + _field(2, info) + _field(8, paths) + _field(9, definitions)


def _field(number: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _number(number << 3 | 2) + _number(len(data)) + data


def _number(value: int) -> bytes:
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    written.append(value)
    return bytes(written)


def _named(name: str, value: bytes) -> bytes:
    return _field(1, name) + _field(2, value)


def _extensions(node: Json, number: int) -> bytes:
    """The keys that begin with x-, as YAML (JSON is a subset)."""
    found = ((key, _field(2, json.dumps(value) + "\n")) for key, value in node.items() if key.startswith("x-"))
    return b"".join(_field(number, _named(key, value)) for key, value in found)


def _path(item: Json) -> bytes:
    return b"".join(_field(_METHODS[method], _written(operation)) for method, operation in item.items())


def _written(operation: Json) -> bytes:
    # A query parameter is field 3 of NonBodyParameter, which is field 2 of Parameter, which is field 1 of
    # ParametersItem.
    queries = (_field(2, "query") + _field(4, each["name"]) + _field(6, each["type"]) for each in operation["parameters"])
    parameters = b"".join(_field(8, _field(1, _field(2, _field(3, query)))) for query in queries)
    answer = _field(9, _field(1, _named("200", _field(1, _field(1, "OK")))))
    return _field(5, operation["operationId"]) + parameters + answer + _extensions(operation, 13)


def _schema(node: Json) -> bytes:
    written = b""
    for number, key in ((1, "$ref"), (2, "format"), (4, "description")):
        if key in node:
            written += _field(number, node[key])
    written += b"".join(_field(19, name) for name in node.get("required", ()))
    if "additionalProperties" in node:
        written += _field(21, _field(1, _schema(node["additionalProperties"])))
    if "type" in node:
        written += _field(22, _field(1, node["type"]))
    if "items" in node:
        written += _field(23, _field(1, _schema(node["items"])))
    if "properties" in node:
        written += _field(25, b"".join(_field(1, _named(name, _schema(item))) for name, item in node["properties"].items()))
    return written + _extensions(node, 31)
