"""How often a process looks up which runs have slots: waiting pages and sockets ask every few seconds."""

from threading import Thread
from uuid import UUID

import pytest

from simulator.models import Run
from simulator.runs.log.clock import is_coming
from simulator.runs.selectors import places
from simulator.runs.turns.places import Contender, PlaceQuota, plan
from tests.factories import make_run

KNOWN, WAITING, UNWATCHED, OTHER = (UUID(int=n) for n in range(4))


class Site:
    """A clock, and a database that counts its queries."""

    now_s = 0.0
    reads = 0

    def plan(self):
        self.reads += 1
        return plan([Contender(run_id=KNOWN, is_held=True), Contender(run_id=WAITING)], places=1, quota=PlaceQuota())


@pytest.fixture
def site(monkeypatch):
    site = Site()
    monkeypatch.setattr(places, "_BOARD", places._Board())
    monkeypatch.setattr(places, "BOARD_S", 1.0)
    monkeypatch.setattr(places, "monotonic", lambda: site.now_s)
    monkeypatch.setattr(places, "places_plan", site.plan)
    return site


def test_run_that_waits_is_looked_up_once_a_second(site):
    assert {places.wait_of(run_id).reason for run_id in (WAITING, KNOWN, WAITING)} == {"queue", "opening"}
    assert site.reads == 1
    site.now_s = 1.1
    places.wait_of(WAITING)
    assert site.reads == 2


def test_runs_nobody_watches_are_looked_up_once_a_second(site):
    for _ in range(5):
        for run_id in (UNWATCHED, OTHER):
            assert places.wait_of(run_id).reason == "opening"
    assert site.reads == 2


def test_run_nobody_knew_is_looked_up_at_once(site):
    places.wait_of(WAITING)
    places.wait_of(UNWATCHED)
    assert site.reads == 2


def test_looking_up_one_run_early_does_not_put_off_the_others(site):
    places.wait_of(WAITING)
    site.now_s = 0.9
    places.wait_of(UNWATCHED)
    site.now_s = 1.1
    places.wait_of(UNWATCHED)
    assert site.reads == 3


def test_plan_answers_for_just_a_second(site):
    places.wait_of(WAITING)
    site.now_s = 1.0
    places.wait_of(WAITING)
    assert site.reads == 1
    places.wait_of(UNWATCHED)
    site.now_s = 1.05
    places.wait_of(WAITING)
    assert site.reads == 3


def test_threads_that_need_the_same_read_once(site, monkeypatch):
    answers = []
    other = Thread(target=lambda: answers.append(places.wait_of(WAITING).reason))

    def read():
        if other.ident is None:
            other.start()
            other.join(0.2)  # it waits for this answer; one that read for itself would be done
        return site.plan()

    monkeypatch.setattr(places, "places_plan", read)
    answers.append(places.wait_of(WAITING).reason)
    other.join()
    assert (answers, site.reads) == (["queue", "queue"], 1)


def test_board_that_could_not_be_read_is_read_again(site, monkeypatch):
    with monkeypatch.context() as away:
        away.setattr(places, "places_plan", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            places.wait_of(WAITING)
    assert places.wait_of(WAITING).reason == "queue"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("columns", "is_wanted"),
    [
        ({}, True),
        ({"head_ms": 60_000}, False),
        ({"head_ms": 60_000, "head_seq": 0}, True),
        ({"revision": 2}, False),
        ({"revision": 2, "head_seq": 0}, True),
        ({"state": "failed"}, False),
    ],
)
def test_what_is_whole_behind_a_link_or_of_another_revision_is_not_gone_on_with_nor_waited_for(columns, is_wanted):
    run = make_run(owner_key="", at_ms=60_000)
    Run.objects.filter(id=run.id).update(**({"head_seq": 9, "head_ms": 20_000} | columns))
    run.refresh_from_db()
    assert (places.places_plan(places=5).knows(run.id), is_coming(run)) == (is_wanted, is_wanted)
