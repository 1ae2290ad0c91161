"""How a shell or a function ends, and when a failure ends it."""

from simulator.engine.containers.kernel.kernel import Kernel
from simulator.engine.containers.process import frames
from simulator.engine.containers.process.frames import NULL, RunNode
from simulator.engine.containers.process.state import Shell, Task
from simulator.engine.containers.syntax.lexer import ScriptError
from simulator.engine.containers.syntax.parser import parse_script
from simulator.engine.containers.unsupported import Unsupported


def in_condition(shell: Shell) -> bool:
    """Whether a failure is expected at the shell's current position (condition, ``!``, left of ``&&`` or ``||``)."""
    for frame in shell.stack:
        kind = type(frame)
        if kind is frames.Decide or kind is frames.Negate:
            return True
        if kind is frames.Round and not frame.in_body:  # type: ignore[union-attr]
            return True
        if kind is frames.Chain and frame.index < len(frame.node.ops):  # type: ignore[union-attr]
            return True
    return False


def exit_on_error(kernel: Kernel, task: Task, shell: Shell) -> None:
    """``set -e``: end the shell if the last command failed where that matters."""
    if not shell.status:
        return
    kernel.meter.charge(len(shell.stack))
    if shell.status and "e" in shell.options and not shell.quiet and not in_condition(shell):
        end_shell(kernel, task, shell, shell.status)


def end_shell(kernel: Kernel, task: Task, shell: Shell, code: int) -> None:
    """End the shell, after its EXIT trap."""
    shell.stack.clear()
    action = shell.traps.get("0")
    if action:
        # Removed first: the trap may call exit, which must not start it again.
        shell.traps = {number: text for number, text in shell.traps.items() if number != "0"}
        shell.status = code
        try:
            shell.stack += (frames.Quit(code), RunNode(parse_script(action, kernel.meter)))
            return
        except (ScriptError, Unsupported) as problem:
            kernel.write(task.fds.get(2, NULL), f"{shell.name}: {problem}\n")
    kernel.finish(task, code)


def leave(shell: Shell, frame: frames.Leave) -> None:
    """Restore what a function changed for itself."""
    shell.params = frame.params
    for name, value in reversed(frame.saved):
        if value is None:
            shell.variables.pop(name, None)
        else:
            shell.variables[name] = value
