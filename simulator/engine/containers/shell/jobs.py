"""The builtins that wait: ``wait`` and ``read``."""

import re

from simulator.engine.containers.digits import whole
from simulator.engine.containers.effort import CHARS, COPIED, LINE
from simulator.engine.containers.kernel.kernel import Kernel
from simulator.engine.containers.process import frames
from simulator.engine.containers.process.frames import NULL, OutputTarget
from simulator.engine.containers.process.state import Shell, Task
from simulator.engine.containers.shell.ending import exit_on_error
from simulator.engine.containers.shell.expand import FIELD, FIELDS_MAX, SEPARATORS_MAX, separator
from simulator.engine.containers.shell.failures import ExpansionError


def wait(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    """``wait [-n] [pid …]``. The status, or None if it waits. ``%n`` always means the last job: job numbers are not kept."""
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
        number = shell.last_background if word.startswith("%") else whole(word, -1)
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


def read(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    """``read [-r] [-p prompt] [-t seconds] [-a array] [name …]``."""
    _, options = _arguments(argv)
    if "p" in options:
        kernel.write(fds.get(2, NULL), options["p"])
    source = fds.get(0, NULL)
    # No input at all, as for a container's main process: end of file at once.
    if source.kind != "pipe":
        return _assign(kernel, shell, argv, "", _separators(shell)) or 1  # end of input
    limit = options.get("t", "")
    task.until_ms = kernel.now_ms + whole(limit) * 1000 if whole(limit) else 0
    frame = frames.ReadLine(argv, source.pipe, _separators(shell))
    if "\n" in kernel.pipes.get(source.pipe, "") or not kernel.has_writer(source.pipe):
        task.until_ms = 0
        return _take(kernel, shell, frame)
    shell.stack.append(frame)
    task.block, task.on = "line", (source.pipe,)
    return None


def read_line(kernel: Kernel, task: Task, shell: Shell, frame: frames.ReadLine) -> None:
    """A line has arrived for ``read``, or it has timed out: bash then gives 142 (128 + SIGALRM), other shells 1."""
    if "\n" in kernel.pipes.get(frame.pipe, "") or not kernel.has_writer(frame.pipe):
        shell.status = _take(kernel, shell, frame)
    else:
        # 128 + SIGALRM in bash.
        shell.status = 142 if shell.flavour == "bash" else 1
    exit_on_error(kernel, task, shell)


def _take(kernel: Kernel, shell: Shell, frame: frames.ReadLine) -> int:
    held = kernel.pipes.get(frame.pipe, "")
    kernel.meter.charge(len(held) // COPIED)
    _, options = _arguments(frame.argv)
    parts: list[str] = []
    at = 0
    while True:
        end = held.find("\n", at)
        line = held[at : end if end >= 0 else len(held)]
        at = end + 1 if end >= 0 else len(held)
        if end < 0 or "r" in options or not line.endswith("\\"):
            parts.append(line)
            break
        parts.append(line[:-1])
        kernel.meter.charge(LINE)
    kernel.pipes[frame.pipe] = held[at:]
    _assign(kernel, shell, frame.argv, "".join(parts), frame.ifs)
    # A last line without a line break is assigned, but the status still reports the end of the input.
    return 0 if end >= 0 else 1


def _separators(shell: Shell) -> str:
    value = shell.variables.get("IFS")
    return value[:SEPARATORS_MAX] if isinstance(value, str) else " \t\n"


def _arguments(argv: tuple[str, ...]) -> tuple[list[str], dict[str, str]]:
    """Names of variables, and options by letter with their value; those of ``ptaniud`` take one, in the same word or the next."""
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


def _assign(kernel: Kernel, shell: Shell, argv: tuple[str, ...], line: str, ifs: str) -> int:
    names, options = _arguments(argv)
    blanks = "".join(char for char in ifs if char in " \t\n")
    others = "".join(char for char in ifs if char not in " \t\n")
    text = line.strip(blanks) if blanks else line
    kernel.meter.charge(len(text) // CHARS)
    if "r" not in options:
        text = text.replace("\\", "")
    between = re.compile(separator(blanks, others)) if ifs else None
    if "a" in options:
        fields = _fields(text, between, FIELDS_MAX + 1)
        kernel.meter.charge(FIELD * len(fields))
        if len(fields) > FIELDS_MAX:
            raise ExpansionError("out of memory")
        shell.variables[options["a"]] = {str(index): part for index, part in enumerate(fields)}
        return 0
    names = names or ["REPLY"]
    fields = _fields(text, between, len(names))
    kernel.meter.charge(FIELD * len(names))
    shell.variables.update(dict(zip(names, [*fields, *[""] * len(names)], strict=False)))
    return 0


def _fields(text: str, between: "re.Pattern[str] | None", most: int) -> list[str]:
    """The fields of a line; the last of ``most`` takes the rest."""
    fields: list[str] = []
    at = 0
    while at < len(text) and len(fields) < most:
        match = between.search(text, at) if between is not None and len(fields) + 1 < most else None
        fields.append(text[at : match.start()] if match is not None else text[at:])
        at = match.end() if match is not None else len(text)
    return fields
