"""The nearest miss: the record that came nearest to something that had to occur but did not."""

from enum import StrEnum

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Seq
from simulator.scenarios.grading.patterns import Lineage, OnePattern, RecordPattern


class Near(StrEnum):
    """How a near miss differs from what was asked for, the nearest first."""

    LATE = "late"
    EARLY = "early"
    DATA = "data"
    TARGET = "target"
    SUBJECT = "subject"


_NEAREST_FIRST = tuple(Near)


class NearMisses:
    """Keeps the best record of each type: the first of those that came too late, the last of all others."""

    def __init__(self, pattern: RecordPattern) -> None:
        self._pattern = pattern
        self._found: dict[Near, Seq] = {}

    def fork(self) -> "NearMisses":
        """An independent copy with the same contents."""
        twin = NearMisses(self._pattern)
        twin._found = self._found.copy()
        return twin

    @property
    def is_final(self) -> bool:
        """Whether no record after the scope can be nearer than what was found."""
        return Near.LATE in self._found or not any(pattern.machine for pattern in self._pattern.each())

    def take(self, record: Record, lineage: Lineage, *, when: Near | None) -> None:
        """Take a record that was not counted. ``when`` is LATE or EARLY outside the scope, otherwise None."""
        near = self._near(record, lineage, when)
        if near is Near.LATE:
            self._found.setdefault(near, record.seq)
        elif near is not None:
            self._found[near] = record.seq

    def _near(self, record: Record, lineage: Lineage, when: Near | None) -> Near | None:
        found = (self._near_one(pattern, record, lineage, when) for pattern in self._pattern.each())
        return min((near for near in found if near is not None), key=_NEAREST_FIRST.index, default=None)

    def _near_one(self, pattern: OnePattern, record: Record, lineage: Lineage, when: Near | None) -> Near | None:
        if not pattern.machine or record.machine != pattern.machine:
            return None
        is_about, is_target, is_data = pattern.is_about(record, lineage), pattern.is_target(record), pattern.is_data(record)
        if is_about and is_target and is_data:
            return when
        if when is not None:
            return None
        if is_about:
            return Near.DATA if is_target else Near.TARGET
        return Near.SUBJECT if is_target and is_data else None

    def best(self) -> tuple[Seq, str]:
        """The nearest miss and how it differs; 0 and "" if there is none."""
        for near in Near:
            if near in self._found:
                return self._found[near], near.value
        return 0, ""
