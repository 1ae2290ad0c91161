"""The first step of each kind of command: it pushes frames onto the stack of its shell."""

from collections.abc import Callable

from simulator.engine.containers.kernel.kernel import Kernel
from simulator.engine.containers.process import frames
from simulator.engine.containers.process.frames import NULL, OutputTarget, RunNode
from simulator.engine.containers.process.state import Shell, Task
from simulator.engine.containers.shell.children import fork
from simulator.engine.containers.shell.conditions import evaluate_condition
from simulator.engine.containers.shell.ending import exit_on_error
from simulator.engine.containers.shell.expand import Expander
from simulator.engine.containers.shell.failures import ExpansionError
from simulator.engine.containers.shell.pattern import matches
from simulator.engine.containers.shell.redirect import redirected
from simulator.engine.containers.syntax import ast

FUNCTIONS_MAX = 1000


def _sequence(kernel: Kernel, task: Task, shell: Shell, frame: RunNode) -> None:
    node = frame.node
    assert isinstance(node, ast.Sequence)
    if node.items:
        shell.stack.append(frames.Next(node.items, 0))


def _and_or(kernel: Kernel, task: Task, shell: Shell, frame: RunNode) -> None:
    node = frame.node
    assert isinstance(node, ast.AndOr)
    shell.stack += (frames.Chain(node, 0), RunNode(node.nodes[0]))


def _pipeline(kernel: Kernel, task: Task, shell: Shell, frame: RunNode) -> None:
    node = frame.node
    assert isinstance(node, ast.Pipeline)
    if node.negate:
        shell.stack.append(frames.Negate())
    if len(node.nodes) == 1:
        shell.stack.append(RunNode(node.nodes[0]))
        return
    source, pids = task.fds.get(0, NULL), []
    for index, part in enumerate(node.nodes):
        fds = {**task.fds, 0: source}
        if index < len(node.nodes) - 1:
            source = OutputTarget("pipe", kernel.new_pipe())
            fds[1] = source
        # All parts run at once, each in a copy: variables set in a pipeline are lost (unlike in ksh).
        pids.append(fork(kernel, task, shell, part, fds).pid)
    shell.stack.append(frames.AwaitAll(tuple(pids)))
    task.block, task.on = "jobs", tuple(pids)


def _if(kernel: Kernel, task: Task, shell: Shell, frame: RunNode) -> None:
    node = frame.node
    assert isinstance(node, ast.If)
    shell.stack += (frames.Decide(node, 0), RunNode(node.branches[0][0]))


def _loop(kernel: Kernel, task: Task, shell: Shell, frame: RunNode) -> None:
    node = frame.node
    assert isinstance(node, ast.Loop)
    shell.stack += (frames.Round(node, False), RunNode(node.condition))


def _for(kernel: Kernel, task: Task, shell: Shell, frame: RunNode) -> None:
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


def _arith_for(kernel: Kernel, task: Task, shell: Shell, frame: RunNode) -> None:
    node = frame.node
    assert isinstance(node, ast.ArithFor)
    run_arithmetic(kernel, task, shell, node.first, frame.memo)
    shell.stack.append(frames.CountLoop(node, False))


def run_arithmetic(kernel: Kernel, task: Task, shell: Shell, word: ast.Word, memo: tuple[str, ...] = ()) -> int:
    """Value of an arithmetic expression, its assignments carried out. Raises ExpansionError and NeedCommand."""
    expander = Expander(kernel, task, shell, memo)
    value = expander.arithmetic(word)
    expander.commit()
    return value


def _case(kernel: Kernel, task: Task, shell: Shell, frame: RunNode) -> None:
    node = frame.node
    assert isinstance(node, ast.CaseCommand)
    expander = Expander(kernel, task, shell, frame.memo)
    text = expander.text(node.word)
    bodies: list[ast.Node] = []
    falling = False
    # ;; ends the case, ;& falls through into the next body without a test, ;;& continues testing.
    for patterns, body, end in node.arms:
        if not falling and not any(matches(kernel.meter, expander.pieces(word), text) for word in patterns):
            continue
        if body is not None:
            bodies.append(body)
        falling = end == ";&"
        if end not in (";&", ";;&"):
            break
    expander.commit()
    shell.status = 0
    shell.stack += [RunNode(body) for body in reversed(bodies)]


def _subshell(kernel: Kernel, task: Task, shell: Shell, frame: RunNode) -> None:
    node = frame.node
    assert isinstance(node, ast.Subshell)
    child = fork(kernel, task, shell, node.body, task.fds)
    shell.stack.append(frames.Await(child.pid))
    task.block, task.on = "child", (child.pid,)


def _function(kernel: Kernel, task: Task, shell: Shell, frame: RunNode) -> None:
    node = frame.node
    assert isinstance(node, ast.Function)
    kernel.meter.charge(len(shell.functions))
    if len(shell.functions) >= FUNCTIONS_MAX:
        raise ExpansionError("out of memory")
    shell.functions = {**shell.functions, node.name: node.body}
    shell.status = 0


def _condition(kernel: Kernel, task: Task, shell: Shell, frame: RunNode) -> None:
    node = frame.node
    assert isinstance(node, ast.Condition)
    expander = Expander(kernel, task, shell, frame.memo)
    shell.status = 0 if evaluate_condition(expander, node.words) else 1
    expander.commit()
    exit_on_error(kernel, task, shell)


def _arith(kernel: Kernel, task: Task, shell: Shell, frame: RunNode) -> None:
    node = frame.node
    assert isinstance(node, ast.Arith)
    shell.status = 0 if run_arithmetic(kernel, task, shell, node.text, frame.memo) else 1
    exit_on_error(kernel, task, shell)


def _redirected(kernel: Kernel, task: Task, shell: Shell, frame: RunNode) -> None:
    node = frame.node
    assert isinstance(node, ast.Redirected)
    expander = Expander(kernel, task, shell, frame.memo)
    fds = redirected(kernel, task, expander, node.redirects)
    expander.commit()
    shell.stack += (frames.Restore(task.fds), RunNode(node.node))
    task.fds = fds


NODES: dict[type, Callable[[Kernel, Task, Shell, RunNode], None]] = {
    ast.Sequence: _sequence, ast.AndOr: _and_or, ast.Pipeline: _pipeline, ast.If: _if, ast.Loop: _loop, ast.For: _for,
    ast.ArithFor: _arith_for, ast.CaseCommand: _case, ast.Subshell: _subshell, ast.Function: _function, ast.Condition: _condition,
    ast.Arith: _arith, ast.Redirected: _redirected,
}  # fmt: skip
