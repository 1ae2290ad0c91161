"""Whose turn it is to compute: whoever had least of the time, then their runs; whoever is sent ahead waits for whoever keeps pace."""

from threading import Event

import pytest

from simulator.runs.runner.fair_turns import HURRY_TURN, KNOWN_MAX, FairTurns, _Queue


class Stopwatch:
    """The time that the thread has computed, as a test has it."""

    def __init__(self):
        self.s = 0.0

    def __call__(self):
        return self.s


@pytest.fixture
def watch():
    return Stopwatch()


@pytest.fixture
def turns(watch):
    own = FairTurns(clock=watch)
    yield own
    own.shutdown()


def order_of(turns, submitted, take=None):
    """In which order the names come up that are submitted while the thread is busy: (owner, name, hurries). ``take`` is what each does."""
    gate, done = Event(), []
    futures = [turns.seat("gate").submit(gate.wait)]

    def work(name):
        done.append(name)
        if take is not None:
            take(name)

    for owner, name, hurries in submitted:
        seat = turns.seat(owner)
        seat.hurries = hurries
        futures.append(seat.submit(work, name))
    gate.set()
    for future in futures:
        future.result(timeout=10)
    return done


def test_owner_of_many_runs_takes_turns_with_the_owner_of_one(turns):
    many = [("many", f"m{number}", False) for number in range(3)]
    assert order_of(turns, [*many, ("one", "o", False)]) == ["m0", "o", "m1", "m2"]


def test_whoever_has_had_least_of_the_time_goes_next(turns, watch):
    def take(name):
        watch.s += 0.2 if name.startswith("slow") else 0.01

    works = [(owner, f"{owner}{number}", False) for number in range(4) for owner in ("slow", "quick")]
    assert order_of(turns, works, take) == ["slow0", "quick0", "quick1", "quick2", "quick3", "slow1", "slow2", "slow3"]


def served(queue, seconds_of, turns):
    """Who had the next turns, where every owner goes on wanting more and each turn takes what theirs take."""
    had = []
    for _ in range(turns):
        owner, work = queue.take()
        queue.add(owner, work)
        queue.charge(owner, seconds_of[owner])
        had.append(owner)
    return had


def test_newcomer_waits_for_one_turn_and_is_not_served_until_others_are_caught_up():
    queue = _Queue()
    queue.add("old", print)
    served(queue, {"old": 0.1}, 50)
    queue.add("new", print)
    assert sorted(served(queue, {"old": 0.1, "new": 0.1}, 10)).count("new") == 5


def test_whoever_comes_back_has_saved_nothing_up():
    queue = _Queue()
    queue.add("guest", print)
    queue.charge(queue.take()[0], 0.1)
    queue.add("other", print)
    served(queue, {"other": 0.1}, 50)
    queue.add("guest", print)
    assert served(queue, {"other": 0.1, "guest": 0.1}, 10).count("guest") <= 6


def test_whoever_leaves_between_two_long_turns_gets_no_more_than_their_part():
    queue = _Queue()
    queue.add("guest", print)
    queue.add("greedy", print)
    had = {"guest": 0.0, "greedy": 0.0}
    for _ in range(200):
        owner, work = queue.take()
        seconds = 1.0 if owner == "greedy" else 0.01
        had[owner] += seconds
        queue.charge(owner, seconds)
        queue.add(owner, work)  # and it wants the next turn only now
    assert had["greedy"] <= had["guest"] + 1.0


def test_once_nobody_wants_anything_all_are_even():
    queue = _Queue()
    queue.add("old", print)
    queue.charge(queue.take()[0], 60.0)
    queue.add("old", print)
    queue.add("new", print)
    assert served(queue, {"old": 0.1, "new": 0.1}, 10).count("old") == 5


def stream_of_newcomers(queue):
    """How often an owner who always wants something had a turn while newcomers came, one after another, for one turn each."""
    queue.add("busy", print)
    queue.add("new 0", print)
    had = 0
    for number in range(6 * KNOWN_MAX):
        owner, work = queue.take()
        queue.add("busy" if owner == "busy" else f"new {number}", work)
        queue.charge(owner, 0.001)
        had += owner == "busy"
    return had


def test_stream_of_newcomers_keeps_nobody_waiting_for_ever():
    assert stream_of_newcomers(_Queue()) >= 2 * KNOWN_MAX


def test_owners_who_want_nothing_are_forgotten():
    queue = _Queue()
    stream_of_newcomers(queue)
    assert len(queue._had_s) <= KNOWN_MAX + 1


def test_whoever_keeps_pace_goes_before_whoever_is_sent_ahead(turns):
    assert order_of(turns, [("a", "ahead", True), ("b", "live", False)]) == ["live", "ahead"]


def test_whoever_is_sent_ahead_does_not_wait_for_ever(turns):
    live = [("a", f"l{number}", False) for number in range(2 * HURRY_TURN)]
    assert "ahead" in order_of(turns, [*live, ("b", "ahead", True)])[:HURRY_TURN]


def test_failure_is_the_callers(turns):
    with pytest.raises(ZeroDivisionError):
        turns.seat("a").submit(divmod, 1, 0).result(timeout=10)
    assert turns.seat("a").submit(divmod, 7, 2).result(timeout=10) == (3, 1)


def test_nothing_is_taken_after_the_end(turns):
    turns.start()
    turns.shutdown()
    with pytest.raises(RuntimeError):
        turns.seat("a").submit(print)
