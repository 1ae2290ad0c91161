"""The code of a class: short enough to be read off a screen and typed."""

import unicodedata
from secrets import choice

from simulator.engine.kernel.outside_text import one_line

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without characters that are easily confused: i, l, o, 0, 1."""
LENGTH = 6
TYPED_MAX = 40
"""The most characters of input that are read as a code."""


def draw_code() -> str:
    """A random code, one of 887 million."""
    return "".join(choice(LETTERS) for _letter in range(LENGTH))


def code_of(words: str) -> str:
    """Normalize a code as people type it: in capitals or full-width letters, with spaces, dashes or invisible marks; empty if invalid."""
    plain = unicodedata.normalize("NFKC", one_line(words, most=TYPED_MAX)).casefold()
    code = "".join(letter for letter in plain if not letter.isspace() and unicodedata.category(letter) != "Pd")
    return code if len(code) == LENGTH and set(code) <= set(LETTERS) else ""
