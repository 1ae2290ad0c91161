"""A log of what has happened to nodes, read by shortlists and kept only while there are any.

Each entry says that a node has changed; in addition, arrivals and departures of pods are kept by
kind (namespace and labels), since a spread counts pods and not nodes. A reader remembers how much
of the log it has read and takes the rest. When the log is full its older half is dropped together with the
readers that had not got that far: starting over is always correct, only slower.

The log is a cache of the world and not part of its state. A fork starts without one.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from simulator.engine.model.selectors import Selector
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World

if TYPE_CHECKING:  # a shortlist reads the log that holds it
    from simulator.engine.scheduler.shortlist import NodeBook, Shortlist

LOG_MAX = 20_000
"""How many changes are kept; a reader that has missed more starts over."""
_MEMO = "scheduler"

Kind = tuple[str, tuple[tuple[str, str], ...]]
"""Namespace and labels of a pod: pods of one kind are selected alike."""
Step = tuple[int, str, int]
"""The number of the change, the node, and whether a pod arrived (1) or no longer counts there (-1)."""


class Changes:
    """The log with the shortlists that read it: which nodes have changed, and how pods of each kind arrived and left.

    ``era`` counts how often the older half was dropped.
    """

    __slots__ = ("_first", "_labelled", "_nodes", "books", "era", "kinds", "lists", "steps")

    def __init__(self) -> None:
        self._nodes: list[str] = []
        self._first = 0
        self.era = 0
        self.kinds: list[Kind] = []
        self._labelled: dict[tuple[str, str, str], list[Kind]] = {}  # namespace, key and value of a label → kinds
        self.steps: dict[Kind, list[Step]] = {}
        self.books: dict[Any, NodeBook] = {}
        self.lists: dict[Any, Shortlist] = {}

    @property
    def total(self) -> int:
        """How many changes there have been."""
        return self._first + len(self._nodes)

    def add(self, node: str, row: PodRow | None, sign: int) -> None:
        """Log a change; if there are too many, the older half is dropped, with the shortlists that have not read it."""
        if sign and row is not None:
            kind: Kind = (row.namespace, tuple(row.pod.metadata.labels.items()))
            steps = self.steps.get(kind)
            if steps is None:
                self._know(kind)
                steps = self.steps[kind] = []
            steps.append((self.total, node, sign))
        self._nodes.append(node)
        if len(self._nodes) > LOG_MAX:
            self._forget_half()

    def _know(self, kind: Kind) -> None:
        self.kinds.append(kind)
        for key, value in kind[1]:
            self._labelled.setdefault((kind[0], key, value), []).append(kind)

    def kinds_for(self, namespace: str, selector: Selector | None) -> Sequence[Kind]:
        """A superset of the kinds that the selector matches, in order of arrival: those with a label that it requires, if any."""
        # One equality is enough to narrow the search; the caller checks the whole selector.
        asked = next((item for item in selector or () if item.operator == "In" and len(item.values) == 1), None)
        return self.kinds if asked is None else self._labelled.get((namespace, asked.key, asked.values[0]), ())

    def since(self, heard: int) -> dict[str, None]:
        """The nodes that have changed after that many changes, in the order of their first change."""
        return dict.fromkeys(self._nodes[heard - self._first :])

    def steps_since(self, kind: Kind, heard: int) -> Iterator[tuple[str, int]]:
        """Where pods of a kind arrived (1) or left (-1) after that many changes, the last first."""
        for number, node, sign in reversed(self.steps[kind]):
            if number < heard:
                return
            yield node, sign

    def _forget_half(self) -> None:
        half = LOG_MAX // 2
        del self._nodes[:half]
        self._first += half
        self.era += 1
        kept = {kind: [step for step in steps if step[0] >= self._first] for kind, steps in self.steps.items()}
        self.steps = {kind: steps for kind, steps in kept.items() if steps}
        self.kinds, self._labelled = [], {}
        for kind in self.steps:
            self._know(kind)
        self.books = {key: each for key, each in self.books.items() if each.heard >= self._first}
        self.lists = {key: each for key, each in self.lists.items() if each.heard >= self._first}


def changes_of(world: World) -> Changes:
    """The log of a world, created on first use."""
    held: Changes | None = world.memo.get(_MEMO)
    if held is None:
        held = world.memo[_MEMO] = Changes()
    return held


def note_change(fx: Effects, node: str, row: PodRow | None = None, sign: int = 0) -> None:
    """Log a change of a node."""
    held: Changes | None = fx.world.memo.get(_MEMO)
    if held is not None:
        held.add(node, row, sign)


def forget_nodes(fx: Effects) -> None:
    """Drop the log after a change that shortlists do not follow: nodes added or removed, labels of nodes or pods changed."""
    fx.world.memo.pop(_MEMO, None)
