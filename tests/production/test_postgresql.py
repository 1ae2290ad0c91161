"""The site on PostgreSQL, in processes of its own: settings name one database, and this process already has its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from simulator.bench.faults.servers import driver, wait_until

pytestmark = pytest.mark.pg
ROOT = Path(__file__).resolve().parents[2]
SUITES = {
    "log": ["tests/production/on_postgresql.py", "tests/runs/log/test_storage.py", "tests/runs/log/test_db.py", "tests/runs/selectors"],
    "leases": ["tests/runs/drive/test_lease.py", "tests/runs/drive/test_actor_owners.py", "tests/runs/drive/test_links_of_live_runs.py"],
    "jobs": ["tests/runs/drive/test_jobs.py", "tests/runs/services/test_sweep_migration.py"],
    "services": ["tests/runs/services"],
    "columns": ["tests/runs/log/test_columns.py"],
}
"""What runs in parallel: each part has a database of its own and ends within a test's time limit."""
TEXT_SUITES = ["tests/web/test_hostile_texts.py", "tests/web/door/test_odd_bodies.py"]
POOLED_SUITES = ["tests/production/on_postgresql.py", "tests/runs/log/test_storage.py"]
UNDONE = "SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()"
TWICE = "SELECT app, name FROM django_migrations GROUP BY app, name HAVING count(*) > 1"


def manage(site, *words):
    return subprocess.run([sys.executable, "manage.py", *words], env=site, cwd=ROOT, capture_output=True, text=True, timeout=120)


def hold(site, suites):
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--create-db", *suites]
    ended = subprocess.run(command, env=site, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-2000:]


@pytest.mark.parametrize("part", SUITES)
def test_leases_log_and_services_hold_on_postgresql(site, part):
    hold(site, SUITES[part])


def test_odd_texts_fail_nothing_on_postgresql(site):
    hold(site, TEXT_SUITES)


def test_leases_and_log_hold_through_a_pooler(pooled_site):
    hold(pooled_site, POOLED_SUITES)


def test_pooler_gives_each_transaction_another_session(pooled_site):
    with driver().connect(pooled_site["PODSCOPE_DATABASE_URL"], autocommit=True) as database:
        assert len({database.execute("SELECT pg_backend_pid()").fetchone() for _ in range(3)}) == 3


def test_machines_that_prepare_at_once_all_succeed(prepared):
    assert prepared.ends == [("", 0)] * 2
    with driver().connect(prepared.site["PODSCOPE_DATABASE_URL"]) as database:
        assert database.execute(TWICE).fetchall() == []
        stories, builtin = database.execute("SELECT count(*), count(*) FILTER (WHERE is_builtin) FROM simulator_scenario").fetchone()
    assert stories == builtin == len(list((ROOT / "simulator" / "scenarios").glob("*/scenario.toml")))


def wait_for_one_elsewhere(site, machines):
    """Start preparing the machines while another one does so, which then ends; all succeed, and no migration is applied twice."""
    from lifecycle_site.locks import PREPARE

    command = [sys.executable, "manage.py", "prepare"]
    with driver().connect(site["PODSCOPE_DATABASE_URL"], autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [PREPARE])
        waiting = [subprocess.Popen(command, env=machine | {"PODSCOPE_DEBUG": "1"}, cwd=ROOT) for machine in machines]  # no static files
        wait_until(lambda: other.execute(UNDONE).fetchone()[0] >= 3 * len(machines), "they have tried several times")
        assert [process.poll() for process in waiting] == [None] * len(machines)
        assert other.execute("SELECT to_regclass('django_migrations')").fetchone()[0] is None
        other.execute("SELECT pg_advisory_unlock(%s)", [PREPARE])
        assert [process.wait(timeout=120) for process in waiting] == [0] * len(machines)
        assert other.execute(TWICE).fetchall() == []


def test_preparation_waits_for_one_elsewhere(site):
    wait_for_one_elsewhere(site, [site])


def test_preparations_through_a_pooler_wait_for_one_elsewhere_and_for_each_other(site, pooled_site, tmp_path):
    wait_for_one_elsewhere(site, [pooled_site, pooled_site | {"PODSCOPE_DATA_DIR": str(tmp_path / "two")}])


def test_runner_does_not_start_on_a_database_without_tables(site):
    ended = manage(site | {"PODSCOPE_REDIS_URL": "redis://127.0.0.1:1/0"}, "runner")
    assert ended.returncode == 1
    assert ended.stderr == "CommandError: The database is not up to date. Run: manage.py prepare\n"
