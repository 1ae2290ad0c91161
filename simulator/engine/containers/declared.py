"""Declared behaviour: what a user says a container does, instead of the simulator working it out.

The annotation ``podscope.dev/behaviour`` of a pod maps container names to blocks; a cluster's stand-ins map image names to
blocks. A block is a mapping (names may be written ``onTerm`` or ``on-term``), every field optional::

    program: replace                 # replace (default): the block is the main program; keep: the command runs, the block adds
        program: replace                 # replace (default): the block is the main program; keep: the command runs, the block adds to it
    exit: {after: 30s, code: 1}      # the program ends by itself; a list gives instance 0, 1, …; the last one goes on,
        exit: {after: 30s, code: 1}      # the program ends by itself; a list gives instance 0, 1, …; the last entry repeats,
    listens:
    - port: 8080
      paths:                         # status, or a list of {from, status, body, location, delay} since the start
        /healthz: [{from: 0s, status: 200}, {from: 10s, status: 500}]
        /: 200
      otherwise: 404                 # status of every other path (default 200 where no paths are given, else 404)
      delay: 100ms                   # time every answer takes
      tls: true                      # the port speaks TLS (default false)
      grpc: {"": SERVING}            # gRPC health service: service name → SERVING | NOT_SERVING (or a list with from); {} = none
    - 9090                           # short for {port: 9090}
    onTerm: ignore                   # ignore | exit (default, code 0) | {exit: code, after: 4s}
    memory: [{at: 0s, bytes: 64Mi}, {at: 30s, bytes: 200Mi}]     # linear in between, constant after the last point
    cpu: [{at: 0s, amount: 100m}, {at: 60s, amount: 800m}]       # what metrics tell; nothing runs slower for it
    log: [{at: 1s, text: "ready", stream: stdout}]
    exec: {"cat /tmp/healthy": 0, "check.sh": [{from: 0s, status: 0}, {from: 20s, status: 1, output: "broken"}]}

Durations are ``500ms``, ``10s``, ``1m30s``, ``1h`` or whole seconds; sizes are bytes or Kubernetes quantities.
"""

import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from simulator.engine.containers.digits import DIGITS_MAX
from simulator.engine.kernel.caching import cached_when_short
from simulator.engine.kernel.errors import EngineError
from simulator.engine.kernel.json_text import decode
from simulator.engine.model.quantity import BadQuantity, milli

_DURATION = re.compile(r"([0-9]{1,12})(ms|s|m|h)")
_UNIT_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
_SIZE = re.compile(r"([0-9]{1,18})(Ki|Mi|Gi|k|M|G)?")
_SIZE_UNIT = {None: 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}
NUMBER_MAX = 10**DIGITS_MAX
ENTRIES_MAX = 500
_GRPC = {"SERVING": 1, "NOT_SERVING": 0}  # as a program answers here; the numbers are not those of the health protocol


# From here on: the checked form of a block, then what the machines ask of it, then the reader.
class BadBehaviour(EngineError):
    """A behaviour block is wrong. ``path`` is the field path, ``problem`` one sentence."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.path = path
        self.problem = problem


class DeclaredStep(Struct, frozen=True):
    """An answer that holds from ``from_ms`` after the start until the next step; ``status`` is an HTTP, gRPC or exit status.

    ``location`` is the header of a redirect, ``delay_ms`` how long the answer takes.
    """

    from_ms: int
    status: int = 0
    body: str = ""
    location: str = ""
    delay_ms: int = 0


Steps = tuple[DeclaredStep, ...]


class Listen(Struct, frozen=True):
    """A port and what answers there."""

    port: int
    paths: tuple[tuple[str, Steps], ...] = ()
    otherwise: Steps = ()
    delay_ms: int = 0
    grpc: tuple[tuple[str, Steps], ...] | None = None
    tls: bool = False


class Exit(Struct, frozen=True):
    """The program ends ``after_ms`` after its start with ``code``; ``never`` = it does not."""

    after_ms: int = 0
    code: int = 0
    never: bool = False


class DeclaredLine(Struct, frozen=True):
    """A log line at ``at_ms`` after the start."""

    at_ms: int
    text: str
    stream: str = "stdout"


class Block(Struct, frozen=True):
    """A behaviour block, checked."""

    keep: bool = False
    startup_ms: int = 0
    exits: tuple[Exit, ...] = ()
    listens: tuple[Listen, ...] = ()
    term: str = "exit"
    term_code: int = 0
    term_after_ms: int = 0
    memory: tuple[tuple[int, int], ...] = ()
    cpu: tuple[tuple[int, int], ...] = ()
    log: tuple[DeclaredLine, ...] = ()
    exec: tuple[tuple[str, Steps], ...] = ()

    def exit_of(self, instance: int) -> Exit | None:
        """How that instance ends by itself, None if it does not."""
        # The last entry applies to all later restarts.
        chosen = self.exits[min(instance, len(self.exits) - 1)] if self.exits else None
        return None if chosen is None or chosen.never else chosen


@cached_when_short(maxsize=1024, chars_max=20_000)
def parse_block(text: str) -> Block:
    """The block in a JSON text; an empty text is an empty block. Raises BadBehaviour. Cached."""
    if not text:
        return Block()
    try:
        document: Any = decode(text)
    except ValueError as problem:
        raise BadBehaviour("", f"not valid JSON: {problem}") from problem
    return read_block(document)


def step_at(steps: Steps, since_ms: int) -> DeclaredStep | None:
    """The step that holds then."""
    found: DeclaredStep | None = None
    for step in steps:
        if step.from_ms <= since_ms:
            found = step
    return found


def memory_at(block: Block, since_ms: int) -> int:
    """Memory of the declared program in bytes."""
    return _on_curve(block.memory, since_ms, 1 << 20)


def cpu_at(block: Block, since_ms: int) -> int:
    """What the declared program uses of its CPUs then, in thousandths of one; 0 where nothing is declared."""
    return _on_curve(block.cpu, since_ms, 0)


def _on_curve(points: tuple[tuple[int, int], ...], since_ms: int, otherwise: int) -> int:
    """The value of a curve: linear between its points, constant before the first and after the last."""
    # Whole-number interpolation: no float may get into state, and replays must agree to the byte.
    before = (0, points[0][1]) if points else (0, otherwise)
    for at, value in points:
        if at > since_ms:
            return before[1] + (value - before[1]) * (since_ms - before[0]) // (at - before[0])
        before = (at, value)
    return before[1]


def memory_turns(block: Block) -> tuple[int, ...]:
    """Moments since the start at which the memory curve changes direction."""
    return tuple(at for at, _ in block.memory)


def parse_duration_ms(value: object, path: str) -> int:
    """A duration in milliseconds. Raises BadBehaviour."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= NUMBER_MAX:
        return value * 1000
    if isinstance(value, str):
        if value.isdecimal() and len(value) <= DIGITS_MAX:
            return int(value) * 1000
        # findall skips what it does not know, so the pieces must add up to the whole text again.
        pieces = _DURATION.findall(value)
        if pieces and "".join(number + unit for number, unit in pieces) == value:
            return sum(int(number) * _UNIT_MS[unit] for number, unit in pieces)
    raise BadBehaviour(path, "must be a duration such as 500ms, 10s or 1m30s")


def parse_size_bytes(value: object, path: str) -> int:
    """A size in bytes. Raises BadBehaviour."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= NUMBER_MAX:
        return value
    match = _SIZE.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise BadBehaviour(path, "must be a size such as 64Mi")
    return int(match.group(1)) * _SIZE_UNIT[match.group(2)]


def _camel(name: str) -> str:
    return re.sub(r"-([a-z])", lambda match: match.group(1).upper(), name)


def _fields(value: Any, path: str, known: tuple[str, ...]) -> dict[str, Any]:
    """A mapping with known field names only, these in camelCase."""
    if not isinstance(value, dict):
        raise BadBehaviour(path, "must be a mapping")
    result = {}
    for name, content in value.items():
        if _camel(name) not in known:
            raise BadBehaviour(f"{path}.{name}" if path else name, f"unknown field; known are {', '.join(known)}")
        result[_camel(name)] = content
    return result


def _list(value: Any, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadBehaviour(path, "must be a list")
    if len(value) > ENTRIES_MAX:
        raise BadBehaviour(path, f"must have at most {ENTRIES_MAX} entries")
    return value


def _whole(value: Any, path: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BadBehaviour(path, f"must be a whole number from {low} to {high}")
    return value


def _switch(value: Any, path: str) -> bool:
    if not isinstance(value, bool):
        raise BadBehaviour(path, "must be true or false")
    return value


def _text(value: Any, path: str) -> str:
    if not isinstance(value, str):
        raise BadBehaviour(path, "must be a text")
    return value


def _http_status(value: Any, path: str) -> int:
    return _whole(value, path, 100, 599)


def _exit_status(value: Any, path: str) -> int:
    return _whole(value, path, 0, 255)


def _grpc_status(value: Any, path: str) -> int:
    if not isinstance(value, str) or value not in _GRPC:
        raise BadBehaviour(path, "must be SERVING or NOT_SERVING")
    return _GRPC[value]


def _steps(value: Any, path: str, status: Callable[[Any, str], int]) -> Steps:
    """A status, or a list of steps in time."""
    if not isinstance(value, list):
        return (DeclaredStep(0, status(value, path)),)
    steps = []
    for index, item in enumerate(_list(value, path)):
        here = f"{path}[{index}]"
        fields = _fields(item, here, ("from", "status", "body", "output", "location", "delay"))
        if "status" not in fields:
            raise BadBehaviour(f"{here}.status", "is required")
        steps.append(
            DeclaredStep(
                parse_duration_ms(fields.get("from", 0), f"{here}.from"),
                status(fields["status"], f"{here}.status"),
                _text(fields.get("body", fields.get("output", "")), f"{here}.body"),
                _text(fields.get("location", ""), f"{here}.location"),
                parse_duration_ms(fields.get("delay", 0), f"{here}.delay"),
            )
        )
    # step_at takes the last step that has begun, so the order of the file must not matter.
    return tuple(sorted(steps, key=lambda step: step.from_ms))


def _table(value: Any, path: str, status: Callable[[Any, str], int], *, of: str) -> tuple[tuple[str, Steps], ...]:
    if not isinstance(value, dict):
        raise BadBehaviour(path, f"must map each {of} to a status")
    return tuple((str(key), _steps(item, f"{path}[{key}]", status)) for key, item in value.items())


def _listen(value: Any, path: str) -> Listen:
    if isinstance(value, int):
        return Listen(_whole(value, path, 1, 65535), otherwise=(DeclaredStep(0, 200),))
    fields = _fields(value, path, ("port", "paths", "otherwise", "delay", "grpc", "tls"))
    paths = _table(fields.get("paths", {}), f"{path}.paths", _http_status, of="path")
    # A server that names its paths knows no others; one that names none answers everything.
    otherwise = fields.get("otherwise", 404 if paths else 200)
    return Listen(
        _whole(fields.get("port"), f"{path}.port", 1, 65535),
        paths,
        _steps(otherwise, f"{path}.otherwise", _http_status),
        parse_duration_ms(fields.get("delay", 0), f"{path}.delay"),
        _table(fields["grpc"], f"{path}.grpc", _grpc_status, of="service") if "grpc" in fields else None,
        _switch(fields.get("tls", False), f"{path}.tls"),
    )


def _exit(value: Any, path: str) -> Exit:
    if value is None or value == "never":
        return Exit(never=True)
    fields = _fields(value, path, ("after", "code"))
    return Exit(parse_duration_ms(fields.get("after", 0), f"{path}.after"), _exit_status(fields.get("code", 0), f"{path}.code"))


def _exits(value: Any, path: str) -> tuple[Exit, ...]:
    if isinstance(value, list):
        return tuple(_exit(item, f"{path}[{index}]") for index, item in enumerate(_list(value, path)))
    return (_exit(value, path),)


def _term(value: Any, path: str) -> tuple[str, int, int]:
    if value in ("ignore", "exit"):
        return value, 0, 0
    if not isinstance(value, dict):
        raise BadBehaviour(path, "must be ignore, exit or {exit: code, after: duration}")
    fields = _fields(value, path, ("exit", "after"))
    code = _exit_status(fields.get("exit", 0), f"{path}.exit")
    return "exit", code, parse_duration_ms(fields.get("after", 0), f"{path}.after")


def _curve(value: Any, path: str, name: str, read: Callable[[Any, str], int]) -> tuple[tuple[int, int], ...]:
    if not isinstance(value, list):
        return ((0, read(value, path)),)
    points = []
    for index, item in enumerate(_list(value, path)):
        here = f"{path}[{index}]"
        fields = _fields(item, here, ("at", name))
        at = parse_duration_ms(fields.get("at", 0), f"{here}.at")
        points.append((at, read(fields.get(name), f"{here}.{name}")))
    for index in range(1, len(points)):
        if points[index][0] <= points[index - 1][0]:
            raise BadBehaviour(f"{path}[{index}].at", "must be later than the point before")
    return tuple(points)


def _cpu(value: Any, path: str) -> int:
    """Thousandths of a CPU: ``250m``, ``1.5`` or a whole number of CPUs."""
    try:
        return milli(value)
    except (BadQuantity, TypeError) as problem:
        raise BadBehaviour(path, "must be an amount of CPU, such as 250m") from problem


def _log(value: Any, path: str) -> tuple[DeclaredLine, ...]:
    lines = []
    for index, item in enumerate(_list(value, path)):
        here = f"{path}[{index}]"
        fields = _fields(item, here, ("at", "text", "stream"))
        stream = fields.get("stream", "stdout")
        if stream not in ("stdout", "stderr"):
            raise BadBehaviour(f"{here}.stream", "must be stdout or stderr")
        at = parse_duration_ms(fields.get("at", 0), f"{here}.at")
        lines.append(DeclaredLine(at, _text(fields.get("text", ""), f"{here}.text"), stream))
    return tuple(lines)


def read_block(document: Any) -> Block:
    """The block in a decoded document. Raises BadBehaviour with the field path."""
    known = ("program", "startupDelay", "exit", "listens", "onTerm", "memory", "cpu", "log", "exec")
    fields = _fields(document, "", known)
    program = fields.get("program", "replace")
    if program not in ("replace", "keep"):
        raise BadBehaviour("program", "must be replace or keep")
    term, term_code, term_after_ms = _term(fields.get("onTerm", "exit"), "onTerm")
    return Block(
        keep=program == "keep",
        startup_ms=parse_duration_ms(fields.get("startupDelay", 0), "startupDelay"),
        exits=_exits(fields["exit"], "exit") if "exit" in fields else (),
        listens=tuple(_listen(item, f"listens[{i}]") for i, item in enumerate(_list(fields.get("listens", []), "listens"))),
        term=term,
        term_code=term_code,
        term_after_ms=term_after_ms,
        memory=_curve(fields["memory"], "memory", "bytes", parse_size_bytes) if "memory" in fields else (),
        cpu=_curve(fields["cpu"], "cpu", "amount", _cpu) if "cpu" in fields else (),
        log=_log(fields.get("log", []), "log"),
        exec=_table(fields.get("exec", {}), "exec", _exit_status, of="command"),
    )
