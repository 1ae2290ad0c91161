"""The answers at ``/openapi``: documents are built once per release and kept compressed, each with its own ETag."""

import gzip
import hashlib
import json
from functools import lru_cache

from msgspec import Struct

from simulator.door.exchange import JSON, DoorReply, DoorRequest, json_reply, media_types
from simulator.door.openapi.custom import CustomKinds, custom_kinds_in
from simulator.door.openapi.version2 import in_protobuf, swagger
from simulator.door.openapi.version3 import SERVED, custom_openapi3, group_paths, openapi3
from simulator.door.statuses import not_acceptable, unknown_path
from simulator.engine.world.world import World

_OCTETS = "application/octet-stream"
"""The API server's content type for protobuf: the media type that clients ask for contains an @, which Go cannot parse."""
_CACHE = ("Cache-Control", "private, no-cache")
"""A client may keep a document and ask whether it has changed; its content does not depend on the key."""
_VERSIONS_MAX = 8
_DOCUMENTS_MAX = 64
_CUSTOM_MAX = 4
"""How many documents with custom kinds are kept: each cluster may have its own, and clients ask again with an ETag."""


class OpenApiDocument(Struct, frozen=True, kw_only=True):
    """A document as it is kept: compressed, 10 to 100 kB."""

    packed: bytes
    tag: str
    content_type: str = JSON


def _packed(body: bytes, content_type: str = JSON) -> OpenApiDocument:
    tag = hashlib.sha256(body).hexdigest().upper()
    return OpenApiDocument(packed=gzip.compress(body, mtime=0), tag=tag, content_type=content_type)


def _json(document: object) -> bytes:
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


@lru_cache(maxsize=_VERSIONS_MAX)
def _version2(minor: int, *, is_protobuf: bool) -> OpenApiDocument:
    document = swagger(minor)
    return _packed(in_protobuf(document), _OCTETS) if is_protobuf else _packed(_json(document))


@lru_cache(maxsize=_DOCUMENTS_MAX)
def _version3(minor: int, group_version: str) -> OpenApiDocument:
    return _packed(_json(openapi3(minor, group_version)))


@lru_cache(maxsize=_VERSIONS_MAX)
def _tags(minor: int) -> dict[str, str]:
    """The ETag of each version 3 document, by path."""
    return {path: _version3(minor, version).tag for path, version in group_paths(minor).items()}


@lru_cache(maxsize=_CUSTOM_MAX)
def _custom_version2(minor: int, custom: CustomKinds, *, is_protobuf: bool) -> OpenApiDocument:
    """The document of a cluster with custom kinds; some 50 ms if it is not cached."""
    document = swagger(minor, custom)
    return _packed(in_protobuf(document), _OCTETS) if is_protobuf else _packed(_json(document))


@lru_cache(maxsize=_CUSTOM_MAX)
def _custom_version3(minor: int, custom: CustomKinds) -> dict[str, OpenApiDocument]:
    """The documents of the group versions of custom kinds, by path."""
    return {f"apis/{each}": _packed(_json(custom_openapi3(minor, custom, each))) for each in custom.group_versions()}


def openapi_reply(request: DoorRequest, path: str, world: World) -> DoorReply | None:
    """The answer at ``openapi/v2``, ``openapi/v3`` and below; None for any other path. Raises ApiError (406)."""
    minor = world.release.minor
    if path == "openapi/v2":
        names = [media.name for media in media_types(request.accept)]
        is_protobuf = any(name.endswith("protobuf") for name in names)
        if not is_protobuf and JSON not in names:
            raise not_acceptable()
        custom = custom_kinds_in(world)
        document = _custom_version2(minor, custom, is_protobuf=is_protobuf) if custom else _version2(minor, is_protobuf=is_protobuf)
        return _sent(request, document)
    first, found, rest = path.partition("openapi/v3")
    if first or not found or (rest and not rest.startswith("/")):
        return None
    if not SERVED.holds_for(minor):
        return unknown_path()
    custom = custom_kinds_in(world)
    own = _custom_version3(minor, custom) if custom else {}
    if not rest:
        return _index(request, _tags(minor) | {name: document.tag for name, document in own.items()})
    if rest[1:] in own:
        return _sent(request, own[rest[1:]])
    group_version = group_paths(minor).get(rest[1:])
    return unknown_path() if group_version is None else _sent(request, _version3(minor, group_version))


def _index(request: DoorRequest, tags: dict[str, str]) -> DoorReply:
    # From the root of the site: Go clients use it as it is, and older ones do not prepend their own path.
    urls = {path: {"serverRelativeURL": f"{request.base}/openapi/v3/{path}?hash={tag}"} for path, tag in tags.items()}
    return json_reply({"paths": urls})


def _sent(request: DoorRequest, document: OpenApiDocument) -> DoorReply:
    tag = f'"{document.tag}"'
    headers = (("ETag", tag), ("Vary", "Accept, Accept-Encoding"), _CACHE)
    if tag in request.headers.get("if-none-match", ""):
        return DoorReply(status=304, content_type=document.content_type, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        packed = (*headers, ("Content-Encoding", "gzip"))
        return DoorReply(content_type=document.content_type, body=document.packed, headers=packed)
    return DoorReply(content_type=document.content_type, body=gzip.decompress(document.packed), headers=headers)
