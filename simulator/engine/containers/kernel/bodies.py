"""How programs that take time continue, and how they handle signals.

Each kind of ``Body`` has one step; ``step`` matches them all. A body that has more to wait for sets
``task.block`` again; one that is done calls ``kernel.finish``. Signals: a shell remembers a trapped
signal and runs the trap when its foreground command ends (POSIX, which is why ``sleep 3600`` in a
script delays TERM), a ``Holder`` ends with the code from its table, everything else takes the
default. A declared program has its own clock: moments count from the start of the container.
"""

from typing import TYPE_CHECKING, assert_never

from simulator.engine.containers.declared import Block, parse_block
from simulator.engine.containers.files.filesystem import FileProblem
from simulator.engine.containers.process.frames import AwaitJobs, ReadLine
from simulator.engine.containers.process.state import Follow, Followed, Guard, Holder, Later, Reader, Shell, Sleeper, Task

if TYPE_CHECKING:
    from simulator.engine.containers.kernel.kernel import Kernel

TERM_SIGNALS = (1, 2, 3, 15, 28)


def step(kernel: "Kernel", task: Task) -> None:
    """Let a process that is ready continue."""
    body = task.body
    if isinstance(body, Shell):
        kernel.userland.run_shell(kernel, task)
    elif isinstance(body, Sleeper):
        kernel.finish(task, 0)
    elif isinstance(body, Later):
        _deliver_result(kernel, task, body)
    elif isinstance(body, Follow):
        _follow(kernel, task, body)
    elif isinstance(body, Reader):
        kernel.userland.read_on(kernel, task, body)
    elif isinstance(body, Guard):
        _watch(kernel, task, body)
    elif isinstance(body, Holder):
        _hold(kernel, task, body)
    else:
        assert_never(body)


def _hold(kernel: "Kernel", task: Task, body: Holder) -> None:
    if body.ending >= 0 and task.until_ms <= kernel.now_ms:
        kernel.finish(task, body.ending)
    elif body.declared:
        _declared_step(kernel, task, body)
    else:
        task.block = "never"


def _deliver_result(kernel: "Kernel", task: Task, body: Later) -> None:
    code, error = body.code, body.stderr
    if body.path:
        try:
            kernel.fs.write(body.path, body.text)
        except FileProblem as problem:
            code = body.unwritten_code
            error += str(problem).join(body.unwritten)
    if body.stdout:
        kernel.write(task.fds[1], body.stdout)
    if error:
        kernel.write(task.fds[2], error)
    kernel.finish(task, code)


def shown_of(kernel: "Kernel", path: str) -> int:
    """How many characters the file has ever had, -1 if it does not exist."""
    entry = kernel.fs.get(path)
    return -1 if entry is None or entry.is_directory else entry.extra_bytes + len(entry.text)


def has_news(kernel: "Kernel", task: Task) -> bool:
    """Whether a followed file has changed."""
    body = task.body
    return isinstance(body, Follow) and any(shown_of(kernel, f.path) != f.shown for f in body.files)


def _follow(kernel: "Kernel", task: Task, body: Follow) -> None:
    followed = []
    for item in body.files:
        entry = kernel.fs.get(item.path)
        size = shown_of(kernel, item.path)
        if (entry is not None and size > item.shown) or size < item.shown:
            # A file that has become shorter was truncated: tail starts from its beginning.
            start = max(item.shown, 0) if size > item.shown else 0
            fresh = entry.text[max(start - entry.extra_bytes, 0) :] if entry is not None else ""
            if fresh and not kernel.write(task.fds[1], fresh):
                # 128 + SIGPIPE: the reader is gone.
                kernel.finish(task, 141)
                return
        followed.append(Followed(item.path, size))
    task.body = Follow(tuple(followed))
    task.block = "file"


def _watch(kernel: "Kernel", task: Task, body: Guard) -> None:
    if body.child in kernel.codes:
        kernel.finish(task, 124 if body.fired else kernel.codes[body.child])
        return
    child = kernel.tasks.get(body.child)
    if child is None:
        kernel.finish(task, 124)
        return
    task.body = Guard(body.child, body.number, True)
    task.until_ms = 0
    # Marked as fired first: the signal may end the child, and this guard, at once.
    kernel.deliver(child, body.number)
    if body.child in kernel.codes:
        kernel.finish(task, 137 if body.number == 9 else 124)


def handle_signal(kernel: "Kernel", task: Task, number: int) -> bool:
    """Let the process handle a signal. False: it has no handler, so the default applies."""
    body = task.body
    if isinstance(body, Shell):
        return _shell_signal(task, body, number)
    if not isinstance(body, Holder):
        return False
    if body.declared:
        return _declared_signal(kernel, task, body, number)
    code = dict(body.exits).get(number)
    if code is None or (code and kernel.system.stop_code):  # a program killed by a signal gets its system's exit code
        return False
    kernel.finish(task, code)
    return True


def _shell_signal(task: Task, shell: Shell, number: int) -> bool:
    action = shell.traps.get(str(number))
    if action is None:
        return False
    if action == "":
        return True
    if number not in shell.pending:  # a pending signal is delivered once, however often it was sent
        shell.pending = (*shell.pending, number)
    top = shell.stack[-1] if shell.stack else None
    # A trapped signal interrupts ``wait`` and ``read``, but not a foreground command.
    if isinstance(top, AwaitJobs | ReadLine):
        shell.stack.pop()
        shell.status = 128 + number
        task.block, task.until_ms, task.on = "", 0, ()
    elif task.block in ("never", "timer"):
        task.block, task.until_ms = "", 0
    return True


def _next_ms(block: Block, instance: int, since_ms: int) -> int | None:
    """When the declared program does something next, relative to its start."""
    moments = [line.at_ms for line in block.log]
    ending = block.exit_of(instance)
    if ending is not None:
        moments.append(ending.after_ms)
    return min((moment for moment in moments if moment > since_ms), default=None)


def _declared_step(kernel: "Kernel", task: Task, body: Holder) -> None:
    """Write the log lines that are due and end if it is time."""
    block = parse_block(kernel.launch.behaviour or kernel.launch.stand_in)
    since_ms = kernel.now_ms - kernel.started_ms
    shown = body.shown
    # The sort is stable, so lines of the same moment keep the order of the file; ``shown`` counts in it.
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


def _declared_signal(kernel: "Kernel", task: Task, body: Holder, number: int) -> bool:
    """Handle a stop signal as the block says. Other signals are ignored."""
    block = parse_block(kernel.launch.behaviour or kernel.launch.stand_in)
    # A second TERM while the program is already ending changes nothing.
    if block.term == "ignore" or number not in TERM_SIGNALS or body.ending >= 0:
        return True
    if not block.term_after_ms:
        kernel.finish(task, block.term_code)
        return True
    task.body = Holder(body.ports, body.site, declared=True, shown=body.shown, exits=body.exits, ending=block.term_code)
    task.block, task.until_ms = "timer", kernel.now_ms + block.term_after_ms
    return True
