"""What a shell still has to do: the frames of its stack, and where a file descriptor leads.

A shell cannot be a Python call stack, since it must be stored, forked and resumed between any two
commands. So its remaining work is data: a stack of frames, innermost last. Executing a node
pushes frames (``shell/nodes.py``); when the work on top has ended, the frame below it is popped and
decides what comes next (``shell/steps.py``), by ``shell.status`` alone. Frames are frozen and shared.
"""

from typing import TypeAlias

from msgspec import Struct

from simulator.engine.containers.syntax.ast import AndOr, ArithFor, For, If, Item, Loop, Node


class OutputTarget(Struct, frozen=True):
    """End of a file descriptor: ``stdout``/``stderr`` (the container's log), ``null``, ``pipe`` or ``file``.

    ``errors`` is standard error of an exec session (or its standard output, where that is wanted alone): it goes to ``pipe`` with the
    rest, and to the pipe numbered ``path``. A ``pipe`` whose ``path`` is TERMINAL is one to a terminal.

    ``seen`` is the container's log (``path`` says which stream) and a pipe that whoever is attached reads.
    """

    kind: str
    pipe: int = 0
    path: str = ""


TERMINAL = "tty"
STDOUT = OutputTarget("stdout")
STDERR = OutputTarget("stderr")
NULL = OutputTarget("null")


class RunNode(Struct, frozen=True):
    """Execute a node. ``memo`` holds the output of its command substitutions so far."""

    node: Node
    memo: tuple[str, ...] = ()
    sub_status: int = 0


class Collect(Struct, frozen=True):
    """A command substitution of ``again`` runs as ``pid``; take its output from ``pipe`` and continue with ``again``."""

    pid: int
    pipe: int
    again: RunNode


class Next(Struct, frozen=True):
    """Continue with ``items[index]``."""

    items: tuple[Item, ...]
    index: int


class Chain(Struct, frozen=True):
    """``nodes[index]`` of an and-or list has just ended."""

    node: AndOr
    index: int


class Negate(Struct, frozen=True):
    """Invert the status (``!``)."""


class Decide(Struct, frozen=True):
    """The condition of ``branches[index]`` has just ended."""

    node: If
    index: int


class Round(Struct, frozen=True):
    """A ``while`` loop: its condition (``in_body`` False) or its body has just ended."""

    node: Loop
    in_body: bool
    status: int = 0


class Each(Struct, frozen=True):
    """A ``for`` loop: ``values[index]`` comes next."""

    node: For
    values: tuple[str, ...]
    index: int


class CountLoop(Struct, frozen=True):
    """A ``for ((…))`` loop whose body is about to run (``step`` False) or has run."""

    node: ArithFor
    step: bool


class Await(Struct, frozen=True):
    """A foreground process is running."""

    pid: int


class AwaitAll(Struct, frozen=True):
    """A foreground pipeline is running; its status is that of the last process (with pipefail: the last that failed)."""

    pids: tuple[int, ...]


class AwaitJobs(Struct, frozen=True):
    """The ``wait`` builtin: the last of ``pids`` gives the status; ``first``: any one is enough; ``every``: status 0."""

    pids: tuple[int, ...]
    every: bool = False
    first: bool = False


class ReadLine(Struct, frozen=True):
    """The ``read`` builtin waits for a line of ``pipe``."""

    argv: tuple[str, ...]
    pipe: int
    ifs: str = " \t\n"


class ReadScript(Struct, frozen=True):
    """A shell reads its commands from ``pipe`` as they come; ``held`` is the beginning of one that continues on the next line.

    ``prompts``: it prompts for each at a terminal; ``is_asked``: it has done so.
    """

    pipe: int
    held: str = ""
    prompts: bool = False
    is_asked: bool = False


class Restore(Struct, frozen=True):
    """Restore the file descriptors after a redirected compound command or function."""

    fds: dict[int, OutputTarget]


class Leave(Struct, frozen=True):
    """End of a function (or sourced file): restore parameters and local variables."""

    params: tuple[str, ...]
    saved: tuple[tuple[str, str | None], ...] = ()


class TrapEnd(Struct, frozen=True):
    """End of a trap action: restore ``$?``."""

    status: int


class Quit(Struct, frozen=True):
    """End the shell with this status (after its EXIT trap)."""

    status: int


Frame: TypeAlias = (
    RunNode
    | Collect
    | Next
    | Chain
    | Negate
    | Decide
    | Round
    | Each
    | CountLoop
    | Await
    | AwaitAll
    | AwaitJobs
    | ReadLine
    | ReadScript
    | Restore
    | Leave
    | TrapEnd
    | Quit
)
