"""Numbers that scripts write: of ordinary length only, since Python refuses to read thousands of digits."""

DIGITS_MAX = 18
"""More than any number of a script means; the next power of ten is beyond 64 bits."""


def whole(text: str, otherwise: int = 0) -> int:
    """The number that ``text`` is made of, else ``otherwise``; also where it is longer than DIGITS_MAX."""
    return int(text) if text.isdecimal() and len(text) <= DIGITS_MAX else otherwise
