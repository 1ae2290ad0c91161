"""GET of objects and lists: as they are, as Tables, or as metadata only.

Source: apiserver pkg/endpoints/handlers/get.go and response.go; apimachinery pkg/apis/meta/v1 ListOptions.
"""

import base64
import binascii
import json
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from simulator.door.exchange import YAML, DoorReply, DoorRequest, Media, chosen_media, json_reply
from simulator.door.managers import listed_managed, shown_managed
from simulator.door.paths import ApiPath
from simulator.door.resources import Resource
from simulator.door.rows import document_at, documents_in, position_of
from simulator.door.scene import DoorScene
from simulator.door.statuses import not_acceptable
from simulator.door.tables import definitions, partial, row_of, table_of
from simulator.door.times import Shift, shift_for, shifted
from simulator.engine.apiserver.answer import Answer, ApiError, bad_request, not_found
from simulator.engine.apiserver.list_selectors import field_test
from simulator.engine.kernel.bounded import whole_number
from simulator.engine.kernel.json_text import Json, decode
from simulator.engine.kernel.units import Ms
from simulator.engine.model.named_kinds import OTHER_VERSIONS
from simulator.engine.model.selectors import BadSelector
from simulator.kubectl.tables.model import deprecated
from simulator.kubectl.tables.selectors import parse_selector
from simulator.kubectl.yaml import to_yaml

TABLE, PARTIAL, PARTIAL_LIST = "Table", "PartialObjectMetadata", "PartialObjectMetadataList"
_INCLUDES = ("None", "Metadata", "Object")
_LIMIT_MAX = 1_000_000


class Continued(Struct, frozen=True):
    """Where a truncated list continues: at the same moment, after this object."""

    at_ms: Ms
    namespace: str
    name: str


def continued(token: str) -> Continued:
    """The contents of a ``continue`` token. Raises ApiError (400)."""
    found: Continued | None = None
    try:
        said = decode(base64.urlsafe_b64decode(token.encode() + b"=" * (-len(token) % 4)))
        found = Continued(int(said["ms"]), str(said["ns"]), str(said["name"]))
    except (ValueError, KeyError, TypeError, OverflowError, binascii.Error, RecursionError):
        pass
    if found is None or found.at_ms < 0:
        raise bad_request("continue key is not valid: it was not made by this server")
    return found


def _token(at_ms: Ms, last: Json) -> str:
    metadata = last["metadata"]
    said = {"ms": at_ms, "ns": metadata.get("namespace", ""), "name": metadata["name"]}
    return base64.urlsafe_b64encode(json.dumps(said, separators=(",", ":")).encode()).decode().rstrip("=")


def warned(reply: DoorReply, resource: Resource, scene: DoorScene) -> DoorReply:
    """The answer with the API server's warning about a deprecated kind or version, if there is one."""
    place = resource.info.group, resource.version
    text = deprecated(resource.info.kind, scene.sight) or next((o.warning for o in OTHER_VERSIONS if (o.group, o.version) == place), "")
    return replace(reply, headers=(*reply.headers, ("Warning", f'299 - "{text}"'))) if text else reply


def get_one(request: DoorRequest, place: ApiPath, resource: Resource, scene: DoorScene) -> DoorReply:
    """One object. Raises ApiError."""
    media = _media(request, PARTIAL)
    document = document_at(resource, scene.sight, place.namespace, place.name)
    if document is None:
        raise _missing(resource, place)
    shift = shift_of(request, scene)
    if media.transform == TABLE:
        kind = resource.info.kind
        rows = [row_of(kind, document, scene.sight, shift, _include(request))]
        metadata = {"resourceVersion": document["metadata"].get("resourceVersion", "")}
        return json_reply(table_of(definitions(resource, scene.sight), rows, metadata, media.version))
    moved = shifted(shown_managed(request, scene.world, document), shift)
    return written(partial(moved, media.version) if media.transform == PARTIAL else moved, media)


def _missing(resource: Resource, place: ApiPath) -> ApiError:
    """404; metrics-server has messages of its own (pkg/api pod.go, node.go)."""
    if resource.info.kind == "PodMetrics":
        return not_found("podmetrics", f"{place.namespace}/{place.name}", group=resource.info.group)
    return not_found(resource.info.plural, place.name, group="" if resource.info.kind == "NodeMetrics" else resource.info.group)


def get_list(request: DoorRequest, place: ApiPath, resource: Resource, scene: DoorScene) -> DoorReply:
    """A list. Raises ApiError."""
    media = _media(request, PARTIAL_LIST)
    kind, position = resource.info.kind, position_of(scene.world, resource.info.kind)
    _check_position(request, position)
    fits = selection(request, kind, scene.sight.minor)
    items = [item for item in documents_in(resource, scene.sight, place.namespace) if fits(item)]
    items, metadata = _page(request, items, scene)
    metadata = {"resourceVersion": str(position), **metadata}
    shift = shift_of(request, scene)
    if media.transform == TABLE:
        rows = [row_of(kind, item, scene.sight, shift, _include(request)) for item in items]
        return json_reply(table_of(definitions(resource, scene.sight), rows, metadata, media.version))
    moved = [shifted(item, shift) for item in listed_managed(request, scene.world, items)]
    if media.transform == PARTIAL_LIST:
        head = {"kind": PARTIAL_LIST, "apiVersion": f"meta.k8s.io/{media.version or 'v1'}", "metadata": metadata}
        return json_reply({**head, "items": [partial(item, media.version) for item in moved]})
    # Items of a list do not repeat the list's kind and apiVersion.
    bare = [{key: value for key, value in item.items() if key not in ("kind", "apiVersion")} for item in moved]
    return written({"kind": f"{kind}List", "apiVersion": resource.group_version, "metadata": metadata, "items": bare}, media)


def written(document: Json, media: Media, *, status: int = 200) -> DoorReply:
    """The document in the chosen media type."""
    if media.name == YAML:
        return DoorReply(status=status, content_type=YAML, body=to_yaml(document).encode())
    return json_reply(document, status=status)


def shift_of(request: DoorRequest, scene: DoorScene) -> Shift:
    """By how much the timestamps in an answer are moved."""
    return shift_for(request, now_ms=scene.epoch_now_ms, wall_ms=scene.wall_ms)


def _media(request: DoorRequest, transform: str) -> Media:
    media = chosen_media(request.accept, transforms=(TABLE, transform))
    if media is None:
        raise not_acceptable()
    return media


def _include(request: DoorRequest) -> str:
    include = request.value("includeObject") or "Metadata"
    if include not in _INCLUDES:
        raise bad_request(f'unable to convert: "{include}" is no includeObject: None, Metadata or Object')
    return include


def selection(request: DoorRequest, kind: str, minor: int) -> Callable[[Json], bool]:
    """The test for the selectors of a list. Raises ApiError (400)."""
    try:
        fits_labels = parse_selector(request.value("labelSelector"))
    except BadSelector as error:
        raise bad_request(str(error)) from None
    fits_fields = field_test(kind, request.value("fieldSelector"), minor=minor)
    return lambda item: fits_labels(item["metadata"].get("labels") or {}) and fits_fields(item)


def _check_position(request: DoorRequest, position: int) -> None:
    """Refuse a list at a resourceVersion that the store has not reached (the API server waits three seconds first)."""
    text = request.value("resourceVersion")
    if not text:
        return
    wanted = whole_number(text)
    if wanted is None:
        raise bad_request(f'resourceVersion: Invalid value: "{text}": strconv.ParseUint: parsing "{text}": invalid syntax')
    if wanted > position:
        message = f"Timeout: Too large resource version: {wanted}, current: {position}"
        raise ApiError(Answer(code=504, reason="Timeout", message=message, retry_after_s=1))


def _page(request: DoorRequest, items: list[Json], scene: DoorScene) -> tuple[list[Json], Json]:
    """The part of a list that ``limit`` and ``continue`` ask for, and its metadata about the rest."""
    token = request.value("continue")
    if token:
        start = continued(token)
        items = [item for item in items if _place(item) > (start.namespace, start.name)]
    limit = whole_number(request.value("limit"), most=_LIMIT_MAX) or 0
    if not limit or len(items) <= limit:
        return items, {}
    metadata: Json = {"continue": _token(scene.now_ms, items[limit - 1])}
    # With a selector the API server does not know how many remain.
    if not request.value("labelSelector") and not request.value("fieldSelector"):
        metadata["remainingItemCount"] = len(items) - limit
    return items[:limit], metadata


def _place(item: Json) -> tuple[str, str]:
    return item["metadata"].get("namespace", ""), item["metadata"]["name"]
