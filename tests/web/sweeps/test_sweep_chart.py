"""The chart and the table of a sweep: round numbers on the axis, one column a value, and what a cell says."""

from types import SimpleNamespace
from uuid import UUID

import pytest

from simulator.engine.course.header import RunHeader
from simulator.engine.network.load.spec import ANNOTATION
from simulator.engine.projection.text import Text
from simulator.headless.refused import RefusedAct
from simulator.headless.sweeps.outcomes import COUNT, SPAN
from simulator.headless.sweeps.sweep import SweepCell
from simulator.web.sweeps import sweeps
from simulator.web.sweeps.sweep_chart import BOTTOM, HEIGHT, LABELS_MAX, TOP, _ticks, chart_of


@pytest.mark.parametrize(
    ("most", "whole", "ticks"),
    [
        (0, True, [0, 1]),
        (-1, False, [0, 1]),
        (1, True, [0, 1]),
        (1, False, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (5, True, [0, 1, 2, 3, 4, 5]),
        (6, True, [0, 2, 4, 6]),
        (7.3, False, [0, 2, 4, 6, 8]),
        (10, True, [0, 2, 4, 6, 8, 10]),
        (23, True, [0, 5, 10, 15, 20, 25]),
        (26, True, [0, 10, 20, 30]),
        (0.03, False, [0, 0.01, 0.02, 0.03]),
        (1000, True, [0, 200, 400, 600, 800, 1000]),
    ],
)
def test_axis_has_a_few_round_numbers(most, whole, ticks):
    assert _ticks(most, whole=whole) == ticks


def summary(value=1, least=1000, middle=2000, most=4000, happened=3, measured=3, **fields):
    usual = {"problem": "", "refused": 0, "refusal": None, "mean": middle}
    return SimpleNamespace(value=value, least=least, middle=middle, most=most, happened=happened, measured=measured, **usual | fields)


NEVER = {"least": None, "middle": None, "most": None, "happened": 0}


def test_columns_stand_on_one_axis_from_least_to_most():
    chart = chart_of((summary(), summary(2, **NEVER)), SPAN)
    assert [tick["text"] for tick in chart["ticks"]] == ["0 s", "1 s", "2 s", "3 s", "4 s"]
    one, two = chart["columns"]
    assert (one["most"], one["least"] > one["middle"] > one["most"]) == (TOP, True)
    assert (two["least"], two["middle"], two["most"], two["never"]) == (None, None, None, 3)
    assert chart["line"] == f"{one['x']},{one['middle']}" and chart["ticks"][0]["y"] == HEIGHT - BOTTOM


@pytest.mark.parametrize(
    ("row", "unit", "has_never", "has_refused"),
    [
        (summary(), SPAN, False, False),
        (summary(happened=2), SPAN, True, False),
        (summary(happened=2), COUNT, False, False),
        (summary(problem="x"), COUNT, True, False),
        (summary(refused=1), SPAN, False, True),
    ],
)
def test_chart_says_what_its_signs_mean_where_it_has_them(row, unit, has_never, has_refused):
    chart = chart_of((row,), unit)
    assert (bool(chart["has_never"]), bool(chart["has_refused"])) == (has_never, has_refused)


@pytest.mark.parametrize(("count", "labelled"), [(1, 1), (LABELS_MAX, LABELS_MAX), (LABELS_MAX + 1, 9), (2 * LABELS_MAX + 1, 11)])
def test_only_so_many_columns_are_labelled(count, labelled):
    chart = chart_of(tuple(summary(n) for n in range(count)), COUNT)
    assert sum(column["is_labelled"] for column in chart["columns"]) == labelled


WORDS = SimpleNamespace(words="Delete a: no such pod")


@pytest.mark.parametrize(
    ("row", "label"),
    [
        (summary(), "1: median 2.0"),
        (summary(problem="too long"), "1: median"),
        (summary(problem="too long", measured=0, **NEVER), "1: too long"),
        (summary(refusal=WORDS, measured=0, **NEVER), "1: Delete a: no such pod"),
        (summary(refusal=WORDS), "1: median"),
    ],
)
def test_column_is_described(row, label):
    (column,) = chart_of((row,), SPAN)["columns"]
    assert column["label"].startswith(label)


REFUSED = RefusedAct(20_000, 1, Text("Delete a"), Text("There is no such pod."))


@pytest.mark.parametrize(
    ("cell", "text", "title"),
    [
        (None, "…", "Open the run with 5 and seed 7"),
        (SweepCell(3), "3", "Open the run with 5 and seed 7"),
        (SweepCell(0), "0", "Open the run with 5 and seed 7"),
        (SweepCell(None), "never", "Open the run with 5 and seed 7"),
        (SweepCell(None, problem="too long"), "✕", "Open the run with 5 and seed 7"),
        (SweepCell(None, refused=(REFUSED,)), "⊘ refused", "20 s, Delete a: There is no such pod. Open the run"),
        (SweepCell(None, refused=(REFUSED, REFUSED), unnamed=2), "⊘ refused", "20 s, Delete a: There is no such pod. "),
    ],
)
def test_cell_says_what_came_of_it(cell, text, title):
    found = sweeps._cell(0, 5, 7, cell, COUNT)
    assert (found["text"], found["title"].startswith(title), found["is_there"]) == (text, True, cell is not None)
    assert found["problem"] == (cell.why if cell else "")


@pytest.mark.parametrize(("manifests", "has_load"), [((), False), (("{}",), False), (("{}", f'{{"{ANNOTATION}": "rate=1"}}'), True)])
def test_load_is_declared_by_a_service(manifests, has_load):
    assert sweeps._has_load(SimpleNamespace(header=RunHeader(kubernetes="1.33", manifests=manifests))) is has_load
    assert sweeps._has_load(None) is False


@pytest.mark.parametrize(
    ("query", "asked"),
    [("", {}), ("field=a&first=&other=1", {"field": "a"}), (f"pod={'x' * 401}", {"pod": "x" * 400})],
)
def test_form_is_filled_in_from_its_address(rf, query, asked):
    assert sweeps._values_in_url(rf.get(f"/?{query}")) == asked


@pytest.mark.parametrize(
    ("run", "scenario", "back", "again"),
    [(None, None, "", "/sweeps/"), (None, "a", "/scenarios/a/", "/scenarios/a/sweep/"), (7, "a", "/r/{}/", "/r/{}/sweep/")],
)
def test_sweep_leads_back_to_where_it_was_asked_for(run, scenario, back, again):
    run_id = run and UUID(int=run)
    row = SimpleNamespace(run=run_id and SimpleNamespace(id=run_id), scenario=scenario and SimpleNamespace(slug=scenario))
    assert (sweeps._back(row), sweeps._again_query(row, None)) == (back.format(run_id), again.format(run_id))


@pytest.mark.parametrize(
    ("cell", "head_ms", "query"),
    [
        (None, 9000, "?t=9.0"),
        (None, 8999, ""),
        (SweepCell(3, at_ms=None, subject="pod/a"), 9000, "?t=9.0&sel=pod%2Fa"),
        (SweepCell(3, at_ms=5000, subject="pod/a"), 5000, "?t=5.0&sel=pod%2Fa"),
        (SweepCell(3, at_ms=5000, subject="pod/a"), 4999, "?sel=pod%2Fa"),
    ],
)
def test_run_of_a_cell_opens_where_its_outcome_was_if_its_log_has_come_so_far(rf, monkeypatch, cell, head_ms, query):
    run = SimpleNamespace(id=UUID(int=7), base_ms=9000, head_ms=head_ms)
    monkeypatch.setattr(sweeps, "_sweep_or_404", lambda sweep_id: None)
    monkeypatch.setattr(sweeps, "cell_open", lambda **_: (run, cell))
    monkeypatch.setattr(sweeps, "owner_key", lambda request: "")
    answer = sweeps.sweep_cell(rf.post("/", {"cell": "0"}), sweep_id="x")
    assert answer["Location"] == f"/r/{run.id}/{query}"
