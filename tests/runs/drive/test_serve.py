"""The commands as a user runs them: real processes on a data folder of their own."""

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from time import monotonic, sleep
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener, urlopen

import pytest

from lifecycle_site.memory import threads_within
from simulator.bench.processes import children_of
from simulator.management.commands.serve import names_of
from simulator.runs.drive.server import port_problem
from simulator.runs.turns.constants import THREADS_MAX
from tests.prepared import prepared_site

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module", autouse=True)
def interruptible():
    """Tests in the background of a shell ignore SIGINT, and so would every process that they start."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The environment of a prepared site."""
    folder = prepared_site(tmp_path_factory, tmp_path_factory.mktemp("site"))
    return os.environ | {"PODSCOPE_DATA_DIR": str(folder), "PODSCOPE_DEBUG": "0"}


def manage(*words):
    return [sys.executable, "manage.py", *words]


@contextmanager
def taken_port():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def served(site):
    """A running site: its process and its address. Killed at the end if it is still running."""
    process = subprocess.Popen(
        manage("serve", "--port", str(free_port())), env=site, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        line = process.stdout.readline()
        yield process, re.search(r"http://\S+", line)[0]
    finally:
        process.kill()
        process.communicate()


def test_free_port_is_not_a_problem():
    assert port_problem("127.0.0.1", 0) == ""


def test_taken_port_is_named_in_one_line():
    with taken_port() as port:
        problem = port_problem("127.0.0.1", port)
    assert f"PORT={port + 1}" in problem and "\n" not in problem


@pytest.mark.parametrize(("host", "port", "hint"), [("127.0.0.1", 70_000, "PORT=8000"), ("no.such.host.invalid", 8000, "HOST=127.0.0.1")])
def test_impossible_place_is_reported_with_a_way_out(host, port, hint):
    problem = port_problem(host, port)
    assert hint in problem and "\n" not in problem


@pytest.mark.parametrize(
    ("host", "first"), [("0.0.0.0", "127.0.0.1"), ("::", "127.0.0.1"), ("::1", "[::1]"), ("pods.example", "pods.example")]
)
def test_address_that_is_shown_can_be_opened(host, first):
    assert names_of(host)[0] == first


def test_serve_ends_with_one_line_when_the_port_is_taken(site):
    with taken_port() as port:
        result = subprocess.run(manage("serve", "--port", str(port)), env=site, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert result.returncode == 1
    assert len(result.stderr.strip().splitlines()) == 1 and f"PORT={port + 1}" in result.stderr


def test_serve_ends_with_one_line_when_the_database_is_old(tmp_path):
    environment = os.environ | {"PODSCOPE_DATA_DIR": str(tmp_path), "PODSCOPE_DATABASE_URL": ""}
    result = subprocess.run(
        manage("serve", "--port", str(free_port())), env=environment, cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (result.returncode, len(result.stderr.strip().splitlines())) == (1, 1)
    assert "manage.py prepare" in result.stderr


def test_site_says_that_everything_is_alive(site):
    with served(site) as (_, address), urlopen(f"{address}healthz", timeout=10) as answer:
        assert json.load(answer)["ok"] is True


def test_site_bounds_its_memory(site):
    with served(site | {"PODSCOPE_MEMORY_MB": "777"}) as (process, _):
        limits = Path(f"/proc/{process.pid}/limits").read_text()
    assert re.search(r"Max data size +(\d+)", limits)[1] == str(777 << 20)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_site_stops_cleanly_when_asked(site, number):
    with served(site) as (process, _):
        process.send_signal(number)
        output, _ = process.communicate(timeout=20)
    assert (process.returncode, output.strip().splitlines()[-1]) == (0, "Stopped.")


def served_with(site, code, port):
    """The result of serving after some code has run in the process."""
    setup = "import os, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'lifecycle_site.settings'; django.setup()\n"
    serve = f"from django.core.management import execute_from_command_line as run; run(['manage.py', 'serve', '--port', '{port}'])"
    return subprocess.run([sys.executable, "-c", setup + code + serve], env=site, cwd=ROOT, capture_output=True, text=True, timeout=60)


def test_site_ends_with_an_error_when_its_runners_cannot_live(site):
    code = "from simulator.runs.drive import processes\nprocesses.run_child = print  # takes no such arguments\n"
    result = served_with(site, code, free_port())
    assert result.returncode == 1
    assert "The simulator stopped: RunnersLost" in result.stderr


def runners_of(site):
    """The process ids of a site's living runners, from the database."""
    with closing(sqlite3.connect(Path(site["PODSCOPE_DATA_DIR"]) / "podscope.sqlite3")) as database:
        names = [name for (name,) in database.execute("select name from simulator_runner")]
    return {pid for name in names if Path(f"/proc/{(pid := int(name.split(':')[-2]))}/stat").exists()}


def wait_until(is_so, seconds=20):
    deadline = monotonic() + seconds
    while not is_so():
        assert monotonic() < deadline
        sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_runner_that_is_gone_is_replaced(site, number):
    with served({**site, "PODSCOPE_WORKERS": "2"}) as (_, address):
        wait_until(lambda: len(runners_of(site)) == 2)
        before = runners_of(site)
        os.kill(min(before), number)
        wait_until(lambda: len(runners_of(site)) == 2 and runners_of(site) != before)
        assert json.load(urlopen(f"{address}healthz", timeout=10))["ok"] is True


def test_fork_server_that_is_gone_is_replaced(site):
    """The first one was forked by the site before it served anybody; the site has threads now and starts the next one from scratch."""
    with served(site) as (process, address):
        wait_until(lambda: runners_of(site))
        (first,) = (child for child in children_of(process.pid) if children_of(child))
        runners = runners_of(site)
        for pid in (first, *runners):
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: runners_of(site) and not runners_of(site) & runners, 60)
        assert urlopen(f"{address}fidelity/", timeout=20).status == 200


def test_runners_end_with_the_site_however_it_ends(site):
    with served(site) as (process, _):
        wait_until(lambda: runners_of(site))
        runners = runners_of(site)
        process.kill()
        process.wait()
        wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in runners))


def test_site_ends_with_an_error_when_the_port_is_taken_at_the_last_moment(site):
    with taken_port() as port:
        result = served_with(site, "from simulator.runs.drive import server\nserver.port_problem = lambda host, port: ''\n", port)
    assert (result.returncode, "Stopped." in result.stdout) == (1, False)
    assert "The simulator stopped: CannotListenError" in result.stderr


def busy_sweep(address):
    """Request a sweep of long runs, and wait until processes work on it; returns their ids."""
    jar = HTTPCookieProcessor()
    visit = build_opener(jar)
    visit.open(f"{address}sweeps/", timeout=20).read()
    token = next(cookie.value for cookie in jar.cookiejar if cookie.name == "csrftoken")
    probe = "{exec: {command: ['true']}, periodSeconds: 1}"
    container = f"{{name: app, image: busybox, command: [sleep, '9999'], readinessProbe: {probe}, livenessProbe: {probe}}}"
    pod = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: web}}\nspec: {{containers: [{container}]}}"
    asked = {"manifest": pod, "kubernetes": "1.33", "field": "spec.terminationGracePeriodSeconds"}
    asked |= {"first": "1", "last": "33", "step": "1", "seeds": "30", "outcome": "restarts", "seconds": "3600"}
    body = urlencode(asked | {"csrfmiddlewaretoken": token}).encode()
    visit.open(Request(f"{address}sweeps/", body, {"Referer": address}), timeout=20).read()


def workers_of(site):
    """The processes that work on sweeps for a site: children of its runners."""
    found = [child for pid in runners_of(site) for child in children_of(pid)]
    return [child for child in found if b"simulator.headless.sweeps.work" in Path(f"/proc/{child}/cmdline").read_bytes()]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_site_leaves_no_process_of_a_sweep_behind(site, number):
    with served(site) as (process, address):
        busy_sweep(address)
        deadline = monotonic() + 60
        while not (workers := workers_of(site)):
            assert monotonic() < deadline
        process.send_signal(number)
        process.wait(timeout=25)
        deadline = monotonic() + 20
        while any(Path(f"/proc/{worker}").exists() for worker in workers):
            assert monotonic() < deadline


@contextmanager
def flood(url, path, count):
    """This many requests whose answers are not read; returns the sockets."""
    host, _, port = url.removeprefix("http://").rstrip("/").partition(":")
    with ExitStack() as stack:
        lines = [stack.enter_context(socket.create_connection((host, int(port)), timeout=60)) for _ in range(count)]
        for line in lines:
            line.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        yield lines


def test_site_stops_although_requests_still_wait(site):
    lens = "/scenarios/crash-loop-ladder/lens/?for=900&versions=1.20,1.25,1.30,1.35"
    with served(site) as (process, url), flood(url, lens, 40) as lines:
        lines[0].recv(1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=25) == 0


def test_many_requests_that_wait_do_not_use_up_a_small_site(site):
    with served({**site, "PODSCOPE_MEMORY_MB": "256"}) as (process, url):
        with flood(url, "/scenarios/", 400) as lines:
            most = max(threads_of(process.pid) for line in lines if line.recv(1))
            statuses = {line.recv(11)[8:].decode() for line in lines}
        assert statuses <= {"200", "503"} and "200" in statuses
        assert most <= threads_within(256, THREADS_MAX) + 20
        assert urlopen(f"{url}healthz", timeout=20).status == 200
        assert process.poll() is None


def threads_of(pid):
    """How many threads the process has now."""
    return len(os.listdir(f"/proc/{pid}/task"))
