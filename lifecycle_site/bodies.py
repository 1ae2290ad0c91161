"""Decide which request bodies the site reads, and decode forms of several megabytes in little memory.

Django's own decoder makes about a hundred bytes of objects for every escaped character.
"""

import re
from collections.abc import Iterator

from django.http import HttpRequest, QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.http import parse_header_parameters

from lifecycle_site.addresses import Application, Receive, Scope, Send

BODY_TOO_LARGE = "body_too_large"
"""Set in the scope of a request whose body was refused unread: the application answers it with 413."""
BODY_UNREADABLE = "body_unreadable"
"""Set in the scope of a request whose Content-Type names an encoding that the site does not read: the application answers it with 400."""
BODY_BYTES_MAX = 16_777_216
"""More than any form accepts, so that people usually see the form's own message about a text that is too large."""
API_BYTES_MAX, READER_BYTES_MAX = 3_145_728, 65_536
"""For the API of a run: the limit of a real API server, and for read-only keys just enough for a question about their own rights."""
_API = re.compile(rb"/[rs]/[^/?]{1,100}/k8s(?P<reads>/r-)?(?(reads)|(?=[/?]|$))")
CONTENT_TYPE_CHARS_MAX = 1_000
URLENCODED = "application/x-www-form-urlencoded"
PIECE = 65_536
_ESCAPES = re.compile(rb"(?:%[0-9A-Fa-f]{2})+")


def body_bytes_max(target: bytes) -> int:
    """The largest body, in bytes, that is read for the target of a request line. Nothing is read of a larger one."""
    found = _API.match(target)
    if found is None:
        return BODY_BYTES_MAX
    return READER_BYTES_MAX if found["reads"] else API_BYTES_MAX


class ReadableBodies:
    """Shields an ASGI application from every Content-Type for which ``is_utf8`` is false.

    Django looks up the encoding before any middleware runs, and for any other encoding every access to the form raises, even from the
    error pages. So the header is removed from such a request, and the scope says why (``BODY_UNREADABLE``).
    """

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] == "http":
            kinds = [value.decode("latin-1") for name, value in scope["headers"] if name == b"content-type"]
            if not is_utf8(",".join(kinds)):
                headers = [(name, value) for name, value in scope["headers"] if name != b"content-type"]
                scope = {**scope, "headers": headers, BODY_UNREADABLE: True}
        await self._application(scope, receive, send)


def is_utf8(content_type: str) -> bool:
    """Whether a Content-Type says that its body is UTF-8, or names no charset. False if it cannot be parsed.

    ``utf8`` does not count: Django would take that for another encoding and raise.
    """
    if len(content_type) > CONTENT_TYPE_CHARS_MAX:
        return False
    try:
        return str(parse_header_parameters(content_type)[1].get("charset", "utf-8")).lower() == "utf-8"
    except Exception:  # this is the e-mail header parser, which raises all kinds of errors
        return False


def load_form(request: HttpRequest, *, fields_max: int) -> None:
    """Decode a urlencoded body into ``request.POST`` as Django would. A body with too many fields is left for Django to refuse."""
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
    """Split the bytes into pieces without cutting an escape in two."""
    start = 0
    while piece := part[start : start + PIECE]:
        cut = piece.rfind(b"%", PIECE - 2)
        yield piece if cut == -1 else piece[:cut]
        start += PIECE if cut == -1 else cut


def _plain(escapes: re.Match[bytes]) -> bytes:
    return bytes.fromhex(escapes[0].decode().replace("%", ""))
