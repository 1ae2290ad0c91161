"""Notes of releases that stored English sentences: they become codes, and can be migrated back word for word."""

import json

import msgspec
import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from simulator.headless.sweeps.sweep import DIED, FAILED, TOO_LARGE, TOO_MUCH, TOO_SLOW
from simulator.models import StoredSweep
from simulator.runs.state_notes import JOB_TEXTS, RUN_TEXTS, note_text

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE, AFTER, LATEST = (("simulator", name) for name in ("0010_sweep_asks", "0011_state_codes", "0012_cell_codes"))
BRANCH = "Branch it from an earlier moment to go on."
PAST = "Its past can still be read and branched."
RUNS = {
    "": {},
    f"This run has reached its limit of 24 simulated hours. {BRANCH}": {"code": "limit_hours", "hours": 24},
    f"This run has reached its limit of 200000 records. {BRANCH}": {"code": "limit_records", "records": 200_000},
    f"This run has reached its limit of 500 pods. {BRANCH}": {"code": "limit_pods", "pods": 500},
    f"This run was taken up 3 times in a row without getting on, and is left alone now. {PAST}": {"code": "quarantined", "times": 3},
    f"The simulation of this run failed. {PAST}": {"code": "failed"},
    f"This run needed more memory than this site may use, and was ended. {PAST}": {"code": "out_of_memory"},
    "Another revision of the engine recorded this run, and it stays readable as it was. Playing on or acting makes a branch of it.": {
        "code": "recorded"
    },
    "This run cannot be repeated by the present engine. Its recorded past can still be read.": {"code": "diverged"},
    f"This run was stopped by the operator of the site. {PAST}": {"code": "stopped"},
    'It "ended" after 3 % of {hours}: because.': {"code": "other", "text": 'It "ended" after 3 % of {hours}: because.'},
}
SWEEPS = {
    "It took longer than a sweep may. What is there is shown; ask for fewer values or seeds, or less time.": {"code": "sweep_too_long"},
    "Three processes were lost over it, so it is left alone. Ask for fewer values or seeds, or less time.": {"code": "sweep_lost"},
    "This sweep cannot be worked out by the present engine.": {"code": "sweep_unplayable"},
}
REPLAYS = {
    "Three processes were lost over it, so it is left alone.": {"code": "replay_lost"},
    "This replay was asked for by another release.": {"code": "replay_unplayable"},
}
ASKS = {"": {}, "It was stopped by whoever asked for it. What is there is shown.": {"code": "sweep_stopped"}} | SWEEPS


def migrate(*targets):
    """The models at that time."""
    executor = MigrationExecutor(connection)
    executor.migrate(list(targets) or executor.loader.graph.leaf_nodes())
    return MigrationExecutor(connection).loader.project_state(list(targets)).apps


@pytest.fixture
def old():
    """The models of the previous release; afterwards everything is migrated back to the current one."""
    yield migrate(BEFORE)
    migrate()


def stored(models):
    """Every note, in the order in which they were stored."""
    columns = {"Run": "state_note", "StoredSweep": "state_note", "StoredReplay": "state_note", "SweepAsk": "note"}
    rows = {name: models.get_model("simulator", name).objects.order_by("created_at") for name in columns}
    return {name: list(rows[name].values_list(column, flat=True)) for name, column in columns.items()}


def fill(models):
    """A row for every sentence."""
    run, sweep, replay, ask = (models.get_model("simulator", name).objects for name in ("Run", "StoredSweep", "StoredReplay", "SweepAsk"))
    for note in RUNS:
        run.create(header_body=b"{}", revision=7, state="failed" if note else "live", state_note=note)
    for note in SWEEPS:
        sweep.create(id=note[:20], body="{}", size=1, state="failed", state_note=note)
    for note in REPLAYS:
        replay.create(id=note[:20], body="[]", size=1, revision=7, state="failed", state_note=note)
    work = sweep.first()
    for number, note in enumerate(ASKS):
        ask.create(id=str(number), work_id=work.id, is_wanted=not note, note=note)


def test_sentences_become_codes_with_their_numbers(old):
    fill(old)
    told = stored(migrate(AFTER))
    expected = {"Run": RUNS, "StoredSweep": SWEEPS, "StoredReplay": REPLAYS, "SweepAsk": ASKS}
    assert told == {name: list(notes.values()) for name, notes in expected.items()}


def test_codes_become_the_sentences_that_they_were(old):
    fill(old)
    before = stored(old)
    migrate(AFTER)
    assert stored(migrate(BEFORE)) == before


def test_code_that_no_earlier_release_knew_becomes_no_sentence(old):
    new = migrate(AFTER).get_model("simulator", "Run").objects
    new.create(header_body=b"{}", revision=7, state="failed", state_note={"code": "of_a_later_release", "pods": 3})
    assert stored(migrate(BEFORE))["Run"] == [""]


def test_every_code_that_sentences_become_has_a_text():
    notes = [note for notes in (RUNS, SWEEPS, REPLAYS, ASKS) for note in notes.values() if note]
    assert {note["code"] for note in notes} == {*RUN_TEXTS, *JOB_TEXTS, "other"} - {"limit"}
    assert all(map(note_text, notes))


CELLS = [
    {"value": 7, "at_ms": None, "subject": "", "problem": "", "is_final": True, "refused": [], "unnamed": 0},
    None,
    {"value": None, "problem": "spec.x: Invalid value: “-1”", "is_final": True},
    {"value": None, "problem": "This run took longer than a cell may. Ask for less time or fewer pods.", "is_final": False},
    {"problem": "So much happens in this run that its end was not reached. Ask for less time."},
    {"problem": "This run needed more memory than a cell may have. Ask for less time or fewer pods."},
    {"problem": "The process that worked on this run died twice."},
    {"problem": "The simulation of this run failed."},
]


def cells_of(models):
    return json.loads(models.get_model("simulator", "StoredSweep").objects.get().results_body)


def test_failures_of_cells_become_codes_and_go_back(old):
    rows = old.get_model("simulator", "StoredSweep").objects
    rows.create(id="s", body="{}", size=len(CELLS), state="done", results_body=msgspec.json.encode(CELLS).decode())
    after = cells_of(migrate(LATEST))
    assert after[:3] == CELLS[:3]
    assert [cell["failure"] for cell in after[3:]] == [TOO_SLOW, TOO_MUCH, TOO_LARGE, DIED, FAILED] and after[3]["is_final"] is False
    read = StoredSweep.objects.get().cells()
    assert [cell and bool(cell.why) for cell in read] == [False, None, True, True, True, True, True, True]
    assert cells_of(migrate(BEFORE)) == CELLS
