"""Finds and runs programs: what a name means in this image, and what starting it does.

The look-up order is that of the kernel and the shell combined: a name with a slash is that file or
program, any other is looked up among the image's programs and then in the usual directories. What
is not found gives ``Missing`` with the code a shell reports (127, or 126 if it is not executable);
the container runtime turns that into its own error if it is the main program.

A program either ends at once (an int) or becomes a process (``ProgramStart``). One that lacks input
raises ``NeedInput`` and is run again from the start once the input is there, so programs must not
write before they have read. What cannot be interpreted is never guessed: ``hold_unknown`` assumes
the behaviour that the manifest needs and leaves a note for the reader.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec import Struct

from simulator.engine.containers.effort import LINE, WORD_CHARS_MAX, Exhausted
from simulator.engine.containers.files.filesystem import FileProblem, normalise
from simulator.engine.containers.kernel.kernel import Kernel
from simulator.engine.containers.kernel.ports import bind_failure, taken_port
from simulator.engine.containers.kernel.proc_files import proc_text
from simulator.engine.containers.process.frames import OutputTarget, RunNode
from simulator.engine.containers.process.state import Body, Holder, Later, Reader, Shell, Task
from simulator.engine.containers.signals import TERM
from simulator.engine.containers.syntax.lexer import ScriptError
from simulator.engine.containers.syntax.parser import parse_script
from simulator.engine.containers.unsupported import Unsupported
from simulator.engine.model.system import WINDOWS

BIN_DIRS = ("/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin")
SHELLS = {"sh": "ash", "ash": "ash", "dash": "dash", "bash": "bash", "busybox": "ash"}
PIPE_BROKEN = 128 + 13
PRESUMED = "presumed"
"""The site of an unknown program: it answers every request as its manifest expects."""
HTTP_AND_MORE = "http-and-more"
"""The site of a server that answers HTTP and, on the same ports, its own protocol or gRPC."""
PRESUMED_MS = 1000
"""How long an init container with an unknown program takes."""
NOT_UNDERSTOOD = "command-not-understood"
"""Name of the note that says what is assumed about a program."""
NESTING_MAX = 20
"""How deeply programs may run programs: ``env nice env …``."""


class ProgramStart(Struct, frozen=True, gc=False):
    """A program that takes time: it becomes a process with this body, waiting for ``block``."""

    body: Body
    block: str = "never"
    until_ms: int = 0
    on: tuple[int, ...] = ()


class NeedInput(Exception):
    """The program needs more of its standard input: all of it, or ``lines`` lines."""

    def __init__(self, lines: int = 0) -> None:
        super().__init__()
        self.lines = lines


class BrokenPipe(Exception):
    """The program's output has no reader any more."""


class Call:
    """One run of a program: its arguments, environment and streams."""

    __slots__ = ("argv", "cwd", "env", "fds", "final", "kernel", "name", "stdin", "task")

    def __init__(
        self,
        kernel: Kernel,
        task: Task,
        argv: tuple[str, ...],
        *,
        fds: dict[int, OutputTarget],
        env: Mapping[str, str],
        stdin: str | None = None,
    ) -> None:
        self.kernel = kernel
        self.task = task
        self.argv = argv
        self.name = argv[0].rpartition("/")[2]
        self.fds = fds
        self.env = env
        self.cwd = task.cwd
        self.stdin = stdin
        self.final = True

    @property
    def has_server_beside(self) -> bool:
        """Whether another process of the container runs until it is stopped."""
        return any(task.pid != self.task.pid for task, _ in self.kernel.holders())

    @property
    def gnu(self) -> bool:
        """Whether the image has GNU tools rather than busybox: only messages differ."""
        return self.kernel.facts.tools == "debian"

    @property
    def is_asked(self) -> bool:
        """Whether something waits for the program's answer, so that it is not a server (``is_answer``)."""
        return is_answer(self.task, self.fds)

    def out(self, text: str) -> None:
        """Write to standard output. Raises BrokenPipe."""
        self._write(1, text)

    def err(self, text: str) -> None:
        """Write to standard error."""
        self._write(2, text)

    def _write(self, fd: int, text: str) -> None:
        target = self.fds.get(fd)
        if target is not None and text and not self.kernel.write(target, text):
            raise BrokenPipe

    def fail(self, message: str, code: int = 1) -> int:
        """Report ``name: message`` on standard error; returns ``code``."""
        self.err(f"{self.name}: {message}\n")
        return code

    def path(self, name: str) -> str:
        """``name`` as an absolute path."""
        return normalise(name, self.cwd)

    def read(self, name: str) -> str:
        """Text of a file, or of standard input for ``-``. Raises FileProblem or NeedInput."""
        if name in ("-", "/dev/stdin"):
            return self.input()
        path = self.path(name)
        if path in ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"):
            return ""
        text = proc_text(self.kernel, self.task, path)
        return self._taken(self.kernel.fs.read(path) if text is None else text)

    def input(self, lines: int = 0) -> str:
        """Standard input up to its end, or at least ``lines`` lines of it. Raises NeedInput if it is not there yet."""
        if self.stdin is not None:
            return self._taken(self.stdin)
        source = self.fds.get(0)
        if source is None or source.kind != "pipe":
            return ""
        held = self.kernel.pipes.get(source.pipe, "")
        if self.kernel.has_writer(source.pipe) and not (lines and held.count("\n") >= lines):
            raise NeedInput(lines)
        self.kernel.pipes[source.pipe] = ""
        return self._taken(held)

    def charge(self, units: int) -> None:
        """Charge for what comes next. Raises Exhausted."""
        self.kernel.meter.charge(units)

    def lines(self, text: str) -> list[str]:
        """The lines of a text, charged for looking at each."""
        found = text.splitlines()
        self.charge(LINE * len(found))
        return found

    def _taken(self, text: str) -> str:
        self.charge(len(text) >> 3)
        return text


Program: TypeAlias = Callable[[Call], "int | ProgramStart"]


class ScriptFile(Struct, frozen=True, gc=False):
    """A program that is a file: the interpreter named in its first line runs ``text``."""

    path: str
    interpreter: str
    text: str


class Missing(Struct, frozen=True, gc=False):
    """No such program. ``code`` 127, or 126 if it is not executable; ``reason`` in the runtime's words."""

    code: int
    reason: str


TOO_LONG = Missing(126, "Argument list too long")
"""The kernel starts no program with an argument of 32 pages (E2BIG)."""


def look_up(kernel: Kernel, name: str, cwd: str) -> "Program | ScriptFile | Missing":
    """What running ``name`` means in this container."""
    # Windows has its own names and no scripts with a shebang line.
    if kernel.launch.os == WINDOWS:
        return kernel.userland.program(kernel, name) or Missing(127, "The system cannot find the file specified.")
    base = name
    if "/" in name:
        directory, _, base = normalise(name, cwd).rpartition("/")
        script = _script(kernel, f"{directory}/{base}")
        if script is not None:
            return script
        if kernel.fs.is_dir(f"{directory}/{base}"):
            return Missing(126, "permission denied")
        # An unknown image may have the program anywhere.
        if directory not in BIN_DIRS and f"{directory}/{base}" not in kernel.facts.entrypoint and kernel.facts.tools != "any":
            return Missing(127, f"stat {name}: no such file or directory")
    program = kernel.userland.program(kernel, base) if base else None
    if program is not None:
        return program
    if "/" in name:
        return Missing(127, f"stat {name}: no such file or directory")
    for directory in BIN_DIRS:
        script = _script(kernel, f"{directory}/{name}")
        if script is not None and not isinstance(script, Missing):
            return script
    return Missing(127, "executable file not found in $PATH")


def _script(kernel: Kernel, path: str) -> "Program | ScriptFile | Missing | None":
    entry = kernel.fs.get(path)
    if entry is None or entry.is_directory:
        return Missing(126, "permission denied") if entry is not None else None
    if not entry.mode & 0o111:
        return Missing(126, "permission denied")
    if entry.is_opaque:
        return opaque
    first = entry.text.split("\n", 1)[0]
    words = first[2:].split() if first.startswith("#!") else ["/bin/sh"]
    interpreter = (words[1] if words and words[0].endswith("/env") and len(words) > 1 else (words or ["sh"])[0]).rpartition("/")[2]
    return ScriptFile(path, interpreter, entry.text)


def execute(
    kernel: Kernel, task: Task, argv: tuple[str, ...], *, fds: dict[int, OutputTarget], env: Mapping[str, str]
) -> "int | ProgramStart | Missing":
    """Run a program in the context of ``task``: its status, or how it starts if it takes time, or that it is missing."""
    kernel.meter.charge(sum(map(len, argv)) + 8 * len(argv) + len(env))
    found = look_up(kernel, argv[0], task.cwd)
    if isinstance(found, Missing):
        return found
    if max(map(len, argv), default=0) > WORD_CHARS_MAX:
        return TOO_LONG
    if isinstance(found, ScriptFile):
        return _start_script(kernel, found, argv, env, is_asked=is_answer(task, fds))
    # Programs that run programs use Python's own stack.
    if kernel.nesting >= NESTING_MAX:
        return TOO_LONG
    kernel.nesting += 1
    result = call_program(found, Call(kernel, task, argv, fds=fds, env=env))
    kernel.nesting -= 1
    return result


def call_program(program: Program, call: Call) -> "int | ProgramStart":
    """Run a program; one that lacks input becomes a process that waits for it."""
    try:
        result = program(call)
        return _listening(call.kernel, call.task, call.name, result) if isinstance(result, ProgramStart) else result
    except NeedInput as need:
        pipe = call.fds[0].pipe
        # cat, grep and the like pass each line on; others (sort, wc) need all of their input.
        if call.name in call.kernel.userland.streaming and not need.lines:
            return ProgramStart(Reader(-1), "line", on=(pipe,))
        return ProgramStart(Reader(need.lines), "eof", on=(pipe, need.lines) if need.lines else (pipe,))
    except BrokenPipe:
        return PIPE_BROKEN
    except Unsupported as problem:
        return hold_unknown(call.kernel, str(problem), is_asked=call.is_asked)
    except Exhausted:
        return hold_busy(call.kernel)
    except FileProblem as problem:
        call.err(f"{call.name}: {problem}\n")
        return 1


def _listening(kernel: Kernel, task: Task, name: str, start: ProgramStart) -> ProgramStart:
    """The start of a program, or its failure if a port it listens on is taken."""
    if not isinstance(start.body, Holder) or not start.body.ports:
        return start
    port = taken_port(kernel, task, start.body)
    if port is None:
        return start
    failure, wait_ms = bind_failure(kernel, name, port)
    return ProgramStart(failure, "timer", kernel.now_ms + wait_ms)


def continue_reader(kernel: Kernel, task: Task, body: Reader) -> None:
    """Give a program the input that it waited for."""
    found = look_up(kernel, task.argv[0], task.cwd)
    if isinstance(found, Missing | ScriptFile):
        kernel.finish(task, 127)
        return
    pipe = task.on[0]
    if body.lines >= 0:
        result = call_program(found, Call(kernel, task, task.argv, fds=task.fds, env=task.env))
        become(kernel, task, result)
        return
    held = kernel.pipes.get(pipe, "")
    ended = not kernel.has_writer(pipe)
    # Only whole lines are passed on while the writer lives.
    cut = len(held) if ended else held.rfind("\n") + 1
    kernel.pipes[pipe] = held[cut:]
    call = Call(kernel, task, task.argv, fds=task.fds, env=task.env, stdin=held[:cut])
    call.final = ended
    result = call_program(found, call) if held[:cut] else 1
    # grep over a stream succeeds if any of its pieces did.
    status = min(body.status, result) if isinstance(result, int) else 0
    if ended or result == PIPE_BROKEN or ("-q" in task.argv and result == 0):
        kernel.finish(task, PIPE_BROKEN if result == PIPE_BROKEN else status if call.name in ("grep", "egrep") else 0)
        return
    task.body = Reader(-1, status)


def become(kernel: Kernel, task: Task, result: "int | ProgramStart") -> None:
    """Turn an existing process into the program (which may already have ended)."""
    if isinstance(result, int):
        kernel.finish(task, result)
        return
    if task.argv:
        # ``exec nginx`` comes here without having gone through call_program's check.
        result = _listening(kernel, task, task.argv[0], result)
    task.body, task.block, task.until_ms, task.on = result.body, result.block, result.until_ms, result.on


def new_shell(flavour: str, name: str, env: Mapping[str, str], *, params: tuple[str, ...] = ()) -> Shell:
    """A shell that has the environment and nothing to do yet."""
    return Shell(flavour, name, dict(env), dict.fromkeys(env), params)


def _start_script(
    kernel: Kernel, script: ScriptFile, argv: tuple[str, ...], env: Mapping[str, str], *, is_asked: bool
) -> "int | ProgramStart":
    flavour = SHELLS.get(script.interpreter)
    if flavour is None:
        return hold_unknown(kernel, f"{script.path} is written for {script.interpreter}, which is not interpreted", is_asked=is_asked)
    shell = new_shell(shell_flavour(kernel, script.interpreter), script.path, env, params=argv[1:])
    return start_text(kernel, shell, script.text, is_asked=is_asked)


def shell_flavour(kernel: Kernel, name: str) -> str:
    """Which shell ``name`` is in this image: Debian's sh is dash."""
    flavour = SHELLS[name]
    return "dash" if name == "sh" and kernel.facts.tools == "debian" else flavour


def start_text(kernel: Kernel, shell: Shell, text: str, *, is_asked: bool) -> "int | ProgramStart":
    """Let a shell run a script. If it cannot be understood the best is assumed, and a note says why."""
    try:
        shell.stack = [RunNode(parse_script(text, kernel.meter))]
    except Unsupported as problem:
        return hold_unknown(kernel, str(problem), is_asked=is_asked)
    except ScriptError as problem:
        kernel.write(kernel_stderr(kernel), f"{shell.name}: {problem}\n")
        return 2
    except Exhausted:
        return hold_busy(kernel)
    return ProgramStart(shell, "")


def kernel_stderr(kernel: Kernel) -> OutputTarget:
    """Standard error of the main process."""
    root = kernel.tasks.get(kernel.root)
    return root.fds[2] if root is not None and 2 in root.fds else OutputTarget("stderr")


def hold_busy(kernel: Kernel) -> ProgramStart:
    """A program that would compute more than the simulation can follow: it is busy until it is stopped."""
    kernel.note("busy", "A program computes more at once than the simulation works out; it counts as busy until it is stopped.")
    kernel.end_instant()
    return ProgramStart(Holder())


def is_answer(task: Task, fds: Mapping[int, OutputTarget]) -> bool:
    """Whether something waits for a program's output: a probe, a hook or ``kubectl exec``, or a shell that reads it."""
    out = fds.get(1)
    return task.session != 0 or (out is not None and out.kind == "pipe" and out.pipe < 0)


def hold_unknown(kernel: Kernel, reason: str, *, is_asked: bool = False) -> "int | ProgramStart":
    """Let a program that is not understood do what its manifest expects, with a note that says what is assumed.

    If its answer is awaited, it succeeds. An init container is done after a second, and so is a container that serves nothing in a
    pod that is meant to complete, as a Job's is. Everything else runs until it is stopped, with its declared ports and those of its
    probes open, unless something else has opened them: a server that the container started before keeps its port.
    """
    presumed = kernel.launch.presumed
    if is_asked:
        kernel.note(NOT_UNDERSTOOD, f"{reason}; it is taken to succeed.")
        return 0
    # An init container that never ended would keep its pod in Init forever, and a Job's program its Job at 0 completions.
    if presumed.ends or presumed.completes:
        kernel.note(NOT_UNDERSTOOD, f"{reason}; it is taken to end with 0 after a second.")
        return ProgramStart(Later(), "timer", kernel.now_ms + PRESUMED_MS)
    own = {port for _, held in kernel.holders() for port in held.ports}
    undeclared = tuple(port for port in presumed.ports if port not in own and not kernel.host.lookup.is_taken(port))
    also = f", to listen on {' and '.join(map(str, undeclared))}" if undeclared else ""
    probed = " and to pass its probes" if presumed.is_probed else ""
    kernel.note(NOT_UNDERSTOOD, f"{reason}; it is taken to run until it is stopped{also}{probed}.")
    # A known image has its own table; only an unknown one is assumed to stop cleanly.
    exits = ((TERM, 0), (kernel.facts.stop_signal, 0)) if not kernel.facts.known else ()
    ports = (*(port for port in kernel.launch.ports if port not in own), *undeclared)
    return ProgramStart(Holder(ports, PRESUMED, exits=exits, memory_bytes=16 << 20, any_scheme=True))


def not_understood(call: Call) -> "int | ProgramStart":
    """The fallback for a program that cannot be interpreted."""
    return hold_unknown(call.kernel, f"{' '.join(call.argv)[:120]} cannot be worked out", is_asked=call.is_asked)


def opaque(call: Call) -> "int | ProgramStart":
    """A program that the image is known to have but that cannot be interpreted."""
    if len(call.argv) == 2 and call.argv[1] in ("-v", "--version", "version"):
        call.out(f"{call.name} (version not modelled)\n")
        return 0
    facts = call.kernel.facts
    if facts.known and facts.listens and not call.is_asked and not call.kernel.launch.presumed.ends:
        return ProgramStart(Holder(facts.listens, "ok", memory_bytes=16 << 20))
    return not_understood(call)
