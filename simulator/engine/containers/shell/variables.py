"""Builtins that set variables, options and parameters."""

import re

from simulator.engine.containers.digits import whole
from simulator.engine.containers.effort import STEP
from simulator.engine.containers.kernel.kernel import Kernel
from simulator.engine.containers.process import frames
from simulator.engine.containers.process.frames import NULL, OutputTarget
from simulator.engine.containers.process.state import Shell, Task
from simulator.engine.containers.shell import arith
from simulator.engine.containers.shell.failures import ExpansionError
from simulator.engine.containers.shell.parameters import scalar

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OPTIONS = "abefhkmntuvxBCEHPT"
"""Option letters of ``set`` that are kept; only some of them have an effect here."""
_LONG_OPTIONS = {
    "errexit": "e",
    "nounset": "u",
    "xtrace": "x",
    "pipefail": "P",
    "noglob": "f",
    "verbose": "v",
    "allexport": "a",
    "noclobber": "C",
}


def _assignments(shell: Shell, argv: tuple[str, ...]) -> list[str]:
    """Execute ``name=value`` words; returns all the names given."""
    names = []
    for word in argv[1:]:
        if word.startswith("-"):
            continue
        name, equals, value = word.partition("=")
        append = name.endswith("+")
        name = name.removesuffix("+")
        if not _NAME.fullmatch(name):
            raise ExpansionError(f"{argv[0]}: {word}: bad variable name")
        if equals:
            shell.variables[name] = (scalar(shell.variables.get(name)) or "") + value if append else value
        names.append(name)
    return names


def export(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    """``export`` and ``readonly``."""
    kernel.meter.charge(len(shell.exported) + STEP * len(argv))
    names = _assignments(shell, argv)
    if argv[0] == "export" and "-n" in argv:
        gone = frozenset(names)
        shell.exported = {name: None for name in shell.exported if name not in gone}
    elif argv[0] == "export":
        shell.exported = {**shell.exported, **dict.fromkeys(names)}
        if len(argv) == 1 or argv[1] == "-p":
            for name in sorted(shell.exported):
                kernel.write(fds.get(1, NULL), f"export {name}='{scalar(shell.variables.get(name)) or ''}'\n")
    return 0


def local(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    """``local name[=value] …``: the old values are restored when the function ends."""
    names = [word.partition("=")[0].removesuffix("+") for word in argv[1:] if not word.startswith("-")]
    # The innermost function's frame keeps the old values.
    for index in range(len(shell.stack) - 1, -1, -1):
        frame = shell.stack[index]
        if isinstance(frame, frames.Leave):
            known = dict(frame.saved)  # the value before the first declaration counts, however often it is declared
            saved = {name: scalar(shell.variables.get(name)) for name in names if name not in known}
            kernel.meter.charge(len(shell.stack) - index + len(known) + STEP * len(names))
            shell.stack[index] = frames.Leave(frame.params, (*frame.saved, *saved.items()))
            break
    for name in names:
        shell.variables.setdefault(name, "")
    _assignments(shell, argv)
    return 0


def declare(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    """``declare``: arrays, exports and plain variables."""
    flags = "".join(word for word in argv[1:] if word.startswith("-"))
    names = [word.partition("=")[0] for word in argv[1:] if not word.startswith("-")]
    if "a" in flags or "A" in flags:
        for name in names:
            shell.variables.setdefault(name, {})
        return 0
    kernel.meter.charge(len(shell.stack) + len(shell.exported) + STEP * len(argv))
    if any(isinstance(frame, frames.Leave) for frame in shell.stack) and "g" not in flags:
        return local(kernel, task, shell, argv, fds)
    _assignments(shell, argv)
    if "x" in flags:
        shell.exported = {**shell.exported, **dict.fromkeys(names)}
    return 0


def unset(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    """``unset [-f] name …``."""
    gone = dict.fromkeys(word for word in argv[1:] if not word.startswith("-"))
    kernel.meter.charge(len(shell.exported) + len(shell.functions) + STEP * len(argv))
    if "-f" in argv:
        shell.functions = {name: body for name, body in shell.functions.items() if name not in gone}
        return 0
    for name in gone:
        shell.variables.pop(name, None)
    shell.exported = {name: None for name in shell.exported if name not in gone}
    return 0


def set_options(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    """``set [-eux] [-o name] [--] [parameter …]``."""
    if len(argv) == 1:
        for name in sorted(shell.variables):
            kernel.write(fds.get(1, NULL), f"{name}='{scalar(shell.variables[name]) or ''}'\n")
        return 0
    words = list(argv[1:])
    while words and words[0][:1] in ("-", "+") and words[0] not in ("-", "--"):
        word = words.pop(0)
        kernel.meter.charge(len(word))
        letters = "".join(dict.fromkeys(letter for letter in word[1:] if letter in OPTIONS))
        if "o" in word[1:] and words:
            letters += _LONG_OPTIONS.get(words.pop(0), "")
        kept = "".join(letter for letter in shell.options if letter not in letters)
        shell.options = kept + letters if word[0] == "-" else kept
    if words and words[0] in ("--", "-"):
        shell.params = tuple(words[1:])
    elif words:
        shell.params = tuple(words)
    return 0


def apply_flags(shell: Shell, flags: str, names: list[str]) -> None:
    """Options given on the command line of a shell: ``sh -ec``, ``bash -o pipefail``."""
    letters = "".join(letter for letter in flags if letter in "euxfvC")
    shell.options += letters + "".join(_LONG_OPTIONS.get(name, "") for name in names)


def shift(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    """``shift [n]``."""
    count = whole(argv[1], len(shell.params) + 1 if argv[1].isdecimal() else 1) if len(argv) > 1 else 1
    if count > len(shell.params):
        return 1
    shell.params = shell.params[count:]
    return 0


def let(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    """``let expression …``: 1 if the last value is 0."""
    value = 0
    for text in argv[1:]:
        try:
            value = arith.evaluate(
                text,
                lambda name: scalar(shell.variables.get(name)) or "",
                lambda name, new: shell.variables.update({name: new}),
                kernel.meter,
            )
        except arith.ArithError as problem:
            raise ExpansionError(f"arithmetic: {problem}") from problem
    return 0 if value else 1


def getopts(kernel: Kernel, task: Task, shell: Shell, argv: tuple[str, ...], fds: dict[int, OutputTarget]) -> int | None:
    """``getopts letters name``: one option letter per call, no clusters."""
    if len(argv) < 3:
        return 2
    letters, name = argv[1], argv[2]
    words = argv[3:] or shell.params
    index = max(whole(scalar(shell.variables.get("OPTIND")) or "1", 1), 1)
    if index > len(words) or not re.fullmatch(r"-[A-Za-z0-9?].*", words[index - 1]):
        shell.variables[name] = "?"
        return 1
    word = words[index - 1]
    letter = word[1]
    at = letters.find(letter)
    if at < 0:
        shell.variables.update({name: "?", "OPTIND": str(index + 1), "OPTARG": letter})
        return 0
    value = ""
    if letters[at + 1 : at + 2] == ":":
        value = word[2:]
        if not value:
            index += 1
            value = words[index - 1] if index <= len(words) else ""
    shell.variables.update({name: letter, "OPTIND": str(index + 1), "OPTARG": value})
    return 0
