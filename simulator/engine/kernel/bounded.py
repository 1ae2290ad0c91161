"""Numbers that come from outside: in addresses, forms, messages and files. One grammar, with bounds applied before any arithmetic.

Python accepts more than people write: ``1_000``, digits of other scripts, ``1e999999``, whose product with 1000 is no longer a
number; and for texts of more than 4300 digits it raises an exception of its own. Here a number is a few ASCII digits or nothing.
"""

import re

from simulator.engine.kernel.units import Ms

DIGITS_MAX = 19
"""As many digits as the largest 64-bit number has."""
SEQ_MAX = 2**31 - 1
"""The largest number of a record, a command, or anything else that the database counts in 32 bits."""
_WHOLE = re.compile(r"[+-]?[0-9]{1,19}", re.ASCII)
_SECONDS = re.compile(r"([0-9]{0,12})(?:\.([0-9]{0,40}))?", re.ASCII)


def is_digits(text: str) -> bool:
    """Whether a text consists of ASCII digits only, however many: ``str.isdigit`` also accepts ``²``, which ``int`` rejects."""
    return text.isascii() and text.isdigit()


def whole_number(text: str, *, least: int = 0, most: int = SEQ_MAX) -> int | None:
    """The whole number that a text represents; None if it is not one or is outside ``least`` to ``most``. O(1)."""
    if len(text) > DIGITS_MAX + 1 or _WHOLE.fullmatch(text) is None:
        return None
    number = int(text)
    return number if least <= number <= most else None


def milliseconds(text: str, *, most: Ms) -> Ms | None:
    """Milliseconds for a number of seconds such as ``12`` or ``12.5``; None if it is not one or exceeds ``most``. O(1).

    Fractions of a millisecond are cut off.
    """
    found = _SECONDS.fullmatch(text) if len(text) < 60 else None
    if found is None or not (found[1] or found[2]):
        return None
    ms = int(found[1] or "0") * 1000 + int((found[2] or "")[:3].ljust(3, "0"))
    return ms if ms <= most else None
