"""What has happened to nodes since somebody first remembered anything about them: a log for shortlists, kept only where there are any."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World

if TYPE_CHECKING:  # a shortlist reads the log that holds it
    from simulator.engine.scheduler.shortlist import NodeBook, Shortlist

LOG_MAX = 20_000
"""Changes that are remembered; who has missed more begins anew."""
_MEMO = "scheduler"

Change = tuple[str, PodRow | None, int]
"""A node that has changed, and the pod that came (1) or counts there no longer (-1), where that is what happened."""


class Changes:
    """The log with the shortlists that read it."""

    __slots__ = ("_first", "_log", "books", "lists")

    def __init__(self) -> None:
        self._log: list[Change] = []
        self._first = 0
        self.books: dict[Any, NodeBook] = {}
        self.lists: dict[Any, Shortlist] = {}

    @property
    def total(self) -> int:
        """How many changes there have been."""
        return self._first + len(self._log)

    def add(self, change: Change) -> None:
        """Note a change; of too many the older half goes, with the shortlists that have not heard of it."""
        self._log.append(change)
        if len(self._log) > LOG_MAX:
            half = LOG_MAX // 2
            del self._log[:half]
            self._first += half
            self.books = {key: each for key, each in self.books.items() if each.heard >= self._first}
            self.lists = {key: each for key, each in self.lists.items() if each.heard >= self._first}

    def since(self, heard: int) -> Iterator[Change]:
        """What has happened after so many changes."""
        for place in range(heard - self._first, len(self._log)):
            yield self._log[place]


def changes_of(world: World) -> Changes:
    """The log of a world, which begins when it is first asked for."""
    held: Changes | None = world.memo.get(_MEMO)
    if held is None:
        held = world.memo[_MEMO] = Changes()
    return held


def note_change(fx: Effects, node: str, row: PodRow | None = None, sign: int = 0) -> None:
    """Something about a node has changed."""
    held: Changes | None = fx.world.memo.get(_MEMO)
    if held is not None:
        held.add((node, row, sign))


def forget_nodes(fx: Effects) -> None:
    """Something has changed that shortlists do not follow: a node came or went, labels of nodes or pods are other ones."""
    fx.world.memo.pop(_MEMO, None)
