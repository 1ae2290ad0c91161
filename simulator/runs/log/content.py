"""Content: everything that makes a scenario or a shared link what it is, in one canonical text.

Equal contents have equal texts: a link's id is derived from all that it shows, its content and its words, so that it can never change, and
whoever shares the same under other words has another link.
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
    """Something stored by a release whose format this one does not know."""


class Source(Struct, frozen=True, kw_only=True):
    """The YAML texts a header was made from, as their author wrote them. Any may be empty."""

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
    """The content of a canonical text. Raises Unreadable where the text is none."""
    return decode(text, CONTENT)


def decode(text: str | bytes, kind: Typed[T]) -> T:
    """What a stored JSON text says, as a value of ``kind``. Raises Unreadable."""
    try:
        return kind.from_json(text)
    except (DecodeError, UnicodeDecodeError) as error:
        raise Unreadable(str(error)) from error


def content_id(content: Content, *words: str, length: int = 10) -> str:
    """The first ``length`` (at most 52) letters and digits of the SHA-256, in lower-case base32, of a content and the words beside it."""
    text = encode_content(content)
    digest = hashlib.sha256(json.encode([text, *words]) if words else text.encode()).digest()
    return base64.b32encode(digest).decode().rstrip("=").lower()[:length]
