"""Files, pipes and output of a container during one turn."""

from simulator.engine.behaviour.filesystem import FileProblem, FileSystem, normalise
from simulator.engine.behaviour.images import ImageFacts, image_facts
from simulator.engine.behaviour.process import Process, Shell, Task
from simulator.engine.behaviour.shell.frames import Frame, Restore, Target
from simulator.engine.behaviour.types import Host, LogLine, Note

PIPE_CHARS_MAX = 1 << 20


class Streams:
    """What the processes of a container read and write. The base of ``Kernel``, which runs them."""

    __slots__ = (
        "facts", "fs", "host", "launch", "log", "next_pipe", "notes", "now_ms", "partial", "pipes", "process", "started_ms", "tasks",
    )  # fmt: skip

    def __init__(self, process: Process, host: Host) -> None:
        self.process = process
        self.host = host
        self.launch = process.launch
        self.facts: ImageFacts = image_facts(process.launch.image)
        self.now_ms = host.now_ms
        self.started_ms = process.started_ms
        self.next_pipe = process.next_pipe
        self.pipes = process.pipes.copy()
        self.partial = process.partial
        self.log: list[LogLine] = []
        self.notes: list[Note] = []
        self.tasks: dict[int, Task] = {}
        mounts = process.launch.mounts
        self.fs = FileSystem(process.files, mounts, host.volumes, base_dirs=self.facts.directories, now_ms=host.now_ms)

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
        """Tell the reader something, once per instance."""
        if f"{name}: {text}" not in self.process.noted and all((n.name, n.text) != (name, text) for n in self.notes):
            self.notes.append(Note(name, text))

    def exists(self, path: str, cwd: str) -> bool:
        """Whether a file, directory or device is there."""
        full = normalise(path, cwd)
        return full.startswith("/dev/") or self.fs.exists(full)

    def new_pipe(self, text: str = "", *, capture: bool = False) -> int:
        """Number of a new pipe. ``capture`` (a negative number): it is read by the simulation itself."""
        number = -self.next_pipe if capture else self.next_pipe
        self.next_pipe += 1
        self.pipes[number] = text
        return number

    def write(self, target: Target, text: str) -> bool:
        """Write to the end of a file descriptor. False: nobody reads the pipe any more."""
        kind = target.kind
        if kind == "stdout" or kind == "stderr":
            self._print(kind, text)
        elif kind == "errors":
            for number in (target.pipe, int(target.path)):
                self.pipes[number] = self.pipes.get(number, "")[:PIPE_CHARS_MAX] + text
        elif kind == "pipe":
            if target.pipe > 0 and not self._has_reader(target.pipe):
                return False
            held = self.pipes.get(target.pipe, "")
            if len(held) < PIPE_CHARS_MAX:
                self.pipes[target.pipe] = held + text
        elif kind == "file":
            try:
                self.fs.append(target.path, text)
            except FileProblem:
                return True
        return True

    def _print(self, stream: str, text: str) -> None:
        index = 0 if stream == "stdout" else 1
        lines = (self.partial[index] + text).split("\n")
        left = lines.pop()
        for line in lines:
            self.log.append(LogLine(self.now_ms, stream, line))
        self.partial = (left, self.partial[1]) if index == 0 else (self.partial[0], left)

    def _has_reader(self, pipe: int) -> bool:
        for task in self.tasks.values():
            reading = task.fds.get(0)
            if task.code is None and reading is not None and reading.pipe == pipe:
                return True
        return False

    def has_writer(self, pipe: int) -> bool:
        """Whether a process can still write to the pipe."""
        for task in self.tasks.values():
            if task.code is None:
                for fd, target in task.fds.items():
                    if fd and target.pipe == pipe and target.kind == "pipe":
                        return True
        return False


def _pipes_of(frame: Frame) -> dict[int, None]:
    """Pipes that a frame will need."""
    found: dict[int, None] = {}
    if isinstance(frame, Restore):
        for target in frame.fds.values():
            found[target.pipe] = None
    pipe = getattr(frame, "pipe", 0)
    if pipe:
        found[pipe] = None
    return found
