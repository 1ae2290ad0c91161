"""Watches of a run through the API: their start, what follows, where they resume."""

import asyncio
import json

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from msgspec.structs import replace

from simulator.door.exchange import DoorRequest
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.course.header import RunHeader
from simulator.models import DoorKey, Run
from simulator.runs.log.content import Content, Source
from simulator.runs.services.commands import command_submit
from simulator.runs.services.door_keys import door_key_create, door_key_revoke
from simulator.web.base.page_workers import TookTooLong
from simulator.web.door import application, streams, watches
from simulator.web.door.application import ClusterDoor
from simulator.web.door.moments import AskedOf
from simulator.web.door.watches import watch_begun, watch_gone_on
from tests.factories import OWNER, make_run, pod_json
from tests.web.helpers import play

pytestmark = pytest.mark.django_db(transaction=True)
PODS = "/api/v1/namespaces/default/pods"
LIST = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}


def asked(path=PODS, accept="application/json", **query):
    return DoorRequest(path=path, query=(("watch", "true"), *query.items()), headers={"accept": accept, "user-agent": "python"})


def of(run):
    return AskedOf(run_id=run.id, at_ms=None, may_write=False)


def events(text):
    return [json.loads(line) for line in text.splitlines()]


def told(text):
    """Type, name and phase of each event."""
    return [(each["type"], each["object"]["metadata"].get("name"), each["object"].get("status", {}).get("phase")) for each in events(text)]


def positions(text):
    return [int(each["object"]["metadata"]["resourceVersion"]) for each in events(text)]


def test_a_watch_begins_with_what_there_is():
    _, text = watch_begun(of(play(make_run(), 10_000)), asked())
    assert told(text) == [("ADDED", "web", "Running")]


def test_the_end_of_the_beginning_is_marked_where_it_is_asked_for():
    _, text = watch_begun(of(play(make_run(), 10_000)), asked(**LIST))
    last = events(text)[-1]
    assert (last["type"], last["object"]["metadata"]["annotations"]) == ("BOOKMARK", {"k8s.io/initial-events-end": "true"})


def test_a_version_that_knows_no_initial_events_refuses_them():
    content = Content(header=RunHeader(kubernetes="1.26", manifests=(pod_json(),)), source=Source(manifests="kind: Pod"))
    reply = watch_begun(of(play(make_run(content=content), 10_000)), asked(**LIST))
    assert (reply.status, json.loads(reply.body)["reason"]) == (422, "Invalid")


def test_what_follows_is_told_once_and_in_order():
    run = play(make_run(), 500)
    standing, first = watch_begun(of(run), asked())
    play(run, 20_000)
    standing, text = watch_gone_on(of(run), asked(), standing)
    numbers = positions(first + text)
    assert told(text)[-1] == ("MODIFIED", "web", "Running")
    assert numbers == sorted(set(numbers))
    assert watch_gone_on(of(run), asked(), standing)[1] == b""


def test_a_watch_goes_on_from_the_position_that_a_client_names():
    run = play(make_run(), 20_000)
    _, whole = watch_begun(of(run), asked(resourceVersion="0"))
    first = min(positions(whole))
    _, rest = watch_begun(of(run), asked(resourceVersion="2"))
    assert first > 2 and [word for word, _, _ in told(rest)] == ["MODIFIED"] * (first - 2)


def test_a_position_that_is_too_far_back_is_gone(monkeypatch):
    run = play(make_run(), 20_000)
    monkeypatch.setattr(watches, "_OBJECTS_MAX", 3)
    standing, text = watch_begun(of(run), asked(resourceVersion="2"))
    (line,) = events(text)
    assert (standing, line["type"], line["object"]["code"]) == (None, "ERROR", 410)


def test_an_object_that_goes_is_deleted_and_one_that_is_selected_no_more_as_well():
    run = play(make_run(), 10_000)
    running = {"fieldSelector": "status.phase=Pending"}
    early, _ = watch_begun(AskedOf(run_id=run.id, at_ms=0, may_write=False), asked(**running))
    _, text = watch_gone_on(of(run), asked(**running), early)
    assert told(text)[-1] == ("DELETED", "web", "Running")
    standing, _ = watch_begun(of(run), asked())
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web", grace_s=0), client_key="12345678")
    play(run, 60_000)
    word, name, _ = told(watch_gone_on(of(run), asked(), standing)[1])[-1]
    assert (word, name) == ("DELETED", "web")


def test_a_position_of_nobody_is_refused():
    assert watch_begun(of(play(make_run(), 1000)), asked(resourceVersion="x")).status == 400


async def _begun(run, query, agent="python"):
    key = await sync_to_async(door_key_create)(run=run, owner_key=OWNER, can_write=False)

    async def page(scope, receive, send):
        raise AssertionError

    scope = {
        "type": "http", "method": "GET", "path": f"/r/{run.id}/k8s/{key}{PODS}", "query_string": query.encode(),
        "headers": [(b"user-agent", agent.encode())],
        "client": ["192.0.2.1", 1],
    }  # fmt: skip
    talk = ApplicationCommunicator(ClusterDoor(page), scope)
    await talk.send_input({"type": "http.request", "body": b"", "more_body": False})
    return talk


async def _rest(talk):
    found = [await talk.receive_output(30)]
    while not found or found[-1].get("more_body", True):
        found.append(await talk.receive_output(30))
    return found


async def _stream(run, query, agent="python"):
    return await _rest(await _begun(run, query, agent))


async def _revoked(run, query):
    """What an open watch sends after its key was revoked."""
    talk = await _begun(run, query)
    await talk.receive_output(30)
    await talk.receive_output(30)
    key = await DoorKey.objects.alatest("id")
    await sync_to_async(door_key_revoke)(run=run, owner_key=OWNER, key_id=key.id)
    return await _rest(talk)


def test_an_open_watch_reports_nothing_once_its_key_is_revoked(monkeypatch):
    monkeypatch.setattr(streams, "BOOKMARK_S", 1.0)
    run = play(make_run(), 10_000)
    Run.objects.filter(id=run.id).update(is_paused=True)
    rest = asyncio.run(_revoked(run, "watch=1&timeoutSeconds=4&allowWatchBookmarks=1"))
    assert (b"".join(part["body"] for part in rest), rest[-1]["more_body"]) == (b"", False)


def test_an_open_watch_of_a_site_that_is_busy_ends_without_a_failure(monkeypatch):
    def busy(of, asked, standing):
        raise TookTooLong("busy")

    monkeypatch.setattr(streams, "BOOKMARK_S", 0.2)
    monkeypatch.setattr(application, "watch_marked", busy)
    run = play(make_run(), 10_000)
    Run.objects.filter(id=run.id).update(is_paused=True)
    assert asyncio.run(_stream(run, "watch=1&timeoutSeconds=4"))[-1]["more_body"] is False


@pytest.mark.parametrize("path", ["/version", "/api/v1", f"{PODS}/web/status", f"{PODS}/web/log"])
def test_what_cannot_be_watched_is_answered_as_if_nobody_had_asked_to(path):
    assert watch_begun(of(play(make_run(), 10_000)), asked(path)).status == 200


def test_a_watch_ends_when_its_time_is_over():
    run = play(make_run(), 10_000)
    Run.objects.filter(id=run.id).update(is_paused=True)
    start, first, *rest = asyncio.run(_stream(run, "watch=1&timeoutSeconds=1"))
    assert (start["status"], told(first["body"]), rest[-1]["more_body"]) == (200, [("ADDED", "web", "Running")], False)


def test_headers_come_at_once_also_where_there_is_nothing_to_tell():
    run = play(make_run(), 10_000)
    start, first, *_ = asyncio.run(_stream(run, "watch=1&timeoutSeconds=1&resourceVersion=100000"))
    assert (first["body"], first["more_body"]) == (b"", True)
    assert dict(start["headers"])[b"x-accel-buffering"] == b"no", "nginx would keep them"


@pytest.mark.parametrize(
    ("agent", "is_paused", "warned"), [("kubectl/v1.37.1", True, True), ("kubectl/v1.37.1", False, False), ("helm", True, False)]
)
def test_a_command_of_kubectl_that_waits_is_told_that_time_stands(agent, is_paused, warned):
    run = play(make_run(), 62_000)
    Run.objects.filter(id=run.id).update(is_paused=is_paused, base_ms=62_000)
    start, *_ = asyncio.run(_stream(run, "watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dweb", agent))
    assert (dict(start["headers"]).get(b"warning") == b'299 - "time stands still at 1:02 of this run: press Play on its page"') is warned


def test_a_row_goes_as_it_was_and_by_its_name_where_nobody_knows_how_it_was():
    table = asked(accept="application/json;as=Table;v=v1;g=meta.k8s.io")
    run = play(make_run(), 10_000)
    standing, _ = watch_begun(of(run), table)
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web", grace_s=0), client_key="12345678")
    play(run, 60_000)
    never = {("default", "never"): ("uid", "1")}
    rows = [(each["type"], each["object"]["rows"][0]["cells"][:3]) for each in events(watch_gone_on(of(run), table, standing)[1])]
    assert rows[-1][0] == "DELETED" and rows[-1][1][0] == "web"
    unknown = replace(standing, sent={**standing.sent, **never})
    rows = [(each["type"], each["object"]["rows"][0]["cells"][:3]) for each in events(watch_gone_on(of(run), table, unknown)[1])]
    assert ("DELETED", ["never", "", ""]) in rows


async def _open(run, count):
    """The statuses of this many concurrent watches with one key, and of one more once they are gone."""
    key = await sync_to_async(door_key_create)(run=run, owner_key=OWNER, can_write=False)
    door = ClusterDoor(None)
    talks, statuses = [], []
    for _ in range(count):
        scope = {
            "type": "http", "method": "GET", "path": f"/r/{run.id}/k8s/{key}{PODS}", "query_string": b"watch=1",
            "headers": [(b"user-agent", b"python")], "client": ["192.0.2.1", 1],
        }  # fmt: skip
        talks.append((ApplicationCommunicator(door, scope), scope))
        await talks[-1][0].send_input({"type": "http.request", "body": b"", "more_body": False})
        statuses.append((await talks[-1][0].receive_output(30))["status"])
    for talk, _ in talks:
        await talk.send_input({"type": "http.disconnect"})
        await talk.wait(10)
    return statuses, dict(door._watches)


@pytest.mark.parametrize("limit", ["WATCHES_MAX", "WATCHES_OF_KEY_MAX"])
def test_so_many_watches_are_open_at_once_and_count_no_more_once_they_are_gone(monkeypatch, limit):
    monkeypatch.setattr(application, limit, 3)
    assert asyncio.run(_open(play(make_run(), 1000), 4)) == ([200, 200, 200, 429], {})


@pytest.mark.parametrize(("agent", "sign"), [("kubectl/v1.37.1 (linux/amd64) kubernetes/1f", b"\n"), ("python", b"")])
def test_a_client_that_reads_no_bookmarks_gets_a_sign_of_life_where_it_can_take_one(monkeypatch, agent, sign):
    monkeypatch.setattr(streams, "BOOKMARK_S", 0.2)
    run = play(make_run(), 1000)
    Run.objects.filter(id=run.id).update(is_paused=True)
    parts = asyncio.run(_stream(run, "watch=1&timeoutSeconds=1&resourceVersion=99", agent))
    assert (sign in [part.get("body") for part in parts[2:-1]]) is bool(sign)
