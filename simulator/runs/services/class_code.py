"""The code of a class: short enough to be read off a wall and typed."""

import unicodedata
from secrets import choice

from simulator.engine.kernel.outside_text import one_line

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without those that are read for one another: i, l, o, 0, 1."""
LENGTH = 6
TYPED_MAX = 40
"""Characters in which a code may be typed."""


def draw_code() -> str:
    """A code by chance, one of 887 million."""
    return "".join(choice(LETTERS) for _letter in range(LENGTH))


def code_of(words: str) -> str:
    """A code as people type or paste it, in capitals or wide letters, with spaces, dashes or marks without a look; else empty."""
    plain = unicodedata.normalize("NFKC", one_line(words, most=TYPED_MAX)).casefold()
    code = "".join(letter for letter in plain if not letter.isspace() and unicodedata.category(letter) != "Pd")
    return code if len(code) == LENGTH and set(code) <= set(LETTERS) else ""
