from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import DatabaseError, InternalError, connection

from simulator.runs import db
from simulator.runs.db import AWAY, in_db

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch):
    with ThreadPoolExecutor(1) as pool:
        monkeypatch.setattr(db, "_POOL", pool)
        yield
        pool.submit(lambda: connection.close()).result()


def ask(text):
    with connection.cursor() as cursor:
        return cursor.execute(text).fetchone()


def opened():
    connection.ensure_connection()
    return id(connection.connection)


async def test_connection_is_kept_between_calls():
    assert await in_db(opened) == await in_db(opened)


async def test_connection_is_renewed_when_it_reported_an_error():
    before = await in_db(lambda: connection.ensure_connection() or connection.connection)
    with pytest.raises(DatabaseError):
        await in_db(ask, "no sql at all")
    assert await in_db(ask, "select 1") == (1,)
    assert await in_db(lambda: connection.connection) is not before


async def test_arguments_and_results_pass_through():
    assert await in_db(lambda a, *, b: (a, b), 1, b=2) == (1, 2)


@pytest.mark.parametrize("error", [InternalError("read-only transaction"), DatabaseError("disk image is malformed")])
async def test_whoever_waits_for_the_database_waits_for_a_damaged_or_read_only_one(error):
    def fail():
        raise error

    with pytest.raises(AWAY, match=str(error)):
        await in_db(fail)


async def test_mistake_of_ours_is_not_taken_for_a_database_that_is_away():
    def fail():
        raise DatabaseError("something else")

    with pytest.raises(DatabaseError) as raised:
        await in_db(fail)
    assert not isinstance(raised.value, AWAY)
