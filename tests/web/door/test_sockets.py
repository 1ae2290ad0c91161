"""Who may open a connection to a pod, and how many at once."""

import asyncio
from uuid import UUID

import pytest

from simulator.door.connections import StreamBegun
from simulator.door.exchange import DoorReply
from simulator.runs.turns.slots import Busy
from simulator.web.door import sockets
from simulator.web.door.sockets import OPENINGS_PER_SECOND, SOCKETS_MAX, DoorSockets, DoorTurns, WatchOver
from tests.web.door.test_waiters import of

EXEC = f"/r/{UUID(int=7)}/k8s/w-{'x' * 32}/api/v1/namespaces/default/pods/web/exec"
REFUSED = {"type": "websocket.close", "code": 1008}


class Visits:
    """Connections that stay open until ``leave``, and what each was sent."""

    def __init__(self, monkeypatch):
        self.passed, self.served, self.headers = [], [], []
        self._left = asyncio.Event()
        self.door = DoorSockets(self._application)
        monkeypatch.setattr(sockets, "serve_connection", self._serve)

    async def _application(self, scope, receive, send):
        self.passed.append(scope["path"])

    async def _serve(self, scope, asked, receive, send, opening, headers):
        self.served.append(asked.path)
        await self._left.wait()

    async def visit(self, path=EXEC, *, client=("192.0.2.1", 1), headers=()):
        sent = []

        async def receive():
            return {"type": "websocket.connect"}

        async def send(message):
            sent.append(message)

        scope = {"type": "websocket", "path": path, "query_string": b"", "headers": [*headers], "client": client and [*client]}
        task = asyncio.create_task(self.door(scope, receive, send))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return task, sent

    async def leave(self, tasks):
        self._left.set()
        await asyncio.gather(*tasks)
        self._left.clear()


async def test_other_sockets_are_passed_on(monkeypatch):
    visits = Visits(monkeypatch)
    for path in ("/ws/runs/7/", "/r/k8s", "/ws/k8s/"):
        await visits.visit(path)
    assert (visits.passed, visits.served) == (["/ws/runs/7/", "/r/k8s", "/ws/k8s/"], [])


@pytest.mark.parametrize(("path", "is_served"), [(EXEC, True), (EXEC.removesuffix("/exec"), False), (EXEC.replace("/exec", "/log"), False)])
async def test_only_connections_to_pods_are_served(monkeypatch, path, is_served):
    visits = Visits(monkeypatch)
    _, sent = await visits.visit(path)
    assert (len(visits.served), sent, visits.passed) == ((1, [], []) if is_served else (0, [REFUSED], []))


async def test_a_visitor_has_only_so_many_open_and_another_is_not_concerned(monkeypatch):
    monkeypatch.setattr(sockets, "OPENINGS_PER_SECOND", 1000)
    visits = Visits(monkeypatch)
    opened = [await visits.visit() for _ in range(SOCKETS_MAX)]
    assert all(sent == [] for _, sent in opened)
    assert (await visits.visit())[1] == [REFUSED]
    assert (await visits.visit(client=("192.0.2.2", 1)))[1] == []
    await visits.leave([task for task, _ in opened])
    assert (await visits.visit())[1] == []


async def test_a_visitor_opens_only_so_many_in_a_while(monkeypatch):
    monkeypatch.setattr(sockets, "SOCKETS_MAX", 1000)
    visits = Visits(monkeypatch)
    monkeypatch.setattr(visits.door, "_allowances", sockets.Allowances(lambda: 0.0, burst_s=1))
    answers = [(await visits.visit())[1] for _ in range(OPENINGS_PER_SECOND + 1)]
    assert answers == [[]] * OPENINGS_PER_SECOND + [[REFUSED]]


async def test_connections_without_an_address_share_what_one_visitor_may(monkeypatch):
    monkeypatch.setattr(sockets, "SOCKETS_MAX", 1)
    visits = Visits(monkeypatch)
    assert [(await visits.visit(client=None))[1] for _ in range(2)] == [[], [REFUSED]]


@pytest.mark.parametrize(
    ("of_run", "begun", "opened"),
    [
        (None, None, 401),
        ("run", DoorReply(status=404), 404),
        ("run", StreamBegun(), StreamBegun()),
        ("run", Busy("no room", 0.0), 503),
    ],
)
async def test_connection_is_opened_or_refused_with_a_reply(monkeypatch, of_run, begun, opened):
    async def in_db(call, *args):
        return of_run and of()

    async def computed_for(visitor, function, *args):
        if isinstance(begun, Exception):
            raise begun
        return begun

    monkeypatch.setattr(sockets, "in_db", in_db)
    monkeypatch.setattr(sockets, "computed_for", computed_for)
    found = await sockets.stream_opened(None, None, "here")
    assert (found.status if isinstance(found, DoorReply) else found.begun) == opened


async def test_failure_that_has_no_reply_is_raised(monkeypatch):
    async def in_db(call, *args):
        raise ZeroDivisionError

    monkeypatch.setattr(sockets, "in_db", in_db)
    with pytest.raises(ZeroDivisionError):
        await sockets.stream_opened(None, None, "here")


async def _given(monkeypatch, seqs):
    """The record of a command that is applied after so many looks, and the seconds that passed."""
    now_s, left = [0.0], [*seqs]

    async def in_db(call, *args):
        return 1 if call is sockets.given else left.pop(0) if left else None

    async def sleep(seconds):
        now_s[0] += seconds

    monkeypatch.setattr(sockets, "in_db", in_db)
    monkeypatch.setattr(sockets, "monotonic", lambda: now_s[0])
    monkeypatch.setattr(sockets.asyncio, "sleep", sleep)
    try:
        return await DoorTurns(None, of(), None, "here").give(None), now_s[0]
    finally:
        monkeypatch.undo()


@pytest.mark.parametrize("seq", [0, 5])
async def test_a_command_is_waited_for_until_it_is_applied(monkeypatch, seq):
    assert await _given(monkeypatch, [None, None, seq]) == (seq, pytest.approx(3 * sockets.LOOK_S))


async def test_a_command_that_nobody_applies_ends_the_connection(monkeypatch):
    with pytest.raises(WatchOver):
        await _given(monkeypatch, [])
