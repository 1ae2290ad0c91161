"""Sweeps of releases in which the work belonged to one asker: they stay where they were, for the same asker."""

from datetime import UTC, datetime

import msgspec
import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from simulator.headless.sweeps.sweep import encode_sweep, sweep_id
from simulator.models import SweepAsk
from simulator.runs.log.content import Source
from simulator.runs.permissions import hash_key
from simulator.runs.services.sweeps import BY_OWNER, cell_open, sweep_again
from tests.factories import OWNER
from tests.runs.services.test_sweeps import YAML, a_sweep

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE, AFTER = ("simulator", "0009_takers"), ("simulator", "0010_sweep_asks")
STOPPED = "It was stopped by whoever asked for it. What is there is shown."
UNKNOWN = {"code": "other", "text": "It took longer."}
THEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


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


def old_sweep(old, **fields):
    sweep = a_sweep(values=fields.pop("values", (1, 2)))
    texts = {"body": encode_sweep(sweep), "source_body": msgspec.json.encode(Source(manifests=YAML)).decode(), "title": "payroll"}
    values = {"id": sweep_id(sweep), "size": sweep.size, "owner_hash": hash_key(OWNER), "address_hash": "here", "seen_at": THEN}
    row = old.get_model("simulator", "StoredSweep").objects.create(**(values | texts | fields))
    type(row).objects.filter(id=row.id).update(created_at=THEN)
    return row.id


def test_sweep_stays_at_its_address_with_all_that_was_its_askers(old):
    scenario = old.get_model("simulator", "Scenario").objects.create(slug="s", title="S", body="{}")
    sweep = old_sweep(old, scenario=scenario, state="done", done=4, results_body='[{"value": 7}, {}, {}, {}]')
    migrate()
    ask = SweepAsk.objects.get(id=sweep)
    assert (ask.title, ask.scenario.slug, ask.run, ask.address_hash, ask.is_wanted) == ("payroll", "s", None, "here", True)
    assert (ask.created_at, ask.seen_at, ask.state, ask.work.cells()[0].value) == (THEN, THEN, "done", 7)
    run, _ = cell_open(row=ask, number=0, owner_key=OWNER)
    assert "# patient" in run.content().source.manifests


def test_sweep_that_waits_goes_on_waiting_and_one_that_was_stopped_is_gone_on_with_by_its_asker(old):
    waiting = old_sweep(old)
    stopped = old_sweep(old, values=(3,), state="stopped", state_note=STOPPED)
    late = old_sweep(old, values=(4,), state="stopped", state_note="It took longer.")
    migrate()
    rows = [SweepAsk.objects.get(id=each) for each in (waiting, stopped, late)]
    told = [(row.state, row.state_note, row.is_wanted) for row in rows]
    assert told == [("queued", {}, True), ("stopped", BY_OWNER, False), ("stopped", UNKNOWN, True)]
    assert sweep_again(row=rows[1], owner_key=OWNER).state == "queued"


def test_way_back_keeps_every_sweep_for_its_first_asker(old):
    sweep = old_sweep(old, state="done", done=4)
    after = migrate(AFTER)
    asks = after.get_model("simulator", "SweepAsk").objects
    asks.create(id="second", work_id=sweep, title="homework", owner_hash="another")
    again = migrate(BEFORE).get_model("simulator", "StoredSweep").objects.get()
    assert (again.id, again.title, again.owner_hash, again.seen_at) == (sweep, "payroll", hash_key(OWNER), THEN)
