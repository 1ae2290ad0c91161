"""The stored state of a container's processes.

A stored ``Process`` and everything it points to never changes: a turn begins by copying its tasks (``kernel._thaw``) and
ends by storing new ones, so a world is forked by copying the pointer. ``Task`` and ``Shell`` are plain (not frozen) Structs
only because they are modified *during* a turn, between those two moments.

One field says what a process waits for: ``Task.block`` with ``until_ms`` (a moment) or ``on`` (pids, or
a pipe and a number of lines). ``Body`` says what it does once it is ready. Together they decide when
the container has to be resumed; nothing else may hold time. ``Process`` also keeps what outlives its
tasks: exit codes not yet collected, notes already written, and how many instants it used up in a row.
"""

from typing import TypeAlias

from msgspec import Struct

from simulator.engine.containers.files.etc import NO_NAMING, Naming
from simulator.engine.containers.files.filesystem import Files, Mount
from simulator.engine.containers.process.frames import Frame, OutputTarget
from simulator.engine.containers.syntax.ast import Node

Value: TypeAlias = str | dict[str, str]
"""Value of a shell variable: text, or an array by index."""


class Presumed(Struct, frozen=True, gc=False):
    """What a manifest implies about a container's program if nothing else is known about it.

    ``ports``: those that its probes and hooks name, without those it declares and those of other containers. ``is_probed``: it has
    probes to pass. ``ends``: it is an init container that the next one waits for. ``completes``: its pod is meant to complete, and it
    serves nothing.
    """

    ports: tuple[int, ...] = ()
    is_probed: bool = False
    ends: bool = False
    completes: bool = False


NOTHING_PRESUMED = Presumed()


class Launch(Struct, frozen=True, gc=False):
    """Everything a container is started with, on a node that runs ``os``, by the container runtime ``runtime``.

    ``command`` empty = the image's ENTRYPOINT; references are already expanded.

    ``dies_as_one``: an out-of-memory kill takes all processes at once (memory.oom.group).

    ``writable``: if the root file system is read-only, the paths that are nevertheless writable,
    including everything below them; None: it is not read-only.

    ``user_range``: if the pod has its own ids, the first of them on the node and how many there are.

    ``stdin``: the main process has an input that stays open, to be attached to; ``tty``: at a terminal.

    ``behaviour`` and ``stand_in`` are JSON texts of behaviour blocks ("" = none); ``instance`` counts restarts from 0.
    """

    image: str
    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    working_dir: str = ""
    ports: tuple[int, ...] = ()
    mounts: tuple[Mount, ...] = ()
    naming: Naming = NO_NAMING
    memory_limit_bytes: int | None = None
    is_pid1: bool = True
    instance: int = 0
    behaviour: str = ""
    stand_in: str = ""
    seed: int = 0
    subject: str = ""
    uid: int = 0
    gid: int = 0
    groups: tuple[int, ...] = ()
    memory_min_bytes: int = 0
    memory_high_bytes: int | None = None
    os: str = "linux"
    runtime: str = "containerd"
    dies_as_one: bool = False
    presumed: Presumed = NOTHING_PRESUMED
    writable: tuple[str, ...] | None = None
    user_range: tuple[int, int] | None = None
    stdin: bool = False
    tty: bool = False


class Shell(Struct):
    """A shell between two commands: ``stack`` is its remaining work, innermost last."""

    flavour: str  # ash, dash or bash: only the wording of messages differs
    name: str
    variables: dict[str, Value]
    exported: dict[str, None]
    params: tuple[str, ...] = ()
    stack: list[Frame] = []
    functions: dict[str, Node] = {}
    traps: dict[str, str] = {}
    # Trapped signals that have arrived and whose action has not run yet, each once.
    pending: tuple[int, ...] = ()
    # Exit codes of children that have ended and were not waited for.
    done: dict[int, int] = {}
    status: int = 0
    last_background: int = 0
    options: str = ""
    forked: bool = False
    quiet: bool = False  # a copy made where failures do not count for set -e
    # How often $RANDOM was read: its values derive from the run's seed.
    draws: int = 0


class Sleeper(Struct, frozen=True, gc=False):
    """``sleep``: ends with 0 at the task's ``until_ms``. ``repeat_ms`` > 0: in a loop that only sleeps; never scheduled."""

    repeat_ms: int = 0


class Later(Struct, frozen=True, gc=False):
    """A program whose result is known and appears at ``until_ms``; ``path`` is written if it is not empty.

    If that fails, the program ends with ``unwritten_code`` and prints ``unwritten``, with the problem between each two parts.
    """

    stdout: str = ""
    stderr: str = ""
    code: int = 0
    path: str = ""
    text: str = ""
    unwritten: tuple[str, ...] = ()
    unwritten_code: int = 1


class Followed(Struct, frozen=True, gc=False):
    """A file that ``tail -f`` follows: bytes or characters already shown, or -1 while it does not exist."""

    path: str
    shown: int


class Follow(Struct, frozen=True, gc=False):
    """``tail -f``/``-F``. Without files (``/dev/null``) it just waits."""

    files: tuple[Followed, ...] = ()


class Reader(Struct, frozen=True, gc=False):
    """A program that waits for its standard input: all of it, or ``lines`` of it, or (``lines`` -1) line by line."""

    lines: int = 0
    status: int = 1


class Guard(Struct, frozen=True, gc=False):
    """``timeout``: watches ``child`` until ``until_ms`` and then sends it ``number``."""

    child: int
    number: int = 15
    fired: bool = False


class Holder(Struct, frozen=True, gc=False):
    """A program that runs until it is stopped.

    ``ports`` it listens on; ``site`` "" = plain TCP, else the kind of content it serves; ``root`` a directory; ``handler`` a
    command per connection. ``exits``: signal number → exit code. ``declared``: driven by the container's behaviour block.
    ``any_scheme``: it is not known whether it speaks TLS, so it is assumed to use the scheme of the request.
    Memory grows from ``memory_since_ms`` at ``memory_rate`` bytes a second up to ``memory_bytes``.
    """

    ports: tuple[int, ...] = ()
    site: str = ""
    root: str = ""
    handler: tuple[str, ...] = ()
    exits: tuple[tuple[int, int], ...] = ()
    declared: bool = False
    shown: int = 0
    ending: int = -1
    memory_bytes: int = 0
    memory_rate: int = 0
    memory_since_ms: int = 0
    any_scheme: bool = False


Body: TypeAlias = Shell | Sleeper | Later | Follow | Reader | Guard | Holder


class Task(Struct):
    """One process. ``block`` says what it waits for: "" runnable, timer, child, jobs, line, eof, file or never."""

    pid: int
    ppid: int
    argv: tuple[str, ...]
    body: Body
    fds: dict[int, OutputTarget]
    cwd: str
    env: dict[str, str]
    ignored: tuple[int, ...] = ()
    block: str = ""
    until_ms: int = 0
    on: tuple[int, ...] = ()
    session: int = 0
    code: int | None = None


def command_line(task: Task) -> str:
    """What ``ps`` shows for a process: its arguments, or the title that nginx sets for itself (os/unix/ngx_process_cycle.c)."""
    words = " ".join(task.argv)
    is_nginx = bool(task.argv) and task.argv[0].rpartition("/")[2] == "nginx"
    return f"nginx: master process {words}" if is_nginx else words


class Process(Struct, frozen=True, gc=False):
    """A container instance: its processes, pipes and private files. ``root`` is the pid of the main process."""

    launch: Launch
    started_ms: int
    root: int
    tasks: tuple[Task, ...] = ()
    next_pid: int = 2
    next_pipe: int = 1
    pipes: dict[int, str] = {}
    files: Files = {}
    partial: tuple[str, str] = ("", "")
    codes: dict[int, int] = {}
    exit_code: int | None = None
    ended_ms: int = 0
    oom: bool = False
    # A fault injected by the user: no progress; ``held`` are the signals that arrived meanwhile.
    hung: bool = False
    held: tuple[int, ...] = ()
    noted: tuple[str, ...] = ()
    # Instants used up in a row, and when the last of them was.
    spins: int = 0
    spun_ms: int = 0
    grown: int = 0  # units of work since its texts were last counted
