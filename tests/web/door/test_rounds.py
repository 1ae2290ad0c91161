"""Watches served together: who shares an answer, what a failure does, and that each receives exactly what it would alone."""

import asyncio
import json
from uuid import UUID

import pytest

from simulator.door.exchange import DoorRequest
from simulator.door.watching import DoorWatch, Standing
from simulator.engine.acts.pods.delete import DeletePod
from simulator.runs.services.commands import command_submit
from simulator.web.door.moments import AskedOf
from simulator.web.door.rounds import SharedBeginnings, WatchRounds, likeness
from simulator.web.door.watches import watch_begun, watch_gone_on, watches_gone_on
from tests.factories import OWNER, make_run
from tests.web.helpers import play

RUN, OTHER = UUID(int=1), UUID(int=2)
PODS = "/api/v1/namespaces/default/pods"


def asked(path=PODS, accept="application/json", **query):
    return DoorRequest(path=path, query=(("watch", "true"), *query.items()), headers={"accept": accept, "user-agent": "python"})


def standing(seq=1):
    return Standing(at_ms=seq, seq=seq, position=seq, sent={})


def test_watches_are_alike_but_for_where_they_began_and_how_long_they_last():
    assert likeness(asked(resourceVersion="5", timeoutSeconds="9")) == likeness(asked())
    assert likeness(asked(labelSelector="a=b")) != likeness(asked()) != likeness(asked(accept="x"))


def rounds_of(calls, *, fails=False):
    async def compute(visitor, run_id, watches):
        calls.append((run_id, len(watches)))
        await asyncio.sleep(0)
        if fails:
            raise TimeoutError
        return [(standing(each.seq + 1), each_asked.path.encode()) for each_asked, each in watches]

    return WatchRounds(compute)


def test_those_that_are_alike_share_an_answer_and_the_others_a_walk():
    calls = []

    async def story():
        rounds = rounds_of(calls)
        first = [rounds.go_on("a", RUN, asked(), standing()) for _ in range(50)]
        second = [rounds.go_on("b", RUN, asked(path=f"{PODS}/{number}"), standing()) for number in range(3)]
        return await asyncio.gather(*first, *second, rounds.go_on("c", OTHER, asked(), standing()))

    told = asyncio.run(story())
    assert sorted(calls) == [(RUN, 4), (OTHER, 1)]
    assert [text for _, text in told[:50]] == [PODS.encode()] * 50 and told[51][1] == f"{PODS}/1".encode()


def test_a_failure_comes_to_all_of_a_round_and_to_none_of_the_next():
    async def story():
        calls = []
        rounds = rounds_of(calls, fails=True)
        failed = await asyncio.gather(*(rounds.go_on("a", RUN, asked(), standing(n)) for n in (1, 2)), return_exceptions=True)
        again = await asyncio.gather(rounds.go_on("a", RUN, asked(), standing()), return_exceptions=True)
        return [type(each) for each in (*failed, *again)], len(calls)

    assert asyncio.run(story()) == ([TimeoutError] * 3, 2)


def test_one_that_goes_away_takes_no_answer_from_others():
    async def story():
        rounds = rounds_of([])
        gone = asyncio.create_task(rounds.go_on("a", RUN, asked(), standing()))
        stays = asyncio.create_task(rounds.go_on("b", RUN, asked(), standing()))
        await asyncio.sleep(0)
        gone.cancel()
        return await stays

    assert asyncio.run(story())[1] == PODS.encode()


def test_those_who_begin_at_the_same_time_begin_together():
    made = []

    async def begin():
        made.append(len(made))
        await asyncio.sleep(0)
        return made[-1]

    async def story():
        beginnings = SharedBeginnings()
        together = await asyncio.gather(*(beginnings.begun("a", begin) for _ in range(20)), beginnings.begun("b", begin))
        return together, await beginnings.begun("a", begin)

    together, later = asyncio.run(story())
    assert (len(set(together[:20])), later, len(made)) == (1, 2, 3)


@pytest.mark.django_db(transaction=True)
def test_a_walk_that_is_shared_tells_each_what_it_would_be_told_alone():
    run = play(make_run(), 500)
    kinds = [
        asked(),
        asked(accept="application/json;as=Table;v=v1;g=meta.k8s.io"),
        asked(fieldSelector="status.phase=Running"),
        asked(path="/api/v1/events"),
        asked(path="/api/v1/nodes"),
    ]
    of = AskedOf(run_id=run.id, at_ms=None, may_write=False)
    early = [(each, watch_begun(of, each)[0]) for each in kinds]
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web", grace_s=0), client_key="12345678")
    play(run, 20_000)
    late = watch_begun(of, kinds[0])[0]
    play(run, 60_000)
    watches = [*early, (kinds[0], late)]
    together = watches_gone_on(run.id, watches)
    alone = [watch_gone_on(of, *each) for each in watches]
    assert [(place.seq, place.sent) for place, _ in together] == [(place.seq, place.sent) for place, _ in alone]
    # Timestamps in the answers come from the client's clock, which has advanced between the two.
    assert [text.count(b"\n") for _, text in together] == [text.count(b"\n") for _, text in alone]
    assert all(text for _, text in together[:4])


@pytest.mark.django_db(transaction=True)
def test_a_watch_that_fails_ends_with_a_word_and_the_others_of_its_round_go_on(monkeypatch, caplog):
    run = play(make_run(), 500)
    of = AskedOf(run_id=run.id, at_ms=None, may_write=False)
    watches = [(each, watch_begun(of, each)[0]) for each in (asked(), asked(labelSelector="app=none"))]
    play(run, 20_000)
    go_on = DoorWatch.go_on

    def fails(self, standing, *more):
        if standing is watches[0][1]:
            raise RecursionError("foreseen by nobody")
        return go_on(self, standing, *more)

    monkeypatch.setattr(DoorWatch, "go_on", fails)
    (failed, last), (stands, _) = watches_gone_on(run.id, watches)
    told = json.loads(last)
    assert (failed, told["type"], told["object"]["code"]) == (None, "ERROR", 500)
    assert "foreseen" not in last.decode() and "foreseen by nobody" in caplog.text
    assert stands is not None and stands.seq > watches[1][1].seq


@pytest.mark.django_db(transaction=True)
def test_a_watch_of_a_kind_that_is_gone_ends_alone():
    run = play(make_run(), 500)
    of = AskedOf(run_id=run.id, at_ms=None, may_write=False)
    standing_ = watch_begun(of, asked())[0]
    play(run, 20_000)
    gone, stays = watches_gone_on(run.id, [(asked(path="/apis/shop.example.com/v1/shops"), standing_), (asked(), standing_)])
    assert gone[0] is None and json.loads(gone[1])["object"]["code"] == 404
    assert stays[0] is not None and stays[1]
