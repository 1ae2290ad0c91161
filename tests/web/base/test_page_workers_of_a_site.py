"""Expensive requests run in separate processes: what a visitor sees when one dies or takes too long; nothing else differs."""

import json
import os
import re
import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from http.cookiejar import CookieJar
from pathlib import Path
from time import sleep
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener
from uuid import UUID

import pytest

from simulator.bench.processes import children_of
from simulator.runs.turns.constants import PAGE_NICE
from tests.runs.drive.test_serve import served, site, wait_until

__all__ = ["site"]


POD = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: 'nginx:1.27'}]}}"


@pytest.fixture(scope="module")
def running(site):
    """The process of a running site with one worker, and its address."""
    with served({**site, "PODSCOPE_WORKERS": "1"}) as both:
        yield both


def workers(process):
    """A site's page workers: the fork server's children and those at a lower priority."""
    return [
        child for each in children_of(process.pid) for child in children_of(each) if os.getpriority(os.PRIO_PROCESS, child) == PAGE_NICE
    ]


def status_of(address, path, body=None):
    try:
        with build_opener().open(address + path, body, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


@contextmanager
def frozen(process):
    """The only worker of a site, frozen."""
    wait_until(lambda: workers(process))
    (worker,) = workers(process)
    os.kill(worker, signal.SIGSTOP)
    yield worker
    with suppress(ProcessLookupError):
        os.kill(worker, signal.SIGKILL)


def test_worker_that_dies_is_reported_and_replaced(running):
    process, address = running
    with frozen(process) as worker, ThreadPoolExecutor(1) as visitor:
        asking = visitor.submit(status_of, address, "fidelity/")
        sleep(0.5)  # the request is on its way to the worker, or waits for it; either way it must be answered
        os.kill(worker, signal.SIGKILL)
        status, text = asking.result()
    assert (status, "was lost" in text) == (503, True)
    assert status_of(address, "fidelity/")[0] == 200
    assert workers(process) != [worker]


def test_gallery_that_has_been_looked_at_needs_no_worker(running):
    process, address = running
    assert status_of(address, "scenarios/")[0] == 200
    with frozen(process):
        assert [status_of(address, path)[0] for path in ("scenarios/", "scenarios/hello-pod/")] == [200, 200]
    wait_until(lambda: status_of(address, "fidelity/")[0] == 200)  # another one has taken its place


def test_worker_mends_the_log_of_which_records_are_asked(running, site):
    _, address = running
    run_id = UUID(re.search(r"/ws/run/([0-9a-f-]+)/", status_of(address, "")[1])[1])
    wait_until(lambda: json.loads(status_of(address, f"r/{run_id}/records/")[1])["to"] > 0)
    first = "FROM simulator_recordchunk WHERE run_id = ? AND first_seq = 1"
    with closing(sqlite3.connect(Path(site["PODSCOPE_DATA_DIR"]) / "podscope.sqlite3", timeout=20)) as database:
        with database:
            assert database.execute(f"DELETE {first}", [run_id.hex]).rowcount == 1
        status, text = status_of(address, f"r/{run_id}/records/")
        assert (status, json.loads(text)["records"][0][0]) == (200, 1)
        assert database.execute(f"SELECT COUNT(*) {first}", [run_id.hex]).fetchone() == (1,)


def test_request_that_takes_too_long_is_ended(site):
    with served({**site, "PODSCOPE_WORKERS": "1", "PODSCOPE_PAGE_S_MAX": "2"}) as (process, address):
        for body in (None, b"manifest=" + b"x" * 3_000_000):  # larger than a pipe's buffer: nobody reads it
            assert status_of(address, "fidelity/")[0] == 200
            with frozen(process):
                status, text = status_of(address, "fidelity/" if body is None else "new/", body)
            assert (status, "longer than 2 seconds" in text) == (503, True)
        assert status_of(address, "fidelity/")[0] == 200


def test_form_that_a_worker_answers_makes_a_run_of_this_browser(running):
    _, address = running
    jar = CookieJar()
    visit = build_opener(HTTPCookieProcessor(jar))
    visit.open(f"{address}new/", timeout=20).read()
    token = next(cookie.value for cookie in jar if cookie.name == "csrftoken")
    sent = {"manifest": POD, "kubernetes": "1.33", "seed": "1", "csrfmiddlewaretoken": token}
    with visit.open(Request(f"{address}new/", urlencode(sent).encode(), {"Referer": address}), timeout=60) as answer:
        assert "/r/" in answer.url
    owner = next(cookie for cookie in jar if cookie.name == "podscope_owner")
    assert owner.has_nonstandard_attr("HttpOnly")


def test_answer_of_a_worker_has_the_headers_of_the_site(running):
    _, address = running
    with build_opener().open(Request(f"{address}fidelity/", headers={"Accept-Encoding": "gzip"}), timeout=20) as answer:
        headers = answer.headers
    assert "script-src 'self'" in headers["Content-Security-Policy"]
    assert (headers["X-Frame-Options"], headers["Content-Encoding"], headers["Content-Language"]) == ("DENY", "gzip", "en")
    assert len(headers.get_all("Vary")) == 1


def test_workers_end_with_the_site(site):
    with served({**site, "PODSCOPE_WORKERS": "1"}) as (process, _):
        wait_until(lambda: workers(process))
        found = workers(process)
        process.kill()
        process.wait()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in found))


def test_form_in_another_encoding_costs_no_worker(running):
    process, address = running
    assert status_of(address, "fidelity/")[0] == 200
    before = workers(process)
    headers = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-7", "Cookie": f"csrftoken={'a' * 32}"}
    for path in ("new/", "class/", "x/", "nothing/"):
        with pytest.raises(HTTPError) as refused:
            build_opener().open(Request(address + path, b"a=b", headers), timeout=60)
        assert (refused.value.code, "UTF-8" in refused.value.read().decode()) == (400, True)
    assert workers(process) == before
