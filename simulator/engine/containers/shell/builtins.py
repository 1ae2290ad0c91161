"""Commands that are part of the shell because they change the shell itself."""

from simulator.engine.containers.digits import whole
from simulator.engine.containers.files.filesystem import normalise
from simulator.engine.containers.kernel.execute import Missing, ProgramStart, become, execute, look_up
from simulator.engine.containers.kernel.kernel import Kernel
from simulator.engine.containers.kernel.presumed_files import file_in_image
from simulator.engine.containers.kernel.userland import Builtin
from simulator.engine.containers.process import frames
from simulator.engine.containers.process.frames import NULL, OutputTarget, RunNode
from simulator.engine.containers.process.state import Shell, Task
from simulator.engine.containers.shell.children import exported_environment
from simulator.engine.containers.shell.commands import report_missing, run_command
from simulator.engine.containers.shell.ending import end_shell, leave
from simulator.engine.containers.shell.jobs import read, wait
from simulator.engine.containers.shell.kill import kill_words
from simulator.engine.containers.shell.variables import declare, export, getopts, let, local, set_options, shift, unset
from simulator.engine.containers.signals import NAMES, signal_number
from simulator.engine.containers.syntax.parser import parse_script

_LOOPS = (frames.Round, frames.Each, frames.CountLoop)


def _error(kernel: Kernel, shell: Shell, fds: dict[int, OutputTarget], text: str, code: int = 1) -> int:
    kernel.write(fds.get(2, NULL), f"{shell.name}: {text}\n")
    return code


def _status_argument(kernel: Kernel, shell: Shell, argv: tuple[str, ...]) -> int:
    if len(argv) < 2:
        return shell.status
    text = argv[1].lstrip("-")
    number = whole(text, 2)
    return kernel.system.exit_code(-number if argv[1].startswith("-") else number)


def _exit(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    end_shell(kernel, task, shell, _status_argument(kernel, shell, argv))
    return None


def _return(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    status = _status_argument(kernel, shell, argv)
    kernel.meter.charge(len(shell.stack))
    if not any(isinstance(frame, frames.Leave) for frame in shell.stack):
        end_shell(kernel, task, shell, status)
        return None
    while True:
        frame = shell.stack.pop()
        if isinstance(frame, frames.Restore):
            task.fds = frame.fds
        if isinstance(frame, frames.Leave):
            leave(shell, frame)
            return status


def _break(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    left = whole(argv[1], 1) if len(argv) > 1 else 1
    kernel.meter.charge(len(shell.stack))
    if not any(isinstance(frame, _LOOPS) for frame in shell.stack):
        return 0
    # break does not reach out of a function.
    while shell.stack and not isinstance(shell.stack[-1], frames.Leave):
        frame = shell.stack.pop()
        if isinstance(frame, frames.Restore):
            task.fds = frame.fds
        if not isinstance(frame, _LOOPS):
            continue
        left -= 1
        if left > 0:
            continue
        if argv[0] == "continue":
            again: frames.Frame = frame
            if isinstance(frame, frames.Round):
                # The loop continues as if its body had ended, so the condition comes next.
                again = frames.Round(frame.node, True)
            shell.stack.append(again)
        break
    return 0


def _cd(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    operands = [word for word in argv[1:] if word not in ("-L", "-P", "--")]
    home, old = shell.variables.get("HOME"), shell.variables.get("OLDPWD")
    target = operands[0] if operands else (home if isinstance(home, str) else "/root")
    if target == "-":
        target = old if isinstance(old, str) else task.cwd
    path = normalise(target, task.cwd)
    if not kernel.fs.is_dir(path) and not (kernel.facts.tools == "any" and kernel.fs.get(path) is None):
        return _error(kernel, shell, fds, f"cd: can't cd to {target}: No such file or directory", 2)
    shell.variables["OLDPWD"], shell.variables["PWD"] = task.cwd, path
    task.cwd = path
    return 0


def _pwd(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    kernel.write(fds.get(1, NULL), task.cwd + "\n")
    return 0


def _eval(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    shell.stack += (frames.Restore(task.fds), RunNode(parse_script(" ".join(argv[1:]), kernel.meter)))
    task.fds = fds
    shell.status = 0
    return None


def _source(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    if len(argv) < 2:
        return _error(kernel, shell, fds, f"{argv[0]}: filename argument required", 2)
    entry = file_in_image(kernel, normalise(argv[1], task.cwd))
    if entry is None or entry.is_directory:
        # A special builtin that fails ends a POSIX shell that is not interactive.
        end_shell(kernel, task, shell, _error(kernel, shell, fds, f"{argv[0]}: can't open '{argv[1]}'", 2))
        return None
    # Leave, as for a function: ``return`` works in a sourced file, and its parameters are restored.
    shell.stack += (frames.Restore(task.fds), frames.Leave(shell.params), RunNode(parse_script(entry.text, kernel.meter)))
    shell.params, task.fds = argv[2:] or shell.params, fds
    return None


def _exec(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    words = argv[1:]
    while words and words[0] in ("--", "-c", "-l"):
        words = words[1:]
    if not words:
        task.fds = fds
        return 0
    env = exported_environment(shell)
    result = execute(kernel, task, words, fds=fds, env=env)
    if isinstance(result, Missing):
        end_shell(kernel, task, shell, report_missing(kernel, shell, words[0], fds, result))
        return None
    task.argv, task.fds, task.env = words, fds, env
    # Handlers are lost by exec, ignored signals stay ignored.
    task.ignored = tuple(int(number) for number, action in shell.traps.items() if action == "" and number != "0")
    become(kernel, task, result)
    if isinstance(result, ProgramStart) and isinstance(task.body, Shell):
        # A new program: $$ is its own pid again.
        task.body.forked = False
    return None


def _command(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    words = argv[1:]
    if words and words[0] in ("-v", "-V"):
        return _type(kernel, task, shell, words, fds)
    while words and words[0] in ("-p", "--", "command"):
        words = words[1:]
    if words:
        run_command(kernel, task, shell, words, fds=fds, settings=[], functions=False)
        return None
    return 0


def _type(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    status = 0
    for name in argv[1:]:
        if name.startswith("-"):
            continue
        short = argv[0] in ("-v", "which")
        if name in shell.functions or name in BUILTINS:
            text = name if short else f"{name} is a shell {'function' if name in shell.functions else 'builtin'}"
        elif isinstance(look_up(kernel, name, task.cwd), Missing):
            status = 127 if argv[0] in ("-v", "-V") else 1
            if not short:
                _error(kernel, shell, fds, f"{name}: not found")
            continue
        else:
            path = name if "/" in name else f"/bin/{name}"
            text = path if short else f"{name} is {path}"
        kernel.write(fds.get(1, NULL), text + "\n")
    return status


def _trap(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    words = argv[2:] if argv[1:2] == ("--",) else argv[1:]
    if not words or words[0] in ("-p", "-l"):
        for key, text in shell.traps.items():
            quoted = text.replace("'", "'\\''")
            kernel.write(fds.get(1, NULL), f"trap -- '{quoted}' {'EXIT' if key == '0' else NAMES.get(int(key), key)}\n")
        return 0
    action: str | None = words[0]
    names = words[1:]
    if len(words) == 1 or words[0] == "-":
        action, names = None, words if len(words) == 1 and words[0] != "-" else names
    traps, status = dict(shell.traps), 0
    for name in names:
        number = signal_number(name)
        if number is None:
            if name.upper() not in ("ERR", "DEBUG", "RETURN"):
                status = _error(kernel, shell, fds, f"trap: {name}: invalid signal specification")
        elif action is None:
            traps.pop(str(number), None)
        # KILL and STOP cannot be trapped.
        elif number not in (9, 19):
            traps[str(number)] = action
    shell.traps = traps
    return status


def _kill(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    words = tuple(str(shell.last_background) if word.startswith("%") else word for word in argv[1:])
    return kill_words(kernel, task, words, lambda text: _error(kernel, shell, fds, f"kill: {text}"))


def _nothing(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    return 0


def _false(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    return 1


def _umask(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    kernel.write(fds.get(1, NULL), "" if len(argv) > 1 else "0022\n")
    return 0


def _ulimit(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    kernel.write(fds.get(1, NULL), "unlimited\n" if len(argv) < 3 else "")
    return 0


BUILTINS: dict[str, Builtin] = {
    ":": _nothing, "true": _nothing, "false": _false, ".": _source, "source": _source, "break": _break, "continue": _break, "cd": _cd,
    "command": _command, "builtin": _command, "declare": declare, "typeset": declare, "readonly": export, "eval": _eval, "exec": _exec,
    "exit": _exit, "export": export, "getopts": getopts, "hash": _nothing, "alias": _nothing, "unalias": _nothing, "jobs": _nothing,
    "fg": _nothing, "bg": _nothing, "disown": _nothing, "shopt": _nothing, "times": _nothing, "kill": _kill, "let": let, "local": local,
    "pwd": _pwd, "read": read, "return": _return, "set": set_options, "shift": shift, "trap": _trap, "type": _type, "which": _type,
    "umask": _umask, "ulimit": _ulimit, "unset": unset, "wait": wait,
}  # fmt: skip
