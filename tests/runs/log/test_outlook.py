"""How far one look leads."""

import pytest

from simulator.engine.acts.pods.delete import DeletePod
from simulator.runs.log import outlook
from simulator.runs.log.outlook import AHEAD_MS, Standpoint
from tests.factories import make_run
from tests.web.helpers import play

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("until_ms", "reached_ms"), [(20_000, 20_000), (3 * AHEAD_MS, 10_000 + AHEAD_MS)])
def test_look_at_an_act_ends_where_it_is_asked_to_and_an_hour_ahead_at_the_latest(until_ms, reached_ms):
    here = Standpoint(play(make_run(paused=True), 10_000), at_ms=10_000)
    assert here.is_there
    assert here.after_command(DeletePod(target="default/web"), until_ms=until_ms).until_ms == reached_ms


@pytest.fixture
def run():
    return play(make_run(paused=True), 0)


def test_look_in_small_pieces_leads_as_far_as_in_one(run, monkeypatch):
    whole = Standpoint(run, at_ms=0).by_itself(enough=lambda *_: False)
    monkeypatch.setattr(outlook, "PIECE", 5)
    assert Standpoint(run, at_ms=0).by_itself(enough=lambda *_: False) == whole and whole.until_ms == AHEAD_MS


@pytest.mark.parametrize(("name", "limit"), [("RECORDS_MAX", 5), ("LOOK_S", -1.0)])
def test_look_ends_where_it_has_seen_much_or_taken_long(run, monkeypatch, name, limit):
    monkeypatch.setattr(outlook, "PIECE", 5)
    monkeypatch.setattr(outlook, name, limit)
    seen = Standpoint(run, at_ms=0).by_itself(enough=lambda *_: False)
    assert seen.until_ms < 10_000


def test_look_ends_where_it_has_seen_enough(run, monkeypatch):
    monkeypatch.setattr(outlook, "PIECE", 5)
    seen = Standpoint(run, at_ms=0).by_itself(enough=lambda records, _: any(record.machine == "phase" for record in records))
    assert seen.until_ms < 10_000 and any(record.machine == "phase" for record in seen.records)
