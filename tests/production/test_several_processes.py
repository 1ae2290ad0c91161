"""Separate web processes and runners, on a real PostgreSQL and a real Redis."""

import re
import signal
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.error import URLError

import pytest

from simulator.bench.faults.servers import driver, free_port, wait_until
from simulator.bench.faults.visitor import Follower, Visitor
from tests.production.conftest import through

pytestmark = [pytest.mark.pg, pytest.mark.redis]
ROOT = Path(__file__).resolve().parents[2]
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: app
    image: busybox:1.36
    command: ["sleep", "3600"]
    readinessProbe:
      periodSeconds: 1
      exec:
        command: ["true"]
"""


@pytest.fixture
def site(prepared, redis_server):
    """The environment of a prepared site of several processes."""
    return prepared.site | {"PODSCOPE_REDIS_URL": redis_server.url, "PODSCOPE_LEASE_MS": "2000"}


@pytest.fixture
def pooled_site(site, pooler):
    """The same, through a pooler; ``test_faults.py`` kills owners of sites that connect to PostgreSQL directly."""
    return through(pooler, site)


@contextmanager
def running(site, *commands):
    """Processes of the site, ended at the end of the test."""
    processes = [subprocess.Popen([sys.executable, *words], env=site, cwd=ROOT, stdout=subprocess.DEVNULL) for words in commands]
    try:
        yield processes
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(timeout=30)


def web(port):
    return ["-m", "daphne", "-b", "127.0.0.1", "-p", str(port), "lifecycle_site.asgi:application"]


def memory_bound(process):
    """The memory limit of the process, in MiB."""
    limits = Path(f"/proc/{process.pid}/limits").read_text()
    return int(re.search(r"Max data size +(\d+)", limits)[1]) >> 20


def is_alive(visitor):
    try:
        visitor.get("/healthz")
    except URLError:
        return False
    return True


def stored(site, run_id, column):
    """The run's state in the database."""
    with driver().connect(site["PODSCOPE_DATABASE_URL"]) as database:
        return database.execute(f"SELECT {column} FROM simulator_run WHERE id = %s", [run_id]).fetchone()[0]


def outcomes(site, run_id):
    """The outcomes of the acts on the run."""
    with driver().connect(site["PODSCOPE_DATABASE_URL"]) as database:
        return [row[0] for row in database.execute("SELECT outcome FROM simulator_runcommand WHERE run_id = %s", [run_id])]


def owner_pid(site, run_id):
    """The process that owns the run, or 0."""
    owner = stored(site, run_id, "owner")
    return int(owner.split(":")[1]) if owner else 0


@pytest.mark.parametrize(("command", "started"), [("runner", "Runner started."), ("worker", "Worker started.")])
def test_process_that_is_started_while_postgresql_restarts_waits_for_it(site, cluster, tmp_path, command, started):
    said = tmp_path / "said"
    with said.open("wb") as log:
        cluster.stop()
        try:
            words = [sys.executable, "manage.py", command]
            process = subprocess.Popen(words, env=site | {"PODSCOPE_JOBS": "celery"}, cwd=ROOT, stdout=log, stderr=log)
            wait_until(lambda: "does not answer, trying again" in said.read_text(), "it says that it waits")
        finally:
            cluster.start()
    try:
        wait_until(lambda: started in said.read_text(), "it starts")
    finally:
        process.kill()
        process.wait(timeout=30)
    assert "Traceback" not in said.read_text()


def label(visitor, run_id):
    """Act on the run's pod."""
    fields = {"k": "label pod web tried=yes", "client_key": "label-of-web", "csrfmiddlewaretoken": visitor.token()}
    return visitor.send(f"/r/{run_id}/kubectl/", fields)


def test_run_goes_on_without_a_gap_when_its_runner_is_killed_behind_a_pooler(pooled_site):
    site = pooled_site
    ports = [free_port(), free_port()]
    commands = [*map(web, ports), ["manage.py", "runner"], ["manage.py", "runner"]]
    with running(site | {"PODSCOPE_MEMORY_MB": "777"}, *commands) as processes:
        runners = processes[2:]
        visitor, other = Visitor(ports[0]), Visitor(ports[1])
        wait_until(lambda: is_alive(visitor) and is_alive(other), "both web processes answer")
        run_id = visitor.start_run(POD)
        with closing(Follower(ports[1], run_id)) as follower:  # served by the process that did not create the run
            assert " 101 " in follower.answer
            follower.read_to(10)
            first = owner_pid(site, run_id)
            next(runner for runner in runners if runner.pid == first).send_signal(signal.SIGKILL)
            wait_until(lambda: owner_pid(site, run_id) not in {0, first}, "the other runner owns the run")
            # Frames of the dead runner may still be on their way: only records beyond the log's end certainly come from the other one.
            seqs = follower.read_to(stored(site, run_id, "head_seq") + 1)
            assert label(visitor, run_id).status == 200
            wait_until(lambda: outcomes(site, run_id) == ["accepted"], "the other runner has taken the act up")
        assert seqs == list(range(1, len(seqs) + 1))
        assert {memory_bound(process) for process in processes if process.poll() is None} == {777}
