"""Open watches and followed logs: when they are told something, and when they end. The hub, the clock and the pauses are fakes."""

import asyncio
from types import SimpleNamespace
from uuid import UUID

import pytest

from simulator.door.exchange import DoorRequest
from simulator.models import Run
from simulator.web.door import log_streams, streams
from simulator.web.door.clocks import clock_in
from simulator.web.door.log_streams import stream_log
from simulator.web.door.moments import AskedOf
from simulator.web.door.streams import BOOKMARK_S, WATCH_S_MAX, DoorListener, WatchOver, WatchStream

RUN = UUID(int=7)
GO = "python kubernetes/abc"
END = b"END"


class Hubs:
    """One hub, with rows of a run whose clock advances by ``pace_ms`` with each look."""

    def __init__(self):
        self.head, self.row_ms, self.pace_ms, self.state = 0, 0, 1000, Run.State.LIVE
        self.listeners, self.told = [], []

    async def join(self, run_id, listener):
        self.listeners.append(listener)
        return self

    async def leave(self, hub, listener):
        self.listeners.remove(listener)

    async def attend(self):
        self.told.append("attend")

    async def viewer_left(self):
        self.told.append("left")

    def saw_head(self, head):
        self.head = max(self.head, head)

    async def row(self, run_id):
        self.row_ms += self.pace_ms
        return SimpleNamespace(head_seq=self.head, is_paused=False, state=self.state, rate_permille=1000, at_ms=self.row_ms)


class Presence:
    def __init__(self):
        self.here = []

    def enter(self, run_id, address):
        self.here.append(address)

    def leave(self, run_id, address):
        self.here.remove(address)


class Site:
    """What a stream needs, with a client that stays until ``leaves_s`` on a clock that moves only while a stream waits."""

    def __init__(self, monkeypatch, leaves_s):
        self.now_s, self.leaves_s, self.sent, self.headers = 0.0, leaves_s, [], {}
        self.hubs, self.presence = Hubs(), Presence()
        for module in (streams, log_streams):
            monkeypatch.setattr(module, "HUBS", self.hubs)
            monkeypatch.setattr(module, "PRESENCE", self.presence)
            monkeypatch.setattr(module, "monotonic", lambda: self.now_s)
        monkeypatch.setattr(streams, "REST_S", 0)
        monkeypatch.setattr(log_streams, "LOOK_S", 0)
        monkeypatch.setattr(log_streams, "moment_of", lambda row: row.at_ms)
        monkeypatch.setattr(WatchStream, "_wait", self._wait)
        self.is_gone = asyncio.Event()

    async def _wait(self, awake, gone, until_s):
        if not awake.is_set():
            self.now_s = max(self.now_s, min(until_s, self.leaves_s))
        if self.now_s >= self.leaves_s:
            self.is_gone.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def receive(self):
        await self.is_gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message):
        if message["type"] == "http.response.body":
            self.sent.append(message["body"] if message["more_body"] else END)
        else:
            self.headers = dict(message["headers"])


def of(**more):
    return AskedOf(**{"run_id": RUN, "at_ms": None, "may_write": True, **more})


def watching(agent=GO, **query):
    return DoorRequest(path="/api/v1/pods", query=tuple(query.items()), headers={"user-agent": agent})


STANDING = SimpleNamespace(seq=0)


async def nothing(standing):
    return standing, b""


async def unmarked(standing):
    return b""


def watched(monkeypatch, asked, *, at_ms=None, leaves_s=1e9, go_on=nothing, mark=unmarked, before=lambda site: None, pace=None):
    """The pieces that a client was sent, and the site afterwards."""

    async def run():
        site = Site(monkeypatch, leaves_s)
        before(site)
        stream = WatchStream(of(at_ms=at_ms), asked, "here", receive=site.receive, send=site.send, pace=pace)
        await stream.run(STANDING, b"FIRST", lambda standing: go_on(standing), mark, [])
        return site

    site = asyncio.run(run())
    assert (site.hubs.listeners, site.presence.here) == ([], [])
    return site.sent, site


@pytest.mark.parametrize(
    ("seconds", "lasts_s"), [("10", 10), (str(WATCH_S_MAX), WATCH_S_MAX), (str(WATCH_S_MAX + 1), WATCH_S_MAX), ("0", WATCH_S_MAX)]
)
@pytest.mark.parametrize("at_ms", [None, 5000])
def test_a_watch_lasts_as_long_as_its_client_wants_and_no_longer_than_an_hour(monkeypatch, seconds, lasts_s, at_ms):
    sent, site = watched(monkeypatch, watching(timeoutSeconds=seconds), at_ms=at_ms)
    assert (site.now_s, sent[0], sent[-1]) == (lasts_s, b"FIRST", END)


@pytest.mark.parametrize("at_ms", [None, 5000])
def test_a_go_client_is_shown_at_intervals_that_its_watch_is_alive(monkeypatch, at_ms):
    sent, _ = watched(monkeypatch, watching(timeoutSeconds=str(int(2.5 * BOOKMARK_S))), at_ms=at_ms)
    assert sent == [b"FIRST", b"\n", b"\n", END]


@pytest.mark.parametrize("at_ms", [None, 5000])
def test_another_client_gets_only_the_bookmarks_that_it_wants(monkeypatch, at_ms):
    asked = watching("python", timeoutSeconds=str(int(2.5 * BOOKMARK_S)))
    assert watched(monkeypatch, asked, at_ms=at_ms)[0] == [b"FIRST", END]

    async def mark(standing):
        return b"MARK"

    assert watched(monkeypatch, asked, at_ms=at_ms, mark=mark)[0] == [b"FIRST", b"MARK", b"MARK", END]


@pytest.mark.parametrize("at_ms", [None, 5000])
def test_a_watch_ends_with_its_client(monkeypatch, at_ms):
    sent, site = watched(monkeypatch, watching("python"), at_ms=at_ms, leaves_s=BOOKMARK_S - 1)
    assert (site.now_s, sent) == (BOOKMARK_S - 1, [b"FIRST", END])


def test_a_watch_of_the_past_counts_nobody_as_a_viewer(monkeypatch):
    _, site = watched(monkeypatch, watching(timeoutSeconds="5"), at_ms=5000)
    assert site.hubs.told == []
    _, site = watched(monkeypatch, watching(timeoutSeconds="5"))
    assert site.hubs.told == ["attend", "left"]


def test_a_watch_is_told_of_each_new_record_once(monkeypatch):
    asked_at = []

    async def go_on(standing):
        asked_at.append(standing.seq)
        return SimpleNamespace(seq=standing.seq + 2), b"NEW"

    def before(site):
        site.hubs.head = 3

    sent, _ = watched(monkeypatch, watching("python", timeoutSeconds="100"), go_on=go_on, before=before)
    assert (asked_at, sent) == ([0, 2], [b"FIRST", b"NEW", b"NEW", END])


def test_a_watch_with_no_new_record_asks_for_nothing(monkeypatch):
    async def go_on(standing):
        raise AssertionError

    assert watched(monkeypatch, watching("python", timeoutSeconds="100"), go_on=go_on)[0] == [b"FIRST", END]


@pytest.mark.parametrize("over", ["none", "raised"])
def test_a_watch_that_is_over_tells_its_last_words(monkeypatch, over):
    async def go_on(standing):
        if over == "raised":
            raise WatchOver
        return None, b"LAST"

    def before(site):
        site.hubs.head = 3

    sent, site = watched(monkeypatch, watching(), go_on=go_on, before=before)
    assert sent == ([b"FIRST", END] if over == "raised" else [b"FIRST", b"LAST", END]) and site.now_s == 0


def test_a_watch_ends_when_its_run_is_gone(monkeypatch):
    def before(site):
        join = site.hubs.join

        async def joined(run_id, listener):
            listener.drop(4004)
            return await join(run_id, listener)

        site.hubs.join = joined

    sent, site = watched(monkeypatch, watching(), before=before)
    assert (sent, site.now_s) == ([b"FIRST", END], 0)


@pytest.mark.parametrize(
    ("last", "is_over", "sent"), [(b"LAST", False, [b"FIRST", b"LAST", END]), (b"", True, [b"FIRST", END]), (b"LAST", True, None)]
)
def test_a_watch_ends_where_its_pace_does(monkeypatch, last, is_over, sent):
    class Pace(streams.DoorPace):
        async def go_on(self, standing):
            self.is_over = is_over
            return last

    got, site = watched(monkeypatch, watching(), pace=Pace())
    assert (got, site.now_s) == (sent or [b"FIRST", b"LAST", END], 0)


@pytest.mark.parametrize(("text", "times"), [(b"NEW", 1), (b"", 0)])
def test_a_pace_hears_that_the_client_was_told_something(monkeypatch, text, times):
    told = []

    class Pace(streams.DoorPace):
        def told(self):
            told.append(1)

    async def go_on(standing):
        return SimpleNamespace(seq=3), text

    def before(site):
        site.hubs.head = 3

    watched(monkeypatch, watching(timeoutSeconds="5"), go_on=go_on, before=before, pace=Pace())
    assert len(told) == times


@pytest.mark.parametrize(
    ("hears", "frame", "wakes"),
    [(True, '{"type":"clock","at":1}', True), (False, '{"type":"clock"}', False), (True, '{"type":"viewers","clock":1}', False)],
)
def test_a_listener_hears_of_a_clock_that_is_moved_if_it_wants_to(hears, frame, wakes):
    listener = DoorListener(hears_clock=hears)
    listener.notify(frame)
    assert (listener.awake.is_set(), listener.is_over) == (wakes, False)


@pytest.mark.parametrize("call", [lambda each: each.wake(), lambda each: each.beat(), lambda each: each.drop(4004)])
def test_a_listener_is_woken_by_whatever_may_concern_it(call):
    listener = DoorListener()
    call(listener)
    assert listener.awake.is_set()


def followed(monkeypatch, parts, *, at_ms=None, clock="live", before=lambda site: None):
    """The pieces of a log that a client was sent, how often the clock was kept going, and the site afterwards."""
    kept = []

    class Kept:
        def __init__(self, of):
            pass

        async def begin(self):
            kept.append(1)

    async def run():
        site = Site(monkeypatch, 1e9)
        monkeypatch.setattr(log_streams, "RealPace", Kept)
        before(site)
        left = [*parts]

        async def more(cursor):
            text, is_over = left.pop(0)
            return text, cursor + 1, is_over

        await stream_log(of(at_ms=at_ms, clock=clock_in(clock)), ("so far\n", 0), more, "here", [], site.receive, site.send)
        assert at_ms is not None or not left
        return site

    site = asyncio.run(run())
    assert (site.hubs.listeners, site.presence.here) == ([], [])
    return site.sent, len(kept), site


PARTS = [("one\n", False), ("", False), ("two\n", True)]


@pytest.mark.parametrize(("clock", "kept"), [("live", 0), ("real", 3), ("skip", 0)])
def test_a_log_is_sent_as_it_is_printed_until_its_container_ends(monkeypatch, clock, kept):
    assert followed(monkeypatch, PARTS, clock=clock)[:2] == ([b"so far\n", b"one\n", b"two\n", END], kept)


def test_a_log_of_the_past_is_all_there_is(monkeypatch):
    sent, _, site = followed(monkeypatch, PARTS, at_ms=5000)
    assert (sent, site.hubs.told) == ([b"so far\n", END], [])


def test_proxies_are_told_to_keep_nothing_of_a_log(monkeypatch):
    assert followed(monkeypatch, PARTS)[2].headers[b"x-accel-buffering"] == b"no"


def test_nothing_is_looked_for_while_time_stands_still(monkeypatch):
    def before(site):
        site.hubs.pace_ms = 0
        looks = []

        async def row(run_id):
            looks.append(1)
            if len(looks) == 5:
                site.is_gone.set()
            return SimpleNamespace(at_ms=0)

        site.hubs.row = row

    sent, *_ = followed(monkeypatch, [("one\n", False)], before=before)
    assert sent == [b"so far\n", b"one\n", END]


def test_a_log_ends_after_an_hour(monkeypatch):
    def before(site):
        async def row(run_id):
            site.now_s += WATCH_S_MAX / 2
            return SimpleNamespace(at_ms=int(site.now_s))

        site.hubs.row = row

    assert followed(monkeypatch, [("one\n", False), ("two\n", False)], before=before)[0] == [b"so far\n", b"one\n", b"two\n", END]
