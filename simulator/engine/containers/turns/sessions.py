"""Commands run inside a container from outside: exec probes, hooks and ``kubectl exec``.

A session is a process tree of its own in the container's namespaces: ``task.session`` is the pid of its
first process and marks all its descendants. Its output goes to pipes that the simulation reads, so it
never reaches the container's log. The session ends with its first process; a probe's timeout kills it
(``exec_kill``), and if the container ends it ends with 137. A command may change the container, so
the result also carries the container's own next moment, by which the kubelet must reschedule it.
"""

from hashlib import sha256

from msgspec import Struct, structs

from simulator.engine.containers.declared import BadBehaviour, parse_block, step_at
from simulator.engine.containers.docker import DOCKER, exec_output
from simulator.engine.containers.kernel.execute import (
    NOT_UNDERSTOOD,
    PRESUMED,
    Call,
    Missing,
    Program,
    become,
    call_program,
    look_up,
    opaque,
)
from simulator.engine.containers.kernel.execute import execute as run_program
from simulator.engine.containers.kernel.kernel import Kernel, null_fds
from simulator.engine.containers.process.frames import NULL, TERMINAL, OutputTarget
from simulator.engine.containers.process.state import Holder, Process, Task
from simulator.engine.containers.process.turn import ExecState, ExecTurn, Host
from simulator.engine.containers.programs.tar import WITH_TAR, tar
from simulator.engine.containers.shell.prompt import interrupt
from simulator.engine.containers.turns.begin import USERLAND, kernel_of
from simulator.engine.containers.turns.instances import WINDOWS_ERROR, guarded
from simulator.engine.model.system import WINDOWS

KILLED = 137
_EXEC_ERROR = (
    'rpc error: code = Unknown desc = failed to exec in container: failed to start exec "{session}": OCI runtime exec failed: '
    'exec failed: unable to start container process: exec: "{name}": {reason}: unknown'
)


def _turn(
    kernel: Kernel,
    state: ExecState | None,
    *,
    code: int | None = None,
    output: str = "",
    error: str = "",
    errors: str = "",
    printed: str | None = None,
) -> ExecTurn:
    process = kernel.freeze()
    alive = kernel.died is None
    turn = ExecTurn(
        process,
        state,
        code,
        output,
        kernel.wake_ms(session=state.pid) if state is not None and alive else None,
        error != "",
        error,
        tuple(kernel.fs.changed.items()),
        kernel.died,
        kernel.oom,
        kernel.wake_ms() if alive else None,
        alive and kernel.waits_for_files(),
        tuple(kernel.log),
        tuple(kernel.notes),
        errors,
        tuple(kernel.sent),
        kernel.meter.spent,
        printed,
    )
    kernel.let_go()
    return turn


def _session_turn(kernel: Kernel, state: ExecState) -> ExecTurn:
    """The session's state after a turn: finished, or waiting."""
    if kernel.died is None and state.pid in kernel.tasks:
        return _turn(kernel, state)
    output, errors = kernel.pipes.pop(state.pipe, ""), kernel.pipes.pop(state.errors, "")
    code = kernel.codes.get(state.pid, KILLED)
    # Collected, as a parent would.
    kernel.codes = {pid: value for pid, value in kernel.codes.items() if pid != state.pid}
    printed = kernel.pipes.pop(state.output, "") if state.output else output if state.input else None
    if state.input:
        kernel.pipes.pop(state.input, None)
        kernel.tasks.pop(state.writer, None)
    return _turn(kernel, None, code=code, output=output, errors=errors, printed=printed)


def _declared_answer(process: Process, argv: tuple[str, ...], host: Host) -> ExecTurn | None:
    text = process.launch.behaviour
    if not text:
        return None
    try:
        block = parse_block(text)
    except BadBehaviour:
        return None
    steps = dict(block.exec).get(" ".join(argv), ())
    step = step_at(steps, host.now_ms - process.started_ms)
    if step is None:
        return None
    if not step.delay_ms:
        return _turn(kernel_of(process, host), None, code=step.status, output=step.body)
    kernel = kernel_of(process, host)
    pipe = kernel.new_pipe(step.body, capture=True)
    body = Holder(ending=step.status)
    task = kernel.spawn(None, argv, body, {0: NULL, 1: OutputTarget("pipe", pipe), 2: OutputTarget("pipe", pipe)})
    task.session, task.block, task.until_ms = task.pid, "timer", host.now_ms + step.delay_ms
    return _turn(kernel, ExecState(task.pid, pipe, host.now_ms))


def is_presumed(process: Process) -> bool:
    """Whether the container runs an unknown program that is trusted to do what its manifest expects. O(processes)."""
    return any(isinstance(task.body, Holder) and task.body.site == PRESUMED for task in process.tasks)


class Ends(Struct, frozen=True, gc=False):
    """What a session is connected to: an ``input`` that stays open until it is closed, a ``terminal``, and stdout ``apart``."""

    input: bool = False
    terminal: bool = False
    apart: bool = False


NO_ENDS = Ends()


class Typing(Struct, frozen=True, gc=False):
    """Text for an input. ``is_end``: nothing follows; ``interrupts``: the key ^C comes first; ``echo``: the terminal shows it."""

    text: str = ""
    is_end: bool = False
    interrupts: bool = False
    echo: bool = False


def exec_start(process: Process, argv: tuple[str, ...], host: Host, *, is_probe: bool = False, ends: Ends = NO_ENDS) -> ExecTurn:
    """Run a command in the container. It sees its files and environment; its output is collected.

    A probe of an unknown program succeeds without being run, just as its ports answer.
    """
    if process.exit_code is not None:
        error = "rpc error: code = Unknown desc = container is not running"
        return ExecTurn(process, exit_code=KILLED, error=error, main_exit=process.exit_code, main_oom=process.oom)
    declared = _declared_answer(process, argv, host)
    if declared is not None and not process.hung:
        return declared
    if is_probe and not process.hung and is_presumed(process):
        return _turn(kernel_of(process, host), None, code=0)
    found: list[ExecState] = []
    missing: list[Missing] = []

    def act(kernel: Kernel) -> None:
        kernel.userland = USERLAND if ends == NO_ENDS else _OUTSIDE
        pipe, errors = kernel.new_pipe(capture=True), kernel.new_pipe(capture=True)
        fds = {**null_fds(), 1: OutputTarget("pipe", pipe), 2: OutputTarget("errors", pipe, str(errors))}
        task = kernel.spawn(None, argv, Holder(), fds)
        task.session, task.block = task.pid, "never"
        found.append(_connected(kernel, task, ExecState(task.pid, pipe, host.now_ms, errors), ends))
        if not process.hung:
            _begin(kernel, task.pid, argv, missing)

    kernel = guarded(process, host, act)
    state = found[0]
    if missing:
        kernel.tasks.pop(state.pid, None)
        kernel.pipes.pop(state.pipe, None)
        kernel.pipes.pop(state.errors, None)
        kernel.pipes.pop(state.output, None)
        kernel.pipes.pop(state.input, None)
        kernel.tasks.pop(state.writer, None)
        reason = missing[0].reason
        # The runtime's id of the exec is random; this one is the same in every replay.
        session = sha256(f"{process.launch.seed}|{process.launch.subject}|{host.now_ms}|{state.pid}".encode()).hexdigest()
        name = argv[0] if argv else ""
        if process.launch.os == WINDOWS:
            what = f'rpc error: code = Unknown desc = failed to exec in container: failed to start exec "{session}"'
            error = WINDOWS_ERROR.format(what=what, id=process.launch.subject.rpartition("/")[2], reason=reason)
            return _turn(kernel, None, code=126, error=error)
        if process.launch.runtime == DOCKER:
            return _turn(kernel, None, code=126, output=exec_output(name, reason))
        return _turn(kernel, None, code=126, error=_EXEC_ERROR.format(session=session, name=name, reason=reason))
    if state.pid not in kernel.tasks and state.pid not in kernel.codes and kernel.died is None:
        return _turn(kernel, None, code=0)  # the interpreter failed; the note says so
    return _session_turn(kernel, state)


def _connected(kernel: Kernel, task: Task, state: ExecState, ends: Ends) -> ExecState:
    """Connect the first process of a session to its input, terminal and output."""
    fds, path = dict(task.fds), TERMINAL if ends.terminal else ""
    if ends.apart and not ends.terminal:
        state = structs.replace(state, output=kernel.new_pipe(capture=True))
        fds[1] = OutputTarget("errors", state.pipe, str(state.output))
    if ends.terminal:
        fds[1] = fds[2] = OutputTarget("pipe", state.pipe, TERMINAL)
        task.env = {**task.env, "TERM": "xterm"}
    if ends.input:
        state = structs.replace(state, input=kernel.new_pipe(capture=True))
        fds[0] = OutputTarget("pipe", state.input, path)
        # A process without a name stands for the client that types: as long as it lives, more input may come.
        writer = kernel.spawn(None, (), Holder(), {1: OutputTarget("pipe", state.input)})
        writer.session, writer.block = task.pid, "never"
        state = structs.replace(state, writer=writer.pid)
    task.fds = fds
    return state


def _begin(kernel: Kernel, pid: int, argv: tuple[str, ...], missing: list[Missing]) -> None:
    task = kernel.tasks[pid]
    program = look_up(kernel, argv[0], task.cwd) if argv else Missing(127, "no command")
    if isinstance(program, Missing):
        missing.append(program)
        return
    if program is opaque:
        kernel.note(NOT_UNDERSTOOD, f"What “{' '.join(argv)[:120]}” does is not known; it is taken to succeed.")
        kernel.finish(task, 0)
        return
    if callable(program):
        result = call_program(program, Call(kernel, task, argv, fds=task.fds, env=task.env))
    else:
        started = run_program(kernel, task, argv, fds=task.fds, env=task.env)
        assert not isinstance(started, Missing)
        result = started
    if pid in kernel.tasks and kernel.died is None:
        become(kernel, task, result)
    if kernel.died is None:
        kernel.run()


def _program(kernel: Kernel, name: str) -> Program | None:
    # kubectl cp uses tar, which does its work only there: what a script packs is not read again.
    is_tar = name == "tar" and kernel.facts.tools in WITH_TAR and kernel.launch.os != WINDOWS
    return tar if is_tar else USERLAND.program(kernel, name)


_OUTSIDE = structs.replace(USERLAND, program=_program)


def exec_input(process: Process, state: ExecState, host: Host, typed: Typing) -> ExecTurn:
    """Write to a session's input."""
    if process.exit_code is not None:
        return ExecTurn(process, exit_code=KILLED, main_exit=process.exit_code, main_oom=process.oom)

    def act(kernel: Kernel) -> None:
        kernel.userland = _OUTSIDE
        if typed.interrupts:
            interrupt(kernel, state.pid, state.input)
        if typed.text and state.input and kernel.died is None:
            if typed.echo and not state.output:  # at a terminal
                kernel.write(OutputTarget("pipe", state.pipe), typed.text)
            kernel.write(OutputTarget("pipe", state.input), typed.text)
        if typed.is_end:
            kernel.tasks.pop(state.writer, None)
        if kernel.died is None and not process.hung:
            kernel.run()

    return _session_turn(guarded(process, host, act), state)


def exec_resume(process: Process, state: ExecState, host: Host) -> ExecTurn:
    """Continue a session at its ``wake_ms``."""
    if process.exit_code is not None:
        return ExecTurn(process, exit_code=KILLED, main_exit=process.exit_code, main_oom=process.oom)
    if process.hung:
        return ExecTurn(process, state)
    return _session_turn(guarded(process, host, Kernel.run), state)


def exec_wake_ms(process: Process, state: ExecState) -> int | None:
    """When the session is due next; 0 = it has already ended (call ``exec_resume``); None = it waits for something else."""
    if all(task.pid != state.pid for task in process.tasks):
        return 0
    due = [task.until_ms for task in process.tasks if task.session == state.pid and task.until_ms and task.block != "never"]
    return min(due, default=None)


def exec_kill(process: Process, state: ExecState, host: Host) -> ExecTurn:
    """KILL a session, as a probe's timeout does; its exit code is 137."""
    if process.exit_code is not None:
        return ExecTurn(process, exit_code=KILLED, main_exit=process.exit_code, main_oom=process.oom)
    kernel = kernel_of(structs.replace(process), host)
    kernel.kill_session(state.pid)
    return _session_turn(kernel, state)
