"""Requests that compute have processes of their own: what a visitor sees when one dies or takes too long, and that nothing else differs."""

import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.cookiejar import CookieJar
from pathlib import Path
from time import monotonic, sleep
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest

ROOT = Path(__file__).resolve().parents[2]
POD = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: 'nginx:1.27'}]}}"


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    own = os.environ | {"PODSCOPE_DATA_DIR": str(tmp_path_factory.mktemp("site")), "PODSCOPE_DEBUG": "0", "PODSCOPE_WORKERS": "1"}
    subprocess.run([sys.executable, "manage.py", "prepare"], env=own, cwd=ROOT, check=True, timeout=120)
    return own


@contextmanager
def served(environment):
    """A running site; gives its process and its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    with subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            assert "is running" in process.stdout.readline()
            yield process, f"http://127.0.0.1:{port}/"
        finally:
            process.kill()


@pytest.fixture(scope="module")
def site(environment):
    with served(environment) as running:
        yield running


def children(pid):
    """The child processes of a process, all threads' together."""
    found = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(child) for each in found for child in each]


def workers(process):
    """The page workers of a site: what the fork server made and what runs at a lower priority."""
    return [child for each in children(process.pid) for child in children(each) if os.getpriority(os.PRIO_PROCESS, child) == 1]


def wait_for(value, seconds=20):
    """The first value that is not empty."""
    deadline = monotonic() + seconds
    while not (found := value()):
        assert monotonic() < deadline
        sleep(0.02)
    return found


def status_of(address, path):
    try:
        with build_opener().open(address + path, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


@contextmanager
def frozen(process):
    """The one worker of a site, which does nothing any more."""
    (worker,) = wait_for(lambda: workers(process))
    os.kill(worker, signal.SIGSTOP)
    yield worker
    with suppress(ProcessLookupError):
        os.kill(worker, signal.SIGKILL)


def test_worker_that_dies_is_told_and_replaced(site):
    process, address = site
    with frozen(process) as worker, ThreadPoolExecutor(1) as visitor:
        asking = visitor.submit(status_of, address, "fidelity/")
        sleep(0.5)  # the request is on its way to the worker, or waits for it; either way it must be answered
        os.kill(worker, signal.SIGKILL)
        status, text = asking.result()
    assert (status, "was lost" in text) == (503, True)
    assert status_of(address, "fidelity/")[0] == 200
    assert workers(process) != [worker]


def test_request_that_takes_too_long_is_ended(environment):
    with served({**environment, "PODSCOPE_PAGE_S_MAX": "2"}) as (process, address):
        assert status_of(address, "fidelity/")[0] == 200
        with frozen(process):
            status, text = status_of(address, "fidelity/")
        assert (status, "longer than 2 seconds" in text) == (503, True)
        assert status_of(address, "fidelity/")[0] == 200


def test_form_that_a_worker_answers_makes_a_run_of_this_browser(site):
    _, address = site
    jar = CookieJar()
    visit = build_opener(HTTPCookieProcessor(jar))
    visit.open(f"{address}new/", timeout=20).read()
    token = next(cookie.value for cookie in jar if cookie.name == "csrftoken")
    sent = {"manifest": POD, "kubernetes": "1.33", "seed": "1", "csrfmiddlewaretoken": token}
    with visit.open(Request(f"{address}new/", urlencode(sent).encode(), {"Referer": address}), timeout=60) as answer:
        assert "/r/" in answer.url
    owner = next(cookie for cookie in jar if cookie.name == "podscope_owner")
    assert owner.has_nonstandard_attr("HttpOnly")


def test_answer_of_a_worker_has_the_headers_of_the_site(site):
    _, address = site
    with build_opener().open(Request(f"{address}fidelity/", headers={"Accept-Encoding": "gzip"}), timeout=20) as answer:
        headers = answer.headers
    assert "script-src 'self'" in headers["Content-Security-Policy"]
    assert (headers["X-Frame-Options"], headers["Content-Encoding"], headers["Content-Language"]) == ("DENY", "gzip", "en")
    assert len(headers.get_all("Vary")) == 1


def test_workers_end_with_the_site(environment):
    with served(environment) as (process, _):
        found = wait_for(lambda: workers(process))
        process.kill()
        process.wait()
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in found))
