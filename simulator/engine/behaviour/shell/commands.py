"""Simple commands, copies of a shell, and how a shell ends."""

from simulator.engine.behaviour.execute import Call, Missing, Start, become, call_program, execute, look_up
from simulator.engine.behaviour.kernel import Kernel
from simulator.engine.behaviour.process import Shell, Sleeper, Task, Value
from simulator.engine.behaviour.shell import ast, frames
from simulator.engine.behaviour.shell.expand import Expander, ExpansionError
from simulator.engine.behaviour.shell.frames import NULL, Run, Target
from simulator.engine.behaviour.shell.parser import parse
from simulator.engine.behaviour.shell.redirect import redirected

PROCESSES_MAX = 256
INLINE_DEPTH_MAX = 12
NOT_FOUND = 127


def environment(shell: Shell, extra: dict[str, str] | None = None) -> dict[str, str]:
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


def fork(kernel: Kernel, task: Task, shell: Shell, node: ast.Node, fds: dict[int, Target]) -> Task:
    """A copy of the shell as a new process that runs ``node``. Raises ExpansionError when there are too many."""
    if len(kernel.tasks) >= PROCESSES_MAX:
        raise ExpansionError("can't fork: Resource temporarily unavailable")
    copy = Shell(
        shell.flavour,
        shell.name,
        shell.variables.copy(),
        shell.exported,
        shell.params,
        [Run(node)],
        shell.functions,
        {number: action for number, action in shell.traps.items() if action == ""} if shell.traps else {},
        options=shell.options,
        status=shell.status,
        last_background=shell.last_background,
        forked=True,
        quiet=shell.quiet or in_condition(shell),
    )
    return kernel.spawn(task, task.argv, copy, fds)


def start_child(kernel: Kernel, task: Task, argv: tuple[str, ...], start: Start, *, fds: dict[int, Target], env: dict[str, str]) -> Task:
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
    """Whether the shell is in a loop that only sleeps, so that its rounds cannot be seen."""
    if "x" in shell.options:
        return False
    for frame in reversed(shell.stack):
        if type(frame) is frames.Round:
            alone = frame.node.idle == 1 or not any(other.ppid == task.pid for other in kernel.tasks.values())
            return frame.node.idle > 0 and alone
    return False


def run_simple(kernel: Kernel, task: Task, shell: Shell, frame: Run) -> None:
    """Carry out a simple command. Raises NeedCommand and what expansion and redirection raise."""
    node = frame.node
    assert isinstance(node, ast.Simple)
    expander = Expander(kernel, task, shell, frame.memo)
    argv = tuple(expander.fields(node.words))
    settings = [_setting(expander, assign) for assign in node.assigns] if node.assigns else []
    fds = redirected(kernel, task, expander, node.redirects) if node.redirects else task.fds
    expander.commit()
    if "x" in shell.options:
        _trace(kernel, task, argv, settings)
    if not argv:
        shell.variables.update(settings)
        shell.status = frame.sub_status
        fail_if_asked(kernel, task, shell)
        return
    run_command(kernel, task, shell, argv, fds=fds, settings=settings)


def run_command(
    kernel: Kernel,
    task: Task,
    shell: Shell,
    argv: tuple[str, ...],
    *,
    fds: dict[int, Target],
    settings: list[tuple[str, Value]],
    functions: bool = True,
) -> None:
    """Run a function, builtin or program by its words."""
    from simulator.engine.behaviour.shell.builtins import BUILTINS

    name = argv[0]
    if functions and name in shell.functions:
        shell.variables.update(settings)
        shell.stack += (frames.Restore(task.fds), frames.Leave(shell.params), Run(shell.functions[name]))
        shell.params, task.fds = argv[1:], fds
        return
    builtin = BUILTINS.get(name)
    if builtin is not None:
        _run_builtin(kernel, task, shell, argv, fds=fds, settings=settings)
        return
    extra = {key: value for key, value in settings if isinstance(value, str)}
    env = environment(shell, extra)
    result = execute(kernel, task, argv, fds=fds, env=env)
    if isinstance(result, Start):
        _wait_for(kernel, task, shell, argv, start=result, fds=fds, env=env)
        return
    shell.status = result if isinstance(result, int) else report_missing(kernel, shell, argv[0], fds, result)
    fail_if_asked(kernel, task, shell)


def _run_builtin(
    kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], *, fds: dict[int, Target], settings: list[tuple[str, Value]]
) -> None:
    from simulator.engine.behaviour.shell.builtins import BUILTINS, SPECIAL

    saved = {name: shell.variables.get(name) for name, _ in settings}
    shell.variables.update(settings)
    status = BUILTINS[argv[0]](kernel, task, shell, argv, fds)
    if argv[0] not in SPECIAL:
        for name, value in saved.items():
            if value is None:
                shell.variables.pop(name, None)
            else:
                shell.variables[name] = value
    if status is not None and task.code is None:
        shell.status = status
        fail_if_asked(kernel, task, shell)


def _wait_for(
    kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], *, start: Start, fds: dict[int, Target], env: dict[str, str]
) -> None:
    """Run a program in the foreground; a shell with nothing else to do makes way for it."""
    last = (shell.forked or (shell.flavour != "ash" and isinstance(task.argv, tuple) and "-c" in task.argv)) and not shell.traps
    if last and not shell.stack:
        task.argv, task.fds, task.env = argv, fds, env
        become(kernel, task, start)
        return
    child = start_child(kernel, task, argv, start, fds=fds, env=env)
    shell.stack.append(frames.Await(child.pid))
    task.block, task.on = "child", (child.pid,)


def report_missing(kernel: Kernel, shell: Shell, name: str, fds: dict[int, Target], missing: Missing) -> int:
    """Say that a program does not exist, as this shell does; returns the status."""
    reason = "not found" if missing.code == NOT_FOUND else "Permission denied"
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
        table = dict(before) if assign.append and isinstance(before, dict) else {}
        start = len(table)
        value = {**table, **{str(start + index): item for index, item in enumerate(items)}}
    elif assign.index is not None:
        key = expander.text(assign.index)
        key = key if isinstance(before, dict) and key in before else _subscript(expander, assign.index, key)
        value = {**(before if isinstance(before, dict) else {}), key: expander.text(assign.value)}
    else:
        text = expander.text(assign.value)
        value = (before if isinstance(before, str) else "") + text if assign.append else text
    expander.sets[assign.name] = value
    return assign.name, value


def _subscript(expander: Expander, word: ast.Word, key: str) -> str:
    return key if key and not key[0].isdigit() and not key.isidentifier() else str(expander.arithmetic(word))


def _trace(kernel: Kernel, task: Task, argv: tuple[str, ...], settings: list[tuple[str, Value]]) -> None:
    words = [f"{name}={value}" for name, value in settings if isinstance(value, str)]
    words += [word if word and not any(c in " \t\n'\"$;&|<>*?" for c in word) else "'" + word + "'" for word in argv]
    kernel.write(task.fds.get(2, NULL), "+ " + " ".join(words) + "\n")


def background(kernel: Kernel, task: Task, shell: Shell, node: ast.Node) -> None:
    """Start ``node`` in the background."""
    fds = {**task.fds, 0: NULL}
    argv = _plain_words(shell, node)
    child = None
    if argv is not None:
        env = environment(shell)
        result = execute(kernel, task, argv, fds=fds, env=env)
        if isinstance(result, Start):
            child = start_child(kernel, task, argv, result, fds=fds, env=env)
    if child is None:
        child = fork(kernel, task, shell, node, fds)
    shell.last_background = child.pid
    shell.status = 0


def _plain_words(shell: Shell, node: ast.Node) -> tuple[str, ...] | None:
    """Words of a plain ``sleep`` with fixed words: the only program that is started without a copy of the shell."""
    if not isinstance(node, ast.Simple) or node.assigns or node.redirects or not node.words or node.words[0].const != "sleep":
        return None
    words = tuple(word.const for word in node.words if word.const is not None)
    return words if len(words) == len(node.words) and "sleep" not in shell.functions else None


def substitute(kernel: Kernel, task: Task, shell: Shell, frame: Run, node: ast.Node) -> None:
    """Run a command substitution that the command in ``frame`` needs, then start that command again."""
    pipe = kernel.new_pipe(capture=True)
    fds = {**task.fds, 1: Target("pipe", pipe)}
    if _run_at_once(kernel, task, shell, node, fds):
        text = kernel.pipes.pop(pipe)
        shell.stack.append(Run(frame.node, (*frame.memo, text), shell.status))
        return
    try:
        child = fork(kernel, task, shell, node, fds)
    except ExpansionError as problem:
        kernel.write(task.fds.get(2, NULL), f"{shell.name}: {problem}\n")
        end_shell(kernel, task, shell, 2)
        return
    shell.stack.append(frames.Collect(child.pid, pipe, frame))
    if kernel.depth < INLINE_DEPTH_MAX:
        from simulator.engine.behaviour.bodies import step

        kernel.depth += 1
        step(kernel, child)
        kernel.depth -= 1
    if child.pid not in shell.done:
        task.block, task.on = "child", (child.pid,)


def _run_at_once(kernel: Kernel, task: Task, shell: Shell, node: ast.Node, fds: dict[int, Target]) -> bool:
    """Run a substitution that is one plain program call (``$(date)``) without a copy of the shell."""
    from simulator.engine.behaviour.shell.builtins import BUILTINS

    simple = node.items[0].node if isinstance(node, ast.Sequence) and len(node.items) == 1 else node
    if not isinstance(simple, ast.Simple) or simple.assigns or simple.redirects:
        return False
    words = tuple(word.const for word in simple.words if word.const is not None)
    if not words or len(words) < len(simple.words) or words[0] in BUILTINS or words[0] in shell.functions:
        return False
    program = look_up(kernel, words[0], task.cwd)
    if words[0] not in ("date", "cat", "hostname", "seq", "echo", "printf", "basename", "dirname", "uname", "whoami", "id") or not callable(program):
        return False
    call = Call(kernel, task, words, fds={**fds, 0: NULL}, env=environment(shell))
    result = call_program(program, call)
    assert isinstance(result, int)
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
    shell.stack.append(Run(again.node, (*again.memo, text), status))


def in_condition(shell: Shell) -> bool:
    """Whether a failure is expected where the shell is now (condition, ``!``, left of ``&&`` or ``||``)."""
    for frame in shell.stack:
        kind = type(frame)
        if kind is frames.Decide or kind is frames.Negate:
            return True
        if kind is frames.Round and not frame.in_body:  # type: ignore[union-attr]
            return True
        if kind is frames.Chain and frame.index < len(frame.node.ops):  # type: ignore[union-attr]
            return True
    return False


def fail_if_asked(kernel: Kernel, task: Task, shell: Shell) -> None:
    """``set -e``: end the shell if the last command failed where that matters."""
    if shell.status and "e" in shell.options and not shell.quiet and not in_condition(shell):
        end_shell(kernel, task, shell, shell.status)


def end_shell(kernel: Kernel, task: Task, shell: Shell, code: int) -> None:
    """End the shell, after its EXIT trap."""
    shell.stack.clear()
    action = shell.traps.get("0")
    if action:
        shell.traps = {number: text for number, text in shell.traps.items() if number != "0"}
        shell.status = code
        shell.stack += (frames.Quit(code), Run(parse(action)))
        return
    kernel.finish(task, code)


def leave(shell: Shell, frame: frames.Leave) -> None:
    """Put back what a function changed for itself."""
    shell.params = frame.params
    for name, value in reversed(frame.saved):
        if value is None:
            shell.variables.pop(name, None)
        else:
            shell.variables[name] = value
