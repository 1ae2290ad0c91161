from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event

import pytest

from simulator.runs.slots import HALF_S, LEAD_S_MAX, Busy, Slots


@pytest.fixture
def slots():
    return Slots(size=2, waiting_max=4, each_max=3)


@pytest.fixture
def threads():
    with ThreadPoolExecutor(12) as pool:
        yield pool


class Work:
    """Something that holds a slot in a thread of its own until it is told to end."""

    def __init__(self, slots, threads, address, browser=""):
        self.begun, self.ended, self.address, self.browser = Event(), Event(), address, browser
        self.result = threads.submit(self._run, slots)

    def _run(self, slots):
        with slots.taken(self.address, self.browser, patience_s=30):
            self.begun.set()
            self.ended.wait(30)

    def end(self):
        self.ended.set()
        self.result.result(30)


def wait_for(slots, count):
    """Until so many wait."""
    pause = Event()
    while slots.waiting() < count:
        pause.wait(0.001)


def begun(work):
    assert work.begun.wait(30)
    return work


def test_one_address_never_has_the_last_slot(slots, threads):
    first, second = begun(Work(slots, threads, "a")), Work(slots, threads, "a")
    wait_for(slots, 1)
    other = begun(Work(slots, threads, "b"))
    assert not second.begun.is_set()
    for work in (first, second, other):
        work.end()


def test_no_more_run_than_there_are_slots(slots, threads):
    running = [begun(Work(slots, threads, address)) for address in "ab"]
    third = Work(slots, threads, "c")
    wait_for(slots, 1)
    assert not third.begun.is_set()
    running[0].end()
    begun(third)
    for work in (running[1], third):
        work.end()


def test_addresses_take_turns_however_many_one_has_waiting(slots, threads):
    running = [begun(Work(slots, threads, address)) for address in "xy"]
    waiting = []
    for count, address in enumerate("aab", 1):
        waiting.append(Work(slots, threads, address))
        wait_for(slots, count)
    running[0].end()
    begun(waiting[0]).end()
    begun(waiting[2])
    assert not waiting[1].begun.is_set()
    for work in [running[1], waiting[2], waiting[1]]:
        work.end()


def queued(slots, threads, *people):
    """Work of (address, browser) each, which waits in this order."""
    waiting = []
    for count, person in enumerate(people, 1):
        waiting.append(Work(slots, threads, *person))
        wait_for(slots, count)
    return waiting


@pytest.mark.parametrize("spender", [("a", "greedy"), ("b", "")])
def test_whoever_had_least_computing_time_of_late_goes_first(threads, spender):
    now_s = [0.0]
    slots = Slots(size=2, waiting_max=9, each_max=9, clock_s=lambda: now_s[0])
    for person, seconds in ((spender, 20.0), (("a", "calm"), 1.0)):
        work = begun(Work(slots, threads, *person))
        now_s[0] += seconds
        work.end()
    running = begun(Work(slots, threads, "x")), begun(Work(slots, threads, "y"))
    late, early = queued(slots, threads, spender, ("a", "calm"))
    running[0].end()
    begun(early)
    assert not late.begun.is_set()
    for item in (early, running[1], late):
        item.end()


def test_time_that_was_had_long_ago_is_forgotten(threads):
    now_s = [0.0]
    slots = Slots(size=2, waiting_max=9, each_max=9, clock_s=lambda: now_s[0])
    for address, seconds in (("a", 20.0), ("b", 1.0)):
        now_s[0] += 10 * HALF_S if address == "b" else 0
        work = begun(Work(slots, threads, address))
        now_s[0] += seconds
        work.end()
    running = begun(Work(slots, threads, "x")), begun(Work(slots, threads, "y"))
    late, early = queued(slots, threads, ("b", ""), ("a", ""))
    running[0].end()
    begun(early)
    assert not late.begun.is_set()
    for item in (early, running[1], late):
        item.end()


def test_whoever_had_much_waits_no_longer_behind_others_than_for_a_while(threads):
    now_s = [0.0]
    slots = Slots(size=2, waiting_max=9, each_max=9, clock_s=lambda: now_s[0])
    work = begun(Work(slots, threads, "a"))
    now_s[0] += 60.0
    work.end()
    running = begun(Work(slots, threads, "x")), begun(Work(slots, threads, "y"))
    (early,) = queued(slots, threads, ("a", ""))
    now_s[0] += 2 * LEAD_S_MAX + 0.1
    late = Work(slots, threads, "b")
    wait_for(slots, 2)
    running[0].end()
    begun(early)
    assert not late.begun.is_set()
    for item in (early, running[1], late):
        item.end()


def test_refusal_says_how_much_computing_time_was_had(threads):
    now_s = [0.0]
    slots = Slots(size=1, waiting_max=0, each_max=0, clock_s=lambda: now_s[0])
    work = begun(Work(slots, threads, "a"))
    now_s[0] += 7
    with pytest.raises(Busy) as raised, slots.taken("a"):
        pass
    assert raised.value.had_s == 7
    work.end()


def test_one_browser_does_not_fill_the_queue_of_its_address(threads):
    slots = Slots(size=2, waiting_max=9, each_max=4, browser_max=2)
    work = [begun(Work(slots, threads, address)) for address in "ab"]
    work += queued(slots, threads, ("a", "one"), ("a", "one"))
    with pytest.raises(Busy), slots.taken("a", "one"):
        pass
    work.append(Work(slots, threads, "a", "two"))
    wait_for(slots, 3)
    for item in work:
        item.ended.set()  # who goes first is not asked here
    for item in work:
        item.end()


def refused(slots, address, patience_s=30.0):
    with pytest.raises(Busy), slots.taken(address, patience_s=patience_s):
        pass


def test_address_with_many_waiting_is_refused_while_another_may_still_wait(slots, threads):
    work = [begun(Work(slots, threads, address)) for address in "ab"]
    for count in range(1, 4):
        work.append(Work(slots, threads, "a"))
        wait_for(slots, count)
    refused(slots, "a")
    work.append(Work(slots, threads, "c"))
    wait_for(slots, 4)
    refused(slots, "d")
    for item in work:
        item.end()


def test_whoever_waited_too_long_is_refused_and_leaves_the_queue(slots, threads):
    work = [begun(Work(slots, threads, address)) for address in "ab"]
    refused(slots, "c", patience_s=0.0)
    assert slots.waiting() == 0
    for item in work:
        item.end()


def test_slot_is_given_back_when_the_work_fails(slots):
    for _ in range(5):
        with pytest.raises(ValueError), slots.taken("a"):
            raise ValueError
    with slots.taken("a", patience_s=0):
        pass


def test_work_that_has_a_slot_needs_no_second_one(slots):
    with ExitStack() as stack:
        for _ in range(5):
            stack.enter_context(slots.taken("a", patience_s=0))
