"""Redirections: where the file descriptors of a command lead.

``/dev/tcp/host/port`` is no file: bash itself connects there, which scripts use to wait for a server
without any other program. The redirection fails if nothing listens; what is sent is not answered.
Source: bash lib/sh/netopen.c, redir.c redir_special_open.
"""

from typing import TYPE_CHECKING

from simulator.engine.containers.digits import whole
from simulator.engine.containers.files.filesystem import FileProblem, normalise
from simulator.engine.containers.kernel.answers import answer_of
from simulator.engine.containers.kernel.proc_files import proc_text
from simulator.engine.containers.process.frames import NULL, OutputTarget
from simulator.engine.containers.process.state import Shell
from simulator.engine.containers.syntax.ast import Redirect

if TYPE_CHECKING:
    from simulator.engine.containers.kernel.kernel import Kernel
    from simulator.engine.containers.process.state import Task
    from simulator.engine.containers.shell.expand import Expander

_SOCKETS = ("/dev/tcp/", "/dev/udp/")
_STREAMS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}


class RedirectError(Exception):
    """A file could not be opened; the text is the shell's message."""


def redirected(kernel: "Kernel", task: "Task", expander: "Expander", redirects: tuple[Redirect, ...]) -> dict[int, OutputTarget]:
    """The file descriptors of ``task`` with redirections applied in order. Raises RedirectError."""
    # All targets are expanded before any file is opened: expansion may have to start again.
    texts = [expander.text(redirect.target) for redirect in redirects]
    fds = dict(task.fds)
    for redirect, text in zip(redirects, texts, strict=True):
        _apply(kernel, task, fds, redirect, text)
    return fds


def _apply(kernel: "Kernel", task: "Task", fds: dict[int, OutputTarget], redirect: Redirect, text: str) -> None:
    op, fd = redirect.op, redirect.fd
    if text.startswith(_SOCKETS) and op in ("<", ">", ">>", "<>") and isinstance(task.body, Shell) and task.body.flavour == "bash":
        fds[fd] = _connected(kernel, text)
    elif op in ("<<", "<<<"):
        fds[fd] = OutputTarget("pipe", kernel.new_pipe(text + ("\n" if op == "<<<" else "")))
    elif op in (">&", "<&") and (text.isdecimal() or text == "-"):
        if text == "-":
            fds.pop(fd, None)
        elif whole(text, -1) not in fds:
            raise RedirectError(f"{text}: Bad file descriptor")
        else:
            # In order: ``>file 2>&1`` and ``2>&1 >file`` differ.
            fds[fd] = fds[whole(text)]
    elif op == "<":
        fds[fd] = _open_input(kernel, task, fds, text)
    elif op == "<>":
        fds[fd] = NULL
    else:
        target = open_output(kernel, task, fds, text, append=op in (">>", "&>>"))
        fds[fd] = target
        if op in ("&>", "&>>", ">&"):
            fds[2] = target


def _connected(kernel: "Kernel", text: str) -> OutputTarget:
    """Connect to ``/dev/tcp/host/port``. Raises RedirectError."""
    _, _, _, host, port = (*text.split("/"), "", "")[:5]
    number = whole(port)
    own = answer_of(kernel, port=number, path="/") if host in ("localhost", "127.0.0.1") else None
    if own is None or own.outcome == "refused":
        if not host[:1].isdigit() and host != "localhost" and kernel.host.lookup.resolve(host) is None:
            raise RedirectError(f"{host}: Name or service not known")
        own = kernel.host.lookup.get(host, number, "/", kernel.meter)
    if own.outcome not in ("answered", "eof") and not text.startswith("/dev/udp/"):
        raise RedirectError(f"{text}: {'Connection timed out' if own.outcome == 'timeout' else 'Connection refused'}")
    return NULL


def _stream(kernel: "Kernel", fds: dict[int, OutputTarget], path: str) -> OutputTarget | None:
    """The descriptor that a special path stands for."""
    if path in _STREAMS:
        return fds.get(_STREAMS[path], NULL)
    parts = path.split("/")
    if parts[:3] == ["", "dev", "fd"] and len(parts) == 4 and parts[3].isdecimal():
        return fds.get(whole(parts[3], -1), NULL)
    if len(parts) == 5 and parts[1] == "proc" and parts[3] == "fd" and parts[4].isdecimal():
        if parts[2] == "self":
            return fds.get(whole(parts[4], -1), NULL)
        other = kernel.tasks.get(whole(parts[2], -1))
        return other.fds.get(whole(parts[4], -1), NULL) if other is not None else None
    return None


def _open_input(kernel: "Kernel", task: "Task", fds: dict[int, OutputTarget], text: str) -> OutputTarget:
    path = normalise(text, task.cwd)
    if path in ("/dev/null", "/dev/zero"):
        return NULL
    stream = _stream(kernel, fds, path)
    if stream is not None:
        return stream
    try:
        found = proc_text(kernel, task, path)
        return OutputTarget("pipe", kernel.new_pipe(kernel.fs.read(path) if found is None else found))
    except FileProblem as problem:
        reason = "no such file" if str(problem).startswith("No such") else str(problem)
        raise RedirectError(f"can't open {text}: {reason}") from problem


def open_output(kernel: "Kernel", task: "Task", fds: dict[int, OutputTarget], text: str, *, append: bool) -> OutputTarget:
    """Open a file for writing, truncating it unless ``append``. Raises RedirectError."""
    path = normalise(text, task.cwd)
    if path in ("/dev/null", "/dev/tty", "/dev/zero", "/dev/full"):
        return NULL
    stream = _stream(kernel, fds, path)
    if stream is not None:
        return stream
    try:
        if not text:
            raise FileProblem("No such file or directory")
        if not append or kernel.fs.get(path) is None:
            kernel.fs.write(path, "")
    except FileProblem as problem:
        reason = "nonexistent directory" if str(problem).startswith("No such") else str(problem)
        raise RedirectError(f"can't create {text}: {reason}") from problem
    return OutputTarget("file", path=path)
