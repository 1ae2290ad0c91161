"""The code of a class: short enough to be read off a wall and typed."""

from secrets import choice

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without those that are read for one another: i, l, o, 0, 1."""
LENGTH = 6


def draw_code() -> str:
    """A code by chance, one of 887 million."""
    return "".join(choice(LETTERS) for _letter in range(LENGTH))


def code_of(words: str) -> str:
    """A code as somebody typed it, without spaces, dashes and capitals; empty where it can be none."""
    code = "".join(words.split()).replace("-", "").casefold()
    return code if len(code) == LENGTH and set(code) <= set(LETTERS) else ""
