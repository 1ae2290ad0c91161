"""How long a program's arguments and environment may be: the kernel starts none that exceed it.

Source: Linux fs/exec.c (MAX_ARG_STRLEN, prepare_arg_pages) with the usual stack limit of 8 MiB.
"""

from collections.abc import Mapping, Sequence

WORD_BYTES_MAX = 131_072
"""32 pages: neither an argument nor ``NAME=value`` may be this long or longer."""
ALL_BYTES_MAX = 2 << 20
"""A quarter of the stack limit, for all of them together, including a pointer each."""
_POINTER_BYTES = 8
_FEW = 10_000
"""This many pointers and terminating zero bytes take up a twentieth of ALL_BYTES_MAX."""
TOO_LONG = "argument list too long"
"""The message of E2BIG."""
TOO_LONG_NOTE = "arguments-too-long"
"""Name of the note that reports it."""
TOO_LONG_WORDS = (
    "An argument or NAME=value has 128 KiB or more, all together have more than 2 MiB, or those of the whole run are more than it keeps."
)
"""Its text."""


def exceeds_limits(argv: Sequence[str], env: Mapping[str, str]) -> bool:
    """Whether the kernel refuses to start a program with these. O(texts), but at most ALL_BYTES_MAX of them."""
    # No character takes more than four bytes: few characters are within both limits without checking each one.
    chars = sum(map(len, argv)) + sum(map(len, env)) + sum(map(len, env.values()))
    if 4 * chars < WORD_BYTES_MAX and len(argv) + len(env) < _FEW:
        return False
    total = 0
    for word in argv:
        # The kernel also counts the terminating zero byte and the pointer in argv[].
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
    """The size of a word in bytes; for one that is too long anyway, its number of characters."""
    if len(word) >= WORD_BYTES_MAX or word.isascii():
        return len(word)
    return len(word.encode("utf-8", "surrogatepass"))
