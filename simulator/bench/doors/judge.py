"""What no answer, socket close or log line may be."""

import re
from collections.abc import Iterator

from simulator.bench.doors.model import Reply, Request, Talk, TalkEnd
from simulator.runs.wire import protocol

UNAVAILABLE = 503
OTHER_FORMATS = b"/oembed"
"""The oEmbed specification asks for 501 for formats other than JSON."""
ALWAYS = (b"content-security-policy", b"permissions-policy", b"referrer-policy", b"x-content-type-options")
SILENT = frozenset({204, 304})
"""They have no body, and so no content type."""
CODES = {value for name, value in vars(protocol).items() if name.startswith("CLOSE_")}
ASKED_FOR = {1000, 1007, 1009}
"""Allowed close codes: normal ones, invalid UTF-8, a message that is too large."""
BEFORE_ANYTHING = frozenset({400, 414, 431})
"""The server's own answers to malformed HTTP; they contain nothing of the site."""
HEALTH = b"/healthz"
"""It answers 503 and says which part of the site is missing, for machines that retry anyway."""
_ERROR = re.compile(r"^\S+ \S+ (?:ERROR|CRITICAL) (?!django\.security)", re.MULTILINE)
_TRACEBACK = "Traceback (most recent call last)"
_RAISED = re.compile(r"^ {0,4}[A-Za-z_.]*(?:Error|Exception|Overflow|Interrupt|Exit|Failure|[A-Z]\w+)(?::.*)?$", re.MULTILINE)


def of_answer(request: Request, answer: Reply) -> Iterator[str]:
    """What is wrong with an answer."""
    if answer.broken:
        yield f"no answer: {_last_line(answer.broken)}"
        return
    if answer.status >= 500 and not _is_in_words(request, answer):
        yield f"status {answer.status}"
    if answer.status in BEFORE_ANYTHING and not answer.header(b"set-cookie") and len(answer.body) < 300:
        return
    if answer.status not in SILENT and answer.body and not answer.header(b"content-type"):
        yield f"status {answer.status} without Content-Type"
    missing = [name.decode() for name in ALWAYS if not answer.header(name)]
    if missing:
        yield f"status {answer.status} without {', '.join(missing)}"
    if answer.header(b"x-injected"):
        yield "a header out of the request"


def _is_in_words(request: Request, answer: Reply) -> bool:
    """Whether it is the 503 that explains the problem and when to retry, or oEmbed's 501. An answer to HEAD has no text."""
    if not answer.body and request.method != b"HEAD":
        return False
    if answer.status == 501:
        return request.target.partition(b"?")[0] == OTHER_FORMATS
    says_when = bool(answer.header(b"retry-after")) or request.target.startswith(HEALTH)
    return answer.status == UNAVAILABLE and says_when


def of_talk(talk: Talk, end: TalkEnd) -> Iterator[str]:
    """What is wrong with the end of a socket."""
    if end.broken:
        if not (is_cut_off(end) and breaks_protocol(talk)):
            yield f"socket: {_last_line(end.broken)}"
    elif end.status != 101:
        if end.status >= 500 or end.status < 400:
            yield f"socket: status {end.status}"
    elif not end.answers and end.code not in CODES | ASKED_FOR:
        yield f"socket: closed with {end.code}"


def breaks_protocol(talk: Talk) -> bool:
    """Whether a message violates the websocket protocol: RFC 6455 has the server fail the connection."""
    for message in talk.messages:
        try:
            _ = message.payload.decode() if message.opcode == 1 else ""
        except UnicodeDecodeError:
            return True
    return False


def is_cut_off(end: TalkEnd) -> bool:
    """Whether the connection ended without a close frame."""
    return end.broken in ("ConnectionResetError", "BrokenPipeError", "IncompleteReadError")


def of_log(text: str) -> Iterator[str]:
    """What is wrong with the log: the kind of each error, so that equal ones are reported once."""
    if _TRACEBACK in text:
        raised = _RAISED.findall(text.rpartition(_TRACEBACK)[2])
        yield f"traceback: {raised[-1][:120] if raised else 'of what cannot be read'}"
    elif _ERROR.search(text):
        line = next(line for line in text.splitlines() if _ERROR.match(line))
        yield f"logged: {line.split(' ', 3)[-1][:120]}"


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2][:160]
