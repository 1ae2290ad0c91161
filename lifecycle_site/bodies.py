"""Forms of megabytes, decoded in little memory: the usual way makes some hundred bytes of objects of every escaped character.

And the word by which the server tells the application of a body that it did not take in.
"""

import re
from collections.abc import Iterator

from django.http import HttpRequest, QueryDict
from django.utils.datastructures import MultiValueDict

BODY_TOO_LARGE = "body_too_large"
"""In the scope of a request whose body was refused and not read: the application answers it with 413."""
URLENCODED = "application/x-www-form-urlencoded"
PIECE = 65_536
_ESCAPES = re.compile(rb"(?:%[0-9A-Fa-f]{2})+")


def load_form(request: HttpRequest, *, fields_max: int) -> None:
    """Decode an urlencoded body into ``request.POST`` as Django would. One with too many fields is left to Django to refuse."""
    if request.content_type != URLENCODED or (request.encoding or "utf-8").lower() != "utf-8":
        return
    body = request.body
    if body.count(b"&") >= fields_max:
        return
    post = QueryDict("", mutable=True)
    for pair in body.split(b"&"):
        if pair:
            name, _, value = pair.partition(b"=")
            post.appendlist(_decoded(name), _decoded(value))
    post._mutable = False
    request._post, request._files = post, MultiValueDict()  # type: ignore[attr-defined]  # where Django keeps what it decodes


def _decoded(part: bytes) -> str:
    return b"".join(_ESCAPES.sub(_plain, piece) for piece in _pieces(part.replace(b"+", b" "))).decode("utf-8", "replace")


def _pieces(part: bytes) -> Iterator[bytes]:
    """The bytes in pieces that cut no escape in two."""
    start = 0
    while start < len(part):
        end = start + PIECE
        cut = part.rfind(b"%", max(start + 1, end - 2), end)
        end = cut if cut > 0 else end
        yield part[start:end]
        start = end


def _plain(escapes: re.Match[bytes]) -> bytes:
    return bytes.fromhex(escapes[0].decode().replace("%", ""))
