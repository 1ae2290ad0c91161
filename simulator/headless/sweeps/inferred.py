"""Infer cells without playing them: the run of a value between three others whose runs differ only in what moves with the value.

Three runs were played to the end: with a smaller value (``low``), a larger one (``high``), and one next to it (``witness``). If all three
took the same events in the same order and wrote the same records, and they differ only in the value itself or in moments that are later
by as many seconds, then the run of every value in between is known: it has the same events and records, with the number and the moments
interpolated.

The reason: what a handler does follows from the world, which earlier handlers have made, and from moments. A moment that moves with the
value is a linear function of it, and so is a constant one. If one of two linear functions is earlier at both ends, it is earlier
everywhere in between. So the next event in between is the one that came next at both ends, including acts and the end of the run, and
whether a time is up has the same answer as at both ends. Samples that are not recorded, such as a kubelet's sync loop, are events too, so
nothing slips in between. Clocks that tick less often than every second are detected by the witness, as in ``between.py``.

Not everything that depends on a moment is a comparison of moments, and nothing is inferred if anything else may be involved:

* which requests of a load fail depends on how far each has got at that moment. So no record about them may move, and none may fail while
  something else moves. How many were answered by then is unknown, but no outcome asks for that;
* the metrics that an autoscaler reads are averages over windows;
* a program may print the time and compute with it, and the moment decides which endpoint a connection goes to (``may_depend_on_time``).
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence
from functools import partial
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine import Record
from simulator.engine.course.between import TooDifferent, ValueBetween, ValueEnds
from simulator.engine.kernel.records import digest_of
from simulator.engine.kernel.units import SECOND, Ms
from simulator.engine.network.load.fate import FAILED
from simulator.engine.world.queue import PUSHES, Due
from simulator.headless.refused import is_refusal
from simulator.headless.sweeps.outcomes import FailedRequests

REQUESTS = "requests"
"""The machine for the requests of a load."""
_TIME = re.compile(
    r"\b(date|uptime|stat|ls|find|SECONDS|EPOCH\w*|python\w*|perl|ipc\w+|mktemp"
    r"|wget|curl|nc|telnet|nslookup|getent|host|dig|ping|rabbitmq\w*|psql|mysql\w*|redis\w*)\b"
)
"""Programs and variables that tell the time, and programs that use the network."""


def may_depend_on_time(text: str) -> bool:
    """Whether containers of a run with this text may find out what time it is, or where a connection goes."""
    return _TIME.search(text) is not None


class Trace(Struct):
    """Everything that a play did: its records, and the events that it took, in order."""

    records: list[Record]
    taken: list[Due]


class CellEnd(Struct, frozen=True, kw_only=True):
    """The end of a run: the records that the outcome reads, those of refused acts, and the failed requests, which have no records.

    ``digest`` computes the digest of all its records; None if they are not known exactly.
    """

    kept: Sequence[Record]
    refused: Sequence[Record]
    failed: FailedRequests
    digest: Callable[[], bytes | None]


class EndedPlay(Struct, frozen=True, kw_only=True):
    """A play that reached its end."""

    trace: Trace
    failed: FailedRequests
    has_autoscaler: bool


class _OnLine(ValueBetween):
    """Interpolates numbers, including those that decrease as the value grows: remaining seconds, and times that get shorter."""

    def _number(self, one: int, other: int) -> int:
        for unit in (1, -1, SECOND, -SECOND):
            if other - one == self._span * unit:
                return one + self._more * unit
        raise TooDifferent


class InferredRuns:
    """The runs for the values between ``low`` and ``high``."""

    def __init__(self, low: EndedPlay, witness: EndedPlay, high: EndedPlay, ends: ValueEnds, act_moments: Sequence[Ms]) -> None:
        """Raise TooDifferent if they do not follow from these three. Costs a comparison of their events and records."""
        if not ends.have_neighbour or low.has_autoscaler or not low.failed == witness.failed == high.failed:
            raise TooDifferent
        self._ends, self._failed = ends, low.failed
        between = _OnLine(ends.low, ends.high, ends.witness)
        moved = _check_events(low.trace.taken, witness.trace.taken, high.trace.taken, between)
        _check_acts(low.trace.taken, high.trace.taken, act_moments)
        self._is_exact = _check_records(low.trace.records, witness.trace.records, high.trace.records, between)
        _check_requests(low.trace.records, moved)
        self._pairs = list(zip(low.trace.records, high.trace.records, strict=True))
        self._refused = [pair for pair in self._pairs if is_refusal(pair[0])]

    def end(self, value: int, machines: Collection[str]) -> CellEnd:
        """The end of the run for a ``value`` in between."""
        kept = [pair for pair in self._pairs if pair[0].machine in machines]
        return CellEnd(
            kept=self._records(value, kept),
            refused=self._records(value, self._refused),
            failed=self._failed,
            digest=partial(self._digest, value),
        )

    def _digest(self, value: int) -> bytes | None:
        return digest_of(self._records(value, self._pairs)) if self._is_exact else None

    def _records(self, value: int, pairs: Sequence[tuple[Record, Record]]) -> list[Record]:
        between = _OnLine(self._ends.low, self._ends.high, value)
        # The number of requests answered by then is not known, and no outcome reads it.
        return [one if one == other or one.machine == REQUESTS else between.of(one, other) for one, other in pairs]


def _check_events(low: Sequence[Due], witness: Sequence[Due], high: Sequence[Due], between: _OnLine) -> list[Ms]:
    """The moments in ``low`` of events that move. Raises TooDifferent unless all took the same events, at linearly moving moments."""
    if not len(low) == len(witness) == len(high):
        raise TooDifferent
    moved = []
    for one, third, other in zip(low, witness, high, strict=True):
        if one == other == third:
            continue
        # Only the push count within the number is compared: the rest is the moment of the push, which was itself the moment of an event.
        if not (one.n & PUSHES == third.n & PUSHES == other.n & PUSHES and one.lane == third.lane == other.lane):
            raise TooDifferent
        if not one.cause == third.cause == other.cause or between.of(one.due_ms, other.due_ms) != third.due_ms:
            raise TooDifferent
        if not one.event == third.event == other.event and between.of(one.event, other.event) != third.event:
            raise TooDifferent
        moved.append(one.due_ms)
    return moved


_due_ms = attrgetter("due_ms")


def _check_acts(low: Sequence[Due], high: Sequence[Due], moments: Sequence[Ms]) -> None:
    """Raise TooDifferent if an act comes before an event at one end and after it at the other."""
    for moment in moments:
        if bisect_right(low, moment, key=_due_ms) != bisect_right(high, moment, key=_due_ms):
            raise TooDifferent


def _check_records(low: Sequence[Record], witness: Sequence[Record], high: Sequence[Record], between: _OnLine) -> bool:
    """Whether the records for a value in between are known exactly, or only without the counts of requests.

    Raises TooDifferent if the records differ in more than that, the value, and linearly moving moments.
    """
    if not len(low) == len(witness) == len(high):
        raise TooDifferent
    is_exact = True
    for one, third, other in zip(low, witness, high, strict=True):
        if one == other == third:
            continue
        if one.machine == REQUESTS and replace(other, data=one.data) == one == replace(third, data=one.data):
            is_exact = False
        elif one.machine == REQUESTS or between.of(one, other) != third:
            raise TooDifferent
    return is_exact


def _check_requests(records: Sequence[Record], moved: Sequence[Ms]) -> None:
    """Raise TooDifferent if requests fail at a moment that moves, because that moment decides which of them do."""
    failing: dict[str, Ms] = {}
    for record in records:
        if record.machine != REQUESTS:
            continue
        since_ms = failing.pop(record.subject, None)
        if since_ms is not None and bisect_left(moved, since_ms) < bisect_right(moved, record.at_ms):
            raise TooDifferent
        if record.target in FAILED:
            failing[record.subject] = record.at_ms
    if failing and moved and moved[-1] >= min(failing.values()):
        raise TooDifferent
