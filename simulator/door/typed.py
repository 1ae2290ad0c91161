"""A kubectl line that only reads, for a command line next to the API: ``get --raw PATH`` is a request, anything else is
kubectl's own output."""

from urllib.parse import parse_qsl, urlsplit

from simulator.door.answering import answer
from simulator.door.exchange import DoorRequest
from simulator.door.scene import DoorScene
from simulator.engine.kernel.json_text import Json, decode
from simulator.engine.kernel.units import Ms
from simulator.engine.world.world import World
from simulator.kubectl.filters import through
from simulator.kubectl.kubectl import answered
from simulator.kubectl.line import READING, BadLine, Printed, parse_words, verb_of
from simulator.kubectl.shell import is_too_long, shell_line
from simulator.kubectl.tables.model import Sight

_GOOD = 400


def looked(world: World, line: str, *, now_ms: Ms, namespace: str = "", context: str = "") -> Printed:
    """What kubectl prints for a line that only reads, at that moment, and its exit code. Never raises because of what the line says.

    ``namespace`` is that of the context, for a line that names none; by default the run's own. ``context`` is the name of the context.
    """
    path = "" if is_too_long(line) else _raw_path(line)
    if not path:
        return answered(world, line, now_ms=now_ms, namespace=namespace, context=context)
    found = _fetched(world, path, now_ms)
    return Printed(through(shell_line(line).filters, found.text), found.exit_code)


def _raw_path(line: str) -> str:
    """The path of ``get --raw PATH``; empty for any other line."""
    try:
        words = shell_line(line).words
        parsed = parse_words(words, "get", READING["get"]) if verb_of(words) == "get" else None
    except BadLine:
        return ""
    return parsed.value("raw") if parsed is not None and not parsed.words and parsed.value("raw").startswith("/") else ""


def _fetched(world: World, path: str, now_ms: Ms) -> Printed:
    url, sight = urlsplit(path), Sight(world, now_ms)
    request = DoorRequest(path=url.path, query=tuple(parse_qsl(url.query, keep_blank_values=True)))
    # Timestamps are not moved: the text uses the run's own clock.
    reply = answer(request, DoorScene(world=world, now_ms=now_ms, wall_ms=sight.epoch_now_ms, may_write=True))
    text = reply.body.decode()
    return Printed(text) if reply.status < _GOOD else Printed(_refused(text), 1)


def _refused(text: str) -> str:
    try:
        status: Json = decode(text)
    except ValueError:
        status = {}
    reason, message = status.get("reason"), status.get("message") or "the server could not find the requested resource"
    return f"Error from server ({reason or 'NotFound'}): {message}\n"
