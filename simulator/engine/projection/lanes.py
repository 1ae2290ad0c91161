"""Lanes built from records: how long each state of a pod, container, node or workload lasted, and what its probes found.

Used for pictures of a run that are drawn without a script: thumbnails of stories, preview cards. Pure folding, no world.

The browser draws lanes from the same records in its own code; where a picture must exist without a
script (thumbnails, preview cards, mails) this module is used.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from msgspec import Struct

from simulator.engine.kernel.records import Record, RecordKind
from simulator.engine.kernel.units import Ms, Seq, Subject
from simulator.engine.projection.recorded import recorded_tone
from simulator.engine.projection.tones import MACHINES, NODE_READY, WAITING_REASONS

STATUS, CONTAINER, PROBE, NODE, WORKLOAD = "status", "container", "probe", "node", "workload"
"""The kinds of lanes."""
_ABSENT = "absent"
_CROWD = 2
"""With more pods than this they are shown by their STATUS alone."""


class LaneSpan(Struct, frozen=True, gc=False):
    """A state from ``begin_ms`` to ``end_ms``; ``tone`` names a design token, ``word`` is what Kubernetes calls the state."""

    begin_ms: Ms
    end_ms: Ms
    tone: str
    word: str


class LaneMark(Struct, frozen=True, gc=False):
    """A probe attempt; ``result`` is a word of ``tones.PROBE_RESULTS``."""

    at_ms: Ms
    result: str


class DrawnLane(Struct, frozen=True):
    """One lane. ``owner`` is the subject of the pod it belongs to; its own for nodes and workloads."""

    kind: str
    subject: Subject
    owner: Subject
    name: str
    spans: tuple[LaneSpan, ...] = ()
    marks: tuple[LaneMark, ...] = ()

    @property
    def is_troubled(self) -> bool:
        """Whether anything in it went wrong."""
        return any(span.tone not in _WELL for span in self.spans) or any(mark.result in _BAD_RESULTS for mark in self.marks)


_WELL = (_ABSENT, "ready", "succeeded", "starting", "waiting")
_BAD_RESULTS = ("failure", "timeout", "error")


@dataclass
class _Drawn:
    """A lane while records are read: its last span is open."""

    kind: str
    subject: Subject
    owner: Subject
    name: str
    spans: list[tuple[Ms, str, str, object]] = field(default_factory=list)
    marks: list[LaneMark] = field(default_factory=list)

    def open(self, at_ms: Ms, tone: str, word: str, instance: object = None) -> None:
        """Begin the next span, unless it would only repeat the open one."""
        # The instance counts: Running after Running is a restart, and gets a span of its own.
        if not self.spans or self.spans[-1][1:] != (tone, word, instance):
            self.spans.append((at_ms, tone, word, instance))

    def lane(self, until_ms: Ms) -> DrawnLane:
        """The lane at ``until_ms``; states of no duration are left out."""
        ends = [*(begin for begin, *_ in self.spans), until_ms][1:]
        spans = (LaneSpan(begin, end, tone, word) for (begin, tone, word, _), end in zip(self.spans, ends, strict=False))
        shown = tuple(span for span in spans if span.end_ms > span.begin_ms and span.tone != _ABSENT)
        return DrawnLane(self.kind, self.subject, self.owner, self.name, shown, tuple(self.marks))


class LaneFold:
    """Lanes of a run in progress: it receives records in order, from the first, and draws what they show so far."""

    def __init__(self) -> None:
        self.seq: Seq = 0
        """The last record that it received."""
        self._drawn: dict[tuple[str, Subject], _Drawn] = {}

    def add(self, records: Iterable[Record]) -> None:
        """Add the next records. About 1 µs each."""
        for record in records:
            _draw(self._drawn, record)
            self.seq = record.seq

    def lanes(self, *, until_ms: Ms) -> tuple[DrawnLane, ...]:
        """Every lane that is not empty at ``until_ms`` (which must not precede any record), in the order of their first records."""
        lanes = (one.lane(until_ms) for one in self._drawn.values())
        return tuple(lane for lane in lanes if lane.spans or lane.marks)


def lanes_of(records: Iterable[Record], *, until_ms: Ms) -> tuple[DrawnLane, ...]:
    """The lanes of records from the first one on, up to ``until_ms``. O(records), about 1 µs each."""
    fold = LaneFold()
    fold.add(takewhile(lambda record: record.at_ms <= until_ms, records))
    return fold.lanes(until_ms=until_ms)


def chosen(lanes: Sequence[DrawnLane], *, limit: int, about: Subject = "") -> tuple[DrawnLane, ...]:
    """At most ``limit`` lanes that show most of what happened, in order: those with problems first if not all have room.

    One or two pods are shown with containers and probes, more of them by STATUS, with workloads. Nodes only if one had problems.
    ``about`` is the current selection: if it is a pod or a part of one, only that pod's lanes are shown.
    """
    pod = pod_of(about)
    lanes = [lane for lane in lanes if lane.owner == pod] or lanes
    pods = {lane.owner for lane in lanes if lane.kind == STATUS}
    is_crowd = len(pods) > _CROWD
    worthwhile = [lane for lane in lanes if _is_worth_showing(lane, is_crowd=is_crowd)]
    order = {lane.subject + lane.kind: n for n, lane in enumerate(_grouped(worthwhile))}
    # Chosen by weight, shown in the usual order.
    best = sorted(worthwhile, key=lambda lane: (not lane.is_troubled, lane.kind == PROBE, -_weight(lane), order[lane.subject + lane.kind]))
    return tuple(sorted(best[:limit], key=lambda lane: order[lane.subject + lane.kind]))


def active_ms(lanes: Iterable[DrawnLane], *, until_ms: Ms) -> Ms:
    """Up to where lanes are worth showing: the last change and a little of what follows, at most ``until_ms``."""
    begins = (span.begin_ms for lane in lanes for span in lane.spans)
    ends = (span.end_ms for lane in lanes for span in lane.spans if span.end_ms < until_ms)
    last = max((*begins, *ends, *(mark.at_ms for lane in lanes for mark in lane.marks)), default=until_ms)
    return min(until_ms, last + last // 8 + 1000)


def _is_worth_showing(lane: DrawnLane, *, is_crowd: bool) -> bool:
    if lane.kind == NODE:
        return lane.is_troubled
    if lane.kind == PROBE:
        return not is_crowd and any(mark.result != "suppressed" for mark in lane.marks)
    return lane.kind != CONTAINER if is_crowd else True


def _weight(lane: DrawnLane) -> int:
    # Capped, so that a probe that fails all day does not push everything else out.
    return min(len(lane.spans) + sum(mark.result in _BAD_RESULTS for mark in lane.marks), 99)


def _grouped(lanes: Sequence[DrawnLane]) -> Iterator[DrawnLane]:
    """Nodes, then workloads, then each pod with its own."""
    for kind in (NODE, WORKLOAD):
        yield from (lane for lane in lanes if lane.kind == kind)
    for owner in dict.fromkeys(lane.owner for lane in lanes if lane.kind not in (NODE, WORKLOAD)):
        rank = {STATUS: 0, CONTAINER: 1, PROBE: 2}
        yield from sorted((lane for lane in lanes if lane.owner == owner and lane.kind in rank), key=lambda lane: rank[lane.kind])


def _draw(drawn: dict[tuple[str, Subject], _Drawn], record: Record) -> None:
    machine, subject, at_ms = record.machine, record.subject, record.at_ms
    if record.kind == RecordKind.ATTEMPT and subject.startswith("probe/"):
        _lane(drawn, PROBE, subject).marks.append(LaneMark(at_ms, record.target))
    elif machine == "status_word":
        _lane(drawn, STATUS, subject).open(at_ms, recorded_tone(record), record.target)
    elif machine == "container_status":
        word = "Running" if record.target == "running" else str(record.get("reason") or record.target.capitalize())
        _lane(drawn, CONTAINER, subject).open(at_ms, container_tone(record), word, record.get("instance"))
    elif machine == "object" and record.target == "gone":
        for lane in drawn.values():
            if lane.owner == subject and lane.kind == CONTAINER:
                lane.open(at_ms, _ABSENT, "")
    elif machine == "node_condition" and record.get("condition") == "Ready":
        word = {"True": "Ready", "False": "NotReady"}.get(record.target, "Unknown")
        _lane(drawn, NODE, subject).open(at_ms, NODE_READY.get(record.target, "unknown"), word)
    elif machine == "workload":
        wanted, there = record.get("wanted"), record.get("there")
        word = str(there) if wanted is None else f"{there}/{wanted}"
        _lane(drawn, WORKLOAD, subject).open(at_ms, MACHINES["workload"].get(record.target, "unknown"), word)


def container_tone(record: Record) -> str:
    """The design token for a record of ``container_status``."""
    if record.target == "running":
        return "ready" if record.get("ready") else "notready"
    if record.target == "terminated":
        return "succeeded" if record.get("exit_code") == 0 and record.get("reason") != "OOMKilled" else "failed"
    if record.target == "waiting":
        return WAITING_REASONS.get(str(record.get("reason") or ""), "failed")
    return "unknown" if record.target == "unknown" else _ABSENT


def pod_of(subject: Subject) -> Subject:
    """The subject of the pod that ``subject`` is or belongs to; empty for anything else."""
    words = subject.split("/")
    return f"pod/{words[1]}/{words[2]}" if words[0] in ("pod", "container", "probe", "condition") and len(words) > 2 else ""


def _lane(drawn: dict[tuple[str, Subject], _Drawn], kind: str, subject: Subject) -> _Drawn:
    found = drawn.get((kind, subject))
    if found is None:
        words = subject.split("/")
        owner = (pod_of(subject) if kind in (CONTAINER, PROBE) else "") or subject
        found = drawn[(kind, subject)] = _Drawn(kind, subject, owner, words[-1])
    return found
