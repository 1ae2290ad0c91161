from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import DatabaseError, connection

from simulator import db
from simulator.db import in_db

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
