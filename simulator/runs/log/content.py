"""Content: everything that defines a scenario or a shared link, in one canonical text.

Equal contents have equal texts. A link's id is derived from everything that it shows, its content and its wording, so it can never change,
and sharing the same content under a different title gives a different link.
"""

import base64
import hashlib
from typing import TypeVar

from msgspec import DecodeError, Struct, json

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.course.header import RunHeader
from simulator.engine.kernel.typed import Typed
from simulator.engine.kernel.units import Ms

T = TypeVar("T")


class Unreadable(ValueError):
    """Something stored by a release in a format that this one does not know."""


class Source(Struct, frozen=True, kw_only=True):
    """The YAML texts from which a header was made, as their author wrote them. Any may be empty."""

    manifests: str = ""
    script: str = ""
    cluster: str = ""


class Content(Struct, frozen=True, kw_only=True):
    """A run's beginning, the commands already given to it, and the moment up to which it had been watched."""

    header: RunHeader
    source: Source = Source()
    commands: tuple[Stamped, ...] = ()
    until_ms: Ms = 0


SOURCE: Typed[Source] = Typed(Source)
CONTENT: Typed[Content] = Typed(Content)


def encode_content(content: Content) -> str:
    """The canonical JSON text: keys sorted, so that equal contents are equal texts."""
    return json.encode(content, order="sorted").decode()


def decode_content(text: str | bytes) -> Content:
    """Decode a canonical text. Raises Unreadable."""
    return decode(text, CONTENT)


def decode(text: str | bytes, kind: Typed[T]) -> T:
    """Decode a stored JSON text as ``kind``. Raises Unreadable."""
    try:
        return kind.from_json(text)
    except (DecodeError, UnicodeDecodeError) as error:
        raise Unreadable(str(error)) from error


def content_id(content: Content, *words: str, length: int = 10) -> str:
    """The first ``length`` (at most 52) characters of the SHA-256, in lower-case base32, of a content and the words shown with it."""
    text = encode_content(content)
    digest = hashlib.sha256(json.encode([text, *words]) if words else text.encode()).digest()
    return base64.b32encode(digest).decode().rstrip("=").lower()[:length]
