"""What a request to a run's API may be: how large, how many, and about what. Without a run."""

import json
from types import SimpleNamespace
from uuid import UUID

import pytest

from lifecycle_site.bodies import BODY_TOO_LARGE
from simulator.door.exchange import DoorRequest
from simulator.models import Run
from simulator.web.door import application
from simulator.web.door.addresses import door_address, path_at
from simulator.web.door.application import BODY_MAX, READER_BODY_MAX, WATCHES_MAX, WATCHES_OF_KEY_MAX, ClusterDoor
from tests.web.door.test_open_streams import of

ADDRESS = door_address(f"/r/{UUID(int=7)}/k8s/w-{'x' * 32}/api/v1/pods")
WATCHER = "kubectl/v1.37.1"


async def body(scope, *parts, most=10):
    left = [{"type": "http.request", "body": part, "more_body": n < len(parts)} for n, part in enumerate(parts, 1)]

    async def receive():
        return left.pop(0) if left else {"type": "http.disconnect"}

    return await application._body({"headers": [], **scope}, receive, most)


@pytest.mark.parametrize(
    ("length", "parts", "found"),
    [
        (None, (b"abc",), b"abc"),
        (None, (b"abc", b"def"), b"abcdef"),
        (None, (), b""),
        (None, (b"x" * 10,), b"x" * 10),
        (None, (b"x" * 5, b"x" * 6), None),
        (b"10", (b"x" * 10,), b"x" * 10),
        (b"11", (b"x",), None),
        (b"0", (b"x",), b"x"),
        (b"x", (b"x",), None),
        (b"99999999999", (b"x",), None),
    ],
)
async def test_body_is_read_up_to_its_limit(length, parts, found):
    headers = [] if length is None else [(b"content-length", length)]
    assert await body({"headers": headers}, *parts) == found


async def test_body_that_the_server_refused_is_none():
    assert await body({BODY_TOO_LARGE: True}, b"x") is None


@pytest.mark.parametrize(
    ("method", "opened", "most"),
    [
        ("GET", of(), READER_BODY_MAX),
        ("POST", of(), BODY_MAX),
        ("POST", of(may_write=False), READER_BODY_MAX),
        ("POST", of(at_ms=5), READER_BODY_MAX),
        ("POST", None, READER_BODY_MAX),
        ("POST", ValueError(), READER_BODY_MAX),
    ],
)
async def test_only_who_may_write_sends_much(monkeypatch, method, opened, most):
    async def in_db(call, *args):
        if isinstance(opened, Exception):
            raise opened
        return opened

    monkeypatch.setattr(application, "in_db", in_db)
    assert await application._body_max({"method": method}, ADDRESS) == most


@pytest.mark.parametrize(
    ("counts", "status"),
    [
        ({}, None),
        ({"here": WATCHES_MAX - 1, ADDRESS.token: WATCHES_OF_KEY_MAX - 1}, None),
        ({"here": WATCHES_MAX}, 429),
        ({ADDRESS.token: WATCHES_OF_KEY_MAX}, 429),
    ],
)
async def test_visitor_and_key_have_only_so_many_watches_open(monkeypatch, counts, status):
    door = ClusterDoor(None)

    async def watched(*_):
        assert (door._watches["here"], door._watches[ADDRESS.token]) == tuple(counts.get(each, 0) + 1 for each in ("here", ADDRESS.token))

    monkeypatch.setattr(application, "_watched", watched)
    door._watches.update(counts)
    reply = await door._watch(ADDRESS, None, "here", None, None)
    assert (reply and reply.status) == status
    assert door._watches == {name: count for name, count in counts.items() if count}


@pytest.mark.parametrize(
    ("path", "query", "is_followed"),
    [
        ("/api/v1/namespaces/default/pods/web/log", {"follow": "true"}, True),
        ("/api/v1/namespaces/default/pods/web/log", {}, False),
        ("/api/v1/namespaces/default/pods/web/log", {"follow": "true", "previous": "true"}, False),
        ("/api/v1/namespaces/default/pods/web", {"follow": "true"}, False),
    ],
)
def test_log_is_followed_if_it_is_asked_for_and_can_grow(path, query, is_followed):
    assert application._is_followed(DoorRequest(path=path, query=tuple(query.items()))) is is_followed


@pytest.mark.parametrize(
    ("path", "is_of_objects", "changes"),
    [
        ("/api/v1/namespaces/default/pods", True, True),
        ("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", True, False),
        ("/version", False, False),
        ("/api/v1", False, False),
        ("/nothing/at/all", False, False),
    ],
)
def test_request_with_a_writing_method_changes_objects_unless_it_is_a_review(path, is_of_objects, changes):
    asked = DoorRequest(method="POST", path=path)
    assert (application._is_of_objects(asked), application._changes_objects(asked)) == (is_of_objects, changes)


@pytest.mark.parametrize(
    ("agent", "fields", "row", "warning"),
    [
        (WATCHER, {}, {}, "time stands still at 1:05 of this run: press Play on its page"),
        (WATCHER, {}, {"is_paused": False}, None),
        (WATCHER, {}, {"state": Run.State.STOPPED}, None),
        (WATCHER, {}, None, None),
        (WATCHER, {"at_ms": 3000}, None, "time stands still at 0:03 of this run"),
        ("helm", {}, {}, None),
    ],
)
async def test_command_that_waits_is_warned_where_time_stands_still(monkeypatch, agent, fields, row, warning):
    async def found(run_id):
        return None if row is None else SimpleNamespace(**{"is_paused": True, "state": Run.State.LIVE} | row)

    monkeypatch.setattr(application, "HUBS", SimpleNamespace(row=found))
    monkeypatch.setattr(application, "moment_of", lambda row: 65_999)
    query = (("watch", "true"), ("fieldSelector", "metadata.name=web"))
    asked = DoorRequest(path="/api/v1/namespaces/default/pods", query=query, headers={"user-agent": agent})
    headers = await application._warning(of(**fields), asked)
    assert headers == ([] if warning is None else [(b"warning", f'299 - "{warning}"'.encode())])


HOST = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("host", "wildcard", "path"),
    [
        (f"{HOST}.k8s.example", "k8s.example", f"/r/{HOST}/k8s/api"),
        (f"{HOST.upper()}.K8S.example:8443", "k8s.EXAMPLE", f"/r/{HOST}/k8s/api"),
        (f"{HOST}.other.example", "k8s.example", "/api"),
        (f"{HOST}.k8s.example", "", "/api"),
        ("www.k8s.example", "k8s.example", "/api"),
        (HOST, "k8s.example", "/api"),
        (f"{HOST}.", "", "/api"),
    ],
)
def test_run_may_be_named_by_its_host(host, wildcard, path):
    assert path_at(host, "/api", wildcard=wildcard) == path


def test_failure_that_is_no_refusal_has_no_reply():
    assert application.failure_reply(ValueError()) is None
    assert json.loads(application.failure_reply(Run.DoesNotExist()).body)["code"] == 401
