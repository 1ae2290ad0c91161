"""Notes of releases that stored English sentences: they become codes, and go back word by word."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from simulator.runs.state_notes import JOB_TEXTS, RUN_TEXTS, note_text

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE, AFTER = ("simulator", "0010_sweep_asks"), ("simulator", "0011_state_codes")
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
    """The models as they were then."""
    executor = MigrationExecutor(connection)
    executor.migrate(list(targets) or executor.loader.graph.leaf_nodes())
    return MigrationExecutor(connection).loader.project_state(list(targets)).apps


@pytest.fixture
def old():
    """The models of the release before; afterwards everything is of today's again."""
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
