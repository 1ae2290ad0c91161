"""The API of a run over HTTP: access, moments, and that keys do not leak."""

import base64
import json
import logging
import re

import pytest
from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator
from django.urls import reverse
from django.utils import timezone

from lifecycle_site.logs import BoundedFormatter
from lifecycle_site.throttle import Allowances
from simulator.models import DoorKey, Run
from simulator.runs.services import door_keys
from simulator.runs.services.door_keys import door_key_create, door_key_find, door_key_revoke, door_keys_find
from simulator.runs.services.errors import NotAllowed
from simulator.runs.services.shares import share_create, shared_run
from simulator.web.door import pages
from simulator.web.door.addresses import door_address
from simulator.web.door.application import ClusterDoor, opened
from tests.factories import OWNER, STRANGER, make_run
from tests.web.helpers import play, sign_in_as_owner, text_of

pytestmark = pytest.mark.django_db(transaction=True)
PODS = "/api/v1/namespaces/default/pods"


async def _page(scope, receive, send):
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def _asked(path, method, headers, door):
    scope = {
        "type": "http", "method": method, "path": path.partition("?")[0], "query_string": path.partition("?")[2].encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()], "client": ["192.0.2.1", 1],
    }  # fmt: skip
    talk = ApplicationCommunicator(door, scope)
    await talk.send_input({"type": "http.request", "body": b"", "more_body": False})
    start = await talk.receive_output(30)
    body = b""
    while True:
        part = await talk.receive_output(30)
        body += part.get("body", b"")
        if not part.get("more_body"):
            return start["status"], {name.decode(): value.decode() for name, value in start["headers"]}, body


def ask(path, *, method="GET", door=None, **headers):
    """Status, headers and body of the answer."""
    return async_to_sync(_asked)(path, method, headers, door or ClusterDoor(_page))


@pytest.fixture
def run():
    return play(make_run(), 60_000)


@pytest.fixture
def key(run):
    return door_key_create(run=run, owner_key=STRANGER, can_write=False)


def names(answer):
    assert answer[0] == 200, answer
    return [item["metadata"]["name"] for item in json.loads(answer[2])["items"]]


def test_a_key_in_the_address_opens_its_run(run, key):
    assert names(ask(f"/r/{run.id}/k8s/{key}{PODS}")) == ["web"]


def test_a_key_in_the_header_opens_it_too(run, key):
    assert names(ask(f"/r/{run.id}/k8s{PODS}", authorization=f"Bearer {key}")) == ["web"]


def test_an_address_without_dashes_means_the_same_run(run, key):
    assert names(ask(f"/r/{run.id.hex}/k8s/{key}{PODS}")) == ["web"]


def test_a_moment_stands_in_the_address(run, key):
    word = [json.loads(ask(f"/r/{run.id}@{at}/k8s/{key}{PODS}")[2])["items"][0]["status"]["phase"] for at in ("0", "0:30")]
    assert word == ["Pending", "Running"]


@pytest.mark.parametrize("at", ["x", "1e9", "1:2:3"])
def test_what_is_not_a_moment_opens_nothing(run, key, at):
    assert ask(f"/r/{run.id}@{at}/k8s/{key}{PODS}")[0] == 401


def test_whatever_is_wrong_with_a_key_is_refused_in_the_same_words(run, key):
    other, revoked = play(make_run(), 1000), door_key_create(run=run, owner_key=OWNER, can_write=False)
    door_key_revoke(run=run, owner_key=OWNER, key_id=DoorKey.objects.latest("id").id)
    paths = [
        f"/r/{run.id}/k8s{PODS}",
        f"/r/{run.id}/k8s/r-{'x' * 32}{PODS}",
        f"/r/{run.id}/k8s/{revoked}{PODS}",
        f"/r/{other.id}/k8s/{key}{PODS}",
        f"/r/not-a-run/k8s/{key}{PODS}",
        f"/s/none/k8s/{key}{PODS}",
    ]
    answers = {(status, body) for status, _, body in map(ask, paths)}
    assert len(answers) == 1 and answers.pop()[0] == 401


def test_a_link_is_always_as_of_its_moment(run):
    share = share_create(run=run)
    key = door_key_create(run=shared_run(share=share), owner_key="", can_write=False)
    assert names(ask(f"/s/{share.id}/k8s/{key}{PODS}")) == ["web"]
    status, _, body = ask(f"/s/{share.id}/k8s/{key}{PODS}/web", method="DELETE")
    assert (status, "branch" in json.loads(body)["message"]) == (409, True)


@pytest.mark.parametrize(("at", "at_ms"), [("", 10_000), ("@4", 4000), ("@10", 10_000), ("@11", 10_000)])
def test_a_link_shows_no_moment_beyond_its_own(at, at_ms):
    share = share_create(run=play(make_run(paused=True), 10_000))
    key = door_key_create(run=shared_run(share=share), owner_key="", can_write=False)
    found = opened(door_address(f"/s/{share.id}{at}/k8s/{key}/version"))
    assert (found.at_ms, found.may_write) == (at_ms, False)


@pytest.mark.parametrize("ms", ["1e999", "-5", "NaN", "9" * 400])
def test_a_list_goes_on_from_no_moment_that_there_is_not(run, key, ms):
    token = base64.urlsafe_b64encode(f'{{"ms":{ms},"ns":"","name":""}}'.encode()).decode().rstrip("=")
    assert ask(f"/r/{run.id}/k8s/{key}{PODS}?continue={token}")[0] in (200, 400)


def test_a_key_that_reads_writes_nothing(run, key):
    status, _, body = ask(f"/r/{run.id}/k8s/{key}{PODS}/web", method="DELETE")
    assert (status, json.loads(body)["reason"]) == (403, "Forbidden")


def test_only_the_owner_makes_a_key_that_writes(run):
    with pytest.raises(NotAllowed):
        door_key_create(run=run, owner_key=STRANGER, can_write=True)


def test_an_answer_is_kept_by_nobody_and_names_no_address(run, key):
    _, headers, _ = ask(f"/r/{run.id}/k8s/{key}/version")
    assert (headers["cache-control"], headers["referrer-policy"]) == ("no-store", "no-referrer")


def test_who_asks_too_often_is_told_when_to_come_back(run, key):
    door = ClusterDoor(_page, per_second=0.1)
    answers = [ask(f"/r/{run.id}/k8s/{key}/version", door=door) for _ in range(4)]
    assert answers[-1][0] == 429 and answers[-1][1]["Retry-After"] == "1"


def test_a_run_may_have_a_host_of_its_own(run, key, settings):
    host = f"{run.id}.k8s.example:8443"
    assert ask(f"/{key}{PODS}", host=host)[0] == 204  # a page of the site
    settings.K8S_HOST = "k8s.example"
    assert names(ask(f"/{key}{PODS}", host=host)) == ["web"]
    assert names(ask(PODS, host=host.upper(), authorization=f"Bearer {key}")) == ["web"]
    assert ask(PODS, host=host)[0] == 401
    assert ask(f"/{key}{PODS}", host="k8s.example")[0] == ask(f"/{key}{PODS}", host="www.k8s.example")[0] == 204


@pytest.mark.parametrize("path", ["/about/", "/r/1/", "/scenarios/k8s/"])
def test_what_is_not_an_address_of_an_api_goes_on_to_the_pages(path):
    assert ask(path)[0] == 204


def test_a_run_of_other_rules_says_so(run, key):
    Run.objects.filter(id=run.id).update(revision=1)
    assert ask(f"/r/{run.id}/k8s/{key}{PODS}")[0] == 410


def test_a_key_is_in_no_line_of_a_log(key):
    record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "failed: /r/1/k8s/%s/api", (key,), None)
    assert key not in BoundedFormatter().format(record)


def test_a_key_is_shown_once_and_only_its_hash_stored(client, run):
    page = text_of(client.post(reverse("sim:run-door", args=[run.id]), {"do": "read"}))
    token = re.search(r"/k8s/(r-[\w-]{32})", page)[1]
    assert not DoorKey.objects.filter(token_hash__contains=token[:10]).exists()
    assert token not in text_of(client.get(reverse("sim:run-door", args=[run.id])))


def test_the_file_has_a_context_for_the_run_and_one_for_the_moment(client, run, key):
    answer = client.post(reverse("sim:run-door", args=[run.id]), {"do": "file", "key": key, "t": "42500"})
    text = text_of(answer)
    assert f"/r/{run.id.hex}@42.5/k8s/{key}" in text and f"/r/{run.id.hex}/k8s/{key}" in text
    assert (answer["Cache-Control"], answer["Referrer-Policy"]) == ("no-store", "same-origin")


def test_a_stranger_is_offered_no_key_that_writes_and_gets_none(client, run):
    path = reverse("sim:run-door", args=[run.id])
    assert 'value="write"' not in text_of(client.get(path))
    assert client.post(path, {"do": "write"}).status_code == 422


def test_the_owner_revokes_a_key(client, run, key):
    sign_in_as_owner(client)
    client.post(reverse("sim:run-door", args=[run.id]), {"do": "revoke", "key_id": DoorKey.objects.get().id})
    assert ask(f"/r/{run.id}/k8s/{key}{PODS}")[0] == 401


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_keys_found_together_are_those_that_are_valid(run, count, django_assert_num_queries):
    made = [door_key_create(run=run, owner_key=OWNER, can_write=True, label=str(number)) for number in range(count + 1)]
    DoorKey.objects.filter(label=str(count)).update(revoked_at=timezone.now())
    with django_assert_num_queries(1):
        found = door_keys_find([*made, made[0], "w-" + "x" * 32, "no key"])
        assert {token: (key.label, key.run.id) for token, key in found.items()} == {made[n]: (str(n), run.id) for n in range(count)}


def test_texts_that_are_no_keys_are_not_looked_up(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert door_keys_find(["", "no key"]) == {}


def test_strangers_keys_take_neither_the_owners_place_nor_a_links(run, monkeypatch):
    monkeypatch.setattr(door_keys, "KEYS_MAX", 2)
    first, *_ = [door_key_create(run=run, owner_key=STRANGER, can_write=False) for _ in range(5)]
    last = door_key_create(run=run, owner_key=STRANGER, can_write=False)
    assert door_key_create(run=run, owner_key=OWNER, can_write=True).startswith("w-")
    assert (door_key_find(first), door_key_find(last) is None) == (None, False)
    assert DoorKey.objects.filter(run=run, revoked_at=None).count() == 3


def test_one_address_makes_only_so_many_keys(client, run, monkeypatch):
    monkeypatch.setattr(pages, "MADE", Allowances(burst_s=pages.WINDOW_S))
    monkeypatch.setattr(pages, "KEYS_PER_WINDOW", 2)
    path = reverse("sim:run-door", args=[run.id])
    assert [client.post(path, {"do": "read"}).status_code for _ in range(3)] == [200, 200, 429]
