import asyncio
from collections import Counter

import pytest

from lifecycle_site.turns import InTurn, LateRefusals
from simulator.runs.turns.constants import LATE_EVERY_S, LATE_S, LATE_S_MAX


class Recorder:
    """An application that records which requests begin, and ends a request when told to."""

    def __init__(self):
        self.begun, self.ends = [], {}

    async def __call__(self, scope, receive, send):
        self.begun.append(scope["path"])
        await self.ends.setdefault(scope["path"], asyncio.Event()).wait()
        if scope["path"] == "bad":
            raise ValueError

    def end(self, path):
        self.ends[path].set()


async def begin(application, *paths, client=None):
    tasks = {path: asyncio.ensure_future(application({"type": "http", "path": path, "client": client}, None, None)) for path in paths}
    await asyncio.sleep(0)
    return tasks


async def test_requests_beyond_the_bound_wait_in_the_order_they_came():
    recorder = Recorder()
    tasks = await begin(InTurn(recorder, at_once=2), "a", "b", "c", "d")
    assert recorder.begun == ["a", "b"]
    recorder.end("b")
    await tasks["b"]
    await asyncio.sleep(0)
    assert recorder.begun == ["a", "b", "c"]


async def test_request_that_fails_gives_its_turn_back():
    recorder = Recorder()
    tasks = await begin(InTurn(recorder, at_once=1), "bad", "next")
    recorder.end("bad")
    with pytest.raises(ValueError):
        await tasks["bad"]
    await asyncio.sleep(0)
    assert recorder.begun == ["bad", "next"]


async def test_request_that_is_given_up_while_it_waits_is_never_begun():
    recorder = Recorder()
    tasks = await begin(InTurn(recorder, at_once=1), "a", "gone", "next")
    tasks["gone"].cancel()
    recorder.end("a")
    await tasks["a"]
    await asyncio.sleep(0)
    assert recorder.begun == ["a", "next"]


async def test_one_visitor_leaves_turns_to_others():
    recorder = Recorder()
    turns = InTurn(recorder, at_once=4)
    tasks = await begin(turns, "a", "b", "c", "d", "e", client=("10.0.0.1", 1))
    tasks |= await begin(turns, "other", client=("10.0.0.2", 1))
    assert recorder.begun == ["a", "b", "c", "other"]
    recorder.end("a")
    await tasks["a"]
    await asyncio.sleep(0)
    assert recorder.begun == ["a", "b", "c", "other", "d"]


@pytest.mark.parametrize("client", [None, ("", 0), ("/run/podscope.sock", 0)])
async def test_visitors_who_cannot_be_told_apart_have_all_turns(client):
    recorder = Recorder()
    await begin(InTurn(recorder, at_once=4), "a", "b", "c", "d", "e", client=client)
    assert recorder.begun == ["a", "b", "c", "d"]


async def test_share_of_a_visitor_is_forgotten_with_their_last_request():
    recorder = Recorder()
    turns = InTurn(recorder, at_once=1)
    tasks = await begin(turns, "a", "gone", client=("10.0.0.1", 1))
    tasks["gone"].cancel()
    recorder.end("a")
    await asyncio.gather(*tasks.values(), return_exceptions=True)
    del tasks
    await asyncio.sleep(0)  # what told of the end is forgotten as well
    assert not turns._shares._turns


def _answering(status):
    async def application(scope, receive, send):
        await send({"type": "http.response.start", "status": status})
        await send({"type": "http.response.body", "body": b"words"})
        application.is_over = True

    application.is_over = False
    return application


@pytest.mark.parametrize(("status", "waits"), [(429, [LATE_S]), (200, []), (400, []), (503, [])])
async def test_only_what_is_one_too_many_is_answered_late(status, waits):
    events, application = [], _answering(status)

    async def wait(seconds):
        assert application.is_over, "an answer that waits keeps no turn"
        events.append(seconds)

    async def send(message):
        events.append(message["type"])

    await LateRefusals(application, wait=wait)({"type": "http"}, None, send)
    assert events == [*waits, "http.response.start", "http.response.body"]


class Late:
    """Refusals whose delays are noted, at a time that is set by hand."""

    def __init__(self):
        self.now_s, self.waits = 100.0, []
        self._application = LateRefusals(_answering(429), wait=self._wait, clock_s=lambda: self.now_s)

    async def _wait(self, seconds):
        self.waits.append(round(seconds, 6))

    async def refuse(self, client, times=1):
        async def send(message):
            pass

        for _ in range(times):
            await self._application({"type": "http", "client": (client, 1)}, None, send)
        return self.waits


async def test_refusals_of_one_visitor_go_out_one_after_the_other():
    late = Late()
    assert await late.refuse("10.0.0.1", 3) == [LATE_S, LATE_S + LATE_EVERY_S, LATE_S + 2 * LATE_EVERY_S]
    assert (await late.refuse("10.0.0.2"))[3:] == [LATE_S]
    late.now_s += 2.5 * LATE_EVERY_S
    assert (await late.refuse("10.0.0.1"))[4:] == [pytest.approx(LATE_S + 0.5 * LATE_EVERY_S)]
    late.now_s += 10.0
    assert (await late.refuse("10.0.0.1"))[5:] == [LATE_S]


async def test_refusal_is_held_no_longer_than_so_long_and_all_after_that_in_no_wave():
    waits = await Late().refuse("10.0.0.1", 400)
    most = 1 + 400 / ((LATE_S_MAX - LATE_S_MAX / 2) / LATE_EVERY_S)
    assert min(waits) == LATE_S and LATE_S_MAX - LATE_EVERY_S <= max(waits) <= LATE_S_MAX
    assert max(Counter(round(each / LATE_EVERY_S) for each in waits).values()) <= most


async def test_visitors_whose_refusals_are_over_are_forgotten(monkeypatch):
    monkeypatch.setattr("lifecycle_site.turns.ADDRESSES_MAX", 2)
    late = Late()
    await late.refuse("10.0.0.1")
    late.now_s += 60.0
    await late.refuse("10.0.0.2")
    await late.refuse("10.0.0.3")
    assert set(late._application._next_s) == {"10.0.0.2", "10.0.0.3"}


async def test_site_and_the_apis_of_its_runs_answer_late_outside_the_turns():
    from lifecycle_site.asgi import http
    from simulator.web.door.application import ClusterDoor

    in_turn = http._application._application._application  # inside the API of the clusters, and what reads bodies
    assert isinstance(http, LateRefusals) and isinstance(http._application, ClusterDoor) and isinstance(in_turn, InTurn)
