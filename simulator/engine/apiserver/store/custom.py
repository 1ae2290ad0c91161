"""Objects of custom kinds on their way into the store: pruned, defaulted and validated by the schema of their definition.

A kind without a definition is stored as it is sent.
"""

from simulator.engine.apiserver.answer import bad_request, invalid_object
from simulator.engine.apiserver.documents.custom import custom_kinds
from simulator.engine.apiserver.documents.definitions import DefinedVersion, defined_kind
from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.apiserver.kind_answers import unreadable
from simulator.engine.apiserver.structural.checks import schema_errors
from simulator.engine.apiserver.structural.definition_checks import definition_errors, established
from simulator.engine.apiserver.structural.definition_shape import SHAPE
from simulator.engine.apiserver.structural.values import SchemaTooCostly, SchemaWork, defaulted, pruned, spec_as_read
from simulator.engine.apiserver.wire.shapes import misread
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.custom import DEFINITION
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.meta import without_managed
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World

_HEAD = ("apiVersion", "kind", "metadata")
_MAP, _LIST = {"type": "object"}, {"type": "array"}
_METADATA: Json = {
    "type": "object",
    "properties": {
        "metadata": {
            "type": "object",
            "title": "ObjectMeta",
            "properties": {"labels": _MAP, "annotations": _MAP, "finalizers": _LIST, "ownerReferences": {**_LIST, "items": _MAP}},
        }
    },
}
"""The parts of metadata that controllers, selectors and tables read."""
TOO_DEAR = "the object and the schema of its definition are too large to be judged here"


def new_custom(fx: Effects, document: Json) -> Json:
    """A new object of a custom kind, or a definition, as the store keeps it. Raises ApiError (400, 422)."""
    _check_shape(document, _METADATA)
    bare = without_managed(document)
    if document["kind"] == DEFINITION.kind:
        return _definition(fx, bare)
    whole = judged_custom(fx.world, bare)
    version = version_in(fx.world, whole)
    # What belongs to a subresource is not taken from a new object.
    return {key: value for key, value in whole.items() if key != "status"} if version is not None and version.has_status else whole


def _check_shape(document: Json, schema: Json) -> None:
    why = misread(document, schema)
    if why:
        raise unreadable(document, why)
    if None in ((document.get("metadata") or {}).get("ownerReferences") or ()):
        raise unreadable(document, "metadata.ownerReferences has an item that is null")


def version_in(world: World, document: Json) -> DefinedVersion | None:
    """The definition of the object's version; None if it has none."""
    defined = defined_kind(world, str(document.get("kind")))
    return defined.version_of(str(document.get("apiVersion") or "")) if defined is not None else None


def changed_custom(fx: Effects, shown: Json, wanted: Json) -> Json:
    """A changed object of a custom kind, or a definition, as the store keeps it. Raises ApiError (400, 422)."""
    _check_shape(wanted, _METADATA)
    if wanted["kind"] == DEFINITION.kind:
        return _definition(fx, wanted, held=shown)
    return judged_custom(fx.world, wanted)


def judged_custom(world: World, document: Json) -> Json:
    """The object pruned and with defaults, if its kind is defined. Raises ApiError (422)."""
    version = version_in(world, document)
    if version is None:
        return document
    work = SchemaWork()
    try:
        whole: Json = defaulted(pruned(document, version.schema, is_root=True), version.schema, work)
        body = {key: value for key, value in whole.items() if key not in _HEAD}
        errors = schema_errors(body, _body(version.schema), work)
    except SchemaTooCostly:
        raise bad_request(TOO_DEAR) from None
    if errors:
        group = str(document["apiVersion"]).rpartition("/")[0]
        raise invalid_object(document["kind"], str(document["metadata"].get("name") or ""), errors, group=group)
    return whole


def _body(schema: Json) -> Json:
    """The schema without the parts that are the same for every kind."""
    return {**schema, "required": [name for name in schema.get("required") or () if name not in _HEAD]}


def _definition(fx: Effects, document: Json, held: Json | None = None) -> Json:
    _check_shape(document, SHAPE)
    document = {**document, "spec": spec_as_read(document.get("spec") or {})}
    name = str(document["metadata"].get("name") or "")
    own = str(((held or {}).get("spec") or {}).get("names", {}).get("kind") or "")
    taken = {*KINDS, DEFINITION.kind, *(info.kind for info in custom_kinds(fx.world) if info.resource != name)} - {own}
    errors = definition_errors(document, taken)
    if errors:
        raise invalid_object(DEFINITION.kind, name, errors, group=DEFINITION.group)
    return established(document, timestamp(fx.now, fx.world.header.epoch_s))
