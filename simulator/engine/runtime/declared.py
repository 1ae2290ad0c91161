"""Explicit behaviour: what a user says a container does, instead of the simulator working it out.

The annotation ``podscope.dev/behaviour`` of a pod maps container names to blocks; a cluster's stand-ins map image names to
blocks. A block is a mapping (names may be written ``onTerm`` or ``on-term``), every field optional::

    program: replace                 # replace (default): the block is the main program; keep: the command runs, the block adds
    startupDelay: 5s                 # ports open this long after the start
    exit: {after: 30s, code: 1}      # the program ends by itself; a list gives instance 0, 1, …; the last one goes on,
    exit: [{after: 5s, code: 1}, never]                                      # ``never`` = runs until it is stopped
    listens:
    - port: 8080
      paths:                         # status, or a list of {from, status, body, location, delay} since the start
        /healthz: [{from: 0s, status: 200}, {from: 10s, status: 500}]
        /: 200
      otherwise: 404                 # status of every other path (default 200 where no paths are given, else 404)
      delay: 100ms                   # time every answer takes
      grpc: {"": SERVING}            # gRPC health service: service name → SERVING | NOT_SERVING (or a list with from)
    - 9090                           # short for {port: 9090}
    onTerm: ignore                   # ignore | exit (default, code 0) | {exit: code, after: 4s}
    memory: [{at: 0s, bytes: 64Mi}, {at: 30s, bytes: 200Mi}]     # linear in between, constant after the last point
    log: [{at: 1s, text: "ready", stream: stdout}]
    exec: {"cat /tmp/healthy": 0, "check.sh": [{from: 0s, status: 0}, {from: 20s, status: 1, output: "broken"}]}

Durations are ``500ms``, ``10s``, ``1m30s``, ``1h`` or whole seconds; sizes are bytes or Kubernetes quantities.
"""

import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from simulator.engine.kernel.caching import cached_when_short
from simulator.engine.kernel.errors import EngineError
from simulator.engine.kernel.json_text import decode
from simulator.engine.runtime.digits import DIGITS_MAX
from simulator.engine.runtime.process import Holder, Task

if TYPE_CHECKING:
    from simulator.engine.runtime.kernel import Kernel

_DURATION = re.compile(r"([0-9]{1,12})(ms|s|m|h)")
_UNIT_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
_SIZE = re.compile(r"([0-9]{1,18})(Ki|Mi|Gi|k|M|G)?")
_SIZE_UNIT = {None: 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}
NUMBER_MAX = 10**DIGITS_MAX
TERM_SIGNALS = (1, 2, 3, 15, 28)


class BadBehaviour(EngineError):
    """A behaviour block is wrong. ``path`` is the field path, ``problem`` one sentence."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.path = path
        self.problem = problem


class DeclaredStep(Struct, frozen=True):
    """An answer that holds from ``from_ms`` after the start until the next step."""

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
    log: tuple[DeclaredLine, ...] = ()
    exec: tuple[tuple[str, Steps], ...] = ()

    def exit_of(self, instance: int) -> Exit | None:
        """How that instance ends by itself, None if it does not."""
        chosen = self.exits[min(instance, len(self.exits) - 1)] if self.exits else None
        return None if chosen is None or chosen.never else chosen


@cached_when_short(maxsize=1024, chars_max=20_000)
def parse_block(text: str) -> Block:
    """The block in a JSON text; an empty text is an empty block. Raises BadBehaviour. Cached."""
    from simulator.engine.runtime.declared_reader import read_block

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
    before = (0, block.memory[0][1]) if block.memory else (0, 1 << 20)
    for at, size in block.memory:
        if at > since_ms:
            return before[1] + (size - before[1]) * (since_ms - before[0]) // (at - before[0])
        before = (at, size)
    return before[1]


def memory_turns(block: Block) -> tuple[int, ...]:
    """Moments since the start at which the memory curve changes direction."""
    return tuple(at for at, _ in block.memory)


def _next_ms(block: Block, instance: int, since_ms: int) -> int | None:
    """When the declared program does something next, since its start."""
    moments = [line.at_ms for line in block.log]
    ending = block.exit_of(instance)
    if ending is not None:
        moments.append(ending.after_ms)
    return min((moment for moment in moments if moment > since_ms), default=None)


def declared_step(kernel: "Kernel", task: Task, body: Holder) -> None:
    """Write the log lines that are due and end if it is time."""
    block = parse_block(kernel.launch.behaviour or kernel.launch.stand_in)
    since_ms = kernel.now_ms - kernel.started_ms
    shown = body.shown
    for line in sorted(block.log, key=lambda entry: entry.at_ms)[shown:]:
        if line.at_ms <= since_ms:
            kernel.write(task.fds[2 if line.stream == "stderr" else 1], line.text + "\n")
            shown += 1
    ending = block.exit_of(kernel.launch.instance)
    if ending is not None and ending.after_ms <= since_ms:
        kernel.finish(task, ending.code)
        return
    following = _next_ms(block, kernel.launch.instance, since_ms)
    task.body = Holder(body.ports, body.site, declared=True, shown=shown, exits=body.exits)
    task.block = "never" if following is None else "timer"
    task.until_ms = 0 if following is None else kernel.started_ms + following


def declared_signal(kernel: "Kernel", task: Task, body: Holder, number: int) -> bool:
    """Take a stopping signal as the block says. Other signals are ignored."""
    block = parse_block(kernel.launch.behaviour or kernel.launch.stand_in)
    if block.term == "ignore" or number not in TERM_SIGNALS or body.ending >= 0:
        return True
    if not block.term_after_ms:
        kernel.finish(task, block.term_code)
        return True
    task.body = Holder(body.ports, body.site, declared=True, shown=body.shown, exits=body.exits, ending=block.term_code)
    task.block, task.until_ms = "timer", kernel.now_ms + block.term_after_ms
    return True


def parse_duration_ms(value: object, path: str) -> int:
    """A duration in milliseconds. Raises BadBehaviour."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= NUMBER_MAX:
        return value * 1000
    if isinstance(value, str):
        if value.isdecimal() and len(value) <= DIGITS_MAX:
            return int(value) * 1000
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
