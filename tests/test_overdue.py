import os

import pytest
from pytest_timeout import Settings

from tests.overdue import OVERDUE, Overdue

TIMEOUT_S = 240.0
SETTINGS = Settings(TIMEOUT_S, "thread", False, False)


@pytest.fixture
def clock():
    return [1000.0]


@pytest.fixture
def ended():
    return []


@pytest.fixture
def overdue(clock, ended):
    return Overdue(lambda: clock[0], lambda *what: ended.append(what))


def test_test_that_takes_too_long_ends_its_process(overdue, clock, ended, request):
    overdue.expect(request.node, SETTINGS)
    clock[0] += TIMEOUT_S - 0.1
    overdue.look()
    assert ended == []
    clock[0] += 0.1
    overdue.look()
    assert ended == [(request.node, SETTINGS)]


def test_test_that_has_ended_ends_nothing(overdue, clock, ended, request):
    overdue.expect(request.node, SETTINGS)
    overdue.forget()
    clock[0] += 2 * TIMEOUT_S
    overdue.look()
    assert ended == []


def test_each_test_has_its_own_time(overdue, clock, ended, request):
    overdue.expect(request.node, SETTINGS)
    clock[0] += TIMEOUT_S - 1
    overdue.forget()
    overdue.expect(request.node, SETTINGS)
    clock[0] += TIMEOUT_S - 1
    overdue.look()
    assert ended == []


def test_all_tests_of_a_process_are_looked_after_by_one_thread(request):
    assert request.node.cancel_timeout == OVERDUE.forget


def test_copy_of_a_process_looks_after_its_own_tests():
    copy = os.fork()
    if copy == 0:
        was_alive = OVERDUE.is_looking
        OVERDUE.start()
        os._exit(0 if (was_alive, OVERDUE.is_looking) == (False, True) else 1)
    assert os.waitpid(copy, 0)[1] == 0
