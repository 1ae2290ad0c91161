"""Acts, run pages and links while the database is full, locked, read-only or damaged: a real SQLite in each of these states."""

import json
import sqlite3
from contextlib import closing, contextmanager, suppress

import pytest
from django.db import OperationalError, connection
from django.urls import reverse

from lifecycle_site.env import env_database
from simulator.models import RecordChunk, Run
from simulator.runs.log.db import REQUEST_WAIT_S, is_request
from tests.factories import make_content, make_run, pod_json
from tests.web.helpers import play, sign_in_as_owner, text_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.skipif("connection.vendor != 'sqlite'")]

HTMX = {"HTTP_HX_REQUEST": "true"}
JSON = {"HTTP_ACCEPT": "application/json"}


def large_pod(name):
    return json.dumps(json.loads(pod_json(name)) | {"metadata": {"name": name, "annotations": {"about": "x" * 20_000}}})


LARGE = large_pod("more")
"""An act that does not fit into a half-empty page of a full database."""
KEY = "12345678-act"


def pragma(words):
    with connection.cursor() as cursor:
        return cursor.execute(f"PRAGMA {words}").fetchone()


@contextmanager
def full():
    """No page is left, not even one that was used before."""
    pages = pragma("max_page_count")[0]
    pragma(f"max_page_count = {pragma('page_count')[0] + 1}")
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE filler (body)")
        with suppress(OperationalError):
            while True:
                cursor.execute("INSERT INTO filler VALUES (zeroblob(3000))")
        yield
        pragma(f"max_page_count = {pages}")
        cursor.execute("DROP TABLE filler")


@contextmanager
def locked():
    connection.ensure_connection()
    connection.patience_s = 0.01
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def read_only():
    pragma("query_only = 1")
    yield
    pragma("query_only = 0")


FAULTS = pytest.mark.parametrize(("fault", "said"), [(full, "full"), (locked, "busy"), (read_only, "not accepting changes")])


@pytest.fixture
def run(client):
    sign_in_as_owner(client)
    return play(make_run(content=make_content(pod_json(), large_pod("large"))), 20_000)


def act(client, run, key=KEY, **headers):
    return client.post(reverse("sim:run-commands", args=[run.id]), {"manifest": LARGE, "client_key": key}, **headers)


@FAULTS
@pytest.mark.parametrize(("headers", "kind"), [({}, "text/html"), (HTMX, "application/json"), (JSON, "application/json")])
def test_act_is_answered_with_what_is_the_matter(client, run, fault, said, headers, kind):
    with fault():
        response = act(client, run, **headers)
    assert (response.status_code, response["Retry-After"], response["Content-Type"].split(";")[0]) == (503, "10", kind)
    assert said in text_of(response)


@FAULTS
def test_act_that_could_not_be_stored_is_done_once_when_it_is_sent_again(client, run, fault, said):
    with fault():
        act(client, run)
    answers = [act(client, run, **HTMX).status_code for _ in range(2)]
    assert (answers, run.commands.filter(client_key=KEY).count()) == ([204, 204], 1)


@FAULTS
def test_run_page_and_its_records_are_shown_all_the_same(client, run, fault, said):
    with fault():
        answers = [client.get(reverse(name, args=[run.id])).status_code for name in ("sim:run", "sim:run-records")]
    assert answers == [200, 200]


@FAULTS
def test_link_that_cannot_be_stored_says_so(client, run, fault, said):
    with fault():
        response = client.post(reverse("sim:run-share", args=[run.id]), **JSON)
    assert (response.status_code, said in response.json()["text"]) == (503, True)


@pytest.fixture
def torn(run):
    """The run, its log damaged in the middle."""
    chunk = RecordChunk.objects.filter(run=run).first()
    RecordChunk.objects.filter(pk=chunk.pk).update(body=bytes(chunk.body)[: len(chunk.body) // 2])
    return run


@pytest.mark.parametrize("name", ["sim:run", "sim:run-records", "sim:run-file"])
def test_torn_part_of_the_log_is_computed_again_for_whoever_asks(client, torn, name):
    assert client.get(reverse(name, args=[torn.id])).status_code == 200


def test_run_whose_log_is_torn_is_shared_and_acted_on(client, torn):
    assert client.post(reverse("sim:run-share", args=[torn.id]), **JSON).status_code == 200
    assert act(client, torn, **HTMX).status_code == 204


def test_torn_part_is_shown_from_memory_while_the_database_takes_nothing(client, torn):
    with read_only():
        response = client.get(reverse("sim:run-records", args=[torn.id]))
    assert len(response.json()["records"]) == torn.head_seq


def test_line_that_was_carried_out_unheard_is_not_judged_again(client, run):
    line = {"k": "delete pod web --force --grace-period=0", "client_key": KEY}
    path = reverse("sim:run-kubectl", args=[run.id])
    first = client.post(path, line, **HTMX).json()
    run.refresh_from_db()
    play(run, 40_000)  # the pod is gone by now
    assert client.post(path, line, **HTMX).json() == first
    assert client.post(path, line | {"client_key": "another-key"}, **HTMX).status_code == 422


def test_line_of_the_past_that_was_carried_out_unheard_leads_to_the_same_branch(client, run):
    line = {"k": "delete pod web", "client_key": KEY, "at_ms": "9000"}
    urls = {client.post(reverse("sim:run-kubectl", args=[run.id]), line, **HTMX).json()["url"] for _ in range(2)}
    assert len(urls) == 1 == Run.objects.filter(parent=run).count()


def test_key_of_another_browser_means_nothing(client, run):
    act(client, run)
    sign_in_as_owner(client, "somebody-else")
    assert str(run.id) not in act(client, run, **HTMX)["HX-Redirect"]


def test_request_waits_for_a_lock_no_longer_than_a_reader_does():
    waits = []
    for serves in (False, True):
        token = is_request.set(serves)
        connection.close()
        connection.ensure_connection()
        waits.append(connection.patience_s)
        is_request.reset(token)
    connection.close()
    patience_s = env_database("NOTHING_SET", sqlite=connection.settings_dict["NAME"])["OPTIONS"]["timeout"]
    assert waits == [patience_s, REQUEST_WAIT_S]


def test_lock_that_lasts_is_an_error_that_counts_as_away(run):
    with locked(), pytest.raises(OperationalError, match="locked"):
        run.save()
