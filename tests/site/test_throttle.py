import logging
from threading import Thread

import pytest
from django.http import HttpResponse

from lifecycle_site import throttle
from lifecycle_site.logs import broker_away, not_unavailable, without_traceback
from lifecycle_site.throttle import Allowances, Bucket, ThrottleMiddleware
from simulator.runs.turns.constants import BURST_S


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


def test_what_is_counted_at_once_is_missing_later():
    allowances = Allowances(Clock())
    allowances.spend("a", 20, per_second=2)
    assert taken(allowances, 100) == 2 * BURST_S - 20


def test_nobody_owes_more_than_there_is():
    clock = Clock()
    allowances = Allowances(clock)
    allowances.spend("a", 1000, per_second=2)
    clock.now = 3
    assert taken(allowances, 100) == 6


def test_wait_lasts_until_there_is_a_token_and_takes_none():
    clock = Clock()
    allowances = Allowances(clock)
    assert allowances.wait_s("a", per_second=2) == 0
    allowances.spend("a", 2 * BURST_S - 1, per_second=2)
    assert allowances.wait_s("a", per_second=2) == 0
    allowances.spend("a", 1, per_second=2)
    assert allowances.wait_s("a", per_second=2) == 0.5
    clock.now = 0.25
    assert [allowances.wait_s("a", per_second=2) for _ in range(2)] == [0.25, 0.25]
    clock.now = 0.5
    assert allowances.wait_s("a", per_second=2) == 0 and taken(allowances, 2) == 1


def test_addresses_do_not_share_an_allowance():
    allowances = Allowances(Clock())
    taken(allowances, 100)
    assert taken(allowances, 1, "b") == 1


class MeetingClock:
    """While one thread reads the clock another one asks as well, and is given time to be answered."""

    asks_too = None

    def __call__(self):
        if self.asks_too is not None:
            other, self.asks_too = self.asks_too, None
            other.start()
            other.join(0.2)
        return 0.0


def test_thread_that_asks_meanwhile_gets_no_allowance_of_its_own():
    clock, answers = MeetingClock(), []
    allowances = Allowances(clock)
    taken(allowances, 100)
    clock.asks_too = other = Thread(target=lambda: answers.append(allowances.take("a", per_second=2)))
    answers.append(allowances.take("a", per_second=2))
    other.join()
    assert answers == [False, False]


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


def test_addresses_of_one_network_share_what_a_visitor_may_post(rf, settings):
    settings.SIM_POSTS_PER_SECOND_MAX = 1
    middleware = ThrottleMiddleware(lambda request: HttpResponse())
    answers = [middleware(rf.post("/", REMOTE_ADDR=f"2001:db8::{n:x}")).status_code for n in range(BURST_S + 1)]
    assert answers == [200] * BURST_S + [429]
    assert middleware(rf.post("/", REMOTE_ADDR="2001:db8:0:1::1")).status_code == 200


def test_record_keeps_its_words_without_the_traceback():
    record = logging.LogRecord("x", logging.ERROR, "", 1, "words", (), (ValueError, ValueError(), None))
    assert without_traceback(record) and record.exc_info is None and record.getMessage() == "words"


@pytest.mark.parametrize(("error", "has_traceback"), [(ConnectionRefusedError("no"), False), (ValueError("no"), True)])
def test_broker_that_is_away_is_reported_in_one_line(error, has_traceback):
    record = logging.LogRecord("x", logging.ERROR, "", 1, "words", (), (type(error), error, None))
    assert broker_away(record) and bool(record.exc_info) is has_traceback


@pytest.mark.parametrize(("status", "is_kept"), [(503, False), (501, False), (500, True)])
def test_what_is_unavailable_is_not_logged_as_an_error(status, is_kept):
    record = logging.LogRecord("x", logging.ERROR, "", 1, "words", (), None)
    record.status_code = status
    assert not_unavailable(record) is is_kept


def test_bucket_gives_so_many_at_once_and_then_so_many_a_second():
    clock = Clock()
    bucket = Bucket(per_second=2, burst=5, clock_s=clock)
    assert sum(bucket.take() for _ in range(9)) == 5
    clock.now = 1
    assert sum(bucket.take() for _ in range(9)) == 2
