"""Processes that a shell starts: copies of itself, programs, and command substitutions.

A real shell forks for every program; here a copy of the shell is made only where one could be observed:
subshells, parts of a pipeline, background jobs and command substitutions. A foreground program
gets a task of its own at once. Two more short cuts keep long runs cheap without any difference that a script
could notice: a plain ``$(date)`` runs in place, and the sleep of an endless loop that does nothing else
is marked with its period, so the loop needs no turn until a signal comes.
"""

from simulator.engine.containers.effort import STEP, Exhausted
from simulator.engine.containers.kernel.bodies import step
from simulator.engine.containers.kernel.execute import Call, ProgramStart, call_program, execute, look_up
from simulator.engine.containers.kernel.kernel import Kernel
from simulator.engine.containers.process import frames
from simulator.engine.containers.process.frames import NULL, OutputTarget, RunNode
from simulator.engine.containers.process.state import Shell, Sleeper, Task
from simulator.engine.containers.shell.ending import end_shell, in_condition
from simulator.engine.containers.shell.failures import ExpansionError
from simulator.engine.containers.syntax import ast

PROCESSES_MAX = 256


INLINE_DEPTH_MAX = 12


def exported_environment(shell: Shell, extra: dict[str, str] | None = None) -> dict[str, str]:
    """Exported variables, with those set for one command."""
    variables = shell.variables
    env = {}
    for name in shell.exported:
        value = variables.get(name)
        if type(value) is str:
            env[name] = value
    if extra:
        env.update(extra)
    return env


def fork(kernel: Kernel, task: Task, shell: Shell, node: ast.Node, fds: dict[int, OutputTarget]) -> Task:
    """A copy of the shell as a new process that runs ``node``. Raises ExpansionError when there are too many."""
    if len(kernel.tasks) >= PROCESSES_MAX:
        raise ExpansionError("can't fork: Resource temporarily unavailable")
    kernel.meter.charge(STEP + len(shell.variables) + len(shell.stack))
    copy = Shell(
        shell.flavour,
        shell.name,
        shell.variables.copy(),
        shell.exported,
        shell.params,
        [RunNode(node)],
        shell.functions,
        # A copy loses its traps but keeps ignoring what was ignored (POSIX).
        {number: action for number, action in shell.traps.items() if action == ""} if shell.traps else {},
        options=shell.options,
        status=shell.status,
        last_background=shell.last_background,
        forked=True,
        # set -e stays off in a subshell of a condition.
        quiet=shell.quiet or in_condition(shell),
    )
    return kernel.spawn(task, task.argv, copy, fds)


def start_child(
    kernel: Kernel, task: Task, argv: tuple[str, ...], start: ProgramStart, *, fds: dict[int, OutputTarget], env: dict[str, str]
) -> Task:
    """A new process for a program that takes time. Raises ExpansionError when there are too many."""
    if len(kernel.tasks) >= PROCESSES_MAX:
        raise ExpansionError("can't fork: Resource temporarily unavailable")
    shell = task.body
    body = start.body
    if type(body) is Sleeper and start.until_ms and isinstance(shell, Shell) and _sleeps_for_ever(kernel, task, shell):
        body = Sleeper(start.until_ms - kernel.now_ms)
    child = kernel.spawn(task, argv, body, fds)
    child.env, child.block, child.until_ms, child.on = env, start.block, start.until_ms, start.on
    if isinstance(shell, Shell) and shell.traps:
        child.ignored = tuple(int(number) for number, action in shell.traps.items() if action == "")
    return child


def _sleeps_for_ever(kernel: Kernel, task: Task, shell: Shell) -> bool:
    """Whether the shell is in a loop that only sleeps, so that its rounds cannot be observed."""
    if "x" in shell.options:
        return False
    for frame in reversed(shell.stack):
        if type(frame) is frames.TrapEnd:  # a trap that came in the middle of the loop must be seen to end
            return False
        if type(frame) is frames.Round:
            alone = frame.node.idle == 1 or not any(other.ppid == task.pid for other in kernel.tasks.values())
            return frame.node.idle > 0 and alone
    return False


def background(kernel: Kernel, task: Task, shell: Shell, node: ast.Node) -> None:
    """Start ``node`` in the background."""
    fds = {**task.fds, 0: NULL}
    argv = _plain_words(shell, node)
    child = None
    if argv is not None:
        env = exported_environment(shell)
        result = execute(kernel, task, argv, fds=fds, env=env)
        if isinstance(result, ProgramStart):
            child = start_child(kernel, task, argv, result, fds=fds, env=env)
    if child is None:
        child = fork(kernel, task, shell, node, fds)
    shell.last_background = child.pid
    shell.status = 0


def _plain_words(shell: Shell, node: ast.Node) -> tuple[str, ...] | None:
    """Words of a plain ``sleep`` with constant words: the only program that is started without a copy of the shell."""
    if not isinstance(node, ast.Simple) or node.assigns or node.redirects or not node.words or node.words[0].const != "sleep":
        return None
    words = tuple(word.const for word in node.words if word.const is not None)
    return words if len(words) == len(node.words) and "sleep" not in shell.functions else None


def substitute(kernel: Kernel, task: Task, shell: Shell, frame: RunNode, node: ast.Node) -> None:
    """Run a command substitution that the command in ``frame`` needs, then start that command again."""
    pipe = kernel.new_pipe(capture=True)
    fds = {**task.fds, 1: OutputTarget("pipe", pipe)}
    if _run_at_once(kernel, task, shell, node, fds):
        text = kernel.pipes.pop(pipe)
        shell.stack.append(RunNode(frame.node, (*frame.memo, text), shell.status))
        return
    try:
        child = fork(kernel, task, shell, node, fds)
    except ExpansionError as problem:
        kernel.write(task.fds.get(2, NULL), f"{shell.name}: {problem}\n")
        end_shell(kernel, task, shell, 2)
        return
    shell.stack.append(frames.Collect(child.pid, pipe, frame))
    # The child runs right here: most substitutions are done before the shell would have to wait.
    if kernel.depth < INLINE_DEPTH_MAX:
        kernel.depth += 1
        step(kernel, child)
        kernel.depth -= 1
    if child.pid not in shell.done:
        task.block, task.on = "child", (child.pid,)


def _run_at_once(kernel: Kernel, task: Task, shell: Shell, node: ast.Node, fds: dict[int, OutputTarget]) -> bool:
    """Run a substitution that is a single plain program call (``$(date)``) without a copy of the shell."""
    simple = node.items[0].node if isinstance(node, ast.Sequence) and len(node.items) == 1 else node
    if not isinstance(simple, ast.Simple) or simple.assigns or simple.redirects:
        return False
    words = tuple(word.const for word in simple.words if word.const is not None)
    if not words or len(words) < len(simple.words) or words[0] in kernel.userland.builtins or words[0] in shell.functions:
        return False
    program = look_up(kernel, words[0], task.cwd)
    if words[0] not in ("date", "cat", "hostname", "seq", "echo", "printf", "basename", "dirname", "uname", "whoami", "id") or not callable(
        program
    ):
        return False
    call = Call(kernel, task, words, fds={**fds, 0: NULL}, env=exported_environment(shell))
    result = call_program(program, call)
    if not isinstance(result, int):  # more than the simulation can follow
        raise Exhausted
    shell.status = result
    return True


def collected(kernel: Kernel, task: Task, shell: Shell, frame: frames.Collect) -> None:
    """A command substitution has ended."""
    if frame.pid not in shell.done:
        shell.stack.append(frame)
        task.block, task.on = "child", (frame.pid,)
        return
    status = shell.done[frame.pid]
    shell.done = {pid: code for pid, code in shell.done.items() if pid != frame.pid}
    text = kernel.pipes.pop(frame.pipe, "")
    again = frame.again
    shell.stack.append(RunNode(again.node, (*again.memo, text), status))
