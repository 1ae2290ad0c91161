"""One PostgreSQL, one pooler in front of it and one Redis for all tests that need them; a new database for each that asks."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from simulator.bench.faults.servers import PgBouncer, PostgresServer, RedisServer
from tests.needs import where_installed
from tests.prepared import prepared_site

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="package")
def cluster() -> Iterator[PostgresServer]:
    """A running PostgreSQL."""
    with where_installed():
        server = PostgresServer()
    try:
        server.start()
        yield server
    finally:
        server.remove()


@pytest.fixture(scope="package")
def pooler(cluster: PostgresServer) -> Iterator[PgBouncer]:
    """A running pooler in front of the PostgreSQL."""
    with where_installed():
        server = PgBouncer(cluster)
    try:
        server.start()
        yield server
    finally:
        server.remove()


@pytest.fixture(scope="package")
def new_database(cluster: PostgresServer) -> Callable[[], str]:
    """Creates empty databases; returns their addresses."""
    numbers = count(1)
    return lambda: cluster.create(f"podscope{next(numbers)}")


@dataclass(frozen=True)
class Prepared:
    """Two machines of one site that were prepared at the same time: the environment of the first, and both exit codes."""

    site: dict[str, str]
    ends: list[tuple[str, int]]


@pytest.fixture(scope="package")
def prepared(new_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """A prepared site, and the output of its preparation: of the database, because the machines have their static files already."""
    address = new_database()
    machines = [site_on(address, prepared_site(tmp_path_factory, tmp_path_factory.mktemp(name))) for name in ("one", "two")]
    command = [sys.executable, "manage.py", "prepare"]
    working = [subprocess.Popen(command, env=machine, cwd=ROOT, stderr=subprocess.PIPE, text=True) for machine in machines]
    return Prepared(site=machines[0], ends=[(process.communicate(timeout=120)[1], process.returncode) for process in working])


def site_on(address: str, folder: Path) -> dict[str, str]:
    """The environment of a machine whose site uses that database."""
    named = {"PODSCOPE_DATABASE_URL": address, "PODSCOPE_SECRET_KEY": "shared by all", "PODSCOPE_DATA_DIR": str(folder)}
    return {**os.environ, **named}


@pytest.fixture
def site(new_database: Callable[[], str], tmp_path: Path) -> dict[str, str]:
    """A machine whose database is empty."""
    return site_on(new_database(), tmp_path)


@pytest.fixture
def pooled_site(site: dict[str, str], pooler: PgBouncer) -> dict[str, str]:
    """A machine whose database is empty and reached through the pooler."""
    return through(pooler, site)


def through(pooler: PgBouncer, site: dict[str, str]) -> dict[str, str]:
    """The environment of a machine of the site that reaches the database through the pooler."""
    return site | {"PODSCOPE_DATABASE_URL": pooler.before(site["PODSCOPE_DATABASE_URL"])}


@pytest.fixture
def redis_server() -> Iterator[RedisServer]:
    """A Redis of the test's own."""
    with where_installed():
        server = RedisServer()
    server.start()
    yield server
    server.kill()
