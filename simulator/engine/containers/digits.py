"""Numbers in scripts: of ordinary length only, since Python refuses to parse thousands of digits."""

DIGITS_MAX = 18
"""More digits than any number in a script needs; the next power of ten exceeds 64 bits."""


def whole(text: str, otherwise: int = 0) -> int:
    """The number that ``text`` represents, else ``otherwise``; also if it is longer than DIGITS_MAX."""
    return int(text) if text.isdecimal() and len(text) <= DIGITS_MAX else otherwise
