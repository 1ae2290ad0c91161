"""The answer to one request: finds what the path names, checks who may use which method, and passes the request on."""

import json

from simulator.door.custom import scale_as_builtin
from simulator.door.discovery import api_root, apis_root, group_document, resource_list
from simulator.door.exchange import DoorReply, DoorRequest, json_reply, text_reply
from simulator.door.executing import PAST, READ_ONLY, stream_refused, streamed
from simulator.door.logs import get_log
from simulator.door.metrics import METRICS_KINDS
from simulator.door.openapi.serving import openapi_reply
from simulator.door.paths import ApiPath, parse_path
from simulator.door.reading import get_list, get_one, warned
from simulator.door.resources import EPHEMERAL_LIST, READ_VERBS, Resource, resource_at, resources_of
from simulator.door.reviews import REVIEW_KINDS, reviewed, token_reply
from simulator.door.rows import document_at
from simulator.door.scene import DoorScene
from simulator.door.statuses import conflicting, forbidden, not_allowed, status_reply, unknown_path, unknown_resource
from simulator.door.watching import DoorWatch
from simulator.door.writing import ephemeral_list, scale_document
from simulator.engine.apiserver.answer import ApiError, not_found
from simulator.kubectl.cluster_info import version_document

READ_METHODS = ("GET", "HEAD")
_UNWRITTEN = frozenset(("Binding", "ComponentStatus", "Event", "Lease", *METRICS_KINDS))
_HEALTH = ("healthz", "livez", "readyz")
_ROOT = ("/api", "/apis", "/healthz", "/livez", "/readyz", "/version")


def answer(request: DoorRequest, scene: DoorScene) -> DoorReply:
    """The answer to a request at that moment. Never raises because of what a client sends."""
    try:
        first, place = parse_path(request.path)
        if place is None:
            return _about_server(request, first, scene)
        return _below(request, first, place, scene)
    except ApiError as error:
        return status_reply(error)


def watched(request: DoorRequest, scene: DoorScene) -> DoorWatch | None:
    """The watch that a request asks for, or None if it asks for something else. Raises ApiError if it cannot be watched."""
    if request.method != "GET" or not request.has("watch"):
        return None
    _, place = parse_path(request.path)
    if place is None or not place.plural or place.subresource:
        return None
    resource = resource_at(scene.world, place.group, place.version, place.plural)
    if resource is not None and "watch" not in resource.verbs:
        raise not_allowed()
    if resource is None or (resource.info.namespaced != bool(place.namespace) and (place.name or place.namespace)):
        raise unknown_resource()
    return DoorWatch(request, place, resource, scene)


def review_in(request: DoorRequest, scene: DoorScene) -> DoorReply | None:
    """The answer to a review, or None if the request asks for something else. Raises ApiError."""
    _, place = parse_path(request.path)
    if place is None or not place.plural:
        return None
    resource = resource_at(scene.world, place.group, place.version, place.plural)
    if resource is not None and resource.info.kind == "ServiceAccount" and place.subresource == "token":
        return token_reply(request, place, scene)
    is_review = resource is not None and resource.info.kind in REVIEW_KINDS
    return _below(request, "apis", place, scene) if is_review else None


def written_to(request: DoorRequest, scene: DoorScene) -> tuple[ApiPath, Resource]:
    """The path and resource that a write is about. Raises ApiError if there is no such resource or it cannot be written."""
    _, place = parse_path(request.path)
    if place is None or not place.plural:
        raise not_allowed()
    if streamed(request) is not None:
        raise stream_refused(request, place, scene)
    resource = resource_at(scene.world, place.group, place.version, place.plural)
    is_fixed = resource is not None and (resource.info.kind in _UNWRITTEN or resource.verbs == READ_VERBS)
    if resource is None or resource.info.namespaced != bool(place.namespace) or is_fixed:
        raise unknown_resource() if resource is None else not_allowed()
    if place.subresource and not any(item.name == place.subresource for item in resource.subresources()):
        raise unknown_resource()
    return place, resource


def followed(request: DoorRequest, scene: DoorScene) -> ApiPath | None:
    """The pod whose log a request wants to follow; None if it asks for something else."""
    _, place = parse_path(request.path)
    if place is None or request.method != "GET" or not request.has("follow") or request.has("previous"):
        return None
    resource = resource_at(scene.world, place.group, place.version, place.plural)
    is_log = resource is not None and resource.info.kind == "Pod" and place.subresource == "log"
    return place if is_log and place.namespace else None


def _about_server(request: DoorRequest, first: str, scene: DoorScene) -> DoorReply:
    if request.method in READ_METHODS and (document := openapi_reply(request, first, scene.world)) is not None:
        return document
    if first not in _HEALTH and first.partition("/")[0] not in _HEALTH and first not in ("", "version"):
        return json_reply({"paths": list(_ROOT)}, status=404) if "/" not in first else unknown_path()
    if request.method not in READ_METHODS:
        raise not_allowed()
    if first == "version":
        return DoorReply(body=json.dumps(version_document(scene.world.release.minor), indent=2).encode())
    return text_reply("ok") if first else json_reply({"paths": list(_ROOT)})


def _below(request: DoorRequest, first: str, place: ApiPath, scene: DoorScene) -> DoorReply:
    world = scene.world
    if not place.version:
        if request.method not in READ_METHODS:
            raise not_allowed()
        if first == "api":
            return api_root(world, request.accept)
        if not place.group:
            return apis_root(world, request.accept)
        document = group_document(world, place.group)
        return unknown_path() if document is None else json_reply(document)
    if not place.plural:
        document = resource_list(world, place.group, place.version)
        return unknown_path() if document is None else json_reply(document)
    resource = resource_at(world, place.group, place.version, place.plural)
    if resource is None:
        if not resources_of(world, place.group, place.version):
            return unknown_path()
        raise unknown_resource()
    if resource.info.namespaced != bool(place.namespace) and (place.name or place.namespace):
        raise unknown_resource()
    return _about_objects(request, place, resource, scene)


def _about_objects(request: DoorRequest, place: ApiPath, resource: Resource, scene: DoorScene) -> DoorReply:
    if streamed(request) is not None:
        raise stream_refused(request, place, scene)
    if resource.info.kind in REVIEW_KINDS:
        return reviewed(request, place, resource.info.kind, scene)
    if request.method not in READ_METHODS:
        return _write(scene)
    if not place.name:
        return warned(get_list(request, place, resource, scene), resource, scene)
    if place.subresource == "log" and resource.info.kind == "Pod":
        return get_log(request, place, scene)
    if place.subresource == "ephemeralcontainers" and resource.info.kind == "Pod":
        return _ephemeral(request, place, resource, scene)
    known = {item.name for item in resource.subresources() if "get" in item.verbs}
    if place.subresource == "scale" and "scale" in known:
        document = document_at(resource, scene.sight, place.namespace, place.name)
        if document is None:
            raise not_found(resource.info.plural, place.name, group=resource.info.group)
        return json_reply(scale_document(scale_as_builtin(scene.world, resource, document)))
    if (place.subresource == "status" and "status" in known) or not place.subresource:
        return warned(get_one(request, place, resource, scene), resource, scene)
    if any(item.name == place.subresource for item in resource.subresources()):
        raise not_allowed()
    raise unknown_resource()


def _ephemeral(request: DoorRequest, place: ApiPath, resource: Resource, scene: DoorScene) -> DoorReply:
    """The ephemeral containers of a pod: the pod itself, or in old versions a list. 404 without the feature."""
    if not scene.world.profile.ephemeral_containers:
        raise unknown_resource()
    if not EPHEMERAL_LIST.holds_for(resource.minor):
        return get_one(request, place, resource, scene)
    document = document_at(resource, scene.sight, place.namespace, place.name)
    if document is None:
        raise not_found(resource.info.plural, place.name)
    return json_reply(ephemeral_list(document))


def _write(scene: DoorScene) -> DoorReply:
    if scene.is_past:
        raise conflicting(PAST)
    if not scene.may_write:
        raise forbidden(READ_ONLY)
    raise not_allowed("this server only answers reads")
