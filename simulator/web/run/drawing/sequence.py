"""Lay out messages between actors as a sequence diagram: lifelines side by side, one row per message."""

from collections.abc import Sequence
from dataclasses import dataclass

ROW = 40
HEAD = 34
FIRST = 86
"""The first lifeline's distance from the left, which leaves room for the times."""
STEP = 84
LAST = 52
ARROW = 7
LOOP = 26


@dataclass(frozen=True)
class Lifeline:
    """An actor's line at ``x``."""

    actor: str
    x: int


@dataclass(frozen=True)
class Arrow:
    """One message: its path, its head, and the middle of its row."""

    path: str
    head: str
    y: int
    left: int
    right: int


@dataclass(frozen=True)
class Sequel:
    """The whole picture in the units of its view box."""

    width: int
    height: int
    lifelines: tuple[Lifeline, ...]
    arrows: tuple[Arrow, ...]


def sequence_of(messages: Sequence[tuple[str, str]], order: Sequence[str]) -> Sequel:
    """Lay out messages from first to last; only actors that take part get a lifeline. O(messages)."""
    present = {actor for message in messages for actor in message}
    lifelines = tuple(Lifeline(actor, FIRST + STEP * index) for index, actor in enumerate(actor for actor in order if actor in present))
    at = {line.actor: line.x for line in lifelines}
    arrows = tuple(_arrow(at[sender], at[receiver], HEAD + ROW * index + ROW // 2) for index, (sender, receiver) in enumerate(messages))
    return Sequel(max(at.values(), default=0) + LAST, HEAD + ROW * len(messages) + 8, lifelines, arrows)


def _arrow(begin: int, end: int, y: int) -> Arrow:
    if begin == end:
        path = f"M{begin} {y - 7}h{LOOP - 6}q6 0 6 6v2q0 6 -6 6H{begin + ARROW}"
        return Arrow(path, f"M{begin} {y + 7}l{ARROW} -4v8z", y, begin, begin + LOOP)
    side = 1 if end > begin else -1
    return Arrow(f"M{begin} {y}H{end - side * ARROW}", f"M{end} {y}l{-side * (ARROW + 1)} -4v8z", y, min(begin, end), max(begin, end))
