"""Records that an author picks, and rows of the form: without a run."""

import pytest

from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.kernel.records import Record
from simulator.levels.picking import lineage_of
from simulator.levels.reading import HORIZON_MAX_MS, BadLevel
from simulator.web.levels import level_editor, picks
from simulator.web.levels.level_form import LevelForm
from simulator.web.levels.level_source import RunRecords, act_row
from simulator.web.levels.picks import LanePick, part_of_pick


class Records(RunRecords):
    """Three records of a pod, at 1, 5 and 9 seconds; the second is not notable."""

    def __init__(self):
        self.records = [
            Record(n, at_ms, "transition", f"{kind}/default/web", machine, "", "", target, 0, rule, ())
            for n, (at_ms, kind, machine, target, rule) in enumerate(ROWS, 1)
        ]
        self.lineage = lineage_of(self.records)


ROWS = [
    (1000, "pod", "phase", "Running", "PHASE-RUNNING"),
    (5000, "pod", "volumes", "mounted", "VOLUMES-MOUNTED"),
    (9000, "pod", "object", "gone", "OBJECT-GONE"),
]


@pytest.fixture
def records():
    return Records()


@pytest.mark.parametrize(("seq", "at_ms"), [(0, None), (1, 1000), (3, 9000), (4, None)])
def test_record_is_picked_by_its_number(records, seq, at_ms):
    found = records.picked(seq)
    assert (found and found.record.at_ms) == at_ms


@pytest.mark.parametrize(
    ("from_ms", "query", "seqs"),
    [(0, "", [1, 3]), (1000, "", [1, 3]), (1001, "", [3]), (0, "volumes", [2]), (0, "POD web", [1, 2, 3]), (0, "pod nothing", [])],
)
def test_notable_records_are_shown_or_those_with_all_words(records, from_ms, query, seqs):
    found, count = records.shown(from_ms=from_ms, query=query)
    assert ([each.record.seq for each in found], count) == (seqs, len(seqs))


def made(records, do, **fields):
    return part_of_pick(LanePick(do=do, **{"seq": 1, "then": 0, "within_ms": 0, "from_ms": 0, "until_ms": 0} | fields), records, taken=[])


@pytest.mark.parametrize(
    ("do", "fields", "part"),
    [
        ("never", {}, "check"),
        ("ask", {}, "ask"),
        ("holds", {"from_ms": 1000, "until_ms": 1000}, "check"),
        ("before", {"then": 3}, "check"),
        ("before", {"then": 0}, None),
        ("within", {"then": 3, "within_ms": 1}, "check"),
        ("nothing", {}, None),
        ("never", {"seq": 4}, None),
    ],
)
def test_pick_makes_a_part_of_a_level(records, do, fields, part):
    found = made(records, do, **fields)
    assert (found and found[0]) == part


@pytest.mark.parametrize(
    ("do", "fields"),
    [
        ("holds", {"from_ms": 1001, "until_ms": 1000}),
        ("holds", {"from_ms": 0, "until_ms": HORIZON_MAX_MS + 1}),
        ("within", {"then": 3, "within_ms": 0}),
        ("within", {"then": 3, "within_ms": HORIZON_MAX_MS + 1}),
    ],
)
def test_pick_with_times_that_mean_nothing_is_refused(records, do, fields):
    with pytest.raises(BadLevel):
        made(records, do, **fields)


@pytest.mark.parametrize(("at_ms", "start_ms", "asked"), [(9000, 0, "6s"), (9000, 8000, "8s"), (1000, 0, "0s")])
def test_prediction_is_asked_a_little_before_and_not_before_the_level_begins(records, monkeypatch, at_ms, start_ms, asked):
    monkeypatch.setattr(picks, "_ASK_BEFORE_MS", 3000)
    picked = next(records.picked(n) for n in (1, 2, 3) if records.records[n - 1].at_ms == at_ms)
    assert picks._ask(picked, taken=[], start_ms=start_ms)["at"] == asked


def test_facts_of_a_pick_are_its_text_its_pattern_and_its_toml():
    facts = picks._pick_facts("check", {"id": "a", "text": "T", "never": {"machine": "stop"}})
    assert (facts["text"], facts["pattern"]) == ("T", 'never = { machine = "stop" }') and 'id = "a"' in facts["toml"]
    assert picks._pick_facts("ask", {"id": "a", "question": "Q?", "at": "1s"}) | {"toml": ""} == {
        "text": "Q?",
        "pattern": 'at = "1s"',
        "toml": "",
    }


@pytest.mark.parametrize(
    ("do", "which", "left"),
    [
        ("drop", "hint-0", ["b", "c"]),
        ("drop", "hint-2", ["a", "b"]),
        ("drop", "hint-3", ["a", "b", "c"]),
        ("drop", "hint", ["b", "c"]),
        ("drop", "hint-x", ["a", "b", "c"]),
        ("drop", "other-0", ["a", "b", "c"]),
        ("keep", "hint-0", ["a", "b", "c"]),
    ],
)
def test_row_is_dropped_by_its_number(do, which, left):
    form = LevelForm()
    form.parts["hint"] = [{"text": text} for text in "abc"]
    level_editor._change_rows(form, do, which)
    assert [row["text"] for row in form.parts["hint"]] == left


@pytest.mark.parametrize(("part", "ids"), [("check", "check-1"), ("ask", "ask-1"), ("hint", None)])
def test_new_check_and_new_prediction_have_names(part, ids):
    form = LevelForm()
    level_editor._change_rows(form, "add", part)
    assert form.parts[part][0].get("id") == ids


def test_form_takes_no_more_rows_than_a_browser_sends(monkeypatch):
    form = LevelForm()
    monkeypatch.setattr(level_editor, "FIELDS_MAX", form.size)
    level_editor._change_rows(form, "add", "hint")
    with pytest.raises(BadLevel):
        level_editor._change_rows(form, "add", "hint")


def test_act_is_written_without_its_defaults():
    assert act_row(DeletePod(target="default/web")) == {"do": "delete_pod", "target": "default/web"}
    assert act_row(DeletePod(target="default/web", grace_s=0)) == {"do": "delete_pod", "target": "default/web", "grace_s": 0}
