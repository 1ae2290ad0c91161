"""``$(NAME)`` in values, command and args, which the kubelet replaces before the container sees them.

Docs: define environment variables; spec: third_party/forked/golang/expansion.
"""

from collections.abc import Iterator, Mapping

from simulator.engine.containers.arguments import WORD_BYTES_MAX


def expand(text: str, values: Mapping[str, str], *, chars_max: int = WORD_BYTES_MAX) -> str:
    """Replace ``$(NAME)`` by its value; unknown names stay, ``$$`` is one dollar sign. O(text + result).

    A result is built only up to ``chars_max`` characters: the kernel rejects a longer argument anyway.
    """
    if "$" not in text:
        return text
    parts: list[str] = []
    room = chars_max
    for part in _parts(text, values):
        parts.append(part[:room])
        room -= len(part)
        if room <= 0:
            break
    return "".join(parts)


def _parts(text: str, values: Mapping[str, str]) -> Iterator[str]:
    """The pieces of the result, in order."""
    last_closing = text.rfind(")")
    position = 0
    while (dollar := text.find("$", position)) >= 0:
        yield text[position:dollar]
        follower = text[dollar + 1 : dollar + 2]
        position = dollar + 2
        if follower != "(":
            yield "$" if follower == "$" else f"${follower}"
        elif last_closing < dollar:
            yield "$("
        else:
            end = text.index(")", dollar)
            yield values.get(text[dollar + 2 : end], text[dollar : end + 1])
            position = end + 1
    yield text[position:]
