"""Shell patterns (``*``, ``?``, ``[…]``): for ``case``, ``[[ == ]]``, ``${x#…}`` and file names."""

import re
from collections.abc import Callable
from functools import lru_cache

Piece = tuple[str, bool]
"""A text and whether it is quoted (then taken literally)."""

_CLASSES = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z", "space": r"\s", "xdigit": "0-9A-Fa-f",
    "punct": r"!-/:-@\[-`{-~", "blank": r" \t",
}  # fmt: skip


@lru_cache(maxsize=4096)
def translate(text: str, *, greedy: bool = True) -> str:
    """The regular expression of an unquoted pattern text."""
    result: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        at += 1
        if char == "*":
            result.append(".*" if greedy else ".*?")
        elif char == "?":
            result.append(".")
        elif char == "[" and (bracket := bracket_expression(text, at)) is not None:
            result.append(bracket[0])
            at = bracket[1]
        else:
            result.append(re.escape(char))
    return "".join(result)


def bracket_expression(text: str, at: int) -> tuple[str, int] | None:
    """The bracket expression that begins after ``[`` and where it ends, or None where it is just a character."""
    start = at
    negate = text[at : at + 1] in ("!", "^")
    at += negate
    close = text.find("]", at + 1)
    while close > 0 and text.rfind("[:", at, close) > text.rfind(":]", at, close):
        close = text.find("]", close + 1)
    if close < 0 or close <= start:
        return None
    inner = re.sub(r"([\\\[\]^&~|])", r"\\\1", re.sub(r"\[:(\w+):\]", r"\0\1\0", text[at:close]))
    inner = re.sub("\0(\\w+)\0", lambda m: _CLASSES.get(m.group(1), ""), inner)
    compiled = f"[{'^' if negate else ''}{inner}]"
    try:
        re.compile(compiled)
    except re.error:
        return None
    return compiled, close + 1


def regex_of(pieces: list[Piece], *, greedy: bool = True) -> str:
    """The regular expression of a pattern made of quoted and unquoted pieces."""
    return "".join(re.escape(text) if quoted else translate(text, greedy=greedy) for text, quoted in pieces)


def matches(pieces: list[Piece], text: str) -> bool:
    """Whether the whole of ``text`` matches."""
    return re.compile(regex_of(pieces), re.S).fullmatch(text) is not None


def strip_prefix(pieces: list[Piece], text: str, *, longest: bool) -> str:
    """``${text#pattern}`` or, ``longest``, ``${text##pattern}``."""
    compiled = re.compile(regex_of(pieces), re.S)
    ends = range(len(text), -1, -1) if longest else range(len(text) + 1)
    return next((text[end:] for end in ends if compiled.fullmatch(text, 0, end)), text)


def strip_suffix(pieces: list[Piece], text: str, *, longest: bool) -> str:
    """``${text%pattern}`` or, ``longest``, ``${text%%pattern}``."""
    compiled = re.compile(regex_of(pieces), re.S)
    starts = range(len(text) + 1) if longest else range(len(text), -1, -1)
    return next((text[:start] for start in starts if compiled.fullmatch(text, start)), text)


def replace(pieces: list[Piece], text: str, by: str, *, how: str) -> str:
    """``${text/pattern/by}``; ``how`` is the operator: ``/``, ``//``, ``/#`` or ``/%``."""
    body = regex_of(pieces)
    if not body:
        return text
    source = {"/#": rf"\A(?:{body})", "/%": rf"(?:{body})\Z"}.get(how, body)
    return re.compile(source, re.S).sub(lambda _: by, text, count=0 if how == "//" else 1)


def expand_names(pieces: list[Piece], cwd: str, names: Callable[[str], list[str]]) -> list[str]:
    """File names that match, sorted; empty where none does. ``names`` lists a directory."""
    text = "".join(piece for piece, _ in pieces)
    absolute = text.startswith("/")
    found = [("/" if absolute else "")]
    for component in _components(pieces):
        following: list[str] = []
        literal = "".join(piece for piece, _ in component)
        magic = any(not quoted and re.search(r"[*?\[]", piece) for piece, quoted in component)
        compiled = re.compile(regex_of(component), re.S)
        for base in found:
            where = base or cwd
            lead = f"{base}{'' if base in ('', '/') else '/'}"
            hits = [name for name in names(where) if compiled.fullmatch(name)] if magic else [literal]
            following += [lead + name for name in hits if not magic or literal[:1] == "." or not name.startswith(".")]
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
