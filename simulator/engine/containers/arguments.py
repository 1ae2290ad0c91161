"""How long a program's arguments and environment may be: the kernel starts none that exceed it.

Source: Linux fs/exec.c (MAX_ARG_STRLEN, prepare_arg_pages) with the usual stack limit of 8 MiB.
"""

from collections.abc import Mapping, Sequence

WORD_BYTES_MAX = 131_072
"""32 pages: so long, or longer, neither an argument nor ``NAME=value`` may be."""
ALL_BYTES_MAX = 2 << 20
"""A quarter of the stack limit, for all of them together with a pointer each."""
_POINTER_BYTES = 8
_FEW = 10_000
"""So many pointers and closing zero bytes come to a twentieth of ALL_BYTES_MAX."""
TOO_LONG = "argument list too long"
"""E2BIG in words."""
TOO_LONG_NOTE = "arguments-too-long"
"""Name of the note that says so."""
TOO_LONG_WORDS = (
    "An argument or NAME=value has 128 KiB or more, all together have more than 2 MiB, or those of the whole run are more than it keeps."
)
"""Its text."""


def exceeds_limits(argv: Sequence[str], env: Mapping[str, str]) -> bool:
    """Whether the kernel refuses to start a program with these. O(texts), and no more than ALL_BYTES_MAX of them."""
    # No character has more than four bytes: what has few is within both limits without a look at each.
    chars = sum(map(len, argv)) + sum(map(len, env)) + sum(map(len, env.values()))
    if 4 * chars < WORD_BYTES_MAX and len(argv) + len(env) < _FEW:
        return False
    total = 0
    for word in argv:
        # The kernel counts the closing zero byte and the pointer in argv[] too.
        size = _bytes(word)
        total += size + 1 + _POINTER_BYTES
        if size >= WORD_BYTES_MAX or total > ALL_BYTES_MAX:
            return True
    for name, text in env.items():
        # A value that is too long by itself is not copied into NAME=value first.
        size = len(text) if len(text) >= WORD_BYTES_MAX else _bytes(f"{name}={text}")
        total += size + 1 + _POINTER_BYTES
        if size >= WORD_BYTES_MAX or total > ALL_BYTES_MAX:
            return True
    return False


def _bytes(word: str) -> int:
    """How many bytes a word has; of one that is too long anyway, its characters."""
    if len(word) >= WORD_BYTES_MAX or word.isascii():
        return len(word)
    return len(word.encode("utf-8", "surrogatepass"))
