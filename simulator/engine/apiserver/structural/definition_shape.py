"""The types of a CustomResourceDefinition's fields, as far as something here reads them: Go's decoder refuses any other value.

Source: apiextensions-apiserver pkg/apis/apiextensions/v1 types.go, types_jsonschema.go.
"""

from simulator.engine.kernel.json_text import Json

_TEXT: Json = {"type": "string"}
_TRUTH: Json = {"type": "boolean"}
_WHOLE: Json = {"type": "integer", "format": "int64"}
_NUMBER: Json = {"type": "number"}
_TEXTS: Json = {"type": "array", "items": _TEXT}


def _fields(title: str, **fields: Json) -> Json:
    return {"type": "object", "title": title, "properties": fields}


_SCHEMA: Json = {"type": "object", "title": "JSONSchemaProps"}
_SCHEMAS: Json = {"type": "array", "items": _SCHEMA}
_SCHEMA["properties"] = {
    **dict.fromkeys(
        ("type", "format", "pattern", "title", "description", "$ref", "x-kubernetes-list-type", "x-kubernetes-map-type"), _TEXT
    ),
    **dict.fromkeys(("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"), _WHOLE),
    **dict.fromkeys(("maximum", "minimum", "multipleOf"), _NUMBER),
    **dict.fromkeys(("exclusiveMaximum", "exclusiveMinimum", "uniqueItems", "nullable"), _TRUTH),
    **dict.fromkeys(("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string"), _TRUTH),
    **dict.fromkeys(("required", "x-kubernetes-list-map-keys"), _TEXTS),
    **dict.fromkeys(("allOf", "anyOf", "oneOf"), _SCHEMAS),
    "enum": {"type": "array"},
    "properties": {"type": "object", "additionalProperties": _SCHEMA},
    "not": _SCHEMA,
    "items": _SCHEMA,
}
_SCHEMA["properties"]["additionalProperties"] = {"title": "JSONSchemaPropsOrBool", "properties": _SCHEMA["properties"]}
_COLUMN = _fields(
    "CustomResourceColumnDefinition", priority={"type": "integer", "format": "int32"},
    **dict.fromkeys(("name", "type", "format", "description", "jsonPath"), _TEXT),
)  # fmt: skip
_SCALE = _fields("CustomResourceSubresourceScale", **dict.fromkeys(("specReplicasPath", "statusReplicasPath", "labelSelectorPath"), _TEXT))
_VERSION = _fields(
    "CustomResourceDefinitionVersion",
    name=_TEXT, served=_TRUTH, storage=_TRUTH, deprecated=_TRUTH,
    schema=_fields("CustomResourceValidation", openAPIV3Schema=_SCHEMA),
    subresources=_fields("CustomResourceSubresources", status={"type": "object"}, scale=_SCALE),
    additionalPrinterColumns={"type": "array", "items": _COLUMN},
)  # fmt: skip
_NAMES = _fields(
    "CustomResourceDefinitionNames", shortNames=_TEXTS, categories=_TEXTS,
    **dict.fromkeys(("plural", "singular", "kind", "listKind"), _TEXT),
)  # fmt: skip
SHAPE = _fields(
    "CustomResourceDefinition",
    spec=_fields(
        "CustomResourceDefinitionSpec", group=_TEXT, scope=_TEXT, names=_NAMES, versions={"type": "array", "items": _VERSION}
    ),
)  # fmt: skip
"""The definition. A schema contains schemas, so this one contains itself: walk it along a document."""
