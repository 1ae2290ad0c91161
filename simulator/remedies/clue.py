"""A word that a pasted text holds about a pod, with its lines; what else the text tells about the pod."""

from msgspec import Struct

CLUES_MAX = 2000
"""So many clues of a text are looked at."""
STATE_KINDS = ("waiting", "terminated")
"""Kinds of words that say something of a container's state."""


class PodFacts(Struct, kw_only=True):
    """A pod as the text shows it. ``names`` fill the placeholders of command lines; ``is_ready`` and ``is_placed`` None: not told."""

    name: str
    namespace: str = ""
    names: dict[str, str] = {}
    is_ready: bool | None = None
    is_placed: bool | None = None


class Clue(Struct, frozen=True, kw_only=True):
    """A word of the text, where it stands, and what stands beside it; ``lines`` are those to quote, from 1."""

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
