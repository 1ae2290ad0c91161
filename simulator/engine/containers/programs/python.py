"""``python3 -c``: small programs are interpreted statement by statement; anything beyond that is reported as not understood.

Supported are names, integers and strings, the environment, comparisons, ``if``, ``for``, ``while``, ``print``, ``sleep``, ``sys.exit``
and similar, and exceptions with their final message. Everything is bounded by counts; a program beyond them is not understood either.
The program is computed at once: its output appears when it ends, since Python buffers what goes into a pipe, or before the first
``sleep`` if it is flushed.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping

from simulator.engine.containers.digits import whole
from simulator.engine.containers.effort import STEP
from simulator.engine.containers.kernel.execute import Call, ProgramStart, hold_unknown
from simulator.engine.containers.process.state import Holder, Later

Value = str | int | bool | range | None
_CHARS_MAX = 4000
_STEPS_MAX = 2000
_LEVELS_MAX = 20
_FORMATTED_MAX = 20
_TEXT_MAX = 10_000
_NUMBER_MAX = 1 << 62
_SLEEP_S_MAX = 10**9
_START_MS = 30
_ESCAPE = re.compile(r"\\[^nt\\'\"\n]")
_INT = re.compile(r"\s*[+-]?[0-9]{1,18}\s*", re.ASCII)
_MODULES = frozenset(("os", "sys", "time", "random", "json", "math", "datetime", "socket", "subprocess", "signal", "re", "logging", "uuid"))
_FROM = {("time", "sleep"): "time.sleep", ("sys", "exit"): "sys.exit", ("os", "environ"): "os.environ", ("os", "getenv"): "os.getenv"}
_EXITS = ("sys.exit", "exit", "quit", "os._exit")
_COMPARE: dict[type[ast.cmpop], Callable[..., bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Is: operator.eq, ast.IsNot: operator.ne,
}  # fmt: skip
_NUMBERS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Mod: operator.mod, ast.FloorDiv: operator.floordiv,
}  # fmt: skip


# Python's own control flow implements the program's: each way to leave it is an exception.
class _NotUnderstood(Exception):
    """A part of the program that is not understood."""


class _Raised(Exception):
    """An uncaught Python exception: its last line, where it was raised, and frames inside the library."""

    def __init__(self, words: str, line: int = 0, inner: str = "") -> None:
        super().__init__(words)
        self.words, self.line, self.inner = words, line, inner


class _Ended(Exception):
    """The program ends with a code; ``is_hard``: buffered output is lost (``os._exit``)."""

    def __init__(self, code: int, words: str = "", *, is_hard: bool = False) -> None:
        super().__init__(code)
        self.code, self.words, self.is_hard = code & 0xFF, words, is_hard


class _Leaves(Exception):
    """``break``, or ``continue`` if ``goes_on``."""

    def __init__(self, *, goes_on: bool) -> None:
        super().__init__()
        self.goes_on = goes_on


def python(call: Call) -> "int | ProgramStart":
    """``python3 [-u] -c TEXT``, ``-m http.server [PORT]``, ``--version``; without arguments an interpreter that reads nothing and ends."""
    words = call.argv[1:]
    if not words or words[0] in ("-V", "--version"):
        call.out("Python 3.11.7\n" if words else "")
        return 0
    if words[0] == "-m" and words[1:2] == ("http.server",):
        port = next((whole(word, 8000) for word in words[2:] if word.isdecimal()), 8000)
        return ProgramStart(Holder((port,), "files", call.cwd))
    rest = tuple(word for word in words if word not in ("-u", "-B", "-E"))
    if rest[:1] == ("-c",) and len(rest) > 1:
        run = _Run(call.env, flushes="-u" in words or bool(call.env.get("PYTHONUNBUFFERED")))
        try:
            code = run.program(rest[1])
        except _NotUnderstood:
            return _not_understood(call)
        # Also for a program that turns out not to be understood: the steps were taken.
        finally:
            call.kernel.meter.charge(STEP * run.steps)
        call.out("".join(run.early_out))
        call.err("".join(run.early_err))
        body = Later(stdout="".join(run.out), stderr="".join(run.err), code=code)
        return ProgramStart(body, "timer", call.kernel.now_ms + run.waited_ms + _START_MS)
    return _not_understood(call)


def _not_understood(call: Call) -> "int | ProgramStart":
    return hold_unknown(call.kernel, f"{' '.join(call.argv)[:120]} cannot be worked out", is_asked=call.is_asked)


class _Run:
    """One run of a program. Raises _NotUnderstood for whatever is not supported."""

    def __init__(self, env: Mapping[str, str], *, flushes: bool) -> None:
        self.env, self.flushes = env, flushes
        self.names: dict[str, Value] = {"__name__": "__main__"}
        self.imported: dict[str, str] = {"exit": "exit", "quit": "quit", "print": "print", "int": "int", "str": "str", "len": "len"}
        self.out: list[str] = []
        self.err: list[str] = []
        self.early_out: list[str] = []
        self.early_err: list[str] = []
        self.waited_ms = 0
        self.steps = 0
        self.written = 0

    def program(self, text: str) -> int:
        """Run it all and return the exit code."""
        try:
            self._body(_tree(text).body, 0)
        except _Ended as end:
            if end.is_hard:
                self.out.clear()
            self._write(end.words, to_stderr=True)
            return end.code
        except _Raised as error:
            lead = f'Traceback (most recent call last):\n  File "<string>", line {error.line}, in <module>\n'
            self._write(f"{lead}{error.inner}{error.words}\n", to_stderr=True)
            return 1
        except _Leaves:
            raise _NotUnderstood from None
        return 0

    def _write(self, text: str, *, to_stderr: bool = False, flush: bool = False) -> None:
        self.written += len(text)
        if self.written > _TEXT_MAX:
            raise _NotUnderstood
        # Only before the first sleep: later output appears with the end of the program.
        at_once = self.waited_ms == 0 and (to_stderr or flush or self.flushes)
        if at_once and not to_stderr and self.out:
            self.early_out += self.out
            self.out.clear()
        place = (self.early_err if at_once else self.err) if to_stderr else (self.early_out if at_once else self.out)
        place.append(text)

    def _body(self, body: list[ast.stmt], level: int) -> None:
        for statement in body:
            self._count(level)
            try:
                self._statement(statement, level)
            except _Raised as error:
                if not error.line:
                    error.line = statement.lineno
                raise

    def _count(self, level: int) -> None:
        self.steps += 1
        if self.steps > _STEPS_MAX or level > _LEVELS_MAX:
            raise _NotUnderstood

    def _statement(self, node: ast.stmt, level: int) -> None:
        match node:
            case ast.Import(names=names):
                self._import(names)
            case ast.ImportFrom(module=module, names=names):
                self._import_from(module or "", names)
            case ast.Expr(value=ast.Call() as given):
                self._call(given, level)
            case ast.Expr(value=value):
                self._value(value, level)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.names[name] = self._value(value, level)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                self.names[name] = _calculated(op, self._named(name), self._value(value, level))
            case ast.If(test=test, body=body, orelse=orelse):
                self._body(body if self._value(test, level) else orelse, level + 1)
            case ast.While(test=test, body=body, orelse=[]):
                while self._value(test, level) and self._run_body(body, level):
                    self._count(level)
            case ast.For(target=ast.Name(id=name), iter=ast.Call() as over, body=body, orelse=[]):
                self._for(name, over, body, level)
            case ast.Assert(test=test):
                if not self._value(test, level):
                    raise _Raised("AssertionError")
            case ast.Raise(exc=error) if error is not None:
                self._raise(error, level)
            case ast.Pass():
                return
            case ast.Break() | ast.Continue():
                raise _Leaves(goes_on=isinstance(node, ast.Continue))
            case _:
                raise _NotUnderstood

    def _import(self, names: list[ast.alias]) -> None:
        for item in names:
            if item.name not in _MODULES:
                raise _NotUnderstood  # it may exist or not
            self.imported[item.asname or item.name] = item.name

    def _import_from(self, module: str, names: list[ast.alias]) -> None:
        for item in names:
            if (module, item.name) not in _FROM:
                raise _NotUnderstood
            self.imported[item.asname or item.name] = _FROM[(module, item.name)]

    def _for(self, name: str, over: ast.Call, body: list[ast.stmt], level: int) -> None:
        numbers = self._call(over, level)
        if not isinstance(numbers, range):
            raise _NotUnderstood
        for number in numbers:
            self._count(level)
            self.names[name] = number
            if not self._run_body(body, level):
                return

    def _run_body(self, body: list[ast.stmt], level: int) -> bool:
        """Run the body of a loop once; False after a ``break``."""
        try:
            self._body(body, level + 1)
        except _Leaves as leaves:
            return leaves.goes_on
        return True

    def _raise(self, error: ast.expr, level: int) -> None:
        given = error.args if isinstance(error, ast.Call) and not error.keywords else []
        what = error.func if isinstance(error, ast.Call) else error
        if not isinstance(what, ast.Name) or len(given) > 1 or (isinstance(error, ast.Call) and error.keywords):
            raise _NotUnderstood
        value = self._value(given[0], level) if given else None
        if what.id == "SystemExit":
            raise _ended(value, has_value=bool(given))
        if not what.id.endswith(("Error", "Exception")) or what.id == "KeyError":
            raise _NotUnderstood
        raise _Raised(f"{what.id}: {_shown(value)}" if given and _shown(value) else what.id)

    def _dotted(self, node: ast.expr) -> str:
        """The full name of what is called or read: ``sys.exit`` for ``exit`` after ``from sys import exit``."""
        if isinstance(node, ast.Name):
            if node.id in self.names:
                raise _NotUnderstood
            return self.imported.get(node.id, f"?{node.id}" if node.id not in ("range", "bool") else node.id)
        if isinstance(node, ast.Attribute):
            return f"{self._dotted(node.value)}.{node.attr}"
        raise _NotUnderstood

    def _call(self, node: ast.Call, level: int) -> Value:
        self._count(level)
        name = self._dotted(node.func)
        if name == "print":
            self._print(node, level)
            return None
        if node.keywords:
            raise _NotUnderstood
        if name == "time.sleep" and len(node.args) == 1:
            self._sleep(node.args[0], level)
            return None
        args = [self._value(arg, level + 1) for arg in node.args]
        if name in _EXITS and len(args) < 2:
            raise _ended(args[0] if args else None, has_value=bool(args), is_hard=name == "os._exit")
        return self._known(name, args)

    def _known(self, name: str, args: list[Value]) -> Value:
        match (name, args):
            case ("int", [value]):
                return _int(value)
            case ("str", [value]):
                return _shown(value)
            case ("bool", [value]):
                return bool(value)
            case ("len", [str() as text]):
                return len(text)
            case ("range", [int(), *_]) if len(args) < 4 and all(isinstance(arg, int) for arg in args):
                return range(*[int(arg) for arg in args if isinstance(arg, int)]) if args[2:] != [0] else _unknown()
            case ("os.environ.get" | "os.getenv", [str() as key]):
                return self.env.get(key)
            case ("os.environ.get" | "os.getenv", [str() as key, default]):
                return self.env.get(key, default)
            case ("sys.stdout.write", [str() as text]):
                self._write(text)
            case ("sys.stderr.write", [str() as text]):
                self._write(text, to_stderr=True)
            case ("sys.stdout.flush" | "sys.stderr.flush", []):
                if name == "sys.stdout.flush":
                    self._write("", flush=True)
            case _:
                raise _NotUnderstood
        return None

    def _print(self, node: ast.Call, level: int) -> None:
        between, end, to_stderr, flush = " ", "\n", False, False
        for keyword in node.keywords:
            if keyword.arg == "file":
                to_stderr = self._dotted(keyword.value) == "sys.stderr" or _unknown(unless=self._dotted(keyword.value) == "sys.stdout")
                continue
            value = self._value(keyword.value, level)
            if keyword.arg == "flush":
                flush = bool(value)
            elif keyword.arg in ("sep", "end") and isinstance(value, str):
                between, end = (value, end) if keyword.arg == "sep" else (between, value)
            else:
                raise _NotUnderstood
        text = between.join(_shown(self._value(arg, level + 1)) for arg in node.args)
        self._write(text + end, to_stderr=to_stderr, flush=flush)

    def _sleep(self, node: ast.expr, level: int) -> None:
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            # The only float that is read; it is rounded to milliseconds before it is kept.
            seconds = node.value
        else:
            value = self._value(node, level)
            if not isinstance(value, int):
                raise _NotUnderstood
            seconds = value
        if not 0 <= seconds <= _SLEEP_S_MAX:
            raise _NotUnderstood
        self.waited_ms += round(seconds * 1000)

    def _named(self, name: str) -> Value:
        if name not in self.names:
            raise _NotUnderstood if name in self.imported else _Raised(f"NameError: name '{name}' is not defined")
        return self.names[name]

    def _value(self, node: ast.expr, level: int) -> Value:
        self._count(level)
        match node:
            # Before the numbers: bool is an int in Python.
            case ast.Constant(value=bool() | str() | None as value):
                return value
            case ast.Constant(value=int() as value) if abs(value) < _NUMBER_MAX:
                return value
            case ast.Name(id=name):
                return self._named(name)
            case ast.Call():
                return self._call(node, level + 1)
            case ast.Subscript(value=ast.expr() as what, slice=key) if self._dotted(what) == "os.environ":
                return self._variable(self._value(key, level + 1))
            case ast.BinOp(left=left, op=op, right=right):
                return _calculated(op, self._value(left, level + 1), self._value(right, level + 1))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self._value(operand, level + 1)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return _calculated(ast.Sub(), 0, self._value(operand, level + 1))
            case ast.BoolOp(op=op, values=values):
                return self._either(values, level, until=isinstance(op, ast.Or))
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self._compared([left, *others], ops, level)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._value(body if self._value(test, level + 1) else orelse, level + 1)
            case ast.JoinedStr(values=parts):
                return "".join(self._part(part, level) for part in parts)
        raise _NotUnderstood

    def _part(self, part: ast.expr, level: int) -> str:
        match part:
            case ast.Constant(value=str() as text):
                return text
            case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                return _shown(self._value(value, level + 1))
        raise _NotUnderstood

    def _variable(self, key: Value) -> str:
        if not isinstance(key, str):
            raise _NotUnderstood
        if key not in self.env:
            raise _Raised(f"KeyError: '{key}'", inner='  File "<frozen os>", line 679, in __getitem__\n')
        return self.env[key]

    def _either(self, values: list[ast.expr], level: int, *, until: bool) -> Value:
        found: Value = None
        for value in values:
            found = self._value(value, level + 1)
            if bool(found) is until:
                break
        return found

    def _compared(self, nodes: list[ast.expr], ops: list[ast.cmpop], level: int) -> bool:
        values = [self._value(node, level + 1) for node in nodes]
        return all(_holds(op, left, right) for op, left, right in zip(ops, values, values[1:], strict=False))


def _unknown(*, unless: bool = False) -> bool:
    """False, or _NotUnderstood."""
    if not unless:
        raise _NotUnderstood
    return False


def _tree(text: str) -> ast.Module:
    """The program's syntax tree, in a subset that every Python from 3.11 on reads in the same way."""
    if len(text) > _CHARS_MAX or _ESCAPE.search(text) or "\0" in text:
        raise _NotUnderstood
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _NotUnderstood from None
    formatted = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    if len(formatted) > _FORMATTED_MAX:
        raise _NotUnderstood
    for node in formatted:
        written = (ast.get_source_segment(text, node) or "").lstrip("fFrR")
        if written[:3] in ('"""', "'''") or written[:1] in written[1:-1] or "\\" in written:
            raise _NotUnderstood  # older versions parse it differently, or not at all
    return tree


def _ended(value: Value, *, has_value: bool, is_hard: bool = False) -> _Ended:
    """How ``sys.exit(value)`` ends the program: a number is the code, a string is printed and the code is 1."""
    if isinstance(value, int):
        return _Ended(int(value), is_hard=is_hard)
    if value is None or not has_value:
        return _Ended(0, is_hard=is_hard)
    return _Ended(1, f"{_shown(value)}\n")


def _int(value: Value) -> int:
    if isinstance(value, int):
        return int(value)
    if isinstance(value, str):
        if _INT.fullmatch(value):
            return int(value)
        if len(value) < 100 and value.isascii() and value.isprintable() and not set(value) & set("'\\_") and not value.strip().isdigit():
            raise _Raised(f"ValueError: invalid literal for int() with base 10: '{value}'")
    if value is None:
        raise _Raised("TypeError: int() argument must be a string, a bytes-like object or a real number, not 'NoneType'")
    raise _NotUnderstood


def _shown(value: Value) -> str:
    if isinstance(value, range):
        raise _NotUnderstood
    return str(value)


def _calculated(op: ast.operator, left: Value, right: Value) -> Value:
    if isinstance(left, int) and isinstance(right, int) and type(op) in _NUMBERS:
        if right == 0 and isinstance(op, ast.Mod | ast.FloorDiv):
            raise _Raised(f"ZeroDivisionError: integer {'modulo' if isinstance(op, ast.Mod) else 'division or modulo'} by zero")
        found = _NUMBERS[type(op)](int(left), int(right))
        return found if abs(found) < _NUMBER_MAX else _unknown()
    if isinstance(left, int) and right == 0 and isinstance(op, ast.Div):
        raise _Raised("ZeroDivisionError: division by zero")
    if isinstance(left, str) and isinstance(right, str) and isinstance(op, ast.Add) and len(left) + len(right) < _TEXT_MAX:
        return left + right
    raise _NotUnderstood


def _holds(op: ast.cmpop, left: Value, right: Value) -> bool:
    if isinstance(left, range) or isinstance(right, range):
        raise _NotUnderstood
    if isinstance(op, ast.In | ast.NotIn) and isinstance(left, str) and isinstance(right, str):
        return (left in right) is isinstance(op, ast.In)
    is_identity = isinstance(op, ast.Is | ast.IsNot)
    if type(op) not in _COMPARE or (is_identity and right is not None):
        raise _NotUnderstood
    is_order = isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE)
    if is_order and not ((isinstance(left, int) and isinstance(right, int)) or (isinstance(left, str) and isinstance(right, str))):
        raise _NotUnderstood
    return _COMPARE[type(op)](left, right)
