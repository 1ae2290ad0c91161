"""A word about a pod in a pasted text, with its lines, and what else the text says about the pod."""

from msgspec import Struct

CLUES_MAX = 2000
"""The most clues of a text that are examined."""
STATE_KINDS = ("waiting", "terminated")
"""Kinds of words that describe a container's state."""


class PodFacts(Struct, kw_only=True):
    """A pod as the text shows it. ``names`` fill the placeholders in command lines; ``is_ready`` and ``is_placed`` are None if unknown."""

    name: str
    namespace: str = ""
    names: dict[str, str] = {}
    is_ready: bool | None = None
    is_placed: bool | None = None


class Clue(Struct, frozen=True, kw_only=True):
    """A word in the text, where it appears, and the text next to it; ``lines`` are those to quote, counting from 1."""

    pod: str
    kind: str
    word: str
    of: str = ""
    container: str = ""
    said: str = ""
    lines: tuple[int, ...] = ()
    is_last: bool = False


class Clues(Struct, frozen=True):
    """All clues in the order of the text, with the pods that they are about, by namespace and name."""

    pods: dict[str, PodFacts]
    found: list[Clue]
