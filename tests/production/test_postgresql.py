"""The site on PostgreSQL, in processes of its own: settings name one database, and this process has its own already."""

import subprocess
import sys
from pathlib import Path

import pytest

from simulator.bench.faults.servers import driver

pytestmark = pytest.mark.pg
ROOT = Path(__file__).resolve().parents[2]
SUITES = ["tests/production/on_postgresql.py", "tests/runs/test_storage.py", "tests/runs/test_db.py", "tests/runs/runner/test_lease.py"]
SUITES += ["tests/runs/runner/test_actor_owners.py", "tests/runs/runner/test_jobs.py", "tests/runs/selectors", "tests/runs/services"]


def manage(site, *words):
    return subprocess.run([sys.executable, "manage.py", *words], env=site, cwd=ROOT, capture_output=True, text=True, timeout=120)


def test_leases_log_and_services_hold_on_postgresql(site):
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--create-db", *SUITES]
    ended = subprocess.run(command, env=site, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-2000:]


def test_machines_that_prepare_at_once_all_succeed(prepared):
    assert prepared.ends == [("", 0)] * 2
    with driver().connect(prepared.site["PODSCOPE_DATABASE_URL"]) as database:
        twice = "SELECT app, name FROM django_migrations GROUP BY app, name HAVING count(*) > 1"
        assert database.execute(twice).fetchall() == []
        stories, builtin = database.execute("SELECT count(*), count(*) FILTER (WHERE is_builtin) FROM simulator_scenario").fetchone()
    assert stories == builtin == len(list((ROOT / "simulator" / "scenarios").glob("*/scenario.toml")))


def test_preparation_waits_for_one_elsewhere(site):
    from lifecycle_site.locks import PREPARE

    with driver().connect(site["PODSCOPE_DATABASE_URL"], autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [PREPARE])
        waiting = subprocess.Popen([sys.executable, "manage.py", "prepare"], env=site, cwd=ROOT)
        queue = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        while not other.execute(queue).fetchone()[0]:
            assert waiting.poll() is None
        assert other.execute("SELECT to_regclass('django_migrations')").fetchone()[0] is None
        other.execute("SELECT pg_advisory_unlock(%s)", [PREPARE])
        assert waiting.wait(timeout=120) == 0


def test_runner_does_not_start_on_a_database_without_tables(site):
    ended = manage(site | {"PODSCOPE_REDIS_URL": "redis://127.0.0.1:1/0"}, "runner")
    assert ended.returncode == 1
    assert ended.stderr == "CommandError: The database is not up to date. Run: manage.py prepare\n"
