"""The path of a new object into the store: names, admission, validation, then the write.

Requests are checked first and carried out later: every function checks the request against the
tables as they are and returns the act that stores. The record of the command comes between the
two, so that it is the cause of what follows.

The namespace is checked before anything else: one that is being deleted accepts nothing new (403
with a cause), one that is gone is a 404. A namespace that was never created is not an error here,
unlike in a real cluster, where NamespaceLifecycle refuses it.

That a pod's name is taken is found last, as in the server, where storage finds it: a pod that is
also invalid gets the 422. A terminating object still owns its name. The name of a controller's pod
is drawn before the checks, so a refused pod uses up its suffix, and the next one gets another. If a
generated name is taken, newer servers draw again (``generated_name_tries``); older ones leave that
to the client.

Three callers differ in what they skip. A client's object goes the whole way. Controllers send many
pods of one template, which are completed once and shared (``alike``). What a run starts with was
validated when the run was created, and only admission can still refuse it.

Source: apiserver pkg/endpoints/handlers/create.go, pkg/registry/rest/create.go BeforeCreate; the
admission plug-ins.
"""

import json
from typing import Any

import msgspec

from simulator.engine.apiserver.answer import Answer, ApiError, Cause, bad_request
from simulator.engine.apiserver.create import CreateRequest, as_sent, completed
from simulator.engine.apiserver.documents.implied import gone_counter, namespaces
from simulator.engine.apiserver.kind_answers import forbidden_answer, info_of, missing_answer, taken
from simulator.engine.apiserver.pods import create_pod, draw_name
from simulator.engine.apiserver.refusal import Doing, Refusal, refusal_of
from simulator.engine.apiserver.store.custom import new_custom
from simulator.engine.apiserver.store.edits import by_apply
from simulator.engine.apiserver.store.nodes import change_node, is_machine
from simulator.engine.apiserver.store.objects import create_object
from simulator.engine.apiserver.store.security import note_security
from simulator.engine.apiserver.store.surroundings import alike, completed_pod
from simulator.engine.apiserver.store.unacted import note_unacted
from simulator.engine.kernel.errors import BadManifest
from simulator.engine.kernel.json_text import Json, decode
from simulator.engine.kernel.records import RecordKind
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.manifest import pod_from_document, stored_pod
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import ApiObject, object_subject


def place_of(document: Json, namespace: str) -> tuple[str, str, str]:
    """Kind, namespace and name of a document that is sent to a namespace; the namespace is empty for cluster-wide kinds."""
    metadata = document.get("metadata") or {}
    kind = str(document.get("kind") or "")
    space = str(metadata.get("namespace") or namespace) if info_of(document).namespaced else ""
    return kind, space, str(metadata.get("name") or "")


def place_of_text(text: str, namespace: str) -> tuple[str, str, str]:
    """The same for a document as JSON text; empty strings if it cannot be read."""
    try:
        return place_of(read_document(text), namespace)
    except ApiError:
        return "", "", ""


def read_document(text: str) -> Json:
    """The document in a request's body. Raises ApiError (400)."""
    try:
        document = decode(text)
    except ValueError as error:
        raise bad_request(str(error)) from None
    if not isinstance(document, dict) or not isinstance(document.get("metadata") or {}, dict):
        raise bad_request("the object provided is unrecognized (must be of type Object)")
    return document


def check_namespace(fx: Effects, document: Json, namespace: str) -> None:
    """Refuse a new object in a namespace that is being deleted, or was. Raises Refusal, ApiError (404).

    Namespaces need not be created.
    """
    _, space, name = place_of(document, namespace)
    if space and fx.world.counters.get(gone_counter(space)) and space not in namespaces(fx.world):
        raise missing_answer(KINDS["Namespace"], space)
    if not space or not fx.world.is_terminating(space):
        return
    why = f"unable to create new content in namespace {space} because it is being terminated"
    cause = Cause(reason="NamespaceTerminating", message=f"namespace {space} is being terminated", field="metadata.namespace")
    raise refusal_of(forbidden_answer(info_of(document), name, why, causes=(cause,)), "NAMESPACE-TERMINATING")


def creating(fx: Effects, document: Json, namespace: str, *, text: str = "", dry_run: bool = False) -> Doing:
    """Check a new object; the act stores it. Raises ApiError, or Refusal if a rule of its own explains more."""
    check_namespace(fx, document, namespace)
    kind, space, name = place_of(document, namespace)
    if kind == "Pod":
        return _creating_pod(fx, document, space, text or json.dumps(document, ensure_ascii=False), dry_run=dry_run)
    if (kind, space, name) in fx.tables.objects:
        held = fx.tables.objects[(kind, space, name)]
        raise taken(info_of(document), name, is_terminating=held.deletion_ms is not None)
    if kind == "Node" and is_machine(fx, name):
        raise taken(KINDS["Node"], name)
    release = fx.world.release
    version, info = document.get("apiVersion"), info_of(document)
    if version and info.versions and version not in info.api_versions(release.minor):
        raise ApiError(Answer(code=404, reason="NotFound", message="the server could not find the requested resource"))
    whole = _completed_object(fx, document, space, text=text, dry_run=dry_run)
    return lambda: _create(fx, document, whole, space, text)


def _completed_object(fx: Effects, document: Json, space: str, *, text: str, is_valid: bool = False, dry_run: bool = False) -> Json:
    """An object other than a pod as the store keeps it, except that a name may still have to be generated. Raises ApiError."""
    kind = str(document.get("kind") or "")
    if kind not in KINDS:
        return new_custom(fx, document)
    request = CreateRequest(release=fx.world.release, namespace=space, kind=kind, dry_run=dry_run)
    whole = completed(document, request, body=text or json.dumps(document, ensure_ascii=False), is_valid=is_valid)
    if not (document.get("metadata") or {}).get("name"):
        whole["metadata"] = {key: value for key, value in whole["metadata"].items() if key != "name"}
    return whole


def _create(fx: Effects, document: Json, whole: Json, space: str, text: str) -> None:
    row = create_object(fx, whole, space, applied=text or json.dumps(whole, ensure_ascii=False))
    note_unacted(fx, document, row.subject)
    note_security(fx, whole, space, row.subject)


def _creating_pod(fx: Effects, document: Json, space: str, text: str, *, dry_run: bool) -> Doing:
    whole = completed_pod(fx, document, space, text=text, dry_run=dry_run)
    name = whole["metadata"]["name"]
    held = fx.world.live_pod(space, name)
    if held is not None:
        raise taken(KINDS["Pod"], name, is_terminating=held.deletion_ms is not None)
    return lambda: _store_pod(fx, document, whole, text)


def _store_pod(fx: Effects, document: Json, whole: Json, text: str) -> None:
    metadata = whole["metadata"]
    if not (document.get("metadata") or {}).get("name"):
        draw_name(fx, metadata["namespace"], str(metadata["generateName"]))
    create_pod(fx, msgspec.json.encode(whole).decode(), applied=text)
    subject = object_subject("Pod", metadata["namespace"], metadata["name"])
    note_unacted(fx, document, subject)
    note_security(fx, whole, metadata["namespace"], subject)


def create_pod_of(fx: Effects, document: Json, namespace: str) -> PodRow:
    """Store a pod that a controller sends. Raises ApiError, or Refusal if a rule of its own explains more.

    Pods of one template are defaulted and validated once, so further ones cost about 20 µs. A generated name that another pod has is
    drawn again; with older servers only when the controller retries.
    """
    check_namespace(fx, document, namespace)
    prefix = "" if document["metadata"].get("name") else str(document["metadata"].get("generateName") or "")
    for left in range(fx.profile.generated_name_tries if prefix else 1, 0, -1):
        try:
            found = alike(fx, document, namespace, judged=False)
            if found is None:
                whole = completed_pod(fx, document, namespace, text=as_sent(document))
                found = msgspec.json.encode(whole).decode(), None, str(whole["metadata"]["name"])
        finally:
            if prefix:  # a name is drawn before anything is checked: a refused pod uses up its name
                draw_name(fx, namespace, prefix)
        text, pod, name = found
        taken_by = fx.world.live_pod(namespace, name)
        if taken_by is None:
            break
        if left == 1:
            raise taken(KINDS["Pod"], name, is_terminating=taken_by.deletion_ms is not None)
    return create_pod(fx, text, pod=pod)


def create_object_of(fx: Effects, document: Json, namespace: str) -> ApiObject:
    """Store an object other than a pod that a controller sends; nothing was applied. Raises ApiError, or Refusal."""
    check_namespace(fx, document, namespace)
    kind, space, name = place_of(document, namespace)
    held = fx.tables.objects.get((kind, space, name))
    if held is not None:
        raise taken(info_of(document), name, is_terminating=held.deletion_ms is not None)
    return create_object(fx, _completed_object(fx, document, space, text=""), space, applied="")


def store_initial(fx: Effects, document: dict[str, Any], text: str, namespace: str) -> None:
    """Store an object that a run starts with. The edge has validated it by the same rules, so that is skipped: big runs start fast.

    An object that admission forbids leaves a record of its refusal.
    """
    kind, space, name = place_of(document, namespace)
    if kind == "Node" and is_machine(fx, name):
        _begin_node(fx, document, name)
        return
    if kind != "Pod":
        try:
            whole = _completed_object(fx, document, space, text=text, is_valid=True)
        except ApiError as error:
            record_refusal(fx, document, namespace, refusal_of(error))
        else:
            row = create_object(fx, whole, space, applied=text, with_record=False)
            note_unacted(fx, document, row.subject)
            note_security(fx, whole, space, row.subject)
        return
    found = alike(fx, document, space)
    if found is not None:
        create_pod(fx, found[0], applied=text, pod=found[1])
        note_unacted(fx, document, object_subject(kind, space, name))
        return
    try:
        stored_pod(text)
    except BadManifest:  # of nulls, or headers may come from anywhere: building a world from a bad one raises BadManifest
        pod_from_document(document)
    try:
        whole = completed_pod(fx, document, space, text=text, is_valid=True)
    except Refusal as refused:
        record_refusal(fx, document, namespace, refused)
    except ApiError as error:
        record_refusal(fx, document, namespace, refusal_of(error))
    else:
        _store_pod(fx, document, whole, text)


def _begin_node(fx: Effects, document: Json, name: str) -> None:
    """Apply the manifest of a node that the cluster has: its labels and taints, and whether pods may be scheduled."""
    try:
        act = change_node(fx, name, by_apply("", document), is_patch=True)
    except ApiError as error:
        record_refusal(fx, document, "", refusal_of(error))
    else:
        act()


def record_refusal(fx: Effects, document: Json, namespace: str, refused: Refusal) -> None:
    """Write a record of one document's refusal, among several that were sent together."""
    kind, space, name = place_of(document, namespace)
    fx.record(
        kind=RecordKind.COMMAND.value, subject=object_subject(kind, space, name), machine="command", target="refused",
        rule=refused.rule, data=(("do", "apply"), *refused.data),
    )  # fmt: skip
