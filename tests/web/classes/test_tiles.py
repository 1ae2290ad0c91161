"""What a tile of the wall says of a pupil, and the histograms below: without a site."""

from collections import OrderedDict
from types import SimpleNamespace
from typing import ClassVar
from uuid import UUID

import pytest

from simulator.engine.projection.lanes import LaneFold
from simulator.runs.selectors.class_wall import TriedLevel
from simulator.runs.services.errors import Refused
from simulator.web.base.common import Moment
from simulator.web.classes import tiles, wall
from simulator.web.classes.tiles import HistogramRow, Tile, TileCheck, bars, common_level, shown_of
from tests.factories import make_record


def tile(*verdicts, tried=None):
    checks = [TileCheck("x", verdict) for verdict in verdicts]
    return Tile(member=None, is_here=True, picture=None, level="", checks=checks, tried=tried, failing="", failing_ms=None, url="")


@pytest.mark.parametrize(("verdicts", "kept"), [((), 0), (("kept", "broken", "kept", "open"), 2), (("lost",), 0)])
def test_tile_counts_the_checks_that_hold(verdicts, kept):
    assert tile(*verdicts).kept == kept


@pytest.mark.parametrize(("verdict", "sign"), [("kept", "✓"), ("broken", "✕"), ("lost", "✕"), ("vacuous", "–"), ("open", "○"), ("x", "○")])
def test_verdict_has_a_sign(verdict, sign):
    assert TileCheck("x", verdict).sign == sign


@pytest.mark.parametrize(
    ("tried", "failed", "passed"), [(None, 0, False), (TriedLevel(3, 3, "a", None), 3, False), (TriedLevel(3, 2, "a", "b"), 2, True)]
)
def test_tile_counts_attempts(tried, failed, passed):
    assert (tile(tried=tried).failed, tile(tried=tried).passed) == (failed, passed)


def runs(*heads):
    return [SimpleNamespace(id=UUID(int=n), head_seq=head) for n, head in enumerate(heads, 1)]


@pytest.mark.parametrize(
    ("heads", "read", "count"),
    [
        ([], {}, 0),
        ([9000], {}, 1),
        ([3000, 3000], {}, 2),
        ([3000, 3001], {}, 1),
        ([4000, 2000], {}, 2),
        ([4000, 2001], {}, 1),
        ([9000, 2000], {}, 2),
        ([9000, 3000], {1: 3000}, 2),
        ([500, 9000], {1: 900}, 2),
        ([10] * 30, {}, tiles.DRAWN_MAX),
    ],
)
def test_so_many_runs_are_drawn_at_once_and_one_in_any_case(heads, read, count):
    due = runs(*heads)
    assert tiles._first_of(due, {run.id: read.get(run.id.int, 0) for run in due}) == due[:count]


def test_drawing_goes_on_from_the_records_that_are_new(monkeypatch):
    class Fold(LaneFold):
        added: ClassVar[list[int]] = []

        def add(self, records):
            self.added.extend(record.seq for record in records)

    monkeypatch.setattr(tiles, "_drawings", OrderedDict())
    run = SimpleNamespace(id=UUID(int=1), head_seq=5, head_ms=9_000)
    drawing = tiles._drawings[run.id] = tiles._Drawing(Fold())
    drawing.fold.seq = 3
    tiles._go_on(run, [make_record(seq) for seq in range(2, 8)])
    assert (drawing.fold.added, drawing.picture.seq) == ([4, 5], 5)
    picture = drawing.picture
    tiles._go_on(run, [make_record(6)])
    assert drawing.picture is picture


def test_bars_are_parts_of_the_whole():
    assert bars([("a", 1, ""), ("b", 3, "right"), ("c", 0, "")]) == [
        HistogramRow("a", 1, 25), HistogramRow("b", 3, 75, "right"), HistogramRow("c", 0, 0),
    ]  # fmt: skip
    assert [row.is_right for row in bars([("a", 0, "right"), ("b", 0, "open")])] == [True, False]


def member(level):
    return SimpleNamespace(owner_hash=str(level), run=None if level is None else SimpleNamespace(level=level))


@pytest.mark.parametrize(
    ("sent", "levels", "common"),
    [("a", ["b", "b"], "a"), ("", ["b", "c", "c", "", None], "c"), ("", ["", None, ""], ""), ("", [], ""), ("a", [], "a")],
)
def test_histogram_is_about_the_level_of_the_class_or_of_most(sent, levels, common):
    assert common_level(sent, [member(level) for level in levels]) == common


def attempt(at_ms=5000, passed=False, failed="gone", head_ms=9000, checks=()):
    return SimpleNamespace(run_id="attempt", run=SimpleNamespace(head_ms=head_ms), at_ms=at_ms, passed=passed, failed=failed, checks=checks)


@pytest.mark.parametrize(
    ("newest", "shown"),
    [
        (None, ("own", Moment())),
        (attempt(passed=True), ("own", Moment())),
        (attempt(at_ms=None), ("own", Moment())),
        (attempt(), ("attempt", Moment(t_ms=5000))),
        (attempt(head_ms=4000), ("attempt", Moment(t_ms=4000))),
        (attempt(checks=[("other", "pod/x"), ("gone", "pod/y")]), ("attempt", Moment(t_ms=5000, sel="pod/y"))),
    ],
)
def test_pupil_is_looked_at_where_the_newest_attempt_fails(monkeypatch, newest, shown):
    monkeypatch.setattr(
        tiles, "checks_told", lambda attempt: [SimpleNamespace(id=name, subject=subject) for name, subject in attempt.checks]
    )
    assert shown_of(SimpleNamespace(id="own"), newest and TriedLevel(1, 1, newest, None)) == shown


LEVEL = SimpleNamespace(slug="", checks=[SimpleNamespace(id="a", text="First"), SimpleNamespace(id="b", text="")])


def tried(failed, passed=None):
    return TriedLevel(1, 1, SimpleNamespace(failed=failed), passed)


@pytest.mark.parametrize(
    ("found", "counts"),
    [
        ({}, {"First": 0, "b": 0, "Passed": 0, "Not checked yet": 3}),
        ({"1": tried("a"), "2": tried("b"), "3": tried("a")}, {"First": 2, "b": 1, "Passed": 0, "Not checked yet": 0}),
        ({"1": tried("a", "won")}, {"First": 0, "b": 0, "Passed": 1, "Not checked yet": 2}),
        ({"1": tried("")}, {"First": 0, "b": 0, "An action that does not count": 1, "Passed": 0, "Not checked yet": 2}),
    ],
)
def test_histogram_says_which_check_the_newest_attempts_failed_first(found, counts):
    members = [SimpleNamespace(owner_hash=name) for name in "123"]
    rows = wall._failures(LEVEL, "key", members, {(name, "key"): each for name, each in found.items()})
    assert {row.text: row.count for row in rows} == counts


@pytest.mark.parametrize(
    ("named", "key"),
    [
        ("slug", "slug"),
        ("~abc", "~abc"),
        ("https://pods.example/l/abc/", "~abc"),
        ("/l/abc?x=1", "~abc"),
        ("/levels/who-goes-first/#a", "who-goes-first"),
        ("x" * 60, "x" * 60),
    ],
)
def test_level_is_named_by_its_slug_its_key_or_a_link(monkeypatch, named, key):
    monkeypatch.setattr(wall, "level_of_key", lambda key: key)
    assert wall.level_key(named) == key


@pytest.mark.parametrize(("named", "known"), [("x" * 61, True), ("a\x00", True), ("slug", False)])
def test_level_that_there_is_not_is_refused(monkeypatch, named, known):
    monkeypatch.setattr(wall, "level_of_key", lambda key: key if known else None)
    with pytest.raises(Refused):
        wall.level_key(named)
