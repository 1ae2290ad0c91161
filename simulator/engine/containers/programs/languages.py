"""Other languages: the tiny programs of examples are recognised, everything else is not understood. Python has its own module."""

import re

from simulator.engine.containers.kernel.execute import Call, ProgramStart, not_understood
from simulator.engine.containers.process.state import Later

PI_DIGITS_PER_S = 600
"""How fast perl's bpi works: 2000 digits take a few seconds."""
PI_DIGITS_MAX = 10_000


def pi_digits(count: int) -> str:
    """π with ``count`` significant digits, by Machin's formula in integers. O(count²)."""
    # Nine extra digits absorb the rounding errors of the terms.
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
    # perl's debugger, the image's default command, ends at once without a terminal.
    if len(call.argv) == 2 and call.argv[1] == "-de0":
        return 0
    return not_understood(call)
