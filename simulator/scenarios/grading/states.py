"""Which things are in a state, and for how long: the part of a grader about what holds between two records."""

from copy import copy

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms, Seq, Subject
from simulator.scenarios.grading.patterns import Lineage, RecordPattern, thing_of

IDENTITY = {"node_condition": "condition", "taint": "key", "hook": "hook"}
"""Machines of which a subject may have several: the field of the data that tells them apart."""
OF_THE_API = frozenset({"phase", "condition", "status_word", "container_status"})
"""Machines with no more records about a pod once its object is gone. What runs on a node may outlive it."""
ON_THE_NODE = frozenset({"container", "stop", "hook", "sandbox", "probe", "probe_attempt"})
"""Machines with no more records about a pod once its object is gone and its node has nothing left of it."""

ENDS_EMPTY = frozenset({"status_word", "requests"})
"""Machines whose empty state means that there is nothing any more that could have one: kubectl no longer shows the pod, or no requests
of a load go to it."""

_STRETCHES_MAX = 100


class States:
    """Which of the things that a pattern is about are in its state, and the time during which any of them was.

    Keeps one flag per thing. A pod whose object is gone no longer has a state. With ``least`` or ``most``, that many of
    them have to be in it at the same time.
    """

    def __init__(self, pattern: RecordPattern, *, least: int | None = None, most: int | None = None) -> None:
        self.pattern = pattern
        self._targets = pattern.targets()
        self._is_counted = least is not None or most is not None
        self._least, self._most = 1 if least is None and most is None else least or 0, most
        self.seq: Seq = 0
        """The last record about any of them."""
        self.stretches: list[tuple[Ms, Ms]] = []
        self._are: dict[tuple[Subject, str], tuple[bool, Seq]] = {}
        self._in = 0
        # Before the first record there are none, and that may be as many as are asked for.
        self._since_ms: Ms | None = 0 if self._least == 0 else None
        self._spent_ms: Ms = 0

    def fork(self) -> "States":
        """An independent copy that has seen the same records."""
        twin = copy(self)
        twin.stretches, twin._are = self.stretches.copy(), self._are.copy()
        return twin

    @property
    def holds(self) -> bool:
        """Whether the required number of things are in the state; without one, whether there are any things and all of them are in it."""
        return self._are_enough if self._is_counted else 0 < len(self._are) == self._in

    @property
    def _are_enough(self) -> bool:
        return self._least <= self._in and (self._most is None or self._in <= self._most)

    @property
    def outside_seq(self) -> Seq:
        """The last record about a thing outside the state; if there is none, the last about any. O(things)."""
        if self._most is not None and self._in > self._most:
            return self.seq
        return max((seq for is_in, seq in self._are.values() if not is_in), default=self.seq)

    def take(self, record: Record, lineage: Lineage) -> bool:
        """Take the next record; returns whether it was about one of the things."""
        if record.machine == "object" and record.target == "gone" and self.pattern.machine in OF_THE_API:
            return self._drop(record)
        if record.machine != self.pattern.machine or not self.pattern.is_about(record, lineage):
            return False
        if record.machine in ENDS_EMPTY and not record.target and "" not in self._targets:
            return self._drop(record)
        name = IDENTITY.get(record.machine, "")
        which = str(record.get(name)) if name else ""
        if name in self.pattern.data and which != str(self.pattern.data[name]):
            return False
        self._set((record.subject, which), self.pattern.is_target(record) and self.pattern.is_data(record), record.seq)
        self._note(record)
        return True

    def _drop(self, record: Record) -> bool:
        gone = [key for key in self._are if thing_of(key[0]) == record.subject]
        for key in gone:
            self._in -= self._are.pop(key)[0]
        if gone:
            self._note(record)
        return bool(gone)

    def _set(self, key: tuple[Subject, str], is_in: bool, seq: Seq) -> None:
        was_in, _seq = self._are.get(key, (False, 0))
        self._in += is_in - was_in
        self._are[key] = is_in, seq

    def _note(self, record: Record) -> None:
        self.seq = record.seq
        if self._are_enough and self._since_ms is None:
            self._since_ms = record.at_ms
        elif not self._are_enough and self._since_ms is not None:
            self._end_stretch(record.at_ms)

    def _end_stretch(self, at_ms: Ms) -> None:
        assert self._since_ms is not None
        self._spent_ms += at_ms - self._since_ms
        if at_ms > self._since_ms and len(self.stretches) < _STRETCHES_MAX:
            self.stretches.append((self._since_ms, at_ms))
        self._since_ms = None

    def spent_ms(self, now_ms: Ms) -> Ms:
        """How long any of them has been in the state so far."""
        return self._spent_ms + (now_ms - self._since_ms if self._since_ms is not None else 0)

    def passes_ms(self, spent_ms: Ms) -> Ms | None:
        """When the time in the state will exceed ``spent_ms`` if nothing changes; None while none of them is in it."""
        return None if self._since_ms is None else self._since_ms + spent_ms - self._spent_ms + 1

    def cut(self, at_ms: Ms) -> None:
        """Stop counting at this moment."""
        if self._since_ms is not None:
            self._end_stretch(max(at_ms, self._since_ms))
