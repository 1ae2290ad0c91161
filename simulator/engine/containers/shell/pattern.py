"""Shell patterns (``*``, ``?``, ``[…]``): for ``case``, ``[[ == ]]``, ``${x#…}`` and file names.

A pattern is translated into RE2 source piece by piece. Texts without a special character skip that: they
are compared literally, which is what ``case`` does most of the time.
"""

from collections.abc import Callable

from simulator.engine.containers import regex
from simulator.engine.containers.effort import Meter
from simulator.engine.containers.regex import PATTERN_CHARS_MAX, BadPattern, Pattern, bracket_expression
from simulator.engine.containers.unsupported import Unsupported

Piece = tuple[str, bool]
"""A text and whether it is quoted (then taken literally)."""

_MAGIC = frozenset("*?[")


def _sources(pieces: list[Piece], star: str) -> list[str]:
    """RE2 source of each character, star or bracket of a pattern. Raises Unsupported if there are too many."""
    if sum(len(text) for text, _ in pieces) > PATTERN_CHARS_MAX:
        raise Unsupported(f"a pattern of more than {PATTERN_CHARS_MAX} characters is not supported")
    result: list[str] = []
    for text, quoted in pieces:
        at = 0
        while at < len(text):
            char = text[at]
            at += 1
            bracket = bracket_expression(text, at) if char == "[" and not quoted else None
            if bracket is not None:
                result.append(bracket[0])
                at = bracket[1]
            else:
                result.append(regex.literal(char) if quoted or char not in "*?" else star if char == "*" else ".")
    return result


def _plain(pieces: list[Piece]) -> str | None:
    """The text of a pattern without special characters, else None."""
    if any(not quoted and not _MAGIC.isdisjoint(text) for text, quoted in pieces):
        return None
    return "".join(text for text, _ in pieces)


def _compiled(meter: Meter, source: str, *, longest: bool = True) -> Pattern:
    meter.charge(8 * len(source))
    try:
        return regex.compiled(source, longest=longest)
    except BadPattern as problem:
        raise Unsupported("a pattern of this size is not supported") from problem


def matches(meter: Meter, pieces: list[Piece], text: str) -> bool:
    """Whether the whole of ``text`` matches."""
    plain = _plain(pieces)
    if plain is not None:
        meter.charge(len(plain) >> 4)
        return plain == text
    return _compiled(meter, "".join(_sources(pieces, ".*"))).whole(meter, text)


def strip_prefix(meter: Meter, pieces: list[Piece], text: str, *, longest: bool) -> str:
    """``${text#pattern}`` or, ``longest``, ``${text##pattern}``."""
    plain = _plain(pieces)
    if plain is not None:
        meter.charge(len(text) >> 4)
        return text.removeprefix(plain)
    return text[_prefix_end(meter, _sources(pieces, ".*" if longest else ".*?"), text, longest=longest) :]


def strip_suffix(meter: Meter, pieces: list[Piece], text: str, *, longest: bool) -> str:
    """``${text%pattern}`` or, ``longest``, ``${text%%pattern}``: the prefix of the reversed text."""
    plain = _plain(pieces)
    if plain is not None:
        meter.charge(len(text) >> 4)
        return text.removesuffix(plain)
    sources = _sources(pieces, ".*" if longest else ".*?")[::-1]
    return text[: len(text) - _prefix_end(meter, sources, text[::-1], longest=longest)]


def _prefix_end(meter: Meter, sources: list[str], text: str, *, longest: bool) -> int:
    """Where the longest or shortest matching beginning of ``text`` ends; 0 if none matches.

    With non-greedy stars the first match is the shortest: each part between them matches at its first position.
    """
    found = _compiled(meter, "".join(sources), longest=longest).at_start(meter, text)
    return found.end() if found is not None else 0


def replace(meter: Meter, pieces: list[Piece], text: str, by: str, *, how: str) -> str:
    """``${text/pattern/by}``; ``how`` is the operator: ``/``, ``//``, ``/#`` or ``/%``."""
    body = "".join(_sources(pieces, ".*"))
    if not body:
        return text
    source = {"/#": rf"\A(?:{body})", "/%": rf"(?:{body})\z"}.get(how, body)
    return regex.substitute(_compiled(meter, source), meter, text, lambda _: [by], only=0 if how == "//" else 1)[0]


def expand_names(meter: Meter, pieces: list[Piece], cwd: str, names: Callable[[str], list[str]]) -> list[str]:
    """File names that match, sorted; empty if none does. ``names`` lists a directory."""
    absolute = next((text for text, _ in pieces if text), "").startswith("/")
    found = [("/" if absolute else "")]
    for component in _components(pieces):
        following: list[str] = []
        plain = _plain(component)
        literal = "".join(piece for piece, _ in component)
        for base in found:
            lead = f"{base}{'' if base in ('', '/') else '/'}"
            hits = [name for name in names(base or cwd) if matches(meter, component, name)] if plain is None else [literal]
            # A leading dot must be explicit.
            following += [lead + name for name in hits if plain is not None or literal[:1] == "." or not name.startswith(".")]
        meter.charge(sum(len(name) + 8 for name in following))
        found = following
    return sorted(found)


def _components(pieces: list[Piece]) -> list[list[Piece]]:
    """The pieces of each path component."""
    result: list[list[Piece]] = [[]]
    for text, quoted in pieces:
        for index, part in enumerate(text.split("/")):
            if index:
                result.append([])
            if part:
                result[-1].append((part, quoted))
    return [component for component in result if component]
