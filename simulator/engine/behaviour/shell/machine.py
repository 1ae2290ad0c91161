"""Runs a shell: takes frames from its stack until it waits for something or has nothing left to do."""

from collections.abc import Callable
from typing import Any

from simulator.engine.behaviour.filesystem import FileProblem
from simulator.engine.behaviour.kernel import Kernel
from simulator.engine.behaviour.memory import STEPS_PER_INSTANT
from simulator.engine.behaviour.process import Shell, Task
from simulator.engine.behaviour.shell import ast, frames
from simulator.engine.behaviour.shell.commands import (
    background,
    collected,
    end_shell,
    fail_if_asked,
    fork,
    run_simple,
    substitute,
)
from simulator.engine.behaviour.shell.conditions import ConditionError, evaluate_condition
from simulator.engine.behaviour.shell.expand import Expander, ExpansionError, NeedCommand
from simulator.engine.behaviour.shell.frames import NULL, Run, Target
from simulator.engine.behaviour.shell.jobs import jobs_done, read_line
from simulator.engine.behaviour.shell.lexer import ScriptError, Unsupported
from simulator.engine.behaviour.shell.parser import parse
from simulator.engine.behaviour.shell.pattern import matches
from simulator.engine.behaviour.shell.redirect import RedirectError, redirected

SPINS_MAX = 10
"""Milliseconds of pure computing after which a shell counts as busy for ever."""
STACK_FRAMES_MAX = 2000
_WAITING = (frames.Await, frames.AwaitAll, frames.Collect)


def run_shell(kernel: Kernel, task: Task) -> None:
    """Let a shell go on until it waits or ends. Never raises: what goes wrong in a script ends the script."""
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
            if type(frame) is Run:
                _run_node(kernel, task, shell, frame)
            else:
                _FRAMES[type(frame)](kernel, task, shell, frame)
        except NeedCommand as need:
            assert isinstance(frame, Run)
            substitute(kernel, task, shell, frame, need.node)
        except (ExpansionError, ConditionError, RedirectError, FileProblem) as problem:
            _report(kernel, task, shell, problem)
        except (ScriptError, Unsupported) as problem:
            _report(kernel, task, shell, ExpansionError(str(problem)))


def _report(kernel: Kernel, task: Task, shell: Shell, problem: Exception) -> None:
    where = "line 1: " if shell.flavour == "bash" else "1: " if shell.flavour == "dash" else ""
    kernel.write(task.fds.get(2, NULL), f"{shell.name}: {where}{problem}\n")
    shell.status = 2 if isinstance(problem, ExpansionError) else 1
    if isinstance(problem, ExpansionError):
        end_shell(kernel, task, shell, shell.status)
    else:
        fail_if_asked(kernel, task, shell)


def _start_trap(kernel: Kernel, task: Task, shell: Shell) -> None:
    number, shell.pending = shell.pending[0], shell.pending[1:]
    action = shell.traps.get(str(number))
    if not action:
        return
    shell.stack.append(frames.TrapEnd(shell.status))
    try:
        shell.stack.append(Run(parse(action)))
    except (ScriptError, Unsupported) as problem:
        _report(kernel, task, shell, RedirectError(str(problem)))


def _run_node(kernel: Kernel, task: Task, shell: Shell, frame: Run) -> None:
    kernel.steps += 1
    if kernel.steps > STEPS_PER_INSTANT or len(shell.stack) > STACK_FRAMES_MAX:
        shell.stack.append(frame)
        _spin(kernel, task)
        return
    node = frame.node
    if type(node) is ast.Simple:
        run_simple(kernel, task, shell, frame)
    else:
        _NODES[type(node)](kernel, task, shell, frame)


def _spin(kernel: Kernel, task: Task) -> None:
    """The shell computes without ever waiting: give it a millisecond at a time, and not for ever."""
    if kernel.process.spins >= SPINS_MAX or len(getattr(task.body, "stack", ())) > STACK_FRAMES_MAX:
        kernel.note("busy", "The script computes without ever waiting; it counts as busy for ever.")
        task.block = "never"
        return
    task.block, task.until_ms = "timer", kernel.now_ms + 1


# -- nodes ---------------------------------------------------------------------------------------------------------------


def _sequence(kernel: Kernel, task: Task, shell: Shell, frame: Run) -> None:
    items = frame.node.items  # type: ignore[union-attr]
    if items:
        _next(kernel, task, shell, frames.Next(items, 0))


def _and_or(kernel: Kernel, task: Task, shell: Shell, frame: Run) -> None:
    node = frame.node
    assert isinstance(node, ast.AndOr)
    shell.stack += (frames.Chain(node, 0), Run(node.nodes[0]))


def _pipeline(kernel: Kernel, task: Task, shell: Shell, frame: Run) -> None:
    node = frame.node
    assert isinstance(node, ast.Pipeline)
    if node.negate:
        shell.stack.append(frames.Negate())
    if len(node.nodes) == 1:
        shell.stack.append(Run(node.nodes[0]))
        return
    source, pids = task.fds.get(0, NULL), []
    for index, part in enumerate(node.nodes):
        fds = {**task.fds, 0: source}
        if index < len(node.nodes) - 1:
            source = Target("pipe", kernel.new_pipe())
            fds[1] = source
        pids.append(fork(kernel, task, shell, part, fds).pid)
    shell.stack.append(frames.AwaitAll(tuple(pids)))
    task.block, task.on = "jobs", tuple(pids)


def _if(kernel: Kernel, task: Task, shell: Shell, frame: Run) -> None:
    node = frame.node
    assert isinstance(node, ast.If)
    shell.stack += (frames.Decide(node, 0), Run(node.branches[0][0]))


def _loop(kernel: Kernel, task: Task, shell: Shell, frame: Run) -> None:
    node = frame.node
    assert isinstance(node, ast.Loop)
    shell.stack += (frames.Round(node, False), Run(node.condition))


def _for(kernel: Kernel, task: Task, shell: Shell, frame: Run) -> None:
    node = frame.node
    assert isinstance(node, ast.For)
    if node.words is None:
        values = list(shell.params)
    else:
        expander = Expander(kernel, task, shell, frame.memo)
        values = expander.fields(node.words)
        expander.commit()
    shell.status = 0
    shell.stack.append(frames.Each(node, tuple(values), 0))


def _arith_for(kernel: Kernel, task: Task, shell: Shell, frame: Run) -> None:
    node = frame.node
    assert isinstance(node, ast.ArithFor)
    _arithmetic(kernel, task, shell, node.first, frame.memo)
    shell.stack.append(frames.Count(node, False))


def _arithmetic(kernel: Kernel, task: Task, shell: Shell, word: ast.Word, memo: tuple[str, ...] = ()) -> int:
    expander = Expander(kernel, task, shell, memo)
    value = expander.arithmetic(word)
    expander.commit()
    return value


def _case(kernel: Kernel, task: Task, shell: Shell, frame: Run) -> None:
    node = frame.node
    assert isinstance(node, ast.Case)
    expander = Expander(kernel, task, shell, frame.memo)
    text = expander.text(node.word)
    bodies: list[ast.Node] = []
    falling = False
    for patterns, body, end in node.arms:
        if not falling and not any(matches(expander.pieces(word), text) for word in patterns):
            continue
        if body is not None:
            bodies.append(body)
        falling = end == ";&"
        if end not in (";&", ";;&"):
            break
    expander.commit()
    shell.status = 0
    shell.stack += [Run(body) for body in reversed(bodies)]


def _subshell(kernel: Kernel, task: Task, shell: Shell, frame: Run) -> None:
    node = frame.node
    assert isinstance(node, ast.Subshell)
    child = fork(kernel, task, shell, node.body, task.fds)
    shell.stack.append(frames.Await(child.pid))
    task.block, task.on = "child", (child.pid,)


def _function(kernel: Kernel, task: Task, shell: Shell, frame: Run) -> None:
    node = frame.node
    assert isinstance(node, ast.Function)
    shell.functions = {**shell.functions, node.name: node.body}
    shell.status = 0


def _condition(kernel: Kernel, task: Task, shell: Shell, frame: Run) -> None:
    node = frame.node
    assert isinstance(node, ast.Condition)
    expander = Expander(kernel, task, shell, frame.memo)
    shell.status = 0 if evaluate_condition(expander, node.words) else 1
    expander.commit()
    fail_if_asked(kernel, task, shell)


def _arith(kernel: Kernel, task: Task, shell: Shell, frame: Run) -> None:
    node = frame.node
    assert isinstance(node, ast.Arith)
    shell.status = 0 if _arithmetic(kernel, task, shell, node.text, frame.memo) else 1
    fail_if_asked(kernel, task, shell)


def _redirected(kernel: Kernel, task: Task, shell: Shell, frame: Run) -> None:
    node = frame.node
    assert isinstance(node, ast.Redirected)
    expander = Expander(kernel, task, shell, frame.memo)
    fds = redirected(kernel, task, expander, node.redirects)
    expander.commit()
    shell.stack += (frames.Restore(task.fds), Run(node.node))
    task.fds = fds


# -- frames --------------------------------------------------------------------------------------------------------------


def _next(kernel: Kernel, task: Task, shell: Shell, frame: frames.Next) -> None:
    item = frame.items[frame.index]
    if frame.index + 1 < len(frame.items):
        shell.stack.append(frames.Next(frame.items, frame.index + 1))
    if item.background:
        background(kernel, task, shell, item.node)
    else:
        shell.stack.append(Run(item.node))


def _chain(kernel: Kernel, task: Task, shell: Shell, frame: frames.Chain) -> None:
    node = frame.node
    for index in range(frame.index, len(node.ops)):
        if (node.ops[index] == "&&") == (shell.status == 0):
            shell.stack += (frames.Chain(node, index + 1), Run(node.nodes[index + 1]))
            return


def _negate(kernel: Kernel, task: Task, shell: Shell, frame: frames.Negate) -> None:
    shell.status = 0 if shell.status else 1


def _decide(kernel: Kernel, task: Task, shell: Shell, frame: frames.Decide) -> None:
    node, index = frame.node, frame.index
    if shell.status == 0:
        shell.stack.append(Run(node.branches[index][1]))
    elif index + 1 < len(node.branches):
        shell.stack += (frames.Decide(node, index + 1), Run(node.branches[index + 1][0]))
    else:
        shell.status = 0
        if node.otherwise is not None:
            shell.stack.append(Run(node.otherwise))


def _round(kernel: Kernel, task: Task, shell: Shell, frame: frames.Round) -> None:
    node = frame.node
    if frame.in_body:
        shell.stack += (frames.Round(node, False, shell.status), Run(node.condition))
    elif (shell.status == 0) != node.until:
        shell.stack += (frames.Round(node, True), Run(node.body))
    else:
        shell.status = frame.status


def _each(kernel: Kernel, task: Task, shell: Shell, frame: frames.Each) -> None:
    if frame.index < len(frame.values):
        shell.variables[frame.node.name] = frame.values[frame.index]
        shell.stack += (frames.Each(frame.node, frame.values, frame.index + 1), Run(frame.node.body))


def _count(kernel: Kernel, task: Task, shell: Shell, frame: frames.Count) -> None:
    node = frame.node
    if frame.step:
        _arithmetic(kernel, task, shell, node.step)
    if not node.condition.parts or _arithmetic(kernel, task, shell, node.condition):
        shell.stack += (frames.Count(node, True), Run(node.body))


def _await(kernel: Kernel, task: Task, shell: Shell, frame: frames.Await) -> None:
    if frame.pid not in shell.done:
        shell.stack.append(frame)
        task.block, task.on = "child", (frame.pid,)
        return
    shell.status = shell.done[frame.pid]
    shell.done = {pid: code for pid, code in shell.done.items() if pid != frame.pid}
    if shell.status == 137:
        kernel.write(task.fds.get(2, NULL), "Killed\n")
    fail_if_asked(kernel, task, shell)


def _await_all(kernel: Kernel, task: Task, shell: Shell, frame: frames.AwaitAll) -> None:
    codes = [shell.done.get(pid, 0) for pid in frame.pids]
    shell.status = codes[-1]
    if "P" in shell.options:
        shell.status = next((code for code in reversed(codes) if code), 0)
    shell.done = {pid: code for pid, code in shell.done.items() if pid not in frame.pids}
    fail_if_asked(kernel, task, shell)


def _restore(kernel: Kernel, task: Task, shell: Shell, frame: frames.Restore) -> None:
    task.fds = frame.fds


def _leave(kernel: Kernel, task: Task, shell: Shell, frame: frames.Leave) -> None:
    from simulator.engine.behaviour.shell.commands import leave

    leave(shell, frame)


def _trap_end(kernel: Kernel, task: Task, shell: Shell, frame: frames.TrapEnd) -> None:
    shell.status = frame.status


def _quit(kernel: Kernel, task: Task, shell: Shell, frame: frames.Quit) -> None:
    end_shell(kernel, task, shell, frame.status)


_NODES: dict[type, Callable[[Kernel, Task, Shell, Run], None]] = {
    ast.Sequence: _sequence, ast.AndOr: _and_or, ast.Pipeline: _pipeline, ast.If: _if, ast.Loop: _loop, ast.For: _for,
    ast.ArithFor: _arith_for, ast.Case: _case, ast.Subshell: _subshell, ast.Function: _function, ast.Condition: _condition,
    ast.Arith: _arith, ast.Redirected: _redirected,
}  # fmt: skip
_FRAMES: dict[type, Callable[[Kernel, Task, Shell, Any], None]] = {
    frames.Next: _next, frames.Chain: _chain, frames.Negate: _negate, frames.Decide: _decide, frames.Round: _round, frames.Each: _each,
    frames.Count: _count, frames.Await: _await, frames.AwaitAll: _await_all, frames.AwaitJobs: jobs_done, frames.ReadLine: read_line,
    frames.Restore: _restore, frames.Leave: _leave, frames.TrapEnd: _trap_end, frames.Quit: _quit, frames.Collect: collected,
}  # fmt: skip
