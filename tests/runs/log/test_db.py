import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import DatabaseError, InternalError, OperationalError, connection

from simulator.runs.log import db
from simulator.runs.log.db import AWAY, Together, in_db

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


async def test_what_is_asked_for_in_one_instant_is_one_call():
    calls = []

    def doubled(numbers):
        calls.append(numbers)
        return [2 * number for number in numbers]

    together = Together(doubled)
    assert await asyncio.gather(*(together.ask(number) for number in range(5))) == [0, 2, 4, 6, 8]
    assert calls == [[0, 1, 2, 3, 4]]


async def test_one_call_takes_no_more_than_its_share():
    calls = []
    together = Together(lambda numbers: calls.append(len(numbers)) or numbers)
    numbers = list(range(db.TOGETHER_MAX + 1))
    assert await asyncio.gather(*map(together.ask, numbers)) == numbers
    assert calls == [db.TOGETHER_MAX, 1]


async def test_failure_of_a_call_comes_to_all_that_asked_and_the_next_call_is_made():
    failures = iter([OperationalError("restarting")])

    def once_away(numbers):
        for failure in failures:
            raise failure
        return numbers

    together = Together(once_away)
    lost = await asyncio.gather(together.ask(1), together.ask(2), return_exceptions=True)
    assert [type(each) for each in lost] == [OperationalError, OperationalError]
    assert await together.ask(3) == 3


async def test_others_get_their_answers_when_one_that_asked_has_gone():
    together = Together(lambda numbers: numbers)
    gone, stays = (asyncio.create_task(together.ask(number)) for number in (1, 2))
    await asyncio.sleep(0)
    gone.cancel()
    assert await stays == 2


async def test_answer_that_is_an_exception_is_raised_for_whoever_asked_alone():
    together = Together(lambda numbers: [ValueError(number) if number == 2 else number for number in numbers])
    first, second, third = await asyncio.gather(*map(together.ask, (1, 2, 3)), return_exceptions=True)
    assert (first, type(second), third) == (1, ValueError, 3)


async def test_question_that_the_call_fails_over_is_no_other_questions_matter():
    def call(numbers):
        if 2 in numbers:
            raise ValueError(numbers)
        return numbers

    together = Together(call)
    first, second, third = await asyncio.gather(*map(together.ask, (1, 2, 3)), return_exceptions=True)
    assert (first, type(second), third) == (1, ValueError, 3)


async def test_database_that_is_away_is_not_asked_again_for_each_question():
    calls = []

    def call(numbers):
        calls.append(numbers)
        raise OperationalError("away")

    together = Together(call)
    found = await asyncio.gather(*map(together.ask, (1, 2, 3)), return_exceptions=True)
    assert ([type(each) for each in found], len(calls)) == ([OperationalError] * 3, 1)
