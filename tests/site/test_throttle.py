import logging

import pytest
from django.http import HttpResponse

from lifecycle_site import throttle
from lifecycle_site.logs import without_traceback
from lifecycle_site.throttle import BURST_S, Allowances, ThrottleMiddleware


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def taken(allowances, count, address="a"):
    return sum(allowances.take(address, per_second=2) for _ in range(count))


def test_burst_is_allowed_and_no_more():
    assert taken(Allowances(Clock()), 100) == 2 * BURST_S


def test_allowance_comes_back_with_time():
    clock = Clock()
    allowances = Allowances(clock)
    taken(allowances, 100)
    clock.now = 3
    assert taken(allowances, 100) == 6


def test_addresses_do_not_share_an_allowance():
    allowances = Allowances(Clock())
    taken(allowances, 100)
    assert taken(allowances, 1, "b") == 1


def test_silent_addresses_are_forgotten():
    clock = Clock()
    allowances = Allowances(clock)
    for n in range(50):
        taken(allowances, 1, str(n))
    clock.now = BURST_S + 1
    taken(allowances, 1)
    assert len(allowances) == 1


def test_number_of_addresses_is_limited(monkeypatch):
    monkeypatch.setattr(throttle, "ADDRESSES_MAX", 3)
    allowances = Allowances(Clock())
    for n in range(9):
        taken(allowances, 1, str(n))
    assert len(allowances) == 3


@pytest.mark.parametrize(("method", "limit", "status"), [("post", 1, 429), ("get", 1, 200), ("post", 0, 200)])
def test_flood_of_posts_is_answered_with_429(rf, settings, method, limit, status):
    settings.SIM_POSTS_PER_SECOND_MAX = limit
    middleware = ThrottleMiddleware(lambda request: HttpResponse())
    answers = [middleware(getattr(rf, method)("/")) for _ in range(BURST_S + 1)]
    assert [answer.status_code for answer in answers] == [200] * BURST_S + [status]


def test_record_keeps_its_words_without_the_traceback():
    record = logging.LogRecord("x", logging.ERROR, "", 1, "words", (), (ValueError, ValueError(), None))
    assert without_traceback(record) and record.exc_info is None and record.getMessage() == "words"
