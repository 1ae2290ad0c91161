"""Jobs as Celery tasks on a real Redis, their rows in a real PostgreSQL: a worker that dies, and a Redis that is down."""

import subprocess
import sys
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from simulator.bench.faults.servers import RedisServer, driver, wait_until
from simulator.headless.sweeps.sweep import CELLS, Sweep, SweepPlan, encode_sweep, sweep_id
from tests.factories import make_header
from tests.needs import where_installed

pytestmark = [pytest.mark.pg, pytest.mark.redis]
ROOT = Path(__file__).resolve().parents[2]
SETTINGS = {"PODSCOPE_JOBS": "celery", "PODSCOPE_LEASE_MS": "1000", "PODSCOPE_SWEEP_WORKERS": "1"}
WORK = """
INSERT INTO simulator_storedsweep (id, body, size, created_at, state, state_note, done, results_body, owner, attempts)
VALUES (%s, %s, %s, now(), 'queued', '{}', 0, '[]', '', 0)
"""
ASK = """
INSERT INTO simulator_sweepask (id, work_id, title, source_body, owner_hash, address_hash, is_wanted, note, created_at, seen_at)
VALUES (%s, %s, '', '{}', '', '', true, '{}', now(), now())
"""


class JobSite:
    """A runner and two workers of a site that uses Celery for jobs."""

    def __init__(self, environment, redis):
        self.redis, self._environment = redis, environment
        self._database = driver().connect(environment["PODSCOPE_DATABASE_URL"], autocommit=True)
        self._lengths = count(60_000)
        self.processes = [self._started(command) for command in ("runner", "worker", "worker")]

    def _started(self, command):
        command = [sys.executable, "manage.py", command]
        return subprocess.Popen(command, env=self._environment, cwd=ROOT, stdout=subprocess.DEVNULL)

    def sweep(self, seeds):
        """A sweep that nobody has requested yet."""
        values = {"field": "spec.terminationGracePeriodSeconds", "values": (1, 2), "outcome": "time-to-ready"}
        return Sweep(header=make_header(), seeds=tuple(range(1, seeds + 1)), until_ms=next(self._lengths), **values)

    def ask(self, sweep):
        work_id = sweep_id(sweep)
        with self._database.transaction():
            self._database.execute(WORK, [work_id, encode_sweep(sweep), sweep.size])
            self._database.execute(ASK, [work_id, work_id])

    def told(self, sweep, columns):
        query = f"SELECT {columns} FROM simulator_storedsweep WHERE id = %s"
        return self._database.execute(query, [sweep_id(sweep)]).fetchone()

    def wait_for(self, sweep):
        """Wait for the end of a sweep; returns its cells."""
        wait_until(lambda: self.told(sweep, "state")[0] not in {"queued", "running"}, "the sweep is worked out")
        state, body, done = self.told(sweep, "state, results_body, done")
        assert (state, done) == ("done", sweep.size)
        return CELLS.from_json(body)

    def wait_for_middle(self, sweep):
        """Wait until a worker has done some of the cells but not all; returns the worker's process."""
        found = []

        def is_there():
            done, owner = self.told(sweep, "done, owner")
            assert done < sweep.size, "it was too quick for this test"
            found[:] = [process for process in self.processes if done and owner.split(":")[1:2] == [str(process.pid)]]
            return found != []

        wait_until(is_there, "a worker is in the middle of it")
        return found[0]

    def close(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(timeout=30)
        self._database.close()
        self.redis.kill()


@pytest.fixture(scope="module")
def site(prepared):
    with where_installed():
        redis = RedisServer()
    redis.start()
    with closing(JobSite(prepared.site | SETTINGS | {"PODSCOPE_REDIS_URL": redis.url}, redis)) as site:
        yield site


def played_here(sweep):
    """The cells as computed by any process."""
    plan = SweepPlan(sweep)
    return [plan.play(value, seed) for value, seed in plan.places()]


def test_worker_gives_the_cells_that_any_process_gives(site):
    site.ask(sweep := site.sweep(seeds=3))
    assert site.wait_for(sweep) == played_here(sweep)


def test_job_that_is_asked_for_while_redis_is_away_is_done_when_it_is_back(site):
    site.redis.kill()
    site.ask(sweep := site.sweep(seeds=1))
    site.redis.start()
    assert site.wait_for(sweep) == played_here(sweep)


def test_job_of_a_worker_that_is_killed_is_finished_once_by_another(site):
    site.ask(sweep := site.sweep(seeds=4000))
    site.wait_for_middle(sweep).kill()
    before = CELLS.from_json(site.told(sweep, "results_body")[0])
    cells = site.wait_for(sweep)
    assert None in before and [cell for cell, known in zip(cells, before, strict=True) if known not in {None, cell}] == []
    assert cells == played_here(sweep)
    assert site.told(sweep, "attempts") == (2,)


def test_worker_that_is_stopped_gives_its_job_back(site):
    site.ask(sweep := site.sweep(seeds=5000))
    stopped = site.wait_for_middle(sweep)
    stopped.terminate()
    assert stopped.wait(timeout=30) == 0
    state, attempts, owner = site.told(sweep, "state, attempts, owner")
    assert (state, attempts) in {("queued", 0), ("running", 1)}  # the other one may have it already; jobs given back do not count
    assert f":{stopped.pid}:" not in owner
