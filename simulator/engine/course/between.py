"""The course of a value that lies between two others, made of theirs: as long as both have the same past, it has that past too.

Two runs are played whose manifests differ in one whole number, ``low`` in one and ``high`` in the other. Where they stand after the same
records, their worlds are compared, row by row. Often all that differs is the number itself, in the objects, in what was read out of them,
in texts that quote them; and moments that lie so many seconds ahead, because a timer was set by it. Then the world of any number between
is the same with that number in these places and the timers set by it. Where anything else differs (a draw, a length, a choice) there is no
such world.

What this rests on: that the engine asks of the number only whether it is more than others, and adds it to moments. Then what both ends
answer alike, everything between answers so. It does not hold for numbers that are names, such as ports and users, so callers offer
amounts only (``headless/sweeps/shared.py``).

Moments may be rounded up to the next tick of some clock, and two ends that lie ten seconds apart look alike to one that ticks every ten.
So moments are believed only with a witness: a third run whose number is one more or less than that of an end. What is made for its number
must be its world. Of a clock that ticks less often than every second, two neighbours would hear the same tick, or ticks too far apart.
"""

import re
from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.course.header import RunHeader
from simulator.engine.course.replay import Course
from simulator.engine.kernel.indexes import Index
from simulator.engine.kernel.units import SECOND
from simulator.engine.world.world import Tables, World

_NUMBERS = re.compile(r"(\d+)")


class TooDifferent(Exception):
    """More than the number differs between two worlds."""


class ValueEnds(Struct, frozen=True):
    """The number in the one run, and in the other; ``witness`` is that of a third one, 0 where there is none."""

    low: int
    high: int
    witness: int = 0

    @property
    def have_neighbour(self) -> bool:
        """Whether the witness is next to an end."""
        return self.witness > 0 and min(abs(self.witness - self.low), abs(self.witness - self.high)) == 1


def have_same_past(one: Course, other: Course) -> bool:
    """Whether two courses have written the same records. About 1 µs."""
    here, there = one.world, other.world
    return here.seq == there.seq and one.done == other.done and here.digest() == there.digest()


def course_between(one: Course, other: Course, ends: ValueEnds, value: int, header: RunHeader, *, witness: Course | None = None) -> Course:
    """The course of the run with ``value``, which ``header`` begins, where those of both ends and the witness stand.

    Raises TooDifferent. O(rows), and most rows are only compared.
    """
    _check_past(one, other)
    course, between = one.fork(), ValueBetween(ends.low, ends.high, value)
    course.world.header = header
    _blend(course.world, other.world, between)
    course.next_due_ms = course.world.queue.peek_ms()
    if between.has_moments:
        if witness is None or not ends.have_neighbour:
            raise TooDifferent
        _check_past(one, witness)
        told = one.world.fork()
        _blend(told, other.world, ValueBetween(ends.low, ends.high, ends.witness))
        _blend(told, witness.world, _Same())
    return course


def _check_past(one: Course, other: Course) -> None:
    """Raises TooDifferent where two courses do not stand after the same past."""
    here, there = one.world, other.world
    is_same = (
        have_same_past(one, other)
        and (one.applied_count, here.now_ms, here.spent) == (other.applied_count, there.now_ms, there.spent)
        and here.counters == there.counters
        and here.first_records == there.first_records
    )
    if not is_same:
        raise TooDifferent


def _blend(world: World, other: World, between: "_Same") -> None:
    """Put the number into every row in which the worlds of the ends differ, and into what is due. Raises TooDifferent."""
    try:
        world.queue.blend(other.queue, between.of)
    except KeyError:
        raise TooDifferent from None
    for name in Tables.__slots__:
        here, there = getattr(world.tables, name), getattr(other.tables, name)
        if isinstance(here, Index):
            if _entries(here) != _entries(there):
                raise TooDifferent
            continue
        # The order of rows counts: it is the order in which they are walked through.
        if list(here) != list(there):
            raise TooDifferent
        if here != there:
            for key, row in list(here.items()):
                other_row = there[key]
                if row is not other_row and row != other_row:
                    here[key] = between.of(row, other_row)


def _entries(index: Index[Any, Any]) -> list[tuple[Any, list[Any]]]:
    return [(bucket, list(index.of(bucket))) for bucket in index.buckets()]


class _Same:
    """Walks through two values at once, and finds them equal."""

    def of(self, one: Any, other: Any) -> Any:
        """The value. Raises TooDifferent where there are two."""
        if one != other:
            raise TooDifferent
        return one


class ValueBetween(_Same):
    """Finds that two values differ in the number alone. What several places share in one world they share in the new one."""

    def __init__(self, low: int, high: int, value: int) -> None:
        self._span, self._more = high - low, value - low
        self._words, self._word_between = (str(low), str(high)), str(value)
        self._made: dict[tuple[int, int], tuple[Any, Any, Any]] = {}
        self.has_moments = False

    def of(self, one: Any, other: Any) -> Any:
        """The value with the number wherever the ends differ; ``one`` itself where they do not. Raises TooDifferent."""
        if one is other:
            return one
        if type(one) is not type(other):
            raise TooDifferent
        if one == other:
            return one
        key = (id(one), id(other))
        # Both are kept with what was made of them, or their ids might come to mean others.
        if key not in self._made:
            self._made[key] = (self._blended(one, other), one, other)
        return self._made[key][0]

    def _blended(self, one: Any, other: Any) -> Any:
        kind = type(one)
        if kind is int:
            return self._number(one, other)
        if kind is str:
            return self._text(one, other)
        if isinstance(one, Struct):
            made = {}
            for name in kind.__struct_fields__:
                mine, yours = getattr(one, name), getattr(other, name)
                if mine is not yours:
                    made[name] = self.of(mine, yours)
            return replace(one, **made)
        if kind is dict:
            if list(one) != list(other):
                raise TooDifferent
            return {key: item if item is other[key] else self.of(item, other[key]) for key, item in one.items()}
        if kind is list:
            return self._items(one, other)
        if isinstance(one, tuple):
            items = self._items(one, other)
            return tuple(items) if kind is tuple else kind._make(items)
        raise TooDifferent

    def _items(self, one: Iterable[Any], other: Iterable[Any]) -> list[Any]:
        try:
            return [mine if mine is yours else self.of(mine, yours) for mine, yours in zip(one, other, strict=True)]
        except ValueError:  # one is longer
            raise TooDifferent from None

    def _number(self, one: int, other: int) -> int:
        if other - one == self._span:
            return one + self._more
        if other - one != self._span * SECOND:
            raise TooDifferent
        self.has_moments = True
        return one + self._more * SECOND

    def _text(self, one: str, other: str) -> str:
        here, there = _NUMBERS.split(one), _NUMBERS.split(other)
        if len(here) != len(there):
            raise TooDifferent
        for at in [at for at, word in enumerate(here) if word != there[at]]:
            if (here[at], there[at]) != self._words:
                raise TooDifferent
            here[at] = self._word_between
        return "".join(here)
