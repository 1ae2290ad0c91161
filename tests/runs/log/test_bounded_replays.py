"""Replays that one request begins and another one completes: each plays a limited amount, and none repeats what was played."""

import pytest
from django.db import connection

from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import RecordChunk, Run
from simulator.runs.log import storage, timemachine
from simulator.runs.services.commands import command_submit_at
from simulator.runs.services.runs import run_adopt
from simulator.runs.turns.allowance import StillComputing, granted
from simulator.web.base import guards
from tests.counted import counted
from tests.factories import OWNER, make_content, make_run, pod_json
from tests.runs.log.kept import old_run, records_of
from tests.web.helpers import play, sign_in_as_owner, text_of

pytestmark = pytest.mark.django_db

COUNTS = pod_json(command=("sh", "-c", "while true; do date; sleep 1; done"))
WORK = 120
"""What a request may play here: less than the runs cost."""
TRIES = 60


@pytest.fixture(autouse=True)
def _cold():
    timemachine._lines.clear()
    timemachine._divergences.clear()


def asked_until_done(function, *args, **fields):
    """The function's final result, and how many requests it took."""
    for tries in range(1, TRIES):
        try:
            with granted(WORK):
                found = function(*args, **fields)
        except StillComputing:
            continue
        if not isinstance(found, timemachine.Uncompared):
            return found, tries
    raise AssertionError("it never comes to its end")


def long_run(until_ms=120_000):
    pods = [pod_json(name, command=("sh", "-c", "while true; do date; sleep 1; done")) for name in ("web", "api", "db", "queue")]
    return play(make_run(content=make_content(*pods), paused=True, at_ms=until_ms), until_ms)


def kept(until_ms=120_000, *, differs=True):
    run = old_run(differs=differs, until_ms=until_ms, content=make_content(COUNTS))
    timemachine._lines.clear()
    timemachine._divergences.clear()
    return run


def test_records_that_no_log_has_are_made_by_as_many_requests_as_it_takes():
    run = long_run()
    recorded = records_of(run)
    RecordChunk.objects.filter(run=run).delete()
    Run.objects.filter(id=run.id).update(head_seq=0)
    run.refresh_from_db()
    made, tries = asked_until_done(timemachine.past, run, seq=len(recorded))
    assert tries > 2 and made == recorded


def test_log_is_mended_by_as_many_requests_as_it_takes(monkeypatch):
    monkeypatch.setattr(storage, "CHUNK_RECORDS_MAX", 20)
    run = long_run()
    recorded = records_of(run)
    RecordChunk.objects.filter(run=run).order_by("first_seq").first().delete()
    made, tries = asked_until_done(timemachine.log, run, after=0, limit=10**6)
    assert tries > 2 and made == recorded == records_of(run)


def test_comparison_goes_on_at_the_next_request():
    run = kept()
    found, tries = asked_until_done(timemachine.divergence_of, run)
    assert tries > 2 and (found.at_ms, found.stored.target) == (20_000, "Unforeseen")


@pytest.mark.parametrize("differs", [True, False])
def test_comparison_in_pieces_finds_what_one_in_a_whole_does(differs):
    run = kept(differs=differs)
    found, _tries = asked_until_done(timemachine.divergence_of, run)
    timemachine._divergences.clear()
    timemachine._lines.clear()
    assert timemachine.divergence_of(run) == found


def test_run_whose_records_are_todays_is_found_to_repeat_by_several_requests():
    found, tries = asked_until_done(timemachine.repeats, kept(differs=False))
    assert tries > 2 and found is True


def test_comparison_plays_no_more_than_the_request_may(monkeypatch):
    run = kept()
    with counted(monkeypatch) as count, granted(WORK):
        timemachine.divergence_of(run)
    assert 0 < count.done < 2 * WORK


def test_comparison_as_a_whole_plays_the_run_once(monkeypatch):
    run = kept(differs=False)
    with counted(monkeypatch) as at_once:
        timemachine.divergence_of(run)
    timemachine._lines.clear()
    timemachine._divergences.clear()
    with counted(monkeypatch) as in_pieces:
        asked_until_done(timemachine.divergence_of, run)
    assert in_pieces.done == at_once.done


def test_moment_that_was_compared_is_shown_without_being_played_again(monkeypatch):
    run = kept(differs=False)
    timemachine.divergence_of(run)
    with counted(monkeypatch) as count:
        timemachine.recorded_world(run, seq=run.head_seq)
    assert count.done < WORK


def test_page_of_a_recorded_run_that_is_long_shows_its_records_and_how_far_the_comparison_is(client, monkeypatch):
    monkeypatch.setattr(guards, "WORK_MAX", WORK)
    run = kept()
    page = client.get(f"/r/{run.id}/")
    words = text_of(page)
    assert page.status_code == 200 and page.context["page"].shown_seq == run.head_seq
    assert "has not been compared with the current rules yet (Computing the past: 0:" in words
    assert "The current rules give the same history so far" in words


def test_page_of_a_recorded_run_shows_the_difference_once_it_is_found(client, monkeypatch):
    monkeypatch.setattr(guards, "WORK_MAX", WORK)
    run = kept()
    pages = [text_of(client.get(f"/r/{run.id}/")) for _ in range(TRIES)]
    assert "The current rules give the same history so far" in pages[0]
    assert "the current rules give a different history" in pages[-1] and "The current rules give the same history so far" not in pages[-1]


def test_act_on_a_recorded_run_that_is_long_is_given_once_it_is_compared(client, monkeypatch):
    monkeypatch.setattr(guards, "WORK_MAX", WORK)
    sign_in_as_owner(client)
    run = kept(differs=False)
    fields = {"do": "delete_pod", "target": "default/web", "client_key": "a-key-of-the-page"}
    answers = [client.post(f"/r/{run.id}/commands/", fields).status_code for _ in range(TRIES)]
    assert answers[0] == 503 and answers[-1] == 302
    assert run.commands.filter(client_key="a-key-of-the-page").count() == 1


@pytest.mark.django_db(transaction=True)
def test_act_is_not_kept_in_a_transaction_while_the_run_is_compared(monkeypatch):
    inside = []

    def adopted(**fields):
        inside.append(connection.in_atomic_block)
        return run_adopt(**fields)

    monkeypatch.setattr("simulator.runs.services.commands.run_adopt", adopted)
    run = kept(differs=False)
    command_submit_at(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="k")
    assert inside == [False]
