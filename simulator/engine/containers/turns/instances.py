"""Start, resume, signal and end a container's processes: the turns that the kubelet's runtime takes.

Nothing here raises because of a container: a script that cannot be understood, or a bug in this interpreter, becomes a
note, and the container then runs until it is stopped.

KILL from outside ends the main process whatever it does, even if it hangs; every other signal waits
for a hung process to resume (``held``). A container whose program cannot be started never ran: it ends
with 128 and the runtime's text, which the kubelet reports as ``StartError`` (Docker: ContainerCannotRun).
"""

from collections.abc import Callable

from msgspec import structs

from simulator.engine.containers import docker
from simulator.engine.containers.arguments import TOO_LONG, TOO_LONG_NOTE, TOO_LONG_WORDS, exceeds_limits
from simulator.engine.containers.declared import BadBehaviour, Block, cpu_at, parse_block
from simulator.engine.containers.images.known import image_facts
from simulator.engine.containers.kernel import bodies
from simulator.engine.containers.kernel.execute import Missing, ProgramStart, become, execute, hold_unknown
from simulator.engine.containers.kernel.kernel import Kernel, null_fds
from simulator.engine.containers.kernel.memory import task_bytes
from simulator.engine.containers.process.frames import TERMINAL, OutputTarget
from simulator.engine.containers.process.state import Holder, Launch, Process, Task, command_line
from simulator.engine.containers.process.turn import Host, ProcessRow, Turn
from simulator.engine.containers.shell.prompt import interrupt
from simulator.engine.containers.signals import KILL
from simulator.engine.containers.turns.begin import kernel_of
from simulator.engine.model.system import WINDOWS, system_of

START_FAILED = 128
INPUT, SEEN = -1, -2
"""The pipes of a main process with an input: what is typed, and what an attached client sees."""
NOT_PID1 = 7
"""Pid of the main process if it is not PID 1: pause and its helpers come first."""
_START_ERROR = (
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: "
    "unable to start container process: exec: {name}: {reason}: unknown"
)
_INIT_ERROR = (
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: "
    "unable to start container process: error during container init: unable to setup user: {reason}: unknown"
)
WINDOWS_ERROR = "{what}: hcs::System::CreateProcess {id}: {reason}: unknown"
"""containerd's error if Windows cannot start a program; the container's name stands for its id, as in the kubelet's Events."""


def turn_of(kernel: Kernel) -> Turn:
    """The result of this turn."""
    process = kernel.freeze()
    ended = kernel.died is not None
    turn = Turn(
        process,
        tuple(kernel.fs.changed.items()),
        None if ended else kernel.wake_ms(),
        not ended and kernel.waits_for_files(),
        kernel.died,
        kernel.oom,
        tuple(kernel.log),
        tuple(kernel.notes),
        sent=tuple(kernel.sent),
        spent=kernel.meter.spent,
    )
    kernel.let_go()
    return turn


def _nothing(process: Process) -> Turn:
    """A turn in which nothing happens: the container has ended or hangs."""
    return Turn(process, exit_code=process.exit_code, oom=process.oom)


def guarded(process: Process, host: Host, act: Callable[[Kernel], None]) -> Kernel:
    """A turn's kernel after ``act``. If the interpreter fails, the container just keeps running, and a note says so.

    Except if this machine is at fault: what depends on its memory or stack must not become part of a history.
    """
    kernel = kernel_of(process, host)
    try:
        act(kernel)
    except (MemoryError, RecursionError):
        raise
    except Exception as problem:
        kernel = kernel_of(process, host)
        reason = f"{type(problem).__name__}: {problem}"[:200]
        kernel.note("command-not-understood", f"The interpreter failed ({reason}); the container is taken to run until it is stopped.")
        for task in kernel.tasks.values():
            task.block, task.until_ms = "never", 0
    return kernel


def start(launch: Launch, host: Host) -> Turn:
    """Start a container. A program that does not exist gives ``start_error`` and exit code 128 (with Docker 127, or 126)."""
    root = 1 if launch.is_pid1 else max(NOT_PID1, *(other.process.next_pid for other in host.neighbours), NOT_PID1)
    process = Process(launch, host.now_ms, root, next_pid=root)
    kernel = kernel_of(process, host)
    try:
        error = _start_main(kernel)
    except (MemoryError, RecursionError):
        raise
    except Exception as problem:
        kernel = kernel_of(process, host)
        task = kernel.spawn(None, launch.command or (launch.image,), Holder(), null_fds())
        become(kernel, task, hold_unknown(kernel, f"The interpreter failed ({type(problem).__name__}: {problem})"[:300]))
        error = None
    if error is not None:
        failed = structs.replace(process, exit_code=error.code, ended_ms=host.now_ms)
        return Turn(failed, exit_code=error.code, start_error=error.reason, notes=tuple(kernel.notes))
    return turn_of(kernel)


def _block_of(kernel: Kernel) -> Block | None:
    """The behaviour block that applies, None if there is none or it is invalid (then a note says so)."""
    launch = kernel.launch
    # A stand-in says what an image does by default, so the pod's own command overrides it.
    for text, applies in ((launch.behaviour, True), (launch.stand_in, not launch.command)):
        if text and applies:
            try:
                return parse_block(text)
            except BadBehaviour as problem:
                kernel.note("bad-behaviour", f"The behaviour block is ignored: {problem}")
    return None


def _start_main(kernel: Kernel) -> Missing | None:
    """Start the main program; if that fails, the container's exit code and the runtime's error text."""
    launch, facts = kernel.launch, kernel.facts
    block = _block_of(kernel)
    argv = (*launch.command, *launch.args) if launch.command else (*facts.entrypoint, *(launch.args or facts.cmd))
    task = kernel.spawn(None, argv or (launch.image,), Holder(), null_fds())
    if launch.stdin:
        _open_input(kernel, task)
    if exceeds_limits(argv, task.env):
        _refuse_long(kernel, task)
        return None
    if (problem := _unmapped(launch)) is not None:
        return problem
    if block is not None and not block.keep:
        _start_declared(kernel, task, block)
        return None
    if block is not None:
        # ``program: keep``: a process without a name adds the block's ports and lines to the real program's.
        ghost = kernel.spawn(None, (), Holder(), null_fds())
        _start_declared(kernel, ghost, block)
    if not facts.known and not launch.command:
        become(kernel, task, hold_unknown(kernel, f"What the image {launch.image} does is not known"))
    elif not argv:
        return _no_command(launch)
    else:
        result = execute(kernel, task, argv, fds=task.fds, env=task.env)
        if isinstance(result, Missing):
            return _not_started(launch, argv[0], result)
        become(kernel, task, result)
    kernel.run()
    return None


def _open_input(kernel: Kernel, task: Task) -> None:
    """Give the main process an input that can be typed into, and make its output visible to clients as well as logged."""
    held, seen = kernel.new_pipe(capture=True), kernel.new_pipe(capture=True)
    assert (held, seen) == (INPUT, SEEN), "nothing has begun before"
    source = OutputTarget("pipe", held, TERMINAL if kernel.launch.tty else "")
    task.fds = {
        0: source,
        1: OutputTarget("seen", seen, "stdout"),
        2: OutputTarget("seen", seen, "stdout" if kernel.launch.tty else "stderr"),
    }
    if kernel.launch.tty:
        task.env = {**task.env, "TERM": "xterm"}
    writer = kernel.spawn(None, (), Holder(), {1: OutputTarget("pipe", held)})
    writer.block = "never"


def type_into(process: Process, text: str, host: Host, *, is_end: bool = False, interrupts: bool = False) -> Turn:
    """Write to the input of a main process that has one; as ``exec_input`` for a session."""
    if process.exit_code is not None or not process.launch.stdin:
        return _nothing(process)

    def act(kernel: Kernel) -> None:
        if interrupts:
            interrupt(kernel, 0, INPUT)
        if kernel.died is None:
            kernel.write(OutputTarget("pipe", INPUT), text)
        for task in list(kernel.tasks.values()) if is_end else ():
            if not task.argv and 1 in task.fds and task.fds[1].pipe == INPUT:
                kernel.tasks.pop(task.pid)
        if kernel.died is None and not process.hung:
            kernel.run()

    return turn_of(guarded(process, host, act))


def _unmapped(launch: Launch) -> Missing | None:
    """Why a container does not start if its ids are not mapped in its user namespace: runc libcontainer/init_linux.go setupUser."""
    if launch.user_range is None:
        return None
    count = launch.user_range[1]
    for what, number in (("uid", launch.uid), ("gid", launch.gid)):
        if number >= count:
            return Missing(START_FAILED, _INIT_ERROR.format(reason=f"cannot set {what} to unmapped user in user namespace"))
    if any(number >= count for number in launch.groups):
        return Missing(START_FAILED, _INIT_ERROR.format(reason="setgroups: invalid argument"))
    return None


def _no_command(launch: Launch) -> Missing:
    if launch.runtime == docker.DOCKER:
        return Missing(START_FAILED, docker.NO_COMMAND)
    return Missing(START_FAILED, "failed to generate container spec: failed to generate spec: no command specified")


def _not_started(launch: Launch, name: str, missing: Missing) -> Missing:
    """The container runtime's error for a program that does not exist or is not executable."""
    if launch.os == WINDOWS:
        container = launch.subject.rpartition("/")[2]
        text = WINDOWS_ERROR.format(what=f'failed to start containerd task "{container}"', id=container, reason=missing.reason)
        return Missing(START_FAILED, text)
    if launch.runtime == docker.DOCKER:
        return Missing(missing.code, docker.start_error(name, missing.reason))
    return Missing(START_FAILED, _START_ERROR.format(name=f'"{name}"', reason=missing.reason))


def _refuse_long(kernel: Kernel, task: Task) -> None:
    """The kernel rejects the program after the runtime has started the container: it logs the error and ends with 1 (runc 1.1)."""
    name = task.argv[0]
    path = name if "/" in name else f"/bin/{name}"
    kernel.write(OutputTarget("stderr"), f"exec {path}: {TOO_LONG}\n")
    kernel.note(TOO_LONG_NOTE, TOO_LONG_WORDS)
    kernel.finish(task, 1)


def _start_declared(kernel: Kernel, task: Task, block: Block) -> None:
    ports = tuple(listen.port for listen in block.listens)
    become(kernel, task, ProgramStart(Holder(ports, "declared", declared=True), ""))
    # The first step writes the lines of moment 0 and sets the next moment.
    bodies.step(kernel, task)


def resume(process: Process, host: Host) -> Turn:
    """Continue a container: at its ``wake_ms``, or when a mounted file has changed."""
    if process.exit_code is not None or process.hung:
        return _nothing(process)
    return turn_of(guarded(process, host, Kernel.run))


def signal(process: Process, number: int, host: Host) -> Turn:
    """Send a signal to the main process from outside. PID 1 without a handler ignores everything but KILL."""
    if process.exit_code is not None:
        return _nothing(process)
    if number == KILL:
        return force_exit(process, system_of(process.launch.os).ended_by(KILL), host)
    if process.hung:
        return _nothing(structs.replace(process, held=(*process.held, number)))

    def act(kernel: Kernel) -> None:
        kernel.deliver(kernel.tasks[kernel.root], number, inside=False)
        if kernel.died is None:
            kernel.run()

    return turn_of(guarded(process, host, act))


def receive(process: Process, pid: int, number: int, host: Host) -> Turn:
    """Deliver a signal from a process of another container in the same process namespace."""
    if process.exit_code is not None or process.hung:
        return _nothing(process)

    def act(kernel: Kernel) -> None:
        task = kernel.tasks.get(pid)
        if task is not None:
            kernel.deliver(task, number)
        if kernel.died is None:
            kernel.run()

    return turn_of(guarded(process, host, act))


def force_exit(process: Process, code: int, host: Host) -> Turn:
    """End the main process with this code, whatever it is doing."""
    if process.exit_code is not None:
        return _nothing(process)
    return turn_of(guarded(process, host, lambda kernel: kernel.finish(kernel.tasks[kernel.root], code)))


def oom_kill(process: Process, host: Host) -> Turn:
    """The OOM killer takes the main process."""
    if process.exit_code is not None:
        return _nothing(process)
    return force_exit(structs.replace(process, oom=True), 128 + KILL, host)


def hang(process: Process, on: bool, host: Host) -> Turn:
    """Stop all progress, or resume it. Signals that arrive meanwhile are handled after resuming; KILL works at once."""
    if process.exit_code is not None or on:
        return _nothing(structs.replace(process, hung=on))
    held = process.held

    def act(kernel: Kernel) -> None:
        kernel.run()
        for number in held:
            if kernel.died is None:
                kernel.deliver(kernel.tasks[kernel.root], number, inside=False)
        if kernel.died is None:
            kernel.run()

    return turn_of(guarded(structs.replace(process, hung=False, held=()), host, act))


def memory_bytes(process: Process, now_ms: int) -> int:
    """Memory the container uses at that moment, in bytes; 0 once it has ended."""
    text = process.launch.behaviour or process.launch.stand_in
    return sum(task_bytes(task, now_ms, process.started_ms, text) for task in process.tasks)


def cpu_milli(process: Process, now_ms: int) -> int:
    """The CPU usage declared for that moment, in thousandths of a CPU."""
    if not any(isinstance(task.body, Holder) and task.body.declared for task in process.tasks):
        return 0
    return cpu_at(parse_block(process.launch.behaviour or process.launch.stand_in), now_ms - process.started_ms)


def termination_message(process: Process, path: str) -> str:
    """Content of the file at ``terminationMessagePath``; "" if nothing was written."""
    entry = process.files.get(path)
    return entry.text if entry is not None else ""


def stop_signal(launch: Launch) -> int:
    """The image's STOPSIGNAL, 15 if it has none."""
    return image_facts(launch.image).stop_signal


def process_tree(process: Process) -> tuple[ProcessRow, ...]:
    """The processes now, by pid."""
    rows = []
    for task in process.tasks:
        if task.argv and task.code is None:
            state = "T" if process.hung else "R" if not task.block else "S"
            rows.append(ProcessRow(task.pid, task.ppid, command_line(task), state))
    return tuple(sorted(rows, key=lambda row: row.pid))
