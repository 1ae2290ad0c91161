"""The builtins that wait: ``wait`` and ``read``."""

from simulator.engine.behaviour.kernel import Kernel
from simulator.engine.behaviour.process import Shell, Task
from simulator.engine.behaviour.shell import frames
from simulator.engine.behaviour.shell.ending import fail_if_asked
from simulator.engine.behaviour.shell.frames import NULL, Target


def wait(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, Target]) -> int | None:
    """``wait [-n] [pid …]``."""
    children = tuple(other.pid for other in kernel.tasks.values() if other.ppid == task.pid)
    operands = [word for word in argv[1:] if not word.startswith("-")]
    if "-n" in argv:
        if not children:
            return 127
        shell.stack.append(frames.AwaitJobs(children, first=True))
        task.block, task.on = "any", children
        return None
    if not operands:
        shell.stack.append(frames.AwaitJobs(children, every=True))
        task.block, task.on = "jobs", children
        return None
    pids = []
    for word in operands:
        number = shell.last_background if word.startswith("%") else int(word) if word.isdecimal() else -1
        if number not in children and number not in shell.done:
            return 127 if word.isdecimal() else 2
        pids.append(number)
    shell.stack.append(frames.AwaitJobs(tuple(pids)))
    task.block, task.on = "jobs", tuple(pids)
    return None


def jobs_done(kernel: Kernel, task: Task, shell: Shell, frame: frames.AwaitJobs) -> None:
    """What ``wait`` waited for has ended."""
    if frame.first:
        ended = [pid for pid in frame.pids if pid in shell.done]
        shell.status = shell.done[ended[0]] if ended else 127
    else:
        shell.status = 0 if frame.every else shell.done.get(frame.pids[-1], 127)
    shell.done = {pid: code for pid, code in shell.done.items() if pid not in frame.pids}


def read(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, Target]) -> int | None:
    """``read [-r] [-p prompt] [-t seconds] [-a array] [name …]``."""
    _, options = _arguments(argv)
    if "p" in options:
        kernel.write(fds.get(2, NULL), options["p"])
    source = fds.get(0, NULL)
    if source.kind != "pipe":
        return _assign(shell, argv, "", _separators(shell)) or 1
    limit = options.get("t", "")
    task.until_ms = kernel.now_ms + int(limit) * 1000 if limit.isdecimal() and int(limit) else 0
    frame = frames.ReadLine(argv, source.pipe, _separators(shell))
    if "\n" in kernel.pipes.get(source.pipe, "") or not kernel.has_writer(source.pipe):
        task.until_ms = 0
        return _take(kernel, shell, frame)
    shell.stack.append(frame)
    task.block, task.on = "line", (source.pipe,)
    return None


def read_line(kernel: Kernel, task: Task, shell: Shell, frame: frames.ReadLine) -> None:
    """A line has come for ``read``, or its time is over."""

    if "\n" in kernel.pipes.get(frame.pipe, "") or not kernel.has_writer(frame.pipe):
        shell.status = _take(kernel, shell, frame)
    else:
        shell.status = 142 if shell.flavour == "bash" else 1
    fail_if_asked(kernel, task, shell)


def _take(kernel: Kernel, shell: Shell, frame: frames.ReadLine) -> int:
    held = kernel.pipes.get(frame.pipe, "")
    line, newline, rest = held.partition("\n")
    _, options = _arguments(frame.argv)
    while newline and "r" not in options and line.endswith("\\"):
        more, newline, rest = rest.partition("\n")
        line = line[:-1] + more
    kernel.pipes[frame.pipe] = rest
    _assign(shell, frame.argv, line, frame.ifs)
    return 0 if newline else 1


def _separators(shell: Shell) -> str:
    value = shell.variables.get("IFS")
    return value if isinstance(value, str) else " \t\n"


def _arguments(argv: tuple[str, ...]) -> tuple[list[str], dict[str, str]]:
    names: list[str] = []
    options: dict[str, str] = {}
    index = 1
    while index < len(argv):
        word = argv[index]
        index += 1
        if not word.startswith("-") or names:
            names.append(word)
            continue
        for position, letter in enumerate(word[1:], 1):
            options[letter] = ""
            if letter in "ptaniud":
                options[letter] = word[position + 1 :]
                if not options[letter] and index < len(argv):
                    options[letter] = argv[index]
                    index += 1
                break
    return names, options


def _assign(shell: Shell, argv: tuple[str, ...], line: str, ifs: str) -> int:
    names, options = _arguments(argv)
    blanks = "".join(char for char in ifs if char in " \t\n")
    text = line.strip(blanks) if blanks else line
    if "r" not in options:
        text = text.replace("\\", "")
    if "a" in options:
        shell.variables[options["a"]] = {str(index): part for index, part in enumerate(_all_fields(text, ifs, blanks))}
        return 0
    names = names or ["REPLY"]
    for name in names[:-1]:
        head, text = _first_field(text, ifs, blanks)
        shell.variables[name] = head
    shell.variables[names[-1]] = text
    return 0


def _all_fields(text: str, ifs: str, blanks: str) -> list[str]:
    fields = []
    while text:
        head, text = _first_field(text, ifs, blanks)
        fields.append(head)
    return fields


def _first_field(text: str, ifs: str, blanks: str) -> tuple[str, str]:
    for index, char in enumerate(text):
        if char in ifs:
            rest = text[index:].lstrip(blanks) if blanks else text[index:]
            if rest[:1] and rest[0] in ifs and rest[0] not in blanks:
                rest = rest[1:]
                rest = rest.lstrip(blanks) if blanks else rest
            return text[:index], rest
    return text, ""
