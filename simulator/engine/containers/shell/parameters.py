"""Special parameters and the operators of ``${name…}``."""

from typing import TYPE_CHECKING

from simulator.engine.containers.digits import whole
from simulator.engine.containers.shell import pattern
from simulator.engine.containers.shell.failures import ExpansionError
from simulator.engine.containers.syntax.ast import Param
from simulator.engine.kernel.rng import draw

if TYPE_CHECKING:
    from simulator.engine.containers.kernel.kernel import Kernel
    from simulator.engine.containers.process.state import Shell, Task, Value
    from simulator.engine.containers.shell.expand import Expander


def scalar(value: "Value | None") -> str | None:
    """Text of a variable: for an array its element 0."""
    if value is None or isinstance(value, str):
        return value
    return value.get("0")


def special(kernel: "Kernel", task: "Task", shell: "Shell", name: str) -> str | None:
    """Value of a special parameter, None if ``name`` is not one (or is an unset positional one)."""
    if name.isdigit():
        position = whole(name, len(shell.params) + 1)
        if position == 0:
            return shell.name
        return shell.params[position - 1] if position <= len(shell.params) else None
    if name == "?":
        return str(shell.status)
    if name == "#":
        return str(len(shell.params))
    if name == "$":
        return str(kernel.shell_pid(task))
    if name == "!":
        return str(shell.last_background) if shell.last_background else ""
    if name == "-":
        return shell.options
    return _dynamic(kernel, task, shell, name)


def _elapsed_s(kernel: "Kernel") -> int:
    return (kernel.now_ms - kernel.started_ms) // 1000


def counted_seconds(kernel: "Kernel", stored: "Value") -> "Value":
    """bash's ``$SECONDS`` after something was assigned to it: that, and the seconds since (``seconds_from``)."""
    text = scalar(stored) or ""
    return str(int(text) + _elapsed_s(kernel)) if text.lstrip("-").isdecimal() and len(text) < 12 else stored


def seconds_from(kernel: "Kernel", text: str) -> str:
    """What is stored for an assignment to ``SECONDS``: the value it would have had when the container started."""
    return str((int(text) if text.isdecimal() and len(text) < 12 else 0) - _elapsed_s(kernel))


def _dynamic(kernel: "Kernel", task: "Task", shell: "Shell", name: str) -> str | None:
    if name == "RANDOM":
        shell.draws += 1
        launch = kernel.launch
        return str(draw(launch.seed, f"random/{launch.subject}/{launch.instance}/{task.pid}", shell.draws) % 32768)
    if name == "SECONDS":
        return str(_elapsed_s(kernel))
    if name == "EPOCHSECONDS":
        return str(kernel.wall_s)
    if name == "PPID":
        return str(task.ppid)
    if name == "BASHPID":
        return str(task.pid)
    return "1" if name == "LINENO" else None


def subscript_values(expander: "Expander", part: Param) -> list[str] | None:
    """Values of ``${name[index]}``; all of them for ``@`` and ``*``, None if there is none."""
    assert part.index is not None
    value = expander.variable(part.name)
    table = value if isinstance(value, dict) else {} if value is None else {"0": value}
    if part.index.const in ("@", "*"):
        expander.meter.charge(len(table))
        return list(table) if part.op == "!" else list(table.values())
    key = expander.text(part.index)
    if key not in table:
        key = str(expander.arithmetic(part.index))
        if key.startswith("-") and table:
            key = list(table)[max(-len(table), int(key))]
    return [table[key]] if key in table else None


def operate(expander: "Expander", part: Param, found: list[str] | None) -> list[str]:
    """Values of ``${name op arg}``. Raises ExpansionError for ``?``."""

    op, arg = part.op, part.arg
    many = part.name in "@*" or (part.index is not None and part.index.const in ("@", "*"))
    if op == "len":
        return [str(len(found or []))] if many else [str(len(found[0]) if found else 0)]
    if op == "!":
        return found or [] if many else [scalar(expander.variable(found[0] if found else "")) or ""]
    # With a colon an empty value counts as missing, too.
    missing = not found or (op.startswith(":") and len(op) == 2 and found == [""])
    if op in (":-", "-", ":=", "=", ":?", "?"):
        if not missing:
            return found or []
        text = expander.text(arg) if arg is not None else ""
        if op.endswith("?"):
            raise ExpansionError(f"{part.name}: {text or 'parameter not set'}")
        if op.endswith("="):
            expander.assign(part.name, text)
        return [text]
    if op in (":+", "+"):
        return [""] if missing else [expander.text(arg) if arg is not None else ""]
    if op == ":" and many:
        return _slice(expander, part, found or [])
    return [_transform(expander, part, value) for value in (found or [""])]


def _slice(expander: "Expander", part: Param, values: list[str]) -> list[str]:
    start = expander.arithmetic(part.arg) if part.arg is not None else 0
    if part.name in "@*" and part.index is None:
        start = max(start - 1, 0)
    count = expander.arithmetic(part.arg2) if part.arg2 is not None else len(values)
    return values[start : start + max(count, 0)]


def _transform(expander: "Expander", part: Param, value: str) -> str:
    op, arg = part.op, part.arg
    if op == ":":
        start = expander.arithmetic(arg) if arg is not None else 0
        start = max(len(value) + start, 0) if start < 0 else start
        if part.arg2 is None:
            return value[start:]
        count = expander.arithmetic(part.arg2)
        return value[start : start + count] if count >= 0 else value[start:count]
    meter = expander.meter
    meter.charge(len(value) >> 3)
    if op in ("^^", "^", ",,", ","):
        change = str.upper if op[0] == "^" else str.lower
        return change(value) if len(op) == 2 else change(value[:1]) + value[1:]
    pieces = expander.pieces(arg) if arg is not None else []
    if op in ("#", "##"):
        return pattern.strip_prefix(meter, pieces, value, longest=op == "##")
    if op in ("%", "%%"):
        return pattern.strip_suffix(meter, pieces, value, longest=op == "%%")
    by = expander.text(part.arg2) if part.arg2 is not None else ""
    return pattern.replace(meter, pieces, value, by, how=op)
