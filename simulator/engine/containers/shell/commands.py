"""Simple commands, copies of a shell, and how a shell ends.

Order of a simple command, as in POSIX: words are expanded, then assignments, then redirections, left
to right; a function comes before a builtin, a builtin before a program. If anything in between needs
the output of another command, ``NeedCommand`` interrupts and the whole command starts again with that
output in ``frame.memo``; nothing has been changed by then, since assignments wait in the expander.
"""

from simulator.engine.containers.kernel.execute import Missing, ProgramStart, become, execute
from simulator.engine.containers.kernel.kernel import Kernel
from simulator.engine.containers.kernel.userland import Builtin
from simulator.engine.containers.process import frames
from simulator.engine.containers.process.frames import NULL, OutputTarget, RunNode
from simulator.engine.containers.process.state import Shell, Task, Value
from simulator.engine.containers.shell.children import exported_environment, start_child
from simulator.engine.containers.shell.ending import exit_on_error
from simulator.engine.containers.shell.expand import FIELDS_MAX, Expander
from simulator.engine.containers.shell.parameters import seconds_from
from simulator.engine.containers.shell.redirect import redirected
from simulator.engine.containers.syntax import ast

NOT_FOUND = 127
VARIABLES_MAX = 2000
SPECIAL = (":", ".", "source", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set", "shift", "trap", "unset")
"""Builtins before which an assignment stays in effect (POSIX special builtins)."""


def run_simple(kernel: Kernel, task: Task, shell: Shell, frame: RunNode) -> None:
    """Execute a simple command. Raises NeedCommand and what expansion and redirection raise."""
    node = frame.node
    assert isinstance(node, ast.Simple)
    expander = Expander(kernel, task, shell, frame.memo)
    argv = tuple(expander.fields(node.words))
    settings = [_setting(expander, assign) for assign in node.assigns] if node.assigns else []
    fds = redirected(kernel, task, expander, node.redirects) if node.redirects else task.fds
    if argv:
        for name, _ in settings:
            expander.sets.pop(name, None)
    expander.commit()
    if len(shell.variables) + len(settings) > VARIABLES_MAX or len(shell.exported) > VARIABLES_MAX:
        raise expander.out_of_memory(f"more than {VARIABLES_MAX} variables of a shell")
    if "x" in shell.options:
        _trace(kernel, task, argv, settings)
    if not argv:
        shell.variables.update(settings)
        if "a" in shell.options and settings:
            shell.exported = {**shell.exported, **{name: None for name, _ in settings}}
        # ``x=$(false)`` has the status of its last substitution.
        shell.status = frame.sub_status
        exit_on_error(kernel, task, shell)
        return
    run_command(kernel, task, shell, argv, fds=fds, settings=settings)


def run_command(
    kernel: Kernel,
    task: Task,
    shell: Shell,
    argv: tuple[str, ...],
    *,
    fds: dict[int, OutputTarget],
    settings: list[tuple[str, Value]],
    functions: bool = True,
) -> None:
    """Run a function, builtin or program, given its words."""
    name = argv[0]
    if functions and name in shell.functions:
        shell.variables.update(settings)
        shell.stack += (frames.Restore(task.fds), frames.Leave(shell.params), RunNode(shell.functions[name]))
        shell.params, task.fds = argv[1:], fds
        return
    builtin = kernel.userland.builtins.get(name)
    if builtin is not None:
        _run_builtin(kernel, task, shell, builtin, argv, fds=fds, settings=settings)
        return
    extra = {key: value for key, value in settings if isinstance(value, str)}
    env = exported_environment(shell, extra)
    result = execute(kernel, task, argv, fds=fds, env=env)
    if isinstance(result, ProgramStart):
        _wait_for(kernel, task, shell, argv, start=result, fds=fds, env=env)
        return
    shell.status = result if isinstance(result, int) else report_missing(kernel, shell, argv[0], fds, result)
    exit_on_error(kernel, task, shell)


def _run_builtin(
    kernel: Kernel,
    task: Task,
    shell: Shell,
    builtin: Builtin,
    argv: tuple[str, ...],
    *,
    fds: dict[int, OutputTarget],
    settings: list[tuple[str, Value]],
) -> None:
    saved = {name: shell.variables.get(name) for name, _ in settings}
    shell.variables.update(settings)
    status = builtin(kernel, task, shell, argv, fds)
    # ``x=1 export`` keeps x, ``x=1 cd`` does not.
    if argv[0] not in SPECIAL:
        for name, value in saved.items():
            if value is None:
                shell.variables.pop(name, None)
            else:
                shell.variables[name] = value
    if status is not None and task.code is None:
        shell.status = status
        exit_on_error(kernel, task, shell)


def _wait_for(
    kernel: Kernel,
    task: Task,
    shell: Shell,
    argv: tuple[str, ...],
    *,
    start: ProgramStart,
    fds: dict[int, OutputTarget],
    env: dict[str, str],
) -> None:
    """Run a program in the foreground; a shell with nothing else to do is replaced by it."""
    # dash and bash replace themselves with the last command of ``-c``; ash keeps a process of its own,
    # so TERM reaches the shell there and not the program.
    last = (shell.forked or (shell.flavour != "ash" and isinstance(task.argv, tuple) and "-c" in task.argv)) and not shell.traps
    if last and not shell.stack:
        task.argv, task.fds, task.env = argv, fds, env
        become(kernel, task, start)
        return
    child = start_child(kernel, task, argv, start, fds=fds, env=env)
    shell.stack.append(frames.Await(child.pid))
    task.block, task.on = "child", (child.pid,)


def report_missing(kernel: Kernel, shell: Shell, name: str, fds: dict[int, OutputTarget], missing: Missing) -> int:
    """Report that a program does not exist, as this shell does; returns the status."""
    reason = "not found" if missing.code == NOT_FOUND else missing.reason[:1].upper() + missing.reason[1:]
    if shell.flavour == "bash":
        reason = "command not found" if missing.code == NOT_FOUND and "/" not in name else reason
        reason = "No such file or directory" if reason == "not found" else reason
    where = {"bash": "line 1: ", "dash": "1: "}.get(shell.flavour, "")
    kernel.write(fds.get(2, NULL), f"{shell.name}: {where}{name}: {reason}\n")
    return missing.code


def _setting(expander: Expander, assign: ast.Assign) -> tuple[str, Value]:
    """Name and new value of an assignment."""
    before = expander.variable(assign.name)
    value: Value
    if assign.items is not None:
        items = expander.fields(assign.items)
        expander.meter.charge(len(items) + (len(before) if isinstance(before, dict) else 0))
        table = dict(before) if assign.append and isinstance(before, dict) else {}
        start = len(table)
        value = {**table, **{str(start + index): item for index, item in enumerate(items)}}
    elif assign.index is not None:
        if isinstance(before, dict):
            expander.meter.charge(len(before) >> 2)
            if len(before) >= FIELDS_MAX:
                raise expander.out_of_memory(f"array of more than {FIELDS_MAX} values")
        key = expander.text(assign.index)
        # An index is an expression, unless the array already has it as a key.

        key = key if isinstance(before, dict) and key in before else _subscript(expander, assign.index, key)
        value = {**(before if isinstance(before, dict) else {}), key: expander.text(assign.value)}
    else:
        text = expander.text(assign.value)
        if assign.append and isinstance(before, str):
            expander.bounded(len(before) + len(text))
        value = (before if isinstance(before, str) else "") + text if assign.append else text
        if assign.name == "SECONDS" and expander.shell.flavour == "bash":
            value = seconds_from(expander.kernel, text)
    expander.sets[assign.name] = value
    return assign.name, value


def _subscript(expander: Expander, word: ast.Word, key: str) -> str:
    return key if key and not key[0].isdigit() and not key.isidentifier() else str(expander.arithmetic(word))


def _trace(kernel: Kernel, task: Task, argv: tuple[str, ...], settings: list[tuple[str, Value]]) -> None:
    words = [f"{name}={value}" for name, value in settings if isinstance(value, str)]
    words += [word if word and not any(c in " \t\n'\"$;&|<>*?" for c in word) else "'" + word + "'" for word in argv]
    kernel.write(task.fds.get(2, NULL), "+ " + " ".join(words) + "\n")
