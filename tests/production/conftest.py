"""One PostgreSQL and one Redis for all tests that need them; a new database for each that asks."""

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from tests.production.servers import RedisServer, driver, postgresql


@pytest.fixture(scope="package")
def cluster() -> Iterator[str]:
    """The address of a PostgreSQL, without a database's name."""
    with postgresql() as address:
        yield address


@pytest.fixture(scope="package")
def new_database(cluster: str) -> Callable[[], str]:
    """Makes empty databases; gives their addresses."""
    numbers = count(1)

    def make() -> str:
        name = f"podscope{next(numbers)}"
        with driver().connect(f"{cluster}postgres", autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {name}")
        return cluster + name

    return make


@pytest.fixture
def redis_server() -> Iterator[RedisServer]:
    """A Redis of the test's own."""
    server = RedisServer()
    server.start()
    yield server
    server.kill()
