"""The tiles of a class wall: each pupil's run as a picture, and their progress. The number of queries does not depend on that of pupils."""

from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from threading import Lock
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from msgspec import Struct

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.typed import Typed
from simulator.engine.kernel.units import Ms, Seq
from simulator.engine.projection.lanes import LaneFold, active_ms, chosen
from simulator.levels.level import Level
from simulator.models import ClassMember, LevelAttempt, Run
from simulator.runs.log import storage
from simulator.runs.log.content import Unreadable, decode
from simulator.runs.selectors.class_wall import TriedLevel, is_here
from simulator.web.base.common import Moment
from simulator.web.base.levels import level_text
from simulator.web.pictures.thumbnail import ROWS_MAX, drawn, told_lanes

RECORDS_MAX = 4000
"""The most records of a run from which its picture on the wall is drawn."""
NEW_RECORDS_MAX = 6_000
"""New records read per response, about 50 ms of work; other pictures stay as they were until their turn."""
DRAWN_MAX = 25
"""Pictures drawn per response, a millisecond each. With two responses a second, those of a class of 50 are at most a second old."""
KEPT_MAX = 1000


class ToldCheck(Struct, frozen=True):
    """A check as stored with an attempt: id, verdict and subject."""

    id: str
    verdict: str = "open"
    subject: str = ""


class ToldAttempt(Struct, frozen=True):
    """The stored results of an attempt: its checks."""

    checks: tuple[ToldCheck, ...] = ()


TOLD: Typed[ToldAttempt] = Typed(ToldAttempt)


@dataclass(frozen=True)
class TilePicture:
    """A small picture of a run's lanes, as of record ``seq``: the content of an SVG, and a description."""

    seq: int
    markup: str
    told: str


@dataclass(frozen=True)
class TileCheck:
    """A check of a level: its text and verdict."""

    text: str
    verdict: str

    @property
    def sign(self) -> str:
        """The glyph shown with its colour."""
        return {"kept": "✓", "broken": "✕", "lost": "✕", "vacuous": "–"}.get(self.verdict, "○")


@dataclass(frozen=True)
class Tile:
    """A pupil on the wall."""

    member: ClassMember
    is_here: bool
    picture: TilePicture | None
    level: str
    checks: Sequence[TileCheck]
    tried: TriedLevel | None
    failing: str
    failing_ms: Ms | None
    url: str

    @property
    def shown(self) -> tuple[object, ...]:
        """Everything that its markup depends on."""
        member = self.member
        checks = tuple((check.text, check.verdict) for check in self.checks)
        attempts = (self.failed, self.passed, self.tried is None)
        who = (member.id, member.name, member.hand_at is None, self.is_here, self.url)
        return (*who, self.picture, self.level, checks, *attempts, self.failing, self.failing_ms)

    @property
    def kept(self) -> int:
        """How many checks hold."""
        return sum(check.verdict == "kept" for check in self.checks)

    @property
    def failed(self) -> int:
        """How many attempts have failed."""
        return self.tried.failed if self.tried else 0

    @property
    def passed(self) -> bool:
        """Whether an attempt has passed."""
        return bool(self.tried and self.tried.passed)


def tiles_of(members: Sequence[ClassMember], tried: Mapping[tuple[str, str], TriedLevel], levels: Mapping[str, Level]) -> list[Tile]:
    """The tiles, those with the most failed attempts first, then by name. One query."""
    pictures = pictures_of([member.run for member in members if member.run is not None])
    now = timezone.now()
    tiles = [_tile(member, tried, levels, pictures, is_here(member, now)) for member in members]
    return sorted(tiles, key=lambda tile: (-tile.failed, tile.member.name.casefold(), tile.member.id))


def _tile(
    member: ClassMember,
    tried: Mapping[tuple[str, str], TriedLevel],
    levels: Mapping[str, Level],
    pictures: Mapping[UUID, TilePicture],
    here: bool,
) -> Tile:
    run = member.run
    level = levels.get(run.level) if run is not None else None
    mine = tried.get((member.owner_hash, run.level)) if run is not None and level is not None else None
    checks = _checks(level, mine.newest) if level is not None and mine is not None else _unchecked(level)
    failing = next((check for check in level.checks if check.id == mine.newest.failed), None) if level and mine else None
    return Tile(
        member=member,
        is_here=here,
        picture=pictures.get(run.id) if run is not None else None,
        level=level_text(level, level.title) if level else "",
        checks=checks,
        tried=mine,
        failing=level_text(level, failing.text) or failing.id if level and failing else "",
        failing_ms=mine.newest.at_ms if mine else None,
        url=_look_url(run, mine),
    )


def _look_url(run: Run | None, mine: TriedLevel | None) -> str:
    """The URL of the pupil's run, at the failing instant if the newest attempt failed."""
    if run is None:
        return ""
    shown_id, moment = shown_of(run, mine)
    return reverse("sim:run", args=[shown_id]) + moment.query()


def shown_of(run: Run, mine: TriedLevel | None) -> tuple[UUID, Moment]:
    """The run and moment to look at: those of the newest attempt and its failing instant, or the pupil's run as it is now."""
    if mine is None or mine.newest.passed or mine.newest.at_ms is None:
        return run.id, Moment()
    subject = next((check.subject for check in checks_told(mine.newest) if check.id == mine.newest.failed), "")
    # A check plays ahead of the run, which may not have reached that instant yet.
    return mine.newest.run_id, Moment(t_ms=min(mine.newest.at_ms, mine.newest.run.head_ms), sel=subject)


def checks_told(attempt: LevelAttempt) -> tuple[ToldCheck, ...]:
    """The stored checks of an attempt; empty if this release cannot read them."""
    try:
        return decode(attempt.results_body, TOLD).checks
    except Unreadable:
        return ()


def _checks(level: Level, attempt: LevelAttempt) -> list[TileCheck]:
    verdicts = {check.id: check.verdict for check in checks_told(attempt)}
    return [TileCheck(level_text(level, check.text) or check.id, verdicts.get(check.id, "open")) for check in level.checks]


def _unchecked(level: Level | None) -> list[TileCheck]:
    return [TileCheck(level_text(level, check.text) or check.id, "open") for check in level.checks] if level else []


@dataclass
class _Drawing:
    """The picture of a run, and the state from which it is continued, so that only new records are read."""

    fold: LaneFold
    picture: TilePicture | None = None


_drawings: OrderedDict[UUID, _Drawing] = OrderedDict()
_lock = Lock()


def pictures_of(runs: Sequence[Run]) -> dict[UUID, TilePicture]:
    """The pictures of runs; of those that have advanced, the ones drawn longest ago are redrawn first. At most one query."""
    with _lock:
        places = {run_id: n for n, run_id in enumerate(_drawings)}
        told = {run_id: _drawn_seqs(_drawings.get(run_id)) for run_id in (run.id for run in runs)}
    old = sorted((run for run in runs if run.head_seq > told[run.id][0]), key=lambda run: places.get(run.id, -1))
    due = _first_of(old, {run_id: seq for run_id, (_drawn, seq) in told.items()})
    records = storage.read_onward({run.id: told[run.id][1] for run in due}, most=RECORDS_MAX) if due else {}
    with _lock:
        for run in due:
            _go_on(run, records[run.id])
        while len(_drawings) > KEPT_MAX:
            _drawings.popitem(last=False)
        found = {run.id: drawing.picture for run in runs if (drawing := _drawings.get(run.id)) is not None}
    return {run_id: picture for run_id, picture in found.items() if picture is not None}


def _drawn_seqs(drawing: _Drawing | None) -> tuple[Seq, Seq]:
    """The record up to which a run was drawn, and the last one that was read for it."""
    return (0, 0) if drawing is None or drawing.picture is None else (drawing.picture.seq, drawing.fold.seq)


def _first_of(runs: Sequence[Run], read: Mapping[UUID, Seq]) -> list[Run]:
    """As many of the first runs as may be drawn for one response; at least one."""
    sizes = accumulate(max(0, min(run.head_seq, RECORDS_MAX) - read[run.id]) for run in runs)
    return [run for n, (run, size) in enumerate(zip(runs, sizes, strict=True)) if not n or (n < DRAWN_MAX and size <= NEW_RECORDS_MAX)]


def _go_on(run: Run, records: Sequence[Record]) -> None:
    """Draw a run up to its head from new records. Call it under the lock: another wall may have continued the drawing meanwhile."""
    drawing = _drawings.setdefault(run.id, _Drawing(LaneFold()))
    if drawing.picture is not None and drawing.picture.seq >= run.head_seq:
        return
    drawing.fold.add(record for record in records if drawing.fold.seq < record.seq <= run.head_seq)
    lanes = chosen(drawing.fold.lanes(until_ms=run.head_ms), limit=ROWS_MAX)
    end_ms = active_ms(lanes, until_ms=run.head_ms)
    drawing.picture = TilePicture(run.head_seq, "".join(drawn(lanes, end_ms)), told_lanes(lanes))
    _drawings.move_to_end(run.id)


@dataclass(frozen=True)
class HistogramRow:
    """One row of a histogram: how many pupils, and what percentage of the whole."""

    text: str
    count: int
    percent: int
    kind: str = ""

    @property
    def is_right(self) -> bool:
        """Whether it is the answer that the teacher marked as right."""
        return self.kind == "right"


def bars(texts: Sequence[tuple[str, int, str]]) -> list[HistogramRow]:
    """The rows of a histogram from text, count and kind."""
    whole = max(1, sum(count for _text, count, _kind in texts))
    return [HistogramRow(text, count, round(100 * count / whole), kind) for text, count, kind in texts]


def common_level(sent: str, members: Sequence[ClassMember]) -> str:
    """The key of the level for the histogram: the one that the class was sent to, otherwise the one that most pupils are at."""
    at = Counter(member.run.level for member in members if member.run is not None and member.run.level)
    return sent or next((level for level, _n in at.most_common(1)), "")
