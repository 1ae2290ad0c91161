"""The types that the rest of the engine exchanges with container behaviour."""

from collections.abc import Mapping

from msgspec import Struct

from simulator.engine.containers.files.filesystem import Files
from simulator.engine.containers.network_access import NO_NETWORK, Network
from simulator.engine.containers.process.state import Process


class Neighbour(Struct, frozen=True, gc=False):
    """Another container in the same process namespace, with its processes as they are now."""

    container: str
    process: Process


class Host(Struct, frozen=True, gc=False):
    """What the node offers at this moment.

    ``now_ms`` is the time of the run, ``epoch_s`` the wall clock (Unix seconds) at time 0; ``volumes`` holds the current
    content of every volume by key; ``lookup`` answers DNS and HTTP. ``neighbours`` are the containers whose processes this one sees;
    ``pause``: PID 1 of them all is the pod's sandbox.
    """

    now_ms: int
    epoch_s: int = 1_767_225_600
    volumes: Mapping[str, Files] = {}
    lookup: Network = NO_NETWORK
    neighbours: tuple[Neighbour, ...] = ()
    pause: bool = False


class Sent(Struct, frozen=True, gc=False):
    """A signal that a process sent to a process of another container."""

    container: str
    pid: int
    number: int


class LogLine(Struct, frozen=True, gc=False):
    """One line of a container's output, without its line break. ``partial``: the output ended without one."""

    at_ms: int
    stream: str
    text: str
    partial: bool = False


SHORTCOMINGS = ("command-not-understood", "busy", "out-of-memory", "bad-behaviour", "internet-not-simulated", "bare-server")
"""Names of notes that say what the simulation could not do; the others describe what a real node does, too."""


class Note(Struct, frozen=True, gc=False):
    """Something a reader of the run should know, e.g. that a command could not be understood."""

    name: str
    text: str


class Turn(Struct, frozen=True, gc=False):
    """What happened to a container while it ran at one moment.

    ``volumes``: only volumes whose content changed. ``wake_ms``: when to resume it, None = never by itself.
    ``waits_for_files``: resume it also when a mounted file changes. ``exit_code``: set once the main process has ended.
    ``oom``: the OOM killer has acted in this instance (then a termination counts as OOMKilled whatever the code).
    ``start_error``: the runtime's text if the main program could not be started; ``exit_code`` is 128 then.
    ``spent``: units of work (effort.py) that it took.
    """

    process: Process
    volumes: tuple[tuple[str, Files], ...] = ()
    wake_ms: int | None = None
    waits_for_files: bool = False
    exit_code: int | None = None
    oom: bool = False
    log: tuple[LogLine, ...] = ()
    notes: tuple[Note, ...] = ()
    start_error: str = ""
    sent: tuple[Sent, ...] = ()
    spent: int = 0


class ExecState(Struct, frozen=True, gc=False):
    """An unfinished exec session: its first process, the pipes with its output, and when it began.

    ``output`` is the pipe with its standard output alone, if that is wanted. ``input`` is the pipe that it reads, and ``writer``
    the process that stands for whatever writes to it: the input has ended once that process is gone.
    """

    pid: int
    pipe: int
    since_ms: int
    errors: int = 0
    output: int = 0
    input: int = 0
    writer: int = 0


class ExecTurn(Struct, frozen=True, gc=False):
    """What happened while an exec session ran at one moment.

    ``exec`` None = finished, then ``exit_code``, ``output`` (stdout and stderr as they came) and ``errors`` (stderr alone)
    are final.
    ``printed`` is stdout alone (at a terminal both) of a session that a client is connected to.
    ``wake_ms``: when to call ``exec_resume``. ``not_found``: the program does not exist; ``error`` is the runtime's text.
    The ``main_…`` fields, ``waits_for_files`` and ``spent`` describe the container itself, as in ``Turn``: reschedule it by them.
    """

    process: Process
    exec: ExecState | None = None
    exit_code: int | None = None
    output: str = ""
    wake_ms: int | None = None
    not_found: bool = False
    error: str = ""
    volumes: tuple[tuple[str, Files], ...] = ()
    main_exit: int | None = None
    main_oom: bool = False
    main_wake_ms: int | None = None
    waits_for_files: bool = False
    log: tuple[LogLine, ...] = ()
    notes: tuple[Note, ...] = ()
    errors: str = ""
    sent: tuple[Sent, ...] = ()
    spent: int = 0
    printed: str | None = None


class ProcessRow(Struct, frozen=True, gc=False):
    """One line of a process listing. ``state``: R running, S sleeping, T stopped."""

    pid: int
    ppid: int
    command: str
    state: str
