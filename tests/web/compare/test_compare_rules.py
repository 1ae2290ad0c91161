"""The small decisions of the comparison page: names, alignments, and what is left out."""

from types import SimpleNamespace
from uuid import UUID

import pytest

from simulator.engine.kernel.records import Record
from simulator.web.base.stories import builtin_stories
from simulator.web.compare import compare, lens
from simulator.web.compare.compare import Pair, run_of_link, side_names
from tests.factories import make_content


def run(parent_ms=None, kubernetes="1.33", n=1, parent_id=None):
    header = SimpleNamespace(kubernetes=kubernetes)
    return SimpleNamespace(id=UUID(int=n), parent_ms=parent_ms, parent_id=parent_id, header=lambda: header)


def record(seq, at_ms):
    return Record(seq, at_ms, "transition", "pod/default/a", "phase", "", "", "Running", 0, "R", ())


@pytest.mark.parametrize(("seq", "found"), [(0, None), (1, 1), (3, 3), (4, None), (-1, None)])
def test_record_is_found_by_its_number(seq, found):
    got = Pair._record([record(n, 0) for n in (1, 2, 3)], seq)
    assert (got and got.seq) == found


@pytest.mark.parametrize(
    ("runs", "marks"),
    [
        ((run(5000), run(9000)), ["from 0:05", "from 0:09"]),
        ((run(5000), run(5000, "1.34")), ["Kubernetes 1.33", "Kubernetes 1.34"]),
        ((run(None), run(5000)), ["Kubernetes 1.33", "Kubernetes 1.33"]),
        ((run(5000), run(None)), ["Kubernetes 1.33", "Kubernetes 1.33"]),
    ],
)
def test_runs_of_one_name_are_told_apart_by_where_they_branch_or_by_their_version(monkeypatch, runs, marks):
    monkeypatch.setattr(compare, "attempt_names", lambda runs: [])
    monkeypatch.setattr(compare, "side_name", lambda run: "shop")
    found = [name.removeprefix("shop · ") for name in side_names(runs)]
    assert [name[: len(mark)] for name, mark in zip(found, marks, strict=True)] == marks


def test_runs_of_other_names_have_just_these(monkeypatch):
    monkeypatch.setattr(compare, "attempt_names", lambda runs: [])
    monkeypatch.setattr(compare, "side_name", lambda run: str(run.parent_ms))
    assert side_names((run(5000), run(9000))) == ["5000", "9000"]


def test_attempts_at_a_level_are_called_so(monkeypatch):
    monkeypatch.setattr(compare, "attempt_names", lambda runs: ["first", "second"])
    assert side_names((run(), run())) == ["first", "second"]


def paired(*runs, align=compare.BRANCH, seqs=(0, 0), records=((), ())):
    pair = Pair(runs, align, seqs)
    pair.__dict__["records"] = records
    return pair


RECORDS = ([record(1, 0), record(2, 5000), record(3, 6000)], [record(1, 0), record(2, 9000)])
BEGIN = ((0, 1), (0, 1))


@pytest.mark.parametrize(
    ("points", "zeros"),
    [((5000, 8999), ((5000, 3), (8999, 2))), ((4999, 9000), ((4999, 2), (9000, 1))), ((None, 9000), BEGIN), ((None, None), BEGIN)],
)
def test_runs_are_aligned_where_they_branch_if_both_do(points, zeros):
    pair = paired(*map(run, points), records=RECORDS)
    assert (pair.zeros, pair.is_aligned) == (zeros, zeros != BEGIN)


@pytest.mark.parametrize(("seqs", "zeros"), [((2, 1), ((5000, 2), (0, 1))), ((2, 3), BEGIN), ((4, 1), BEGIN)])
def test_runs_are_aligned_at_two_records_if_both_exist(seqs, zeros):
    assert paired(run(), run(), align=compare.CHOSEN, seqs=seqs, records=RECORDS).zeros == zeros


@pytest.mark.parametrize(
    ("left", "right", "is_one"),
    [
        (run(n=1), run(n=2), False),
        (run(n=1), run(n=2, parent_id=UUID(int=1)), True),
        (run(n=1, parent_id=UUID(int=2)), run(n=2), True),
        (run(n=1, parent_id=UUID(int=3)), run(n=2, parent_id=UUID(int=3)), True),
        (run(n=1, parent_id=UUID(int=3)), run(n=2, parent_id=UUID(int=4)), False),
    ],
)
def test_runs_of_one_tree_share_a_past(left, right, is_one):
    assert compare._shares_past(paired(left, right)) is is_one


def lanes(*intervals):
    spans = [[SimpleNamespace(from_ms=start, to_ms=end) for start, end in lane] for lane in intervals]
    return SimpleNamespace(lanes=[SimpleNamespace(intervals=lane) for lane in spans])


@pytest.mark.parametrize(
    ("intervals", "stretches"),
    [
        ([], []),
        ([[(0, 5)], [(3, 9)]], [[0, 3, 1], [3, 5, 2], [5, 9, 1]]),
        ([[(0, 5), (7, 9)]], [[0, 5, 1], [7, 9, 1]]),
        ([[(0, 5)], [(5, 9)]], [[0, 5, 1], [5, 9, 1]]),
    ],
)
def test_stretches_count_the_lanes_that_differ(intervals, stretches):
    assert compare._stretches(lanes(*intervals)) == stretches


@pytest.mark.parametrize(("most", "shown", "hidden"), [(5, [2, 2], 0), (4, [2, 2], 0), (3, [2, 1], 1), (2, [2], 2), (1, [1], 3)])
def test_so_many_intervals_of_all_lanes_are_listed(monkeypatch, most, shown, hidden):
    monkeypatch.setattr(compare, "INTERVALS_MAX", most)
    monkeypatch.setattr(compare, "_interval", lambda machine, item: item)
    lane = SimpleNamespace(machine="phase", subject="pod/default/a", intervals=[1, 2])
    found = compare._lane_rows(SimpleNamespace(lanes=[lane, lane]))
    assert ([len(each["intervals"]) for each in found["shown"]], found["hidden"]) == (shown, hidden)


@pytest.mark.parametrize("link", ["", "shop", "/s/abc/", "https://pods.example/r/330375d2/"])
def test_text_that_is_no_link_names_no_run(link):
    assert run_of_link(link) is None


@pytest.mark.parametrize(("is_builtin", "has_acts"), [(True, True), (False, False)])
def test_only_a_built_in_scenario_is_played_with_the_acts_of_its_story(is_builtin, has_acts):
    slug = next(slug for slug, story in builtin_stories().items() if story.answer_steps())
    row = SimpleNamespace(slug=slug, is_builtin=is_builtin, content=make_content)
    assert bool(lens._scenario_content(row).commands) is has_acts


def test_refused_acts_are_told_up_to_the_end_of_what_is_compared(monkeypatch):
    monkeypatch.setattr(compare, "is_refusal", lambda record: record.at_ms > 1000)
    monkeypatch.setattr(compare, "commands_of", lambda run: [])
    monkeypatch.setattr(compare, "refused_acts", lambda seen, *_: [SimpleNamespace(words=record.at_ms) for record in seen])
    monkeypatch.setattr(compare, "side_names", lambda runs: ["first", "second"])
    records = ([record(1, 500), record(2, 8000), record(3, 9000), record(4, 9001)], [record(1, 12_000), record(2, 12_001)])
    pair = paired(run(), run(n=2), records=records)
    pair.__dict__["zeros"] = ((0, 1), (3000, 1))
    found = compare._refused(pair, SimpleNamespace(horizon_ms=9000))
    assert [(each["name"], each["acts"]) for each in found] == [("first", [8000, 9000]), ("second", [12_000])]
