"""Files, pipes and output of a container during one turn.

A pipe is a text, identified by a number. Positive numbers connect processes; a write to one without a reader fails,
which ends the writer with SIGPIPE's 141. Negative numbers are read by the simulation itself (the
output of a probe, of ``kubectl exec``, of a command substitution) and always have a reader. The log is
split into lines here; an unfinished line waits in ``partial`` for its rest or for the end.
"""

from functools import partial

from simulator.engine.containers.effort import CHARS, COPIED, TEXT_CHARS_MAX, Meter
from simulator.engine.containers.files.etc import etc_text
from simulator.engine.containers.files.filesystem import FileProblem, FileSystem, normalise
from simulator.engine.containers.images.known import ImageFacts, image_facts
from simulator.engine.containers.process.frames import Frame, OutputTarget, Restore
from simulator.engine.containers.process.state import Launch, Process, Shell, Task
from simulator.engine.containers.process.turn import Host, LogLine, Note
from simulator.engine.model.system import System, system_of

LOG_LINES_MAX = 400
"""How many lines of output one turn passes on; the log keeps no more for a container anyway."""
LOG_LINE = 4
"""The cost of passing on one line, besides its characters."""
LINE_CHARS_MAX = 16_384
"""Longer lines are logged in parts, as containerd does."""


class Streams:
    """What the processes of a container read and write. The base of ``Kernel``, which runs them."""

    __slots__ = (
        "facts", "fs", "host", "launch", "log", "meter", "next_pipe", "notes", "now_ms", "partial", "pipes", "process", "started_ms",
        "system", "tasks",
    )  # fmt: skip

    def __init__(self, process: Process, host: Host, meter: Meter | None = None) -> None:
        self.process = process
        self.host = host
        self.launch = process.launch
        self.system: System = system_of(process.launch.os)
        self.facts: ImageFacts = image_facts(process.launch.image)
        self.now_ms = host.now_ms
        self.started_ms = process.started_ms
        self.next_pipe = process.next_pipe
        self.pipes = process.pipes.copy()
        self.partial = process.partial
        self.log: list[LogLine] = []
        self.notes: list[Note] = []
        self.tasks: dict[int, Task] = {}
        self.meter = meter if meter is not None else Meter()
        mounts = process.launch.mounts
        self.fs = FileSystem(
            process.files, mounts, host.volumes, base_dirs=self.facts.directories, now_ms=host.now_ms, meter=self.meter,
            etc=partial(etc_text, self.launch.naming, self.facts.tools), writable=_writable(self.launch, self.facts),
        )  # fmt: skip

    @property
    def wall_s(self) -> int:
        """Wall clock in Unix seconds."""
        return self.host.epoch_s + self.now_ms // 1000

    def drop_unused_pipes(self) -> None:
        used: dict[int, None] = {}
        for task in self.tasks.values():
            for target in task.fds.values():
                used[target.pipe] = None
            if isinstance(task.body, Shell):
                for frame in task.body.stack:
                    used.update(_pipes_of(frame))
        self.pipes = {key: text for key, text in self.pipes.items() if key in used or key < 0}

    def note(self, name: str, text: str) -> None:
        """Write a note for the reader, once per instance."""
        if f"{name}: {text}" not in self.process.noted and all((n.name, n.text) != (name, text) for n in self.notes):
            self.notes.append(Note(name, text))

    def exists(self, path: str, cwd: str) -> bool:
        """Whether a file, directory or device exists."""
        full = normalise(path, cwd)
        return full.startswith("/dev/") or self.fs.exists(full)

    def new_pipe(self, text: str = "", *, capture: bool = False) -> int:
        """Number of a new pipe. ``capture`` (a negative number): it is read by the simulation itself."""
        number = -self.next_pipe if capture else self.next_pipe
        self.next_pipe += 1
        self.pipes[number] = text[:TEXT_CHARS_MAX]
        return number

    def write(self, target: OutputTarget, text: str) -> bool:
        """Write to the end of a file descriptor. False: the pipe has no reader any more."""
        kind = target.kind
        self.meter.charge(len(text) // CHARS)
        if kind == "stdout" or kind == "stderr":
            self._print(kind, text)
        elif kind == "seen":
            self._print(target.path, text)
            self._add(target.pipe, text)
        elif kind == "errors":
            # kubectl needs stderr separately, the kubelet's probe both as they came.
            for number in (target.pipe, int(target.path)):
                self._add(number, text)
        elif kind == "pipe":
            if target.pipe > 0 and not self._has_reader(target.pipe):
                return False
            self._add(target.pipe, text)
        elif kind == "file":
            try:
                self.fs.append(target.path, text)
            except FileProblem as problem:
                # A program would see the error; most scripts ignore it, so tell the reader of the run instead.
                self.note("write-failed", f"Nothing more can be written to {target.path[:200]}: {problem}.")
        return True

    def _add(self, pipe: int, text: str) -> None:
        """Put a text into a pipe; what does not fit is lost."""
        held = self.pipes.get(pipe, "")
        self.meter.charge(len(held) // COPIED)
        if len(held) + len(text) > TEXT_CHARS_MAX:
            self.note("pipe-full", f"More than {TEXT_CHARS_MAX} characters waited in a pipe; the rest is lost.")
        self.pipes[pipe] = (held + text)[:TEXT_CHARS_MAX]

    def _print(self, stream: str, text: str) -> None:
        index = 0 if stream == "stdout" else 1
        count = text.count("\n")
        self.meter.charge(len(self.partial[index]) // CHARS + LOG_LINE * count)
        lines = (self.partial[index] + text).split("\n")
        left = lines.pop()
        for line in lines[-LOG_LINES_MAX:]:
            for start in range(0, max(len(line), 1), LINE_CHARS_MAX):
                self.log.append(LogLine(self.now_ms, stream, line[start : start + LINE_CHARS_MAX]))
        while len(left) > LINE_CHARS_MAX:
            self.log.append(LogLine(self.now_ms, stream, left[:LINE_CHARS_MAX]))
            left = left[LINE_CHARS_MAX:]
        # Cut in bulk, so that a noisy program does not pay for each line again.
        if len(self.log) > 2 * LOG_LINES_MAX:
            del self.log[:-LOG_LINES_MAX]
        self.partial = (left, self.partial[1]) if index == 0 else (self.partial[0], left)

    def _has_reader(self, pipe: int) -> bool:
        self.meter.charge(len(self.tasks))
        for task in self.tasks.values():
            reading = task.fds.get(0)
            if task.code is None and reading is not None and reading.pipe == pipe:
                return True
        return False

    def has_writer(self, pipe: int) -> bool:
        """Whether a process can still write to the pipe."""
        self.meter.charge(len(self.tasks))
        for task in self.tasks.values():
            if task.code is None:
                for fd, target in task.fds.items():
                    if fd and target.pipe == pipe and target.kind == "pipe":
                        return True
        return False


def _writable(launch: Launch, facts: ImageFacts) -> tuple[str, ...] | None:
    """Where the container can write outside its volumes; None for everywhere. The runtime makes a volume of each VOLUME of an image."""
    return None if launch.writable is None else (*launch.writable, *facts.volumes)


def _pipes_of(frame: Frame) -> dict[int, None]:
    """The pipes that a frame will need."""
    found: dict[int, None] = {}
    if isinstance(frame, Restore):
        for target in frame.fds.values():
            found[target.pipe] = None
    # Collect and ReadLine name a pipe; the others have no such field.
    pipe = getattr(frame, "pipe", 0)
    if pipe:
        found[pipe] = None
    return found
