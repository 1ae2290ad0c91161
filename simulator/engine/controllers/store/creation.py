"""The way of a new object into the store: names, admission, validation, then the write.

Source: apiserver pkg/endpoints/handlers/create.go, pkg/registry/rest/create.go BeforeCreate; the admission plug-ins.
"""

import json
from typing import Any

from simulator.engine.api.answer import Answer, ApiError, Cause, bad_request, forbidden_object
from simulator.engine.api.defaults.admission import admit as add_admitted
from simulator.engine.api.defaults.admission import token_volume
from simulator.engine.api.defaults.kinds import default_object
from simulator.engine.api.defaults.pod import default_pod_document
from simulator.engine.api.manifest import pod_from_document, without_nulls
from simulator.engine.api.shapes import shape_problem
from simulator.engine.api.validation.disabled import drop_disabled_fields, used_by
from simulator.engine.controllers.admission import admit
from simulator.engine.controllers.api_server import create_pod
from simulator.engine.controllers.priority import class_problem, given_problem, with_priority
from simulator.engine.controllers.refusal import Doing, Refusal, refusal_of
from simulator.engine.controllers.store.checks import check_new, check_new_pod
from simulator.engine.controllers.store.edits import Document, by_apply, minor_of_run
from simulator.engine.controllers.store.nodes import change_node, is_machine
from simulator.engine.controllers.store.objects import create_object, without_managed
from simulator.engine.controllers.store.resources import info_of, invalid, missing, taken, unreadable
from simulator.engine.effects import Effects
from simulator.engine.errors import BadManifest
from simulator.engine.json_text import decode
from simulator.engine.records import RecordKind
from simulator.engine.views.defaults import pod_defaults
from simulator.engine.views.implied import gone_counter, namespaces
from simulator.engine.views.layout import layout_of
from simulator.engine.world import object_subject


def place_of(document: Document, namespace: str) -> tuple[str, str, str]:
    """Kind, namespace and name of a document that is sent to a namespace; kinds without one have none."""
    metadata = document.get("metadata") or {}
    kind = str(document.get("kind") or "")
    space = str(metadata.get("namespace") or namespace) if info_of(kind).namespaced else ""
    return kind, space, str(metadata.get("name") or "")


def place_of_text(text: str, namespace: str) -> tuple[str, str, str]:
    """The same for a document as JSON text; empty words where it cannot be read."""
    try:
        return place_of(read_document(text), namespace)
    except ApiError:
        return "", "", ""


def read_document(text: str) -> Document:
    """The document in a request's body. Raises ApiError (400)."""
    try:
        document = decode(text)
    except ValueError as error:
        raise bad_request(str(error)) from None
    if not isinstance(document, dict) or not isinstance(document.get("metadata") or {}, dict):
        raise bad_request("the object provided is unrecognized (must be of type Object)")
    return document


def check_namespace(fx: Effects, document: Document, namespace: str) -> None:
    """Nothing new may come into a namespace that is being deleted, or that was. Raises Refusal, ApiError (404).

    Namespaces need not be created.
    """
    kind, space, name = place_of(document, namespace)
    if space and fx.world.counters.get(gone_counter(space)) and space not in namespaces(fx.world):
        raise missing("Namespace", space)
    if not space or not fx.world.is_terminating(space):
        return
    info = info_of(kind)
    why = f"unable to create new content in namespace {space} because it is being terminated"
    cause = Cause(reason="NamespaceTerminating", message=f"namespace {space} is being terminated", field="metadata.namespace")
    error = forbidden_object(info.plural, name, why, group=info.group, causes=(cause,))
    raise refusal_of(error, "NAMESPACE-TERMINATING")


def creating(fx: Effects, document: Document, namespace: str) -> Doing:
    """Check a new object; the act stores it. Raises ApiError, or Refusal where a rule of its own tells more."""
    check_namespace(fx, document, namespace)
    kind, space, name = place_of(document, namespace)
    if kind == "Pod":
        return _creating_pod(fx, document, space)
    if (kind, space, name) in fx.tables.objects:
        held = fx.tables.objects[(kind, space, name)]
        raise taken(kind, name, is_terminating=held.deletion_ms is not None)
    if kind == "Node" and is_machine(fx, name):
        raise taken(kind, name)
    minor = minor_of_run(fx)
    version, info = document.get("apiVersion"), info_of(kind)
    if version and info.versions and version not in info.api_versions(minor):
        raise ApiError(Answer(code=404, reason="NotFound", message="the server could not find the requested resource"))
    _check_shape(fx, document)
    errors = check_new(default_object(document, minor=minor), minor=minor)
    if errors:
        raise invalid(kind, name, errors)
    _check_revision(document)
    return lambda: _create(fx, document, space)


def _check_revision(document: Document) -> None:
    """What was read from a cluster is not new: the storage says so last of all. Raises ApiError (500)."""
    version = str((document.get("metadata") or {}).get("resourceVersion") or "")
    if version.isdecimal() and version.strip("0"):
        raise ApiError(Answer(code=500, reason="", message="resourceVersion should not be set on objects to be created"))


def _check_shape(fx: Effects, document: Document) -> None:
    """The document must have the shape of its kind. Raises ApiError (400)."""
    problem = shape_problem(document, minor=minor_of_run(fx))
    if not problem and document.get("kind") == "Pod":
        try:
            pod_from_document(document)
        except BadManifest as error:
            problem = str(error)
    if problem:
        raise unreadable({"apiVersion": "v1", **document}, problem)


def _create(fx: Effects, document: Document, space: str) -> None:
    create_object(fx, document, space)


def _creating_pod(fx: Effects, document: Document, space: str) -> Doing:
    name = str((document.get("metadata") or {}).get("name") or "")
    held = fx.world.live_pod(space, name) if name else None
    if held is not None:
        raise taken("Pod", name, is_terminating=held.deletion_ms is not None)
    given = document
    document = without_managed(without_nulls({key: value for key, value in document.items() if key != "status"}))
    _check_shape(fx, document)
    _check_admission(fx, document, space, quota=False)
    errors = check_new_pod(_completed(fx, document, space), minor=minor_of_run(fx))
    if errors:
        raise invalid("Pod", name, errors)
    _check_admission(fx, document, space, quota=True)
    _check_revision(given)
    return lambda: store_pod(fx, document, space)


def _completed(fx: Effects, document: Document, space: str) -> Document:
    """The pod as validation sees it: with its defaults and what admission adds, without what the version does not use."""
    minor = minor_of_run(fx)
    admitted, _, _ = admit(fx, document, space)
    admitted, _ = with_priority(fx, admitted, "")
    whole = default_pod_document(admitted, minor=minor, rules=pod_defaults(fx.profile))
    bound = layout_of(fx.profile.minor).bound_tokens
    add_admitted(whole["spec"], token_volume("kube-api-access-xxxxx", bound=bound))
    drop_disabled_fields(whole["spec"], minor=minor, used=used_by(fx.world.header.gates))
    return {**whole, "metadata": {**(whole.get("metadata") or {}), "namespace": space}}


def _check_admission(fx: Effects, document: Document, space: str, *, quota: bool) -> None:
    """Raises Refusal for what the plug-ins forbid: before validation (classes, limits) or after it (quota)."""
    _, rule, problem = admit(fx, document, space)
    if not quota:
        of_class = class_problem(fx, document) or given_problem(fx, document)
        if of_class:
            raise _forbidden(document, "PRIORITY-CLASS", of_class)
    if problem and (rule == "QUOTA") == quota:
        raise _forbidden(document, rule, problem)


def _forbidden(document: Document, rule: str, why: str) -> Refusal:
    name = str((document.get("metadata") or {}).get("name") or "")
    return refusal_of(forbidden_object("pods", name, why), rule)


def store_pod(fx: Effects, document: Document, space: str, text: str = "") -> None:
    """Admit a pod that has passed the checks and store it; ``text`` is its JSON text where that is at hand."""
    admitted, _, _ = admit(fx, document, space)
    sent = text or json.dumps(document, ensure_ascii=False)
    create_pod(fx, admitted, sent if admitted is document else json.dumps(admitted, ensure_ascii=False), space, applied=sent)


def begin_with(fx: Effects, document: dict[str, Any], text: str, namespace: str) -> None:
    """An object that a run begins with. The edge has validated it by the same rules, so that is not done again: a big run begins fast.

    What admission forbids leaves a record of its refusal.
    """
    kind, space, name = place_of(document, namespace)
    if kind == "Node" and is_machine(fx, name):
        _begin_node(fx, document, name)
        return
    if kind != "Pod":
        create_object(fx, document, space, tell=False)
        return
    refused = refusal_at_beginning(fx, document, space)
    if refused is None:
        store_pod(fx, document, space, text)
    else:
        tell_refused(fx, document, namespace, refused)


def _begin_node(fx: Effects, document: Document, name: str) -> None:
    """A manifest of a node that the cluster has: its labels and taints, and whether pods may come."""
    try:
        act = change_node(fx, name, by_apply("", document), is_patch=True)
    except ApiError as error:
        tell_refused(fx, document, "", refusal_of(error))
    else:
        act()


def refusal_at_beginning(fx: Effects, document: Document, space: str) -> Refusal | None:
    """What admission says against a pod of the beginning."""
    _, rule, problem = admit(fx, document, space)
    if not problem:
        rule, problem = "PRIORITY-CLASS", class_problem(fx, document)
    return _forbidden(document, rule, problem) if problem else None


def tell_refused(fx: Effects, document: Document, namespace: str, refused: Refusal) -> None:
    """A record of one document's refusal, among several that were sent together."""
    kind, space, name = place_of(document, namespace)
    fx.record(
        kind=RecordKind.COMMAND.value, subject=object_subject(kind, space, name), machine="command", target="refused",
        rule=refused.rule, data=(("do", "apply"), *refused.data),
    )  # fmt: skip
