"""POST, PUT, PATCH and DELETE as commands of the run: the same commands as the run's page and its kubectl tab give.

A request is tried on a fork first. A refusal is answered at once and leaves nothing in the run; an accepted request
becomes a command, and the answer shows its result. Source: apiserver
pkg/endpoints/handlers/{create,update,patch,delete}.go.
"""

import json
import re
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from simulator.door.custom import patch_at, scale_as_builtin, scale_paths
from simulator.door.exchange import DoorReply, DoorRequest, json_reply
from simulator.door.managers import APPLY_PATCH, check_patch, manager_of, server_side_apply, shown_managed
from simulator.door.paths import ApiPath
from simulator.door.resources import EPHEMERAL_LIST, Resource
from simulator.door.rows import document_at, documents_in
from simulator.door.scene import DoorScene
from simulator.door.statuses import not_allowed, unsupported
from simulator.door.times import NO_SHIFT, shift_for, shifted
from simulator.engine import apply
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.delete import DeleteNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.objects.namespace import DeleteNamespace
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.objects.replace import ReplaceObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.delete_all import DeletePods
from simulator.engine.acts.pods.evict import EvictPod
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.acts.roles import with_role
from simulator.engine.acts.workloads.scale import ScaleWorkload
from simulator.engine.apiserver.answer import Answer, ApiError, Cause, bad_request, not_found
from simulator.engine.apiserver.list_selectors import label_selector
from simulator.engine.apiserver.managed.managers import CLIENT_SIDE
from simulator.engine.kernel.json_text import Json, decode
from simulator.engine.kernel.records import Record
from simulator.engine.model.kinds import KINDS
from simulator.engine.world.world import World
from simulator.kubectl.acting.meant import meant_by
from simulator.kubectl.acting.pods import not_json
from simulator.kubectl.tables.selectors import selector_text
from simulator.kubectl.yaml import from_yaml

WRITE_METHODS = ("POST", "PUT", "PATCH", "DELETE")
_PATCHES = {
    "application/strategic-merge-patch+json": "strategic",
    "application/merge-patch+json": "merge",
    "application/json-patch+json": "json",
}
_BODIES = ("", "application/json", "application/yaml")
_PATCHED = ("", "status", "resize", "ephemeralcontainers")
_QUOTED_MAX = 100
_INVALID = re.compile(r'(\w+)(?:\.[\w.-]+)? "([^"]*)" is invalid: ')


class Writing(Struct, frozen=True, kw_only=True):
    """A write that may be carried out.

    ``before`` is the object as it was, ``made`` the name of a new one, ``warnings`` go to the client with the answer,
    ``typed`` is its command line.
    """

    command: AnyCommand
    before: Json | None = None
    made: str = ""
    warnings: tuple[str, ...] = ()
    typed: str = ""


def dry_run(request: DoorRequest) -> bool:
    """Whether the request is a dry run."""
    is_eviction = request.method == "POST" and request.path.rstrip("/").endswith("/eviction")
    body = _body(request) if request.method == "DELETE" or is_eviction else {}
    said = (_part(body, "deleteOptions") if is_eviction else body).get("dryRun")
    return "All" in (*request.values("dryRun"), *(said if isinstance(said, list) else ()))


def tried(request: DoorRequest, place: ApiPath, resource: Resource, scene: DoorScene) -> tuple[Writing, World]:
    """The write and the world it would lead to. Raises ApiError if the API server refuses it."""
    before = document_at(resource, scene.sight, place.namespace, place.name) if place.name else None
    may_be_new = request.method == "PUT" or is_apply(request)
    if place.name and before is None and not (may_be_new and not place.subresource):
        raise not_found(resource.info.plural, place.name, group=resource.info.group)
    command = _command(request, place, resource, scene)
    # The trial of kubectl diff is an apply and must not be taken for a button's act, which has another manager.
    if request.value("fieldManager") != CLIENT_SIDE:
        command = meant_by(command, scene.world)
    world = scene.world.fork()
    names = _names(resource, scene, place.namespace) if request.method == "POST" else set()
    own = next(record for record in apply(world, command) if record.kind == "command")
    if own.target == "refused":
        raise ApiError(refused_as(own, resource, place.name))
    made = _names(resource, replace(scene, world=world), place.namespace) - names if request.method == "POST" else set()
    # An object that every cluster has implicitly (a namespace) may be created, and then its name is not new.
    given = str(_part(_body(request), "metadata").get("name") or "") if request.method == "POST" and not place.name else ""
    return Writing(command=command, before=before, made=given or min(made, default="")), world


def _names(resource: Resource, scene: DoorScene, namespace: str) -> set[str]:
    return {item["metadata"]["name"] for item in documents_in(resource, scene.sight, namespace)}


def refused_as(record: Record, resource: Resource, name: str) -> Answer:
    """The Status of a refused command, from its record."""
    message, reason = str(record.get("message") or record.rule), str(record.get("reason") or "")
    causes = tuple(
        Cause(reason=item.get("reason", ""), message=item.get("message", ""), field=item.get("field", ""))
        for item in decode(str(record.get("causes") or "[]"))
    )
    named = _INVALID.match(message)
    # A problem with a patch rather than an object names no object.
    kind, called = named.groups() if named else ("", "") if reason == "Invalid" else (resource.info.plural, name)
    code = int(record.get("code") or 0)
    if not code:  # not refused by an API server but by the simulation
        return Answer(code=422, reason="Invalid", message=message, kind=kind, name=called)
    retry_after_s = int(record.get("retry_after_s") or 0)
    group = resource.info.group
    return Answer(
        code=code, reason=reason, message=message, kind=kind, group=group, name=called, causes=causes, retry_after_s=retry_after_s
    )  # fmt: skip


# ---- requests --------------------------------------------------------------------------------------------------------
def _content_type(request: DoorRequest) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def is_apply(request: DoorRequest) -> bool:
    """Whether it is a server-side apply."""
    return request.method == "PATCH" and _content_type(request) == APPLY_PATCH


def _body(request: DoorRequest) -> Json:
    found = _any_body(request)
    return found if isinstance(found, dict) else {}


def _any_body(request: DoorRequest) -> Any:
    if not request.body.strip():
        return {}
    try:
        text = request.body.decode()
        return from_yaml(text) if _content_type(request) == "application/yaml" else decode(text)
    except ValueError:
        raise bad_request("the body of the request is not valid JSON") from None


def _part(body: Json, name: str) -> Json:
    """A structure in a body, empty if it is missing. Raises ApiError (400)."""
    found = body.get(name)
    if found is not None and not isinstance(found, dict):
        raise bad_request(f"{name} is not an object")
    return found or {}


def _command(request: DoorRequest, place: ApiPath, resource: Resource, scene: DoorScene) -> AnyCommand:
    known = {item.name: item.verbs for item in resource.subresources()}
    if place.subresource and place.subresource not in (*known, *_PATCHED):
        raise not_allowed()
    if request.method == "PATCH":
        check_patch(request, is_apply=is_apply(request))
        if is_apply(request) and place.subresource != "scale":
            return server_side_apply(request, place, resource, scene)
        if _content_type(request) not in _PATCHES:
            raise unsupported((*_PATCHES, APPLY_PATCH))
        return _patching(request, place, resource, scene)
    # The content type does not matter for a DELETE without a body.
    if _content_type(request) not in _BODIES and (request.body or request.method != "DELETE"):
        raise unsupported(_BODIES[1:])
    if request.method == "POST":
        return _posting(request, place, resource, scene)
    if request.method == "PUT" and place.name:
        return _putting(request, place, resource, scene)
    if request.method == "DELETE" and not place.subresource:
        return _deleting(request, place, resource, scene)
    raise not_allowed()


def _posting(request: DoorRequest, place: ApiPath, resource: Resource, scene: DoorScene) -> AnyCommand:
    try:
        body = _body(request)
    except ApiError:
        why = not_json(request.body.decode(errors="replace"))
        raise bad_request(f"the object provided is unrecognized (must be of type {resource.info.kind}): {why}") from None
    if place.subresource == "eviction":
        options = _part(body, "deleteOptions")
        return EvictPod(target=_key(place, scene), grace_s=_whole(options.get("gracePeriodSeconds")))
    if place.name or place.subresource:
        raise not_allowed()
    document = {"apiVersion": resource.group_version, "kind": resource.info.kind, **body}
    metadata = document.get("metadata")
    if not isinstance(metadata, dict):
        raise bad_request("the object provided has no metadata")
    if metadata.get("namespace") not in (None, "", place.namespace):
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    if place.namespace:
        document["metadata"] = {**metadata, "namespace": place.namespace}
    namespace = _space(place, resource, scene)
    return ApplyManifest(documents=(_compact(document),), namespace=namespace, create=True, manager=manager_of(request))


def _compact(document: Json) -> str:
    """The text of a document as Go's clients send it: error messages about undecodable text quote it."""
    return json.dumps(document, separators=(",", ":"))


def _space(place: ApiPath, resource: Resource, scene: DoorScene) -> str:
    """The namespace for a document without one; cluster-scoped custom kinds have none."""
    is_plain = resource.info.namespaced or resource.info.kind in KINDS
    return place.namespace or (scene.world.header.namespace if is_plain else "")


def _putting(request: DoorRequest, place: ApiPath, resource: Resource, scene: DoorScene) -> AnyCommand:
    body = _body(request)
    if place.subresource == "scale":
        return _scaling(request, body, place, resource, scene)
    if place.subresource == "ephemeralcontainers" and body.get("kind") == "EphemeralContainers":
        # The list is sent as a whole, and existing entries may not change: the rest is new.
        patch = json.dumps({"spec": {"ephemeralContainers": body.get("ephemeralContainers")}})
        target = _key(place, scene)
        return PatchPod(target=target, patch=patch, kind="strategic", subresource=place.subresource, manager=manager_of(request))
    document = {"apiVersion": resource.group_version, "kind": resource.info.kind, **body}
    return ReplaceObject(
        document=_compact(document), namespace=_space(place, resource, scene), subresource=place.subresource, manager=manager_of(request)
    )


def _patching(request: DoorRequest, place: ApiPath, resource: Resource, scene: DoorScene) -> AnyCommand:
    body, how, manager = _any_body(request), _PATCHES[_content_type(request)], manager_of(request)
    if place.subresource == "scale":
        return _scaling(request, body if isinstance(body, dict) else {}, place, resource, scene)
    kind = resource.info.kind
    if kind == "Pod" and place.subresource in ("", "status"):
        return PatchPod(target=_key(place, scene), patch=json.dumps(body), kind=how, subresource=place.subresource, manager=manager)
    return PatchObject(
        kind=kind, namespace=place.namespace, name=place.name, patch=json.dumps(body), patch_kind=how, subresource=place.subresource,
        manager=manager,
    )  # fmt: skip


def _scaling(request: DoorRequest, body: Json, place: ApiPath, resource: Resource, scene: DoorScene) -> AnyCommand:
    replicas = _whole(_part(body, "spec").get("replicas"))
    paths = scale_paths(scene.world, resource)
    if paths:
        patch = json.dumps(patch_at(str(paths["specReplicasPath"]), replicas or 0))
        kind, manager = resource.info.kind, manager_of(request)
        return PatchObject(kind=kind, namespace=place.namespace, name=place.name, patch=patch, patch_kind="merge", manager=manager)
    return ScaleWorkload(
        kind=resource.info.kind, namespace=place.namespace, name=place.name, replicas=replicas or 0, manager=manager_of(request)
    )


def _deleting(request: DoorRequest, place: ApiPath, resource: Resource, scene: DoorScene) -> AnyCommand:
    body, kind = _body(request), resource.info.kind
    asked_s = body.get("gracePeriodSeconds")
    grace_s = _whole(asked_s if asked_s is not None else request.value("gracePeriodSeconds"))
    conditions = _part(body, "preconditions")
    if not place.name:
        if request.value("fieldSelector"):  # no command has one, and without it everything would be deleted
            raise bad_request("a collection can be deleted by labels here, not by a field selector")
        selector = request.value("labelSelector")
        labels = _equal_labels(selector)
        if kind == "Pod" and labels is not None:
            return DeletePods(namespace=place.namespace, selector=labels, collection=True, grace_s=grace_s, force=grace_s == 0)
        return DeleteObject(kind=kind, namespace=place.namespace, selector=selector, grace_s=grace_s)
    if kind == "Node":
        return DeleteNode(node=place.name)
    if kind == "Namespace":
        return DeleteNamespace(name=place.name)
    propagation = str(body.get("propagationPolicy") or request.value("propagationPolicy") or "")
    if kind == "Pod" and not conditions and propagation in ("", "Background"):
        return DeletePod(target=_key(place, scene), grace_s=grace_s, force=grace_s == 0)
    return DeleteObject(
        kind=kind, namespace=place.namespace, name=place.name, grace_s=grace_s, propagation=propagation,
        uid=str(conditions.get("uid") or ""), resource_version=str(conditions.get("resourceVersion") or ""),
    )  # fmt: skip


def _equal_labels(text: str) -> dict[str, str] | None:
    """The labels of a selector made only of equalities; None for any other. Raises ApiError (400)."""
    terms = label_selector(text)
    is_plain = all(term.operator == "In" and len(term.values) == 1 for term in terms)
    return {term.key: term.values[0] for term in terms} if is_plain else None


def _key(place: ApiPath, scene: DoorScene) -> str:
    """The pod as commands of a page name it: by its role, which finds the same pod with another seed."""
    row = scene.world.live_pod(place.namespace, place.name)
    if row is None:
        raise not_found("pods", place.name)
    return with_role(scene.world.tables, row.key)


def _whole(value: Any) -> int | None:
    if value is None or value == "":
        return None
    try:
        return int(value)
    except (ValueError, TypeError):
        raise bad_request(f"{str(value)[:_QUOTED_MAX]!r} is not a whole number") from None


# ---- answers ---------------------------------------------------------------------------------------------------------
def written_reply(request: DoorRequest, place: ApiPath, resource: Resource, scene: DoorScene, writing: Writing) -> DoorReply:
    """The API server's answer to a write that was carried out; ``scene`` is the moment just after it."""
    shift = NO_SHIFT if request.command else shift_for(request, now_ms=scene.epoch_now_ms, wall_ms=scene.wall_ms)
    if place.subresource == "eviction":
        return json_reply({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}, status=201)
    name = place.name or writing.made
    after = document_at(resource, scene.sight, place.namespace, name) if name else None
    if request.method == "DELETE":
        return _deleted(after, resource, place, writing, is_pod=resource.info.kind == "Pod")
    shown = shown_managed(request, scene.world, after) if after else writing.before or {}
    if place.subresource == "scale":
        return json_reply(scale_document(shifted(scale_as_builtin(scene.world, resource, shown), shift)))
    if place.subresource == "ephemeralcontainers" and EPHEMERAL_LIST.holds_for(resource.minor):
        return json_reply(shifted(ephemeral_list(shown), shift))
    is_new = request.method == "POST" or (writing.before is None and is_apply(request))
    return json_reply(shifted(shown, shift), status=201 if is_new else 200)


def _deleted(after: Json | None, resource: Resource, place: ApiPath, writing: Writing, *, is_pod: bool) -> DoorReply:
    before = writing.before or {"metadata": {}}
    is_same = after is not None and after["metadata"].get("uid") == before["metadata"].get("uid")
    if place.name and (is_same or is_pod):
        return json_reply(after if is_same else before)
    details: Json = {"name": place.name, "kind": resource.info.plural, "uid": before["metadata"].get("uid", "")}
    if resource.info.group:
        details["group"] = resource.info.group
    return json_reply({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details})


def ephemeral_list(document: Json) -> Json:
    """The ephemeral containers of a pod in the form of old versions."""
    kept = ("name", "namespace", "selfLink", "uid", "resourceVersion", "creationTimestamp")
    metadata = {key: document["metadata"][key] for key in kept if key in document["metadata"]}
    found = (document.get("spec") or {}).get("ephemeralContainers") or []
    return {"kind": "EphemeralContainers", "apiVersion": "v1", "metadata": metadata, "ephemeralContainers": found}


def scale_document(document: Json) -> Json:
    """The Scale of a workload."""
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    spec, status = document.get("spec") or {}, document.get("status") or {}
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {key: document["metadata"][key] for key in kept if key in document["metadata"]},
        "spec": {"replicas": spec.get("replicas", 1)},
        "status": {"replicas": status.get("replicas", 0), "selector": _selector_text(spec.get("selector"))},
    }


def _selector_text(selector: Any) -> str:
    """The selector as a query string; a custom kind may store it in that form."""
    return selector if isinstance(selector, str) else selector_text(selector) if selector else ""
