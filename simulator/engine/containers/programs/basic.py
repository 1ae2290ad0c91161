"""Programs that print something short: echo, printf, env, seq and the like."""

import re

from simulator.engine.containers import regex
from simulator.engine.containers.digits import whole
from simulator.engine.containers.effort import CHARS, TEXT_CHARS_MAX
from simulator.engine.containers.kernel.execute import Call, Missing, ProgramStart, execute
from simulator.engine.containers.shell.arith import ArithError, evaluate

_ECHO = re.compile(r"\\([abefnrtv\\c]|x[0-9A-Fa-f]{1,2}|0?[0-7]{1,3})")
_SIMPLE = {"a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_FORMAT = re.compile(r"%([-+ #0]{0,8})(\*|[0-9]+)?(?:\.(\*|[0-9]+))?([diouxXcsbeEfgGq%])")
COUNT_MAX = 100_000
NUMBER_CHARS_MAX = 400


def escapes(text: str) -> tuple[str, bool]:
    """``text`` with backslash escapes replaced, and whether ``\\c`` ended it."""
    head, stop, _ = text.partition("\\c")

    def value(match: re.Match[str]) -> str:
        code = match.group(1)
        if code in _SIMPLE:
            return _SIMPLE[code]
        return chr(int(code[1:], 16)) if code[0] == "x" else chr(int(code, 8) & 0xFF)

    return _ECHO.sub(value, head), bool(stop)


def echo(call: Call) -> int:
    """``echo [-neE] text …``: ``-e`` replaces escapes, ``-n`` omits the line break. dash always replaces escapes."""
    words = list(call.argv[1:])
    newline, escaped = "\n", bool(getattr(call.task.body, "flavour", "") == "dash")
    while words and re.fullmatch(r"-[neE]+", words[0]):
        flags = words.pop(0)
        newline = "" if "n" in flags else newline
        escaped = escaped or "e" in flags
    text = " ".join(words)
    if escaped:
        text, stopped = escapes(text)
        newline = "" if stopped else newline
    call.out(text + newline)
    return 0


def _number(text: str) -> int:
    if text[:1] in ("'", '"'):
        return ord(text[1:2] or "\0")
    if len(text) > NUMBER_CHARS_MAX:
        return 0
    try:
        return int(text, 0) if not re.fullmatch(r"[-+]?0[0-9]+", text) else int(text, 8)
    except ValueError:
        match = re.match(r"[-+]?[0-9]+", text)
        return int(match.group()) if match else 0


def _decimal(text: str, precision: int) -> str:
    """A number with fixed decimal places, in integer arithmetic."""
    match = re.fullmatch(r"([-+]?)([0-9]*)\.?([0-9]*)", text) if len(text) <= NUMBER_CHARS_MAX else None
    if match is None:
        return "0"
    if precision > 40:  # the rest of a decimal fraction is zeroes here, whatever a binary one would show
        return _decimal(text, 40) + "0" * (precision - 40)
    # One place more than requested, to round half up.
    digits = (match.group(3) + "0" * (precision + 1))[: precision + 1]
    scaled = (int((match.group(2) or "0") + digits) + 5) // 10
    whole = str(scaled).zfill(precision + 1)
    sign = "-" if match.group(1) == "-" else ""
    return sign + (f"{whole[:-precision]}.{whole[-precision:]}" if precision else whole)


def _converted(call: Call, match: re.Match[str], arguments: list[str]) -> str:
    flags, width, precision, kind = match.groups()
    if kind == "%":
        return "%"
    width = arguments.pop() if width == "*" and arguments else width
    precision = arguments.pop() if precision == "*" and arguments else precision
    argument = arguments.pop() if arguments else ""
    places, size = whole(precision or "", TEXT_CHARS_MAX), whole(width or "0", TEXT_CHARS_MAX)
    call.charge(32 + len(argument) + max(size, places if kind not in "sbcq" and precision else 0))
    if kind == "s":
        text = argument if precision is None else argument[:places]
    elif kind == "b":
        text = escapes(argument)[0]
    elif kind == "q":
        text = argument if re.fullmatch(r"[\w./:-]+", argument) else "'" + argument.replace("'", "'\\''") + "'"
    elif kind == "c":
        text = argument[:1]
    elif kind in "eEfgG":
        text = _decimal(argument, places if precision else 6)
    else:
        value = _number(argument)
        text = {"o": f"{value:o}", "x": f"{value:x}", "X": f"{value:X}"}.get(kind, str(value))
        text = "+" + text if "+" in flags and value >= 0 else text
        text = text.zfill(places) if precision else text
    if "-" in flags:
        return text.ljust(size)
    return text.zfill(size) if "0" in flags and kind not in "sbcq" else text.rjust(size)


def printf(call: Call) -> int:
    """``printf format [argument …]``; the format is reused while arguments are left."""
    words = list(call.argv[1:])
    if words and words[0] == "--":
        words.pop(0)
    if words and words[0] == "-v":
        return call.fail("-v: not supported here", 2)
    if not words:
        return call.fail("usage: printf FORMAT [ARG]...", 2)
    # Reversed, so that pop() takes them in the order they were given.
    template, arguments = escapes(words[0])[0], words[:0:-1]
    result = []
    while True:
        left = len(arguments)
        call.charge(len(template) + 16)
        result.append(_FORMAT.sub(lambda match: _converted(call, match, arguments), template))
        # A format that uses no argument would be repeated without end.
        if not arguments or len(arguments) == left or len(result) > COUNT_MAX:
            break
    call.out("".join(result))
    return 0


def true(call: Call) -> int:
    """``true``: status 0."""
    return 0


def false(call: Call) -> int:
    """``false``: status 1."""
    return 1


def printenv(call: Call) -> int:
    """``printenv [name …]``: one line per variable; 1 if any is missing."""
    names = [word for word in call.argv[1:] if not word.startswith("-")]
    if not names:
        call.out("".join(f"{name}={value}\n" for name, value in call.env.items()))
        return 0
    status = 0
    for name in names:
        if name in call.env:
            call.out(call.env[name] + "\n")
        else:
            status = 1
    return status


def env(call: Call) -> "int | ProgramStart":
    """``env [-i] [-u name] [name=value …] [command …]``."""
    words, values = list(call.argv[1:]), dict(call.env)
    while words and (words[0].startswith("-") or "=" in words[0]):
        word = words.pop(0)
        if word in ("-i", "-", "--ignore-environment"):
            values = {}
        elif word == "-u" and words:
            values.pop(words.pop(0), None)
        elif "=" in word:
            name, _, value = word.partition("=")
            values[name] = value
    if not words:
        call.out("".join(f"{name}={value}\n" for name, value in values.items()))
        return 0
    return run_other(call, tuple(words), values)


def run_other(call: Call, argv: tuple[str, ...], values: dict[str, str] | None = None) -> "int | ProgramStart":
    """Run another program in place of this one."""
    result = execute(call.kernel, call.task, argv, fds=call.fds, env=call.env if values is None else values)
    if isinstance(result, Missing):
        reason = "No such file or directory" if result.code == 127 else "Permission denied"
        return call.fail(f"can't execute '{argv[0]}': {reason}", result.code)
    return result


def seq(call: Call) -> int:
    """``seq [-s separator] [-w] [first [step]] last``."""
    words, separator = list(call.argv[1:]), "\n"
    wide = "-w" in words
    if "-s" in words and words.index("-s") + 1 < len(words):
        at = words.index("-s")
        separator = words[at + 1]
        del words[at : at + 2]
    numbers = [int(word) for word in words if re.fullmatch(r"[-+]?[0-9]{1,18}", word)]
    if not 1 <= len(numbers) <= 3:
        return call.fail("invalid number of arguments")
    first, step, last = (1, 1, *numbers) if len(numbers) == 1 else (numbers[0], 1, numbers[1]) if len(numbers) == 2 else numbers
    if step == 0:
        return call.fail("increment is zero")
    # Charged before the numbers are built; range itself costs nothing.
    count = len(range(first, last + (1 if step > 0 else -1), step)[:COUNT_MAX])
    call.charge(count * (2 + (len(separator) + max(len(word) for word in words)) // CHARS))
    values = [str(value) for value in range(first, last + (1 if step > 0 else -1), step)[:COUNT_MAX]]
    width = max((len(value) for value in values), default=0) if wide else 0
    if values:
        call.out(separator.join(value.zfill(width) for value in values) + "\n")
    return 0


def expr(call: Call) -> int:
    """``expr``: arithmetic, comparison, ``length`` and ``:``."""
    words = call.argv[1:]
    if len(words) == 2 and words[0] == "length":
        text = str(len(words[1]))
    elif len(words) == 3 and words[1] == ":":
        try:
            found = regex.posix(call.kernel.meter, words[2], extended=False).at_start(call.kernel.meter, words[0])
        except regex.BadPattern:
            return call.fail("bad regular expression", 2)
        text = (found.group(1) or "" if found.groups() else str(found.end())) if found else "0"
    elif len(words) == 3 and words[1] in ("=", "!="):
        text = str(int((words[0] == words[2]) == (words[1] == "=")))
    else:
        try:
            text = str(evaluate(" ".join(words).replace("\\", ""), lambda name: "", lambda name, value: None, call.kernel.meter))
        except ArithError as problem:
            return call.fail(str(problem), 2)
    call.out(text + "\n")
    # expr's status says whether the value is empty or zero, not whether it worked.
    return 1 if text in ("", "0") else 0


def hostname(call: Call) -> int:
    """``hostname``: as the kernel has it; ``-f`` with its domain, ``-s`` without, ``-d`` the domain alone, ``-i`` the address."""
    naming = call.kernel.launch.naming
    said = {
        "-f": naming.full,
        "-s": naming.hostname.partition(".")[0],
        "-d": naming.domain,
        "-i": naming.node or naming.address or "127.0.0.1",
    }
    words = {"--fqdn": "-f", "--long": "-f", "--short": "-s", "--domain": "-d", "--ip-address": "-i", "-I": "-i"}
    flag = next((words.get(word, word) for word in call.argv[1:]), "")
    call.out((said.get(flag, naming.kernel_name) or call.env.get("HOSTNAME", "")) + "\n")
    return 0


def uname(call: Call) -> int:
    """``uname [-a]`` and single letters."""
    values = {"-s": "Linux", "-n": call.kernel.launch.naming.kernel_name, "-r": "6.1.0", "-m": "x86_64", "-o": "GNU/Linux"}
    flags = call.argv[1:] or ("-s",)
    call.out((" ".join(values.values()) if "-a" in flags else " ".join(values.get(flag, "Linux") for flag in flags)) + "\n")
    return 0


def whoami(call: Call) -> int:
    """``whoami``: only root has a name in these images."""
    uid = call.kernel.launch.uid
    if uid:
        return call.fail(f"unknown uid {uid}")
    call.out("root\n")
    return 0


def identity(call: Call) -> int:
    """``id [-ugGn]``: user and groups as the pod's security context sets them."""
    launch, flags = call.kernel.launch, "".join(call.argv[1:])
    groups = launch.groups or (launch.gid,)

    def named(number: int) -> str:
        return f"{number}(root)" if number == 0 else str(number)

    if "u" in flags or "g" in flags or "G" in flags:
        numbers = (launch.uid,) if "u" in flags else (launch.gid,) if "g" in flags else groups
        call.out(" ".join("root" if "n" in flags and not number else str(number) for number in numbers) + "\n")
        return 0
    call.out(f"uid={named(launch.uid)} gid={named(launch.gid)} groups={','.join(named(number) for number in groups)}\n")
    return 0


def basename(call: Call) -> int:
    """``basename path [suffix]``."""
    name = call.argv[1].rstrip("/").rpartition("/")[2] if len(call.argv) > 1 else ""
    call.out((name.removesuffix(call.argv[2]) if len(call.argv) > 2 and name != call.argv[2] else name or "/") + "\n")
    return 0


def dirname(call: Call) -> int:
    """``dirname path``."""
    head, slash, _ = (call.argv[1] if len(call.argv) > 1 else "").rstrip("/").rpartition("/")
    call.out((head or ("/" if slash else ".")) + "\n")
    return 0


def tty(call: Call) -> int:
    """``tty``: containers here have none."""
    call.out("not a tty\n")
    return 1
