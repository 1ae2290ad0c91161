"""Numbers that come from outside: in addresses, forms, messages and files. One grammar, and bounds before anything is computed.

Python reads more than people write: ``1_000``, digits of other scripts, ``1e999999``, whose product with 1000 is no number any more, and
it refuses texts of more than 4300 digits by an exception of its own. Here a number is a few ASCII digits or nothing.
"""

import re

from simulator.engine.kernel.units import Ms

DIGITS_MAX = 19
"""As many digits as the largest number of 64 bits has."""
SEQ_MAX = 2**31 - 1
"""The largest number of a record, of a command and of whatever else the database counts in 32 bits."""
_WHOLE = re.compile(r"[+-]?[0-9]{1,19}", re.ASCII)
_SECONDS = re.compile(r"([0-9]{0,12})(?:\.([0-9]{0,40}))?", re.ASCII)


def is_digits(text: str) -> bool:
    """Whether a text is nothing but ASCII digits, however many: ``str.isdigit`` says so of ``²``, which ``int`` does not take."""
    return text.isascii() and text.isdigit()


def whole_number(text: str, *, least: int = 0, most: int = SEQ_MAX) -> int | None:
    """The whole number that a text is, None where it is none or lies outside of ``least`` to ``most``. O(1)."""
    if len(text) > DIGITS_MAX + 1 or _WHOLE.fullmatch(text) is None:
        return None
    number = int(text)
    return number if least <= number <= most else None


def milliseconds(text: str, *, most: Ms) -> Ms | None:
    """Milliseconds of a number of seconds such as ``12`` or ``12.5``, None where it is none or more than ``most``. O(1).

    What is finer than a millisecond is cut off.
    """
    found = _SECONDS.fullmatch(text) if len(text) < 60 else None
    if found is None or not (found[1] or found[2]):
        return None
    ms = int(found[1] or "0") * 1000 + int((found[2] or "")[:3].ljust(3, "0"))
    return ms if ms <= most else None
