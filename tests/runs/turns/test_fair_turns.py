"""Whose turn it is to compute: the owner with the least time, then their runs; a run sent ahead waits for those that keep pace."""

import os
import sys
from threading import Event, get_native_id
from time import monotonic

import pytest

from simulator.runs.turns.constants import ASIDE_RUN_NICE, EASE_TIMES, HERE_S, HURRY_TURN, OWNERS_KNOWN_MAX, RUN_EASE_S
from simulator.runs.turns.fair_turns import FairTurns, Work, _Queue

IDLE = Work(lambda: None)


class Stopwatch:
    """The CPU time of the thread, set by the test."""

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
    """The order in which work submitted while the thread is busy is done: (owner, name, hurries). ``take`` is what each does."""
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
    """The owners of the next turns, when every owner keeps wanting more and each turn takes a fixed time per owner."""
    had = []
    for _ in range(turns):
        owner, work = queue.take()
        queue.add(owner, work)
        queue.charge(owner, seconds_of[owner])
        had.append(owner)
    return had


def test_newcomer_waits_for_one_turn_and_is_not_served_until_others_are_caught_up():
    queue = _Queue()
    queue.add("old", IDLE)
    served(queue, {"old": 0.1}, 50)
    queue.add("new", IDLE)
    assert sorted(served(queue, {"old": 0.1, "new": 0.1}, 10)).count("new") == 5


def test_whoever_comes_back_has_saved_nothing_up():
    queue = _Queue()
    queue.add("guest", IDLE)
    queue.charge(queue.take()[0], 0.1)
    queue.add("other", IDLE)
    served(queue, {"other": 0.1}, 50)
    queue.add("guest", IDLE)
    assert served(queue, {"other": 0.1, "guest": 0.1}, 10).count("guest") <= 6


def test_whoever_leaves_between_two_long_turns_gets_no_more_than_their_part():
    queue = _Queue()
    queue.add("guest", IDLE)
    queue.add("greedy", IDLE)
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
    queue.add("old", IDLE)
    queue.charge(queue.take()[0], 60.0)
    queue.add("old", IDLE)
    queue.add("new", IDLE)
    assert served(queue, {"old": 0.1, "new": 0.1}, 10).count("old") == 5


def stream_of_newcomers(queue):
    """How often an owner who always wants something had a turn while newcomers came, one after another, for one turn each."""
    queue.add("busy", IDLE)
    queue.add("new 0", IDLE)
    had = 0
    for number in range(6 * OWNERS_KNOWN_MAX):
        owner, work = queue.take()
        queue.add("busy" if owner == "busy" else f"new {number}", work)
        queue.charge(owner, 0.001)
        had += owner == "busy"
    return had


def test_stream_of_newcomers_keeps_nobody_waiting_forever():
    assert stream_of_newcomers(_Queue()) >= 2 * OWNERS_KNOWN_MAX


def test_owners_who_want_nothing_are_forgotten():
    queue = _Queue()
    stream_of_newcomers(queue)
    assert len(queue._had_s) <= OWNERS_KNOWN_MAX + 1


def test_whoever_keeps_pace_goes_before_whoever_is_sent_ahead(turns):
    assert order_of(turns, [("a", "ahead", True), ("b", "live", False)]) == ["live", "ahead"]


def test_whoever_is_sent_ahead_does_not_wait_forever(turns):
    live = [("a", f"l{number}", False) for number in range(2 * HURRY_TURN)]
    assert "ahead" in order_of(turns, [*live, ("b", "ahead", True)])[:HURRY_TURN]


TOOK_S = 1.3 * RUN_EASE_S


class Threads:
    """Which turn each of the threads would take, without the threads."""

    def __init__(self):
        self.now_s = 0.0
        self.turns = FairTurns(now_s=lambda: self.now_s)

    def had(self, address, took_s, *, counts=True):
        self.turns._note(Work(print, address, counts=counts), took_s, self.now_s)

    def wanted_by(self, *addresses, hurries=False):
        queue = self.turns._hurrying if hurries else self.turns._keeping
        for address in addresses:
            queue.add(address, Work(print, address))

    def next(self, *, of_takers=False):
        """The address that has the next turn."""
        taken = self.turns._take(self.now_s, of_takers)
        return taken and taken[1]


@pytest.fixture
def threads():
    """A thread of its own for ``greedy``, who has just used a lot while ``calm`` had runs here, too."""
    own = Threads()
    own.had("calm", 0.01)
    own.had("greedy", TOOK_S)
    return own


def test_whoever_takes_much_has_a_thread_of_their_own_while_others_are_here(threads):
    threads.now_s = TOOK_S * EASE_TIMES + 0.01
    threads.wanted_by("greedy", "calm")
    assert (threads.next(of_takers=True), threads.next(of_takers=True)) == ("greedy", None)
    assert (threads.next(), threads.next()) == ("calm", None)


def test_it_rests_after_each_turn(threads):
    threads.wanted_by("greedy")
    threads.now_s = TOOK_S * EASE_TIMES - 0.01
    assert threads.next(of_takers=True) is None
    threads.now_s += 0.02
    assert threads.next(of_takers=True) == "greedy"


def test_what_is_soon_over_does_not_rest(threads):
    threads.had("newcomer", TOOK_S, counts=False)
    threads.wanted_by("newcomer")
    assert threads.next(of_takers=True) == "newcomer"


def test_whoever_takes_much_elsewhere_does_so_here_from_the_beginning():
    threads = Threads()
    threads.had("calm", 0.01)
    threads.turns.set_takers(frozenset({"greedy"}))
    threads.wanted_by("greedy")
    assert (threads.next(), threads.next(of_takers=True)) == (None, "greedy")


def test_whoever_is_sent_ahead_goes_while_takers_are_served_elsewhere(threads):
    threads.wanted_by("greedy")
    threads.wanted_by("calm", hurries=True)
    assert threads.next() == "calm"


def test_whoever_stays_behind_alone_has_the_usual_thread_again(threads):
    threads.wanted_by("greedy")
    threads.now_s = HERE_S + 0.01
    assert (threads.next(of_takers=True), threads.next()) == (None, "greedy")


def test_takers_among_themselves_have_the_usual_thread_and_do_not_rest():
    threads = Threads()
    for address in ("greedy", "other", "greedy"):
        threads.had(address, TOOK_S)
    threads.wanted_by("greedy", "other")
    assert {threads.next(), threads.next()} == {"greedy", "other"}


def test_whoever_takes_little_has_the_usual_thread():
    threads = Threads()
    threads.had("calm", 0.01)
    threads.had("one", RUN_EASE_S / 2)
    threads.wanted_by("one")
    assert (threads.next(of_takers=True), threads.next()) == (None, "one")


def test_no_more_addresses_are_remembered_than_so_many(threads):
    for number in range(2 * OWNERS_KNOWN_MAX):
        threads.had(f"a{number}", 0.001)
    assert len(threads.turns._seen_s) <= OWNERS_KNOWN_MAX


def test_nobody_waits_for_the_end_of_a_takers_turn(turns):
    turns._note(Work(print, "calm"), 0.01, monotonic())
    turns.set_takers(frozenset({"greedy"}))
    under_way, gate = Event(), Event()
    slow = turns.seat("g", "greedy").submit(lambda: under_way.set() or gate.wait(timeout=10))
    assert under_way.wait(timeout=10)
    assert turns.seat("c", "calm").submit(lambda: "quick").result(timeout=10) == "quick"
    assert not slow.done()
    gate.set()
    assert slow.result(timeout=10)


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priority of their own")
def test_thread_that_stands_aside_has_a_low_priority_until_it_does_no_more(turns):
    def priority():
        return turns.seat("a").submit(lambda: os.getpriority(os.PRIO_PROCESS, get_native_id())).result(timeout=10)

    seen = [priority()]
    for is_aside in (True, False, True):
        turns.set_low_priority(is_aside)
        seen.append(priority())
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    assert seen == [usual, ASIDE_RUN_NICE, usual, ASIDE_RUN_NICE]


def test_it_is_known_how_long_a_turn_has_been_under_way(watch):
    own, begun, gate = FairTurns(clock=watch, now_s=watch), Event(), Event()
    assert own.longest_s() == 0.0
    turn = own.seat("one").submit(lambda: (begun.set(), gate.wait(10)))
    assert begun.wait(10)
    watch.s = 7.0
    assert own.longest_s() == 7.0
    gate.set()
    turn.result(timeout=10)
    own.seat("one").submit(lambda: None).result(timeout=10)
    own.shutdown()
    own._thread.join(10)
    assert own.longest_s() == 0.0


def test_failure_is_the_callers(turns):
    with pytest.raises(ZeroDivisionError):
        turns.seat("a").submit(divmod, 1, 0).result(timeout=10)
    assert turns.seat("a").submit(divmod, 7, 2).result(timeout=10) == (3, 1)


def test_nothing_is_taken_after_the_end(turns):
    turns.start()
    turns.shutdown()
    with pytest.raises(RuntimeError):
        turns.seat("a").submit(print)
