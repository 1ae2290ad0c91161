"""A run's API over HTTP: documents at the run's own address, and bodies that a key may not send."""

import json

import pytest
from asgiref.sync import async_to_sync

from simulator.runs.services.door_keys import door_key_create
from simulator.web.door.application import BODY_MAX, READER_BODY_MAX, ClusterDoor
from tests.factories import OWNER, make_run
from tests.web.door.test_door import ask
from tests.web.helpers import play

pytestmark = pytest.mark.django_db(transaction=True)
PODS = "/api/v1/namespaces/default/pods"
ACCESS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


@pytest.fixture
def run():
    return play(make_run(), 60_000)


def address(run, *, writes=False):
    return f"/r/{run.id}/k8s/{door_key_create(run=run, can_write=writes, owner_key=OWNER)}"


async def _sent(path, body, announced, parts):
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "client": ["192.0.2.1", 1], "headers": []}
    if announced is not None:
        scope["headers"] = [(b"content-length", str(announced).encode())]
    taken = 0
    size = -(-len(body) // parts) if parts else 0

    async def receive():
        nonlocal taken
        taken += 1
        return {"type": "http.request", "body": body[(taken - 1) * size : taken * size], "more_body": taken < parts}

    sent = []

    async def send(message):
        sent.append(message)

    await ClusterDoor(None)(scope, receive, send)
    return sent[0]["status"], json.loads(sent[1]["body"]), taken


def post(path, body=b"", *, announced=None, parts=1):
    """Status, document, and how many parts of the body were read."""
    return async_to_sync(_sent)(path, body, announced, parts)


def test_documents_of_version_3_are_found_at_the_address_of_the_run(run):
    at = address(run)
    _, _, body = ask(f"{at}/openapi/v3")
    url = json.loads(body)["paths"]["api/v1"]["serverRelativeURL"]
    assert url.startswith(f"{at}/openapi/v3/api/v1?hash=")
    status, headers, _ = ask(url)
    assert (status, headers["cache-control" if "cache-control" in headers else "Cache-Control"]) == (200, "private, no-cache")


def test_other_answers_may_not_be_kept(run):
    assert ask(f"{address(run)}/version")[1]["cache-control"] == "no-store"


def test_a_read_only_key_is_refused_before_its_large_body_is_read(run):
    status, document, taken = post(f"{address(run)}{PODS}", b"x" * BODY_MAX, announced=BODY_MAX, parts=50)
    assert (status, document["reason"], taken) == (403, "Forbidden", 0)


def test_a_body_whose_length_is_not_said_is_read_only_as_far(run):
    status, _, taken = post(f"{address(run)}{PODS}", b"x" * BODY_MAX, parts=48)
    assert status == 403 and taken <= READER_BODY_MAX // (BODY_MAX // 48) + 1


def test_no_key_reads_no_large_body(run):
    at = address(run)
    assert post(f"{at[:-3]}xyz{PODS}", b"x" * 100_000, announced=100_000, parts=2)[::2] == (401, 0)


def test_a_key_that_writes_is_told_that_a_body_is_too_large(run):
    assert post(f"{address(run, writes=True)}{PODS}", b"", announced=BODY_MAX + 1)[::2] == (413, 0)


def test_a_key_that_reads_may_ask_what_it_may_do(run):
    body = json.dumps({"spec": {"resourceAttributes": {"verb": "delete", "resource": "pods"}}}).encode()
    assert post(f"{address(run)}{ACCESS}", body)[:2][1]["status"] == {"allowed": False}
    assert post(f"{address(run, writes=True)}{ACCESS}", body)[:2][1]["status"] == {"allowed": True}


@pytest.mark.parametrize("writes", [False, True])
@pytest.mark.parametrize(("verb", "is_allowed"), [("list", True), ("create", False)])
def test_what_a_key_may_do_is_reported_at_a_moment_of_the_past_too(run, writes, verb, is_allowed):
    at = address(run, writes=writes).replace("/k8s/", "@42/k8s/")
    body = json.dumps({"spec": {"resourceAttributes": {"verb": verb, "resource": "pods", "namespace": "default"}}}).encode()
    status, document, _ = post(f"{at}{ACCESS}", body)
    assert (status, document["status"]["allowed"]) == (201, is_allowed)
