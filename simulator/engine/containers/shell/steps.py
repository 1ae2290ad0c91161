"""How a shell continues when the part of a command on top of its stack has ended.

Each handler is called with its own frame already popped; it pushes what comes next.
"""

from collections.abc import Callable
from typing import Any

from simulator.engine.containers.kernel.kernel import Kernel
from simulator.engine.containers.process import frames
from simulator.engine.containers.process.frames import NULL, RunNode
from simulator.engine.containers.process.state import Shell, Task
from simulator.engine.containers.shell.children import background, collected
from simulator.engine.containers.shell.ending import end_shell, exit_on_error, leave
from simulator.engine.containers.shell.jobs import jobs_done, read_line
from simulator.engine.containers.shell.nodes import run_arithmetic
from simulator.engine.containers.shell.prompt import read_script


def next_item(kernel: Kernel, task: Task, shell: Shell, frame: frames.Next) -> None:
    item = frame.items[frame.index]
    if frame.index + 1 < len(frame.items):
        shell.stack.append(frames.Next(frame.items, frame.index + 1))
    if item.background:
        background(kernel, task, shell, item.node)
    else:
        shell.stack.append(RunNode(item.node))


def _chain(kernel: Kernel, task: Task, shell: Shell, frame: frames.Chain) -> None:
    node = frame.node
    for index in range(frame.index, len(node.ops)):
        if (node.ops[index] == "&&") == (shell.status == 0):
            shell.stack += (frames.Chain(node, index + 1), RunNode(node.nodes[index + 1]))
            return


def _negate(kernel: Kernel, task: Task, shell: Shell, frame: frames.Negate) -> None:
    shell.status = 0 if shell.status else 1


def _decide(kernel: Kernel, task: Task, shell: Shell, frame: frames.Decide) -> None:
    node, index = frame.node, frame.index
    if shell.status == 0:
        shell.stack.append(RunNode(node.branches[index][1]))
    elif index + 1 < len(node.branches):
        shell.stack += (frames.Decide(node, index + 1), RunNode(node.branches[index + 1][0]))
    else:
        shell.status = 0
        if node.otherwise is not None:
            shell.stack.append(RunNode(node.otherwise))


def _round(kernel: Kernel, task: Task, shell: Shell, frame: frames.Round) -> None:
    node = frame.node
    if frame.in_body:
        shell.stack += (frames.Round(node, False, shell.status), RunNode(node.condition))
    elif (shell.status == 0) != node.until:
        shell.stack += (frames.Round(node, True), RunNode(node.body))
    else:
        shell.status = frame.status


def _each(kernel: Kernel, task: Task, shell: Shell, frame: frames.Each) -> None:
    if frame.index < len(frame.values):
        shell.variables[frame.node.name] = frame.values[frame.index]
        shell.stack += (frames.Each(frame.node, frame.values, frame.index + 1), RunNode(frame.node.body))


def _count(kernel: Kernel, task: Task, shell: Shell, frame: frames.CountLoop) -> None:
    node = frame.node
    if frame.step:
        run_arithmetic(kernel, task, shell, node.step)
    if not node.condition.parts or run_arithmetic(kernel, task, shell, node.condition):
        shell.stack += (frames.CountLoop(node, True), RunNode(node.body))


def _await(kernel: Kernel, task: Task, shell: Shell, frame: frames.Await) -> None:
    if frame.pid not in shell.done:
        shell.stack.append(frame)
        task.block, task.on = "child", (frame.pid,)
        return
    shell.status = shell.done[frame.pid]
    shell.done = {pid: code for pid, code in shell.done.items() if pid != frame.pid}
    # Shells report a child that was killed.
    if shell.status == 137:
        kernel.write(task.fds.get(2, NULL), "Killed\n")
    exit_on_error(kernel, task, shell)


def _await_all(kernel: Kernel, task: Task, shell: Shell, frame: frames.AwaitAll) -> None:
    codes = [shell.done.get(pid, 0) for pid in frame.pids]
    shell.status = codes[-1]
    # pipefail: the last part that failed.
    if "P" in shell.options:
        shell.status = next((code for code in reversed(codes) if code), 0)
    shell.done = {pid: code for pid, code in shell.done.items() if pid not in frame.pids}
    exit_on_error(kernel, task, shell)


def _restore(kernel: Kernel, task: Task, shell: Shell, frame: frames.Restore) -> None:
    task.fds = frame.fds


def _leave(kernel: Kernel, task: Task, shell: Shell, frame: frames.Leave) -> None:
    leave(shell, frame)


def _trap_end(kernel: Kernel, task: Task, shell: Shell, frame: frames.TrapEnd) -> None:
    shell.status = frame.status


def _quit(kernel: Kernel, task: Task, shell: Shell, frame: frames.Quit) -> None:
    end_shell(kernel, task, shell, frame.status)


FRAMES: dict[type, Callable[[Kernel, Task, Shell, Any], None]] = {
    frames.Next: next_item, frames.Chain: _chain, frames.Negate: _negate, frames.Decide: _decide, frames.Round: _round, frames.Each: _each,
    frames.CountLoop: _count, frames.Await: _await, frames.AwaitAll: _await_all, frames.AwaitJobs: jobs_done, frames.ReadLine: read_line,
    frames.ReadScript: read_script, frames.Restore: _restore, frames.Leave: _leave, frames.TrapEnd: _trap_end, frames.Quit: _quit,
    frames.Collect: collected,
}  # fmt: skip
