"""An HTTP request and its answer: query, headers, and the media types that the client accepts."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from msgspec import Struct

JSON = "application/json"
TEXT = "text/plain; charset=utf-8"
TABLE_GROUP = "meta.k8s.io"
YES_UNLESS = ("", "0", "false")
"""Query values that mean false for a boolean; any other value means true (``watch=True``)."""


class DoorRequest(Struct, frozen=True, kw_only=True):
    """A client's request. ``path`` is what follows the address of the cluster (``base``); header names are in lower case."""

    method: str = "GET"
    path: str = "/"
    base: str = ""
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = {}
    body: bytes = b""

    def value(self, name: str) -> str:
        """The first value of that name in the query; empty if there is none."""
        return next((value for key, value in self.query if key == name), "")

    def values(self, name: str) -> tuple[str, ...]:
        """Every value of that name in the query."""
        return tuple(value for key, value in self.query if key == name)

    def has(self, name: str) -> bool:
        """Whether a boolean is set. A name without a value counts, as in Go's conversion of queries."""
        return any(key == name and value.lower() not in YES_UNLESS[1:] for key, value in self.query)

    @property
    def accept(self) -> str:
        """The media types that the client accepts."""
        return self.headers.get("accept", "")

    @property
    def agent(self) -> str:
        """The client program: ``kubectl/v1.37.1 (linux/amd64) …``."""
        return self.headers.get("user-agent", "")

    @property
    def command(self) -> str:
        """The command that kubectl (1.22 and later) is running: ``kubectl get``."""
        return self.headers.get("kubectl-command", "")


_SECRET = ("authorization", "cookie")


def request_in(scope: Mapping[str, Any], path: str, *, method: str = "", base: str = "", body: bytes = b"") -> DoorRequest:
    """The request of an ASGI scope, without credentials. ``path`` is what follows the address of the cluster."""
    query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True, errors="replace")
    named = ((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"])
    headers = {name: value for name, value in named if name not in _SECRET}
    return DoorRequest(method=method or scope["method"], path=path, base=base, query=tuple(query), headers=headers, body=body)


class DoorReply(Struct, frozen=True, kw_only=True):
    """The answer to a request."""

    status: int = 200
    content_type: str = JSON
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


def json_reply(document: Any, *, status: int = 200, content_type: str = JSON) -> DoorReply:
    """A document as JSON, ended by a line break as the API server writes it."""
    return DoorReply(status=status, content_type=content_type, body=json_bytes(document))


def json_bytes(document: Any) -> bytes:
    """A document as JSON, ended by a line break."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def text_reply(text: str, *, status: int = 200) -> DoorReply:
    """A plain-text answer."""
    return DoorReply(status=status, content_type=TEXT, body=text.encode())


class Media(Struct, frozen=True):
    """One of the media types that a client accepts, with its parameters."""

    name: str
    parameters: Mapping[str, str]

    @property
    def transform(self) -> str:
        """``Table``, ``PartialObjectMetadata``, ``PartialObjectMetadataList`` or ``APIGroupDiscoveryList``; empty for the object itself."""
        return self.parameters.get("as", "")

    @property
    def version(self) -> str:
        """The version of the representation asked for instead of the object."""
        return self.parameters.get("v", "")


_ANY = ("*/*", "application/*")
_TYPES_MAX = 20


def media_types(accept: str) -> list[Media]:
    """The media types of an Accept header in the client's order, at most the first twenty; JSON if there are none."""
    found = [_media(part) for part in accept.split(",")[:_TYPES_MAX] if part.strip()]
    return found or [Media(JSON, {})]


def _media(text: str) -> Media:
    name, *rest = (part.strip() for part in text.split(";"))
    pairs = (part.partition("=") for part in rest)
    return Media(JSON if name in _ANY else name, {key.strip(): value.strip() for key, _, value in pairs})


YAML = "application/yaml"


def chosen_media(accept: str, *, transforms: tuple[str, ...] = ()) -> Media | None:
    """The first media type that can be served: JSON or YAML, plain or in one of these transforms; None if there is none.

    Protobuf is skipped: every client that asks for it also accepts JSON.
    """
    for media in media_types(accept):
        is_plain = not media.transform
        if media.name == JSON and (is_plain or (media.transform in transforms and media.version in ("v1", "v1beta1", ""))):
            return media
        if media.name == YAML and is_plain:
            return media
    return None
