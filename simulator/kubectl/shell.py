"""What a shell does with a typed line before kubectl sees it: the pipe after it, and the text that goes into it.

A small part of POSIX: quotes, ``kubectl … | grep x | wc -l``, ``echo TEXT | kubectl …``, a here-document (``<<EOF``),
and ``k`` for kubectl. There are no files, so ``>`` is refused with the reason; variables, ``&&`` and ``;`` are ordinary
words.
"""

import re
import shlex
from collections.abc import Iterator

from msgspec import Struct

from simulator.engine.kernel.outside_text import storable
from simulator.kubectl.line import BadLine

LINE_MAX = 500
"""The most characters of a command line."""
PASTED_MAX = 20_000
"""The most characters of a command line with a here-document."""
STAGES_MAX = 10
"""The most commands in one pipe."""
_HERE = re.compile(r"<<-?\s*(?:'(\w+)'|\"(\w+)\"|(\w+))")
_NAMES = ("kubectl", "k")
_SOURCES = ("echo", "cat", "printf")


class ShellLine(Struct, frozen=True, kw_only=True):
    """A parsed line: the words of kubectl without its name, its input, and the words of each command it is piped into."""

    words: list[str]
    stdin: str = ""
    filters: tuple[tuple[str, ...], ...] = ()


def is_too_long(text: str) -> bool:
    """Whether a text is longer than a command line may be."""
    return len(text) > (PASTED_MAX if "\n" in text.strip() else LINE_MAX)


def shell_line(text: str) -> ShellLine:
    """Parse a line. Raises BadLine for what a shell would refuse, and for redirections to files."""
    text = storable(text.strip(), keeps_nul=True)
    here, text = _here_document(text)
    stages = [_words(stage) for stage in _stages(text)]
    if len(stages) > STAGES_MAX:
        raise BadLine(f"error: this command line knows pipes of at most {STAGES_MAX} commands")
    if any(not words for words in stages) and len(stages) > 1:
        raise BadLine("sh: syntax error near unexpected token `|'")
    stdin = here
    if len(stages) > 1 and stages[0][0] in _SOURCES and stages[1][0] in _NAMES:
        stdin = here if stages[0][0] == "cat" else f"{' '.join(word for word in stages[0][1:] if word not in ('-e', '-n'))}"
        stages = stages[1:]
    words, *rest = stages
    return ShellLine(words=words[1:] if words[:1] and words[0] in _NAMES else words, stdin=stdin, filters=tuple(map(tuple, rest)))


def _here_document(text: str) -> tuple[str, str]:
    """The text of a here-document, and the line without it."""
    first, line_break, rest = text.partition("\n")
    found = _HERE.search(first)
    if found is None or not line_break:
        return "", text
    end = next(name for name in found.groups() if name)
    lines = rest.split("\n")
    place = next((number for number, line in enumerate(lines) if line.strip() == end), len(lines))
    return "".join(f"{line}\n" for line in lines[:place]), first[: found.start()] + first[found.end() :]


def _stages(text: str) -> Iterator[str]:
    """The commands separated by the bars that are not in quotes. Raises BadLine for a redirection."""
    quote, start, place, is_new = "", 0, 0, True
    while place < len(text):
        char = text[place]
        if char == "\\" and quote != "'":
            place += 1
        elif quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == "|":
            yield text[start:place]
            start = place + 1
        elif char == ">" and is_new:
            raise BadLine("error: there are no files here to write to; leave out the > and what follows it")
        is_new = not quote and char in " |"
        place += 1
    yield text[start:]


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        raise BadLine("error: a quote is not closed") from None
