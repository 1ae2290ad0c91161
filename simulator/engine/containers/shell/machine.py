"""Runs a shell: pops frames from its stack until it has to wait for something or has nothing left to do.

The loop: as long as the shell is not waiting, pop the top frame and execute it. Only between two frames
may a trap start, and not while a foreground command runs (POSIX; the reason
why a shell as PID 1 seems deaf to TERM during ``sleep``). Whatever goes wrong becomes a message and a
status of the script. There are three cases: an expansion error ends the shell, any other error only fails
the command (and ends it under ``set -e``), and for what is not interpreted a behaviour is assumed (``hold_unknown``).
"""

from simulator.engine.containers.effort import INSTANT, STEP, Exhausted
from simulator.engine.containers.files.filesystem import FileProblem
from simulator.engine.containers.kernel.execute import NOT_UNDERSTOOD, become, hold_unknown, is_answer
from simulator.engine.containers.kernel.kernel import SPINS_MAX, Kernel
from simulator.engine.containers.process import frames
from simulator.engine.containers.process.frames import NULL, RunNode
from simulator.engine.containers.process.state import Shell, Task
from simulator.engine.containers.shell.children import substitute
from simulator.engine.containers.shell.commands import run_simple
from simulator.engine.containers.shell.conditions import ConditionError
from simulator.engine.containers.shell.ending import end_shell, exit_on_error
from simulator.engine.containers.shell.failures import ExpansionError, NeedCommand
from simulator.engine.containers.shell.nodes import NODES
from simulator.engine.containers.shell.prompt import back_to_prompt
from simulator.engine.containers.shell.redirect import RedirectError
from simulator.engine.containers.shell.steps import FRAMES
from simulator.engine.containers.syntax import ast
from simulator.engine.containers.syntax.lexer import ScriptError
from simulator.engine.containers.syntax.parser import parse_script
from simulator.engine.containers.unsupported import Unsupported

STACK_FRAMES_MAX = 2000
_WAITING = (frames.Await, frames.AwaitAll, frames.Collect)


def run_shell(kernel: Kernel, task: Task) -> None:
    """Let a shell run until it waits or ends. Never raises: errors in a script end the script."""
    shell = task.body
    assert isinstance(shell, Shell)
    task.block, task.until_ms, task.on = "", 0, ()
    while not task.block and task.code is None and task.body is shell and kernel.died is None:
        stack = shell.stack
        if shell.pending and not (stack and isinstance(stack[-1], _WAITING)):
            _start_trap(kernel, task, shell)
            continue
        if not stack:
            end_shell(kernel, task, shell, shell.status)
            continue
        frame = stack.pop()
        try:
            if type(frame) is RunNode:
                _run_node(kernel, task, shell, frame)
            else:
                FRAMES[type(frame)](kernel, task, shell, frame)
        except Exhausted:
            kernel.give_up(task)
        except NeedCommand as need:
            assert isinstance(frame, RunNode)
            substitute(kernel, task, shell, frame, need.node)
        except (ExpansionError, ConditionError, RedirectError, FileProblem) as problem:
            _report(kernel, task, shell, problem)
        except ScriptError as problem:
            _report(kernel, task, shell, ExpansionError(str(problem)))
        except Unsupported as problem:
            _presume(kernel, task, shell, str(problem))


def _presume(kernel: Kernel, task: Task, shell: Shell, problem: str) -> None:
    """Let a script that cannot be followed any further do what is expected of it. If it keeps running, its shell stays for its traps."""
    if back_to_prompt(shell):
        kernel.note(NOT_UNDERSTOOD, f"{problem}; it is taken to succeed.")
        shell.status = 0
        return
    start = hold_unknown(kernel, problem, is_asked=is_answer(task, task.fds))
    if isinstance(start, int) or start.block != "never" or not shell.traps:
        become(kernel, task, start)
        return
    # A nameless process holds the ports, and the shell above it still handles its traps.
    kernel.spawn(task, (), start.body, {})
    task.block = "never"


def _report(kernel: Kernel, task: Task, shell: Shell, problem: Exception) -> None:
    where = "line 1: " if shell.flavour == "bash" else "1: " if shell.flavour == "dash" else ""
    kernel.write(task.fds.get(2, NULL), f"{shell.name}: {where}{problem}\n")
    shell.status = 2 if isinstance(problem, ExpansionError) else 1
    if isinstance(problem, ExpansionError):
        if not back_to_prompt(shell):
            end_shell(kernel, task, shell, shell.status)
    else:
        exit_on_error(kernel, task, shell)


def _start_trap(kernel: Kernel, task: Task, shell: Shell) -> None:
    number, shell.pending = shell.pending[0], shell.pending[1:]
    action = shell.traps.get(str(number))
    if not action:
        return
    shell.stack.append(frames.TrapEnd(shell.status))
    try:
        shell.stack.append(RunNode(parse_script(action, kernel.meter)))
    except (ScriptError, Unsupported) as problem:
        _report(kernel, task, shell, RedirectError(str(problem)))


def _run_node(kernel: Kernel, task: Task, shell: Shell, frame: RunNode) -> None:
    kernel.meter.charge(STEP)
    if kernel.meter.is_over or len(shell.stack) > STACK_FRAMES_MAX:
        shell.stack.append(frame)
        _spin(kernel, task)
        return
    node = frame.node
    if type(node) is ast.Simple:
        run_simple(kernel, task, shell, frame)
    else:
        NODES[type(node)](kernel, task, shell, frame)


def _spin(kernel: Kernel, task: Task) -> None:
    """The shell computes without ever waiting: give it a millisecond at a time, and not forever."""
    if kernel.process.spins >= SPINS_MAX or len(getattr(task.body, "stack", ())) > STACK_FRAMES_MAX:
        kernel.note("busy", "The script computes without ever waiting; it counts as busy forever.")
        task.block = "never"
        return
    # The more was spent, the later it continues: simulated time follows the work.
    task.block, task.until_ms = "timer", kernel.now_ms + max(kernel.meter.spent // INSTANT, 1)
