"""Changes of a document: how a PATCH, a PUT or an apply changes the object that is shown.

Source: apiserver pkg/endpoints/handlers/patch.go and update.go; pkg/registry/rest/update.go
BeforeUpdate.
"""

import json
from collections.abc import Callable

from simulator.engine.apiserver.answer import Answer, ApiError, bad_request
from simulator.engine.apiserver.documents.custom import info_in
from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.apiserver.kind_answers import info_of, missing_answer, unreadable
from simulator.engine.apiserver.patch.request import patched, undecodable
from simulator.engine.apiserver.store.merge import three_way
from simulator.engine.apiserver.store.preconditions import ChangeTarget, before_update
from simulator.engine.apiserver.wire.decoding import read_typed
from simulator.engine.apiserver.wire.shapes import shape_problem
from simulator.engine.kernel.json_text import Json, decode
from simulator.engine.model.meta import LAST_APPLIED, without_empty
from simulator.engine.world.effects import Effects

STORED_BYTES_MAX = 3 << 19
"""The size limit of an object in bytes; etcd accepts no request of more than 1.5 MiB."""
Edit = Callable[[Json], Json]
"""Makes the wanted document from the shown one. Raises ApiError."""
Prepare = Callable[[Json, Json], Json]


def minor_of_run(fx: Effects) -> int:
    """The minor version of the run's Kubernetes."""
    return fx.world.release.minor


def by_patch(text: str, kind: str, *, minor: int) -> Edit:
    """PATCH with JSON text; ``kind`` strategic, merge or json."""
    return lambda shown: patched(shown, text, kind, minor=minor)


def by_put(document: Json) -> Edit:
    """PUT of a whole document; its status is left to the status subresource."""
    return lambda shown: {**document, **({"status": shown["status"]} if "status" in shown else {})}


def by_apply(applied: str, wanted: Json) -> Edit:
    """``kubectl apply``: a three-way merge with what was applied last (JSON text; empty: what the object's annotation says).

    If the object has kubectl's annotation of what was applied, the annotation is updated.
    """

    def edit(shown: Json) -> Json:
        # What this run applied is stored; kubectl's annotation is only read from imported objects.
        before = json.loads(applied) if applied else _annotated(shown)
        merged: Json = three_way(_own(before), _own(_noted(wanted, shown)), shown)
        return merged

    return edit


def _noted(wanted: Json, shown: Json) -> Json:
    notes = (wanted.get("metadata") or {}).get("annotations") or {}
    if LAST_APPLIED in notes or LAST_APPLIED not in ((shown.get("metadata") or {}).get("annotations") or {}):
        return wanted
    space = {"namespace": shown["metadata"]["namespace"]} if "namespace" in shown["metadata"] else {}
    applied = {**wanted, "metadata": {"annotations": {}, **wanted["metadata"], **space}}
    text = json.dumps(applied, separators=(",", ":"), ensure_ascii=False, sort_keys=True) + "\n"
    return {**wanted, "metadata": {**wanted["metadata"], "annotations": {**notes, LAST_APPLIED: text}}}


def _annotated(shown: Json) -> Json:
    """What kubectl applied last to an object from another cluster; empty if that cannot be read."""
    text = ((shown.get("metadata") or {}).get("annotations") or {}).get(LAST_APPLIED)
    try:
        found = decode(text) if isinstance(text, str) else None
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {}


def _own(document: Json) -> Json:
    """What a client applies, without the parts that are not the client's to set: its identity and its status."""
    return {key: value for key, value in document.items() if key not in ("apiVersion", "kind", "status")}


def edited(
    fx: Effects, kind: str, names: tuple[str, str], edit: Edit, *, is_patch: bool, prepare: Prepare | None = None
) -> tuple[Json, Json]:
    """The object as it is shown and as the change wants it. Raises ApiError: 404, 400, 409, 422, or what the edit raises.

    The server decodes the wanted object, status included, before anything else looks at it, so every kind is checked here.
    ``prepare`` takes the shown and the wanted object, and returns the wanted one reduced to what may be changed at all.
    """
    namespace, name = names
    try:
        shown = object_document(fx.world, kind, namespace, name)
    except KeyError:
        raise missing_answer(info_in(fx.world, kind), name) from None
    # A deep copy: an edit may modify its argument.
    wanted = edit(json.loads(json.dumps(shown)))
    if len(json.dumps(wanted, ensure_ascii=False, separators=(",", ":"))) > STORED_BYTES_MAX:
        raise ApiError(Answer(code=500, reason="", message="etcdserver: request is too large"))
    wanted = _decoded(wanted, shown, minor=fx.world.release.minor, is_patch=is_patch)
    if not isinstance(wanted.get("metadata"), dict):
        raise bad_request("metadata: Required value")
    wanted["metadata"] = without_empty(wanted["metadata"])
    info = info_of(shown)
    target = ChangeTarget(resource=info.plural, name=name, namespace=namespace if info.namespaced else "", group=info.group)
    taken = prepare(shown, wanted) if prepare is not None else wanted
    changed: Json = before_update(shown, taken, target, is_patch=is_patch)
    return shown, changed


def _decoded(wanted: Json, shown: Json, *, minor: int, is_patch: bool) -> Json:
    """The changed object as the server decodes it, without fields that the version does not know. Raises ApiError for a field whose shape
    is wrong for the kind, naming it."""
    wanted = {**wanted, "apiVersion": shown["apiVersion"], "kind": shown["kind"]}
    problem = shape_problem(wanted, minor=minor)
    if problem:
        raise undecodable(wanted, problem) if is_patch else unreadable(wanted, problem)
    return read_typed(wanted, "", minor=minor, is_valid=True)[0]
