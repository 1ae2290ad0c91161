"""``kubectl wait``: whether its condition is met at the moment.

Source: kubectl pkg/cmd/wait/wait.go. kubectl returns when all objects meet the condition or it times out; here the
answer belongs to one moment. ``manage.py simulate`` lets the time pass that kubectl would wait.
"""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import DAY, SECOND, Ms
from simulator.engine.versions.span import Span
from simulator.engine.world.world import World
from simulator.kubectl.durations import BadDuration, duration_of
from simulator.kubectl.find import NOTHING_NAMED, Picked, missing_text, pick
from simulator.kubectl.help import wants_help
from simulator.kubectl.line import BadLine, Line, parse_line, verb_of
from simulator.kubectl.output.go_values import go_sprint
from simulator.kubectl.output.jsonpath import JSONPath, PathError
from simulator.kubectl.shell import shell_line
from simulator.kubectl.tables.model import Sight, at

DEFAULT_MS: Ms = 30 * SECOND
"""The default of ``--timeout``."""
_FOREVER_MS: Ms = 7 * DAY
_JSONPATH = Span(since=23)
_ANY_VALUE = Span(since=31)
_CREATE = Span(since=31)
_GONE_IS_FINE = Span(since=21)
_LISTED = Span(since=36)
_ONE_DEADLINE = Span(since=25)
"""The kubectl versions with one deadline for all objects of a line; seen with 1.24 and 1.27."""
Condition = Callable[[Json], bool]


class Waited(Struct, frozen=True):
    """The lines for the objects that meet the condition, and the names of those that do not; ``names`` are all of them in order."""

    met: tuple[str, ...]
    unmet: tuple[str, ...]
    names: tuple[str, ...] = ()


def wait(line: Line, sight: Sight) -> str:
    """The output of ``kubectl wait`` so far. Raises BadLine."""
    found = waited(line, sight)
    open_ones = [f"(still waiting for the condition on {name} at this moment)" for name in found.unmet]
    return "".join(f"{text}\n" for text in (*found.met, *open_ones))


def timeout_of(line: Line) -> Ms:
    """The timeout of a wait in milliseconds, a week for a negative one. Raises BadLine."""
    text = line.value("timeout")
    try:
        length_ms = duration_of(text.removeprefix("-")) if text else DEFAULT_MS
    except BadDuration as error:
        raise BadLine(f'error: invalid argument "{text}" for "--timeout" flag: {error}') from None
    return _FOREVER_MS if length_ms and text.startswith("-") else length_ms


def waiting(world: World, text: str, *, now_ms: Ms, namespace: str = "") -> tuple[Ms, str] | None:
    """How long a ``wait`` line may still have to wait, and what it prints on timeout; None if there is nothing to wait for.

    ``namespace`` is that of the context, for a line that names none; by default the run's own.
    """
    try:
        words = shell_line(text).words
        if verb_of(words) != "wait" or wants_help(words):
            return None
        line = parse_line(words)
        found = waited(line, Sight(world, now_ms, namespace))
        if found.unmet and line.value("for") == "create":
            return timeout_of(line), "error: timed out waiting for the condition\n"
        return (timeout_of(line), timeout_text(found, world.release.minor)) if found.unmet else None
    except BadLine:
        return None


def timeout_text(found: Waited, minor: int) -> str:
    """What wait prints when it times out.

    It waits for one object after the other; with a single deadline for all, no time is left for those that come after
    the first timeout.
    """
    met, names = found.met, found.unmet
    if _ONE_DEADLINE.holds_for(minor) and found.names:
        first = next(place for place, name in enumerate(found.names) if name in names)
        met, names = met[:first], found.names[first:]
    start = "error: " if len(names) == 1 else ""
    return "".join((*(f"{text}\n" for text in met), *(f"{start}timed out waiting for the condition on {name}\n" for name in names)))


def waited(line: Line, sight: Sight) -> Waited:
    """What the line waits for, as of this moment. Raises BadLine."""
    timeout_of(line)
    asked = line.value("for")
    kind, condition = _condition(asked, sight)
    if not line.words:
        raise BadLine(NOTHING_NAMED)
    picked = pick(line, sight)
    if any(item.is_list for item in picked) and not line.value("selector") and not line.has("all"):
        raise BadLine("error: resource(s) were provided, but no name was specified")
    if kind == "delete":
        return _deletion(picked, sight)
    missing = [text for item in picked for text in missing_text(item)]
    if kind == "create":
        names = tuple(f"{item.info.resource}/{name}" for item in picked for name in item.missing)
        return Waited(tuple(f"{_full(item, document)} condition met" for item in picked for document in item.items), names)
    if missing:
        raise BadLine("\n".join(missing))
    objects = [(item, document) for item in picked for document in item.items]
    if not objects:
        raise BadLine("error: no matching resources found")
    met = [(item, document, condition(document)) for item, document in objects]
    return Waited(
        tuple(f"{_full(item, document)} condition met" for item, document, is_met in met if is_met),
        tuple(_named(item, document) for item, document, is_met in met if not is_met),
        tuple(_named(item, document) for item, document, _ in met),
    )


def _named(item: Picked, document: Json) -> str:
    return f"{item.info.plural}/{document['metadata']['name']}"


def _full(item: Picked, document: Json) -> str:
    group = f".{item.info.group}" if item.info.group else ""
    return f"{item.info.singular}{group}/{document['metadata']['name']}"


def _deletion(picked: list[Picked], sight: Sight) -> Waited:
    there = tuple(f"{item.info.plural}/{document['metadata']['name']}" for item in picked for document in item.items)
    # An old client fails if there is nothing to wait for; a newer one succeeds.
    if not there and not _GONE_IS_FINE.holds_for(sight.minor):
        raise BadLine("error: no matching resources found")
    return Waited((), there)


def _condition(asked: str, sight: Sight) -> tuple[str, Condition]:
    """The kind of condition that is waited for, and its test. Raises BadLine."""
    name, _, rest = asked.partition("=")
    if name.lower() == "delete" and not rest:
        return "delete", lambda document: False
    if name.lower() == "create" and not rest and _CREATE.holds_for(sight.minor):
        return "create", lambda document: True
    if name == "condition" and rest:
        kind, _, wanted = rest.partition("=")
        return "condition", lambda document: _has(document, kind, wanted or "true")
    if name == "jsonpath" and _JSONPATH.holds_for(sight.minor):
        return "jsonpath", _path(rest, sight)
    shown = "[]" if not asked and _LISTED.holds_for(sight.minor) else f'"{asked}"'
    raise BadLine(f"error: unrecognized condition: {shown}")


def _has(document: Json, kind: str, wanted: str) -> bool:
    """Whether the object has the condition, and its controller has observed the latest generation."""
    for item in at(document, "status", "conditions") or ():
        if str(item.get("type", "")).lower() != kind.lower():
            continue
        generation, seen = (
            at(document, "metadata", "generation"),
            item.get("observedGeneration") or at(document, "status", "observedGeneration"),
        )
        if isinstance(seen, int) and isinstance(generation, int) and seen < generation:
            return False
        return str(item.get("status", "")).lower() == wanted.lower()
    return False


def _path(text: str, sight: Sight) -> Condition:
    """The test of ``jsonpath={PATH}=VALUE``, or without a value that the path finds something. Raises BadLine."""
    end = text.rfind("}")
    path, value = text[: end + 1], text[end + 1 :]
    if not path.startswith("{") or (value and not value.startswith("=")) or (not value and not _ANY_VALUE.holds_for(sight.minor)):
        raise BadLine("error: jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3")
    wanted = value.removeprefix("=").strip("'\"")
    try:
        found = JSONPath(path)
    except PathError as error:
        raise BadLine(f"error: error parsing jsonpath {path}, {error}") from None

    def test(document: Json) -> bool:
        try:
            values: list[Any] = [item for results in found.results(document) for item in results]
        except PathError:
            return False
        if len(values) > 1:
            raise BadLine("error: given jsonpath expression matches more than one value")
        if not values or isinstance(values[0], dict | list):
            return bool(values) and not value
        return not value or go_sprint(values[0]) == wanted

    return test
