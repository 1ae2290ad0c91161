"""Interpreters of other languages: tiny programs of the examples are recognised, everything else is not understood."""

import re

from simulator.engine.runtime.digits import whole
from simulator.engine.runtime.execute import Call, ProgramStart, hold_unknown
from simulator.engine.runtime.process import Holder, Later

PI_DIGITS_PER_S = 600
"""How fast perl's bpi works: 2000 digits take a few seconds."""
PI_DIGITS_MAX = 10_000
_PRINT = re.compile(r"print\((?:f?([\"'])(.*?)\1)?\)")
_CONDITION = re.compile(r"(if|elif) (.+):")
_INDEX = re.compile(
    r"(?:int\()?os\.environ(?:\.get\(|\[)([\"'])(\w+)\1(?:, ?([\"'])(\w*)\3)?[)\]]\)?\s*(?:%\s*(\d+)\s*)?(==|!=|<|>)\s*([\"']?)(-?\w+)\7"
)


def pi_digits(count: int) -> str:
    """π with ``count`` significant digits, by Machin's formula in whole numbers. O(count²)."""
    unit: int = 10 ** (count + 9)

    def arctan(inverse: int) -> int:
        term = total = unit // inverse
        divisor, sign = 3, -1
        while term:
            term //= inverse * inverse
            total += sign * (term // divisor)
            sign, divisor = -sign, divisor + 2
        return total

    digits = str(4 * (4 * arctan(5) - arctan(239)))[:count]
    return f"3.{digits[1:]}"


def perl(call: Call) -> "int | ProgramStart":
    """``perl -Mbignum=bpi -wle 'print bpi(N)'``; a program in quotes is a constant that does nothing."""
    script = call.argv[-1] if any(re.fullmatch(r"-\w*e", word) for word in call.argv[1:]) else ""
    match = re.fullmatch(r"\s*print\s+bpi\(([0-9]{1,9})\)\s*;?\s*", script)
    if match:
        count = min(int(match.group(1)), PI_DIGITS_MAX)
        due = call.kernel.now_ms + max(count * 1000 // PI_DIGITS_PER_S, 200)
        return ProgramStart(Later(stdout=pi_digits(count) + "\n"), "timer", due)
    if re.fullmatch(r"\s*(\"[^\"]*\"|'[^']*')\s*;?\s*", script):
        call.err("Useless use of a constant in void context at -e line 1.\n")
        return 0
    printed = re.fullmatch(r"\s*print\s+([\"'])(.*)\1\s*;?\s*", script)
    if printed:
        call.out(printed.group(2).replace("\\n", "\n") + "\n")
        return 0
    ended = re.fullmatch(r"\s*exit\s*\(?([0-9]{1,9})\)?\s*;?\s*", script)
    if ended:
        return int(ended.group(1)) & 0xFF
    if len(call.argv) == 2 and call.argv[1] == "-de0":
        return 0
    return _not_understood(call)


def python(call: Call) -> "int | ProgramStart":
    """``python3 -c``: a recogniser of prints, sys.exit, time.sleep and if/else on environment variables."""
    words = call.argv[1:]
    if not words or words[0] in ("-V", "--version"):
        call.out("Python 3.11.7\n" if words else "")
        return 0
    if words[0] == "-m" and words[1:2] == ("http.server",):
        port = next((whole(word, 8000) for word in words[2:] if word.isdecimal()), 8000)
        return ProgramStart(Holder((port,), "files", call.cwd))
    flags = [word for word in words if word in ("-u", "-B", "-E")]
    words = tuple(word for word in words if word not in flags)
    if words[:1] == ("-c",) and len(words) > 1:
        steps = _python_steps(call, words[1].splitlines())
        if steps is not None:
            return steps
    return _not_understood(call)


def _holds(call: Call, condition: str) -> bool | None:
    match = _INDEX.fullmatch(condition.strip())
    if match is None:
        return None
    name, default, modulus, op, quote, wanted = (
        match.group(2),
        match.group(4),
        match.group(5),
        match.group(6),
        match.group(7),
        match.group(8),
    )
    value = call.env.get(name, default or "")
    if quote or not all(re.fullmatch(r"-?[0-9]{1,18}", number) for number in (value, wanted)):
        return (value == wanted) == (op == "==")
    number = int(value) % whole(modulus) if modulus and whole(modulus) else int(value)
    target = int(wanted)
    return {"==": number == target, "!=": number != target, "<": number < target, ">": number > target}[op]


def _python_steps(call: Call, lines: list[str]) -> "int | ProgramStart | None":
    """Run the lines; None where one is not understood."""
    printed, waited_ms, code = [], 0, 0
    taken, active = False, True
    for line in [part for raw in lines for part in _statements(raw)]:
        indented, text = line[:1] in (" ", "\t"), line.strip()
        if not text or text.startswith(("#", "import ", "from ")):
            continue
        if not indented:
            active = True
        condition = _CONDITION.fullmatch(text)
        if condition and not indented:
            holds = _holds(call, condition.group(2))
            if holds is None:
                return None
            active = holds and not (condition.group(1) == "elif" and taken)
            taken = active or (taken and condition.group(1) == "elif")
            continue
        if text == "else:" and not indented:
            active = not taken
            continue
        if not active:
            continue
        result = _statement(text)
        if result is None:
            return None
        if isinstance(result, str):
            printed.append(result)
        elif result < 0:
            waited_ms -= result + 1
        else:
            code = result
            break
    body = Later(stdout="".join(printed), code=code)
    return ProgramStart(body, "timer", call.kernel.now_ms + waited_ms + 30)


def _statements(line: str) -> list[str]:
    """Statements of a line; ``if x: y`` becomes two lines."""
    match = re.fullmatch(r"((?:if|elif) [^:]+|else): *(\S.*)", line)
    if match:
        return [match.group(1) + ":", "  " + match.group(2)]
    if line[:1] in (" ", "\t") or ";" not in line:
        return [line]
    return [part.strip() for part in line.split(";")]


def _statement(text: str) -> str | int | None:
    """Printed text, an exit code, or -1 - milliseconds of sleep; None where it is not understood."""
    match = _PRINT.fullmatch(text)
    if match:
        return (match.group(2) or "") + "\n"
    match = re.fullmatch(r"(?:sys\.)?exit\(([0-9]{0,9})\)", text)
    if match:
        return int(match.group(1) or 0) & 0xFF
    match = re.fullmatch(r"(?:time\.)?sleep\(([0-9]{1,9})\)", text)
    if match:
        return -1 - int(match.group(1)) * 1000
    if re.fullmatch(r"raise \w+(\(.*\))?", text):
        return 1
    return "" if text == "pass" else None


def _not_understood(call: Call) -> ProgramStart:
    return hold_unknown(call.kernel, f"{' '.join(call.argv)[:120]} cannot be worked out")


def opaque(call: Call) -> "int | ProgramStart":
    """A program that the image is known to have and nobody can work out."""
    if len(call.argv) == 2 and call.argv[1] in ("-v", "--version", "version"):
        call.out(f"{call.name} (version not modelled)\n")
        return 0
    facts = call.kernel.facts
    if facts.known and facts.listens:
        return ProgramStart(Holder(facts.listens, "ok", memory_bytes=16 << 20))
    return _not_understood(call)
