"""The tiles of a class wall: what each pupil's run looks like and how far they have come. No query here grows with the pupils."""

from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from threading import Lock
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from msgspec import Struct

from simulator.engine.kernel.typed import Typed
from simulator.engine.kernel.units import Ms
from simulator.engine.projection.lanes import active_ms, chosen, lanes_of
from simulator.levels.level import Level
from simulator.models import ClassMember, LevelAttempt, Run
from simulator.runs.log import storage
from simulator.runs.log.content import Unreadable, decode
from simulator.runs.selectors.class_wall import TriedLevel, is_here
from simulator.web.base.common import Moment
from simulator.web.base.levels import level_text
from simulator.web.pictures.thumbnail import ROWS_MAX, drawn, told_lanes

RECORDS_MAX = 4000
"""Records of a run that its picture on the wall is drawn from."""
DRAWN_RECORDS_MAX = 12_000
"""Records that pictures are drawn from for one answer, a tenth of a second's worth; the others stand as they were until their turn."""
KEPT_MAX = 1000


class ToldCheck(Struct, frozen=True):
    """Of what a pupil's page was told of a check: its id, verdict, subject and reason."""

    id: str
    verdict: str = "open"
    subject: str = ""
    reason: str = ""


class ToldAttempt(Struct, frozen=True):
    """Of what a pupil's page was told of an attempt: its checks."""

    checks: tuple[ToldCheck, ...] = ()


TOLD: Typed[ToldAttempt] = Typed(ToldAttempt)


@dataclass(frozen=True)
class TilePicture:
    """The lanes of a run in small, as of record ``seq``: the inside of an SVG, and what it shows in words."""

    seq: int
    markup: str
    told: str


@dataclass(frozen=True)
class TileCheck:
    """A check of a level: its words and verdict."""

    text: str
    verdict: str

    @property
    def sign(self) -> str:
        """The glyph beside its colour."""
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
    """The tiles, those with most failed attempts first, then by name. One query."""
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
    """The pupil's run, at the failing instant of the newest attempt where it failed."""
    if run is None:
        return ""
    shown_id, moment = shown_of(run, mine)
    return reverse("sim:run", args=[shown_id]) + moment.query()


def shown_of(run: Run, mine: TriedLevel | None) -> tuple[UUID, Moment]:
    """The run to look at and the moment: that of the newest attempt and its failing instant, or the pupil's run as it is now."""
    if mine is None or mine.newest.passed or mine.newest.at_ms is None:
        return run.id, Moment()
    subject = next((check.subject for check in checks_told(mine.newest) if check.id == mine.newest.failed), "")
    # A check plays ahead of the run, which may not have come to the instant yet.
    return mine.newest.run_id, Moment(t_ms=min(mine.newest.at_ms, mine.newest.run.head_ms), sel=subject)


def checks_told(attempt: LevelAttempt) -> tuple[ToldCheck, ...]:
    """What the pupil's page was told of each check; empty where this release cannot read it."""
    try:
        return decode(attempt.results_body, TOLD).checks
    except Unreadable:
        return ()


def _checks(level: Level, attempt: LevelAttempt) -> list[TileCheck]:
    verdicts = {check.id: check.verdict for check in checks_told(attempt)}
    return [TileCheck(level_text(level, check.text) or check.id, verdicts.get(check.id, "open")) for check in level.checks]


def _unchecked(level: Level | None) -> list[TileCheck]:
    return [TileCheck(level_text(level, check.text) or check.id, "open") for check in level.checks] if level else []


_pictures: OrderedDict[UUID, TilePicture] = OrderedDict()
_lock = Lock()


def pictures_of(runs: Sequence[Run]) -> dict[UUID, TilePicture]:
    """The pictures of runs; of those that have gone on the ones that were drawn longest ago are drawn anew. At most one query."""
    with _lock:
        known = {run.id: _pictures[run.id] for run in runs if run.id in _pictures}
        places = {run_id: n for n, run_id in enumerate(_pictures)}
    old = [run for run in runs if run.head_seq and (run.id not in known or known[run.id].seq != run.head_seq)]
    old.sort(key=lambda run: places.get(run.id, -1))
    fresh = _redrawn(_first_of(old))
    with _lock:
        for run_id, picture in fresh.items():
            _pictures[run_id] = picture
            _pictures.move_to_end(run_id)
        while len(_pictures) > KEPT_MAX:
            _pictures.popitem(last=False)
    return {**known, **fresh}


def _first_of(runs: Sequence[Run]) -> list[Run]:
    """As many of them, in their order, as may be drawn for one answer; at least one."""
    sizes = accumulate(min(run.head_seq, RECORDS_MAX) for run in runs)
    return [run for n, (run, size) in enumerate(zip(runs, sizes, strict=True)) if not n or size <= DRAWN_RECORDS_MAX]


def _redrawn(runs: Sequence[Run]) -> dict[UUID, TilePicture]:
    if not runs:
        return {}
    records = storage.read_beginnings([run.id for run in runs], most=RECORDS_MAX)
    found = {}
    for run in runs:
        lanes = chosen(lanes_of(records.get(run.id, []), until_ms=run.head_ms), limit=ROWS_MAX)
        end_ms = active_ms(lanes, until_ms=run.head_ms)
        found[run.id] = TilePicture(run.head_seq, "".join(drawn(lanes, end_ms)), told_lanes(lanes))
    return found


@dataclass(frozen=True)
class HistogramRow:
    """How many pupils of the class stand at one place, and how much of the whole class that is in percent."""

    text: str
    count: int
    percent: int
    kind: str = ""

    @property
    def is_right(self) -> bool:
        """Whether it is the answer that the teacher has marked."""
        return self.kind == "right"


def bars(texts: Sequence[tuple[str, int, str]]) -> list[HistogramRow]:
    """Rows of a histogram from words, count and kind."""
    whole = max(1, sum(count for _text, count, _kind in texts))
    return [HistogramRow(text, count, round(100 * count / whole), kind) for text, count, kind in texts]


def common_level(sent: str, members: Sequence[ClassMember]) -> str:
    """The key of the level that the histogram is of: the one that the class was sent to, else the one that most pupils are at."""
    at = Counter(member.run.level for member in members if member.run is not None and member.run.level)
    return sent or next((level for level, _n in at.most_common(1)), "")
