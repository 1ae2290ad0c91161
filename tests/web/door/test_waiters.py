"""Clients that wait on a paused run: the notifications of its pages."""

import asyncio
import json
from types import SimpleNamespace
from uuid import UUID

import pytest

from simulator.door.exchange import DoorRequest
from simulator.runs.live.hub import HUBS
from simulator.runs.wire import announce
from simulator.web.door import waiters
from simulator.web.door.clocks import clock_in
from simulator.web.door.moments import AskedOf
from simulator.web.door.waiters import WaitingCommand, is_kubectl_waiting, who_waits

RUN = UUID(int=7)
PODS = "/api/v1/namespaces/default/pods"


def asked(agent="kubectl/v1.37.1 (linux/amd64) kubernetes/abc", command="kubectl wait", name="web"):
    query = (("watch", "true"), ("fieldSelector", f"metadata.name={name}")) if name else (("watch", "true"),)
    return DoorRequest(path=PODS, query=query, headers={"user-agent": agent, "kubectl-command": command})


def of(**more):
    return AskedOf(**{"run_id": RUN, "at_ms": None, "may_write": True, **more})


@pytest.mark.parametrize(
    ("request_", "waits"),
    [
        (asked(), True),
        (asked(command=""), True),
        (asked(command="kubectl get", name=""), False),
        (asked(command="kubectl drain", name=""), True),
        (asked(command="kubectl delete", name=""), True),
        (asked(command="kubectl wait", name=""), True),
        (asked(command="kubectl rollout status", name=""), True),
        (asked(command="kubectl rollout", name=""), False),
        (asked(agent="python"), False),
    ],
)
def test_which_watches_are_commands_that_wait(request_, waits):
    assert is_kubectl_waiting(request_) is waits


def test_a_command_is_named_with_what_it_waits_for_and_who_gave_it():
    assert who_waits(of(label="Ann"), asked()) == "kubectl wait pods/web (kubectl/v1.37.1, Ann)"


def test_what_a_client_makes_up_is_left_out():
    rude = asked(agent="kubectl you are\n<b>rude</b>", command="kubectl <script>alert(1)</script>", name="a b")
    assert who_waits(of(), rude) == "kubectl pods/a"


@pytest.fixture
def told(monkeypatch):
    """The notifications of pages, and the row of the run."""
    frames, row = [], SimpleNamespace(is_paused=True, state="live")

    async def notified(run_id, *, frame):
        frames.append(json.loads(frame)["who"])

    async def row_of(run_id):
        return row

    monkeypatch.setattr(waiters, "WAITERS", waiters.Waiters())
    monkeypatch.setattr(announce, "notified", notified)
    monkeypatch.setattr(HUBS, "row", row_of)
    return frames, row


def test_pages_hear_who_waits_until_time_goes_or_the_client(told):
    frames, row = told

    async def story():
        first, second = WaitingCommand(of(), asked()), WaitingCommand(of(), asked(name="db"))
        await first.look()
        await second.look()
        await first.look()  # announced a moment ago
        await first.end()
        row.is_paused = False
        await second.look()

    asyncio.run(story())
    web, db = (f"kubectl wait pods/{name} (kubectl/v1.37.1)" for name in ("web", "db"))
    assert frames == [[web], [db, web], [db], []]


@pytest.mark.parametrize("one", [of(at_ms=5), of(clock=clock_in("skip"))])
def test_who_waits_for_nothing_that_play_would_bring_is_not_named(told, one):
    asyncio.run(WaitingCommand(one, asked()).look())
    assert told[0] == []


def test_only_some_are_named_and_the_others_counted(told):
    async def story():
        for number in range(7):
            await WaitingCommand(of(), asked(name=f"p{number}")).look()

    asyncio.run(story())
    assert told[0][-1].count("") == 2
