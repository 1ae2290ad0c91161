"""Compare two runs as far as both have got: the first difference, the outcomes of each, and where their lanes differ.

The two are aligned at a moment of each, their zero. If that zero is an event, only what follows it is compared.

There are three comparisons. Rows match single records and find the first that differs; facts compare overall
outcomes, as a sweep would measure them; lanes compare intervals of time, so that two ways to the same state do not
count as a difference. Nothing after the horizon counts, because one of the runs has not got there yet.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from django.utils.translation import gettext_noop
from msgspec import Struct

from simulator.engine import Record, World
from simulator.engine.kernel.units import Key, Ms, Seq, Subject
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.projection.recorded import RecordedObjects, RecordedPod, recorded_objects
from simulator.headless.matching import MACHINES, MISSING, TOLERANCE_MS, MatchedRow, matched, places
from simulator.headless.sweeps.outcomes import COUNT, OUTCOMES, SPAN, PlayedOut, SweepOutcome, failed_requests

WORDS = "words"
"""The unit of a fact that is neither a count nor a length of time."""
CODES_MAX = 8
"""At most this many exit codes of a container are listed, the last ones."""
LANES = ("status_word", "phase", "condition", "container_status")
"""Machines whose lanes are compared."""
_OF_PODS = ("time-to-ready", "restarts", "failed-probes", "time-ready", "time-to-gone")
_OF_RUN = ("failed-requests", "time-to-whole", "time-short")


class Side(Struct, frozen=True, kw_only=True):
    """One of the two runs: its records from the first on and how far it has got.

    ``zero_ms`` is the moment aligned with that of the other run, ``from_seq`` the record at which the comparison begins. Without the
    ``world`` at the moment it has reached, requests are not counted.
    """

    records: Sequence[Record]
    until_ms: Ms
    zero_ms: Ms = 0
    from_seq: Seq = 1
    world: World | None = None

    def upto(self, horizon_ms: Ms) -> Sequence[Record]:
        """The records up to a moment after the zero."""
        return self.records[: bisect_right(self.records, self.zero_ms + horizon_ms, key=lambda record: record.at_ms)]


class Half(Struct, frozen=True, kw_only=True):
    """One run's side of a difference: the record if it happens there, otherwise the current and the next record of the same lane."""

    record: Record | None = None
    instead: Record | None = None
    later: Record | None = None


class FirstDifference(Struct, frozen=True, kw_only=True):
    """The first difference between the two, at ``at_ms`` after the zero."""

    at_ms: Ms
    row: MatchedRow
    halves: tuple[Half, Half]


class Fact(Struct, frozen=True, kw_only=True):
    """An outcome in each run: ``values`` are counts, lengths (ms) or words depending on ``unit``, None if it did not happen."""

    subject: Subject
    title: str
    unit: str
    values: tuple[int | str | None, int | str | None]
    moments: tuple[Ms | None, Ms | None] = (None, None)

    @property
    def differs(self) -> bool:
        """Whether the two values differ; lengths within the tolerance do not."""
        left, right = self.values
        if self.unit == SPAN and isinstance(left, int) and isinstance(right, int):
            return abs(left - right) > TOLERANCE_MS
        return left != right


class Interval(Struct, frozen=True, gc=False):
    """An interval after the zero in which a lane shows different states in the two runs."""

    from_ms: Ms
    to_ms: Ms
    states: tuple[str, str]

    @property
    def length_ms(self) -> Ms:
        """How long it lasts."""
        return self.to_ms - self.from_ms


class LaneDifference(Struct, frozen=True):
    """A lane, and the intervals in which it differs."""

    machine: str
    subject: Subject
    intervals: tuple[Interval, ...]


class Comparison(Struct, frozen=True, kw_only=True):
    """Everything that a page shows about two runs; moments count from the zero. ``horizon_ms``: how far both have got."""

    horizon_ms: Ms
    first: FirstDifference | None
    rows: tuple[MatchedRow, ...]
    facts: tuple[Fact, ...]
    lanes: tuple[LaneDifference, ...]

    @property
    def differences(self) -> tuple[MatchedRow, ...]:
        """The rows that do not happen in both, or not in the same way."""
        return tuple(row for row in self.rows if row.differs)


def compare(left: Side, right: Side) -> Comparison:
    """Compare two runs as far as both have got. O(records log records), about 5 µs per record."""
    sides = (left, right)
    # A zero may be beyond the end of its run: then there is nothing to compare.
    horizon_ms = max(0, min(side.until_ms - side.zero_ms for side in sides))
    histories = (left.upto(horizon_ms), right.upto(horizon_ms))
    # Facts and lanes keep the whole history: a lane's state at the zero was entered before it.
    shown = [history[side.from_seq - 1 :] for side, history in zip(sides, histories, strict=True)]
    rows = matched([places(some, zero_ms=side.zero_ms, commands=True) for side, some in zip(sides, shown, strict=True)])
    first = next((row for row in rows if row.differs), None)
    return Comparison(
        horizon_ms=horizon_ms,
        first=None if first is None else _first(first, sides, histories),
        rows=rows,
        facts=_facts(sides, histories, horizon_ms),
        lanes=_lane_differences(sides, histories, horizon_ms),
    )


def _first(row: MatchedRow, sides: tuple[Side, Side], histories: tuple[Sequence[Record], Sequence[Record]]) -> FirstDifference:
    at_ms = row.at_ms
    halves = [
        _half(row, cell.seq if cell is not None else 0, at_ms + side.zero_ms, history)
        for cell, side, history in zip(row.cells, sides, histories, strict=True)
    ]
    return FirstDifference(at_ms=at_ms, row=row, halves=(halves[0], halves[1]))


def _half(row: MatchedRow, seq: Seq, moment_ms: Ms, history: Sequence[Record]) -> Half:
    if seq:
        return Half(record=history[seq - 1])
    if row.machine in ("command", "k8s_event"):  # these have no lanes: show what happens next to the same subject without them
        after = [record for record in history if record.at_ms > moment_ms and record.machine in MACHINES and record.target]
        return Half(later=next((record for record in after if record.subject == row.subject), after[0] if after else None))
    lane = [record for record in history if (record.machine, record.subject) == (row.machine, row.subject)]
    before = [record for record in lane if record.at_ms <= moment_ms]
    after = [record for record in lane if record.at_ms > moment_ms]
    return Half(instead=before[-1] if before else None, later=after[0] if after else None)


# ---- what came of it ---------------------------------------------------------------------------------------------------------------


def _facts(sides: tuple[Side, Side], histories: tuple[Sequence[Record], Sequence[Record]], horizon_ms: Ms) -> tuple[Fact, ...]:
    """Facts about the run as a whole, then about each pod with its containers, in order of appearance."""
    facts = [_measured(name, sides, histories, horizon_ms, "run") for name in _OF_RUN]
    both = (recorded_objects(histories[0]), recorded_objects(histories[1]))
    parts = (_by_pod(histories[0]), _by_pod(histories[1]))
    for key in dict.fromkeys((*both[0].pods, *both[1].pods)):
        own = (parts[0].get(key, []), parts[1].get(key, []))
        facts += [_measured(name, sides, own, horizon_ms, f"pod/{key}") for name in _OF_PODS]
        facts += _recorded_facts(key, both)
        facts += _exit_facts(own)
    # What happened in neither run is of no interest.
    return tuple(fact for fact in facts if fact.values != (None, None) and fact.values != (0, 0))


def _by_pod(history: Sequence[Record]) -> dict[Key, list[Record]]:
    found: defaultdict[Key, list[Record]] = defaultdict(list)
    for record in history:
        kind, *words = record.subject.split("/")
        if kind in ("pod", "container", "condition", "probe") and len(words) > 1:
            found[f"{words[0]}/{words[1]}"].append(record)
    return found


def _measured(
    name: str, sides: tuple[Side, Side], histories: tuple[Sequence[Record], Sequence[Record]], horizon_ms: Ms, subject: Subject
) -> Fact:
    outcome = next(item for item in OUTCOMES if item.name == name)
    results = [_happened(outcome, side, history, horizon_ms) for side, history in zip(sides, histories, strict=True)]
    return Fact(
        subject=subject,
        title=outcome.title,
        unit=outcome.unit,
        values=(results[0][0], results[1][0]),
        moments=(results[0][1], results[1][1]),
    )


def _happened(outcome: SweepOutcome, side: Side, history: Sequence[Record], horizon_ms: Ms) -> tuple[int | None, Ms | None]:
    if not history or (side.world is None and "requests" in outcome.machines):
        return None, None
    failed = failed_requests(side.world) if side.world is not None else {}
    played = PlayedOut(records=history, failed=failed, until_ms=side.zero_ms + horizon_ms)
    found = outcome.measure(played)
    return found.value, None if found.at_ms is None else found.at_ms - side.zero_ms


def _recorded_facts(key: Key, both: tuple[RecordedObjects, RecordedObjects]) -> Iterator[Fact]:
    left, right = (one.pods.get(key) for one in both)
    yield Fact(subject=f"pod/{key}", title=gettext_noop("STATUS at the end"), unit=WORDS, values=(_word(left), _word(right)))
    yield Fact(subject=f"pod/{key}", title=gettext_noop("phase at the end"), unit=WORDS, values=(_phase(left), _phase(right)))


def _word(pod: RecordedPod | None) -> str | None:
    return None if pod is None else pod.status_word if pod.is_present else "–"


def _phase(pod: RecordedPod | None) -> str | None:
    return None if pod is None else pod.phase


def _exit_facts(parts: tuple[list[Record], list[Record]]) -> Iterator[Fact]:
    codes = [_exit_codes(part) for part in parts]
    for subject in dict.fromkeys((*codes[0], *codes[1])):
        values = [_codes_text(one[subject]) if subject in one else None for one in codes]
        yield Fact(subject=subject, title=gettext_noop("Exit codes"), unit=WORDS, values=(values[0], values[1]))


def _exit_codes(part: Sequence[Record]) -> dict[Subject, list[str]]:
    found: defaultdict[Subject, list[str]] = defaultdict(list)
    for record in part:
        if record.machine == "container" and record.target == "exited":
            found[record.subject].append(str(record.get("exit_code")))
    return found


def _codes_text(codes: Sequence[str]) -> str:
    return ", ".join(("…", *codes[-CODES_MAX:]) if len(codes) > CODES_MAX else codes)


# ---- lanes -------------------------------------------------------------------------------------------------------------------------


def _lane_differences(
    sides: tuple[Side, Side], histories: tuple[Sequence[Record], Sequence[Record]], horizon_ms: Ms
) -> tuple[LaneDifference, ...]:
    left, right = (_lanes(history, side.zero_ms) for side, history in zip(sides, histories, strict=True))
    found = []
    for lane in dict.fromkeys((*left, *right)):
        intervals = tuple(_intervals(left.get(lane, []), right.get(lane, []), horizon_ms))
        if intervals:
            found.append(LaneDifference(*lane, intervals))
    return tuple(found)


def _lanes(history: Sequence[Record], zero_ms: Ms) -> dict[tuple[str, Subject], list[tuple[Ms, str]]]:
    """The states of each lane, each with the moment at which it begins."""
    lanes: defaultdict[tuple[str, Subject], list[tuple[Ms, str]]] = defaultdict(list)
    of_pod: defaultdict[Key, set[tuple[str, Subject]]] = defaultdict(set)
    for record in history:
        at_ms = record.at_ms - zero_ms
        if record.machine in LANES:
            lane = (record.machine, record.subject)
            of_pod["/".join(record.subject.split("/")[1:3])].add(lane)
            lanes[lane].append((at_ms, _state_text(record)))
        # A pod that is gone shows nothing, whatever its lanes showed last.
        elif record.machine == "object" and record.target == "gone":
            for lane in of_pod[record.subject.partition("/")[2]]:
                lanes[lane].append((at_ms, ""))
    return lanes


def _state_text(record: Record) -> str:
    reason = record.get("reason") if record.machine == "container_status" else ""
    return f"{record.target} {reason}" if reason else record.target


def _intervals(left: Sequence[tuple[Ms, str]], right: Sequence[tuple[Ms, str]], horizon_ms: Ms) -> Iterator[Interval]:
    """The intervals after the zero in which two lanes differ, except those too short to be seen."""
    moments = sorted({0, horizon_ms, *(at_ms for at_ms, _ in (*left, *right) if 0 < at_ms < horizon_ms)})
    pending: Interval | None = None
    for from_ms, to_ms in pairwise(moments):
        states = (_at(left, from_ms), _at(right, from_ms))
        # The lane was written again but shows the same state: the interval continues.
        if pending is not None and pending.states == states:
            pending = Interval(pending.from_ms, to_ms, states)
            continue
        if pending is not None and pending.to_ms - pending.from_ms > TOLERANCE_MS:
            yield pending
        pending = Interval(from_ms, to_ms, states) if states[0] != states[1] else None
    if pending is not None and pending.to_ms - pending.from_ms > TOLERANCE_MS:
        yield pending


def _at(lane: Sequence[tuple[Ms, str]], moment_ms: Ms) -> str:
    index = bisect_right(lane, moment_ms, key=lambda step: step[0])
    return lane[index - 1][1] if index else ""


# ---- what may be laid over each other ----------------------------------------------------------------------------------------------


class Anchor(Struct, frozen=True, kw_only=True):
    """An event that both runs have: its name in URLs, and its first record in each."""

    name: str
    label: str
    records: tuple[Record, Record]


def anchors(left: Sequence[Record], right: Sequence[Record]) -> tuple[Anchor, ...]:
    """The events at which the two can be aligned, in the order of the first run's history. O(records)."""
    firsts = (_first_of_each(left), _first_of_each(right))
    shared = [name for name in firsts[0] if name in firsts[1]]
    return tuple(
        Anchor(name=name, label=_LABELS.get(name, name.partition("-")[2]), records=(firsts[0][name], firsts[1][name])) for name in shared
    )


_LABELS = {
    "ready": gettext_noop("first Ready"),
    "deletion": gettext_noop("first deletion"),
    "exit": gettext_noop("first container exit"),
    "end": gettext_noop("first pod to end"),
    "act": gettext_noop("first action"),
}


def _first_of_each(records: Sequence[Record]) -> dict[str, Record]:
    found: dict[str, Record] = {}
    for record in records:
        name = _anchor_name(record)
        if name and name not in found:
            found[name] = record
    return found


def _anchor_name(record: Record) -> str:
    machine, target = record.machine, record.target
    if record.kind == "command":
        return "act" if target == "accepted" else ""
    if machine == "condition":
        return "ready" if target == "True" and record.subject.endswith("/Ready") else ""
    if machine == "phase":
        return "end" if target in TERMINAL_PHASES else ""
    if machine == "k8s_event":
        return f"event-{target}" if record.get("type") == "Warning" else ""
    return {("object", "terminating"): "deletion", ("container", "exited"): "exit"}.get((machine, target), "")


__all__ = ["COUNT", "SPAN", "WORDS", "MISSING", "Anchor", "Comparison", "Fact", "FirstDifference", "Half", "Side", "anchors", "compare"]
