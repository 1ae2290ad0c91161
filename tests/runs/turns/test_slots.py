from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event

import pytest

from simulator.runs.turns.constants import BESIDE_S, ORDERED_S_MAX, PRESENT_S, SLOT_HALF_S, SLOT_LEAD_S_MAX, SLOT_MUCH_S
from simulator.runs.turns.slots import Busy, Slots


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
    """Wait until this many are waiting."""
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
    """Work by (address, browser), waiting in this order."""
    waiting = []
    for count, person in enumerate(people, 1):
        waiting.append(Work(slots, threads, *person))
        wait_for(slots, count)
    return waiting


class Clocked:
    """Two slots with a clock that moves only when advanced, and their earlier holders."""

    def __init__(self, threads):
        self.now_s, self.threads = 0.0, threads
        self.slots = Slots(size=2, waiting_max=9, each_max=9, clock_s=lambda: self.now_s)

    def had(self, seconds, *person):
        work = begun(Work(self.slots, self.threads, *person))
        self.now_s += seconds
        work.end()

    def follows(self, *people, between_s=0.0):
        """Which of two people who come one after the other while both slots are taken goes first: 0 or 1."""
        running = begun(Work(self.slots, self.threads, "x")), begun(Work(self.slots, self.threads, "y"))
        waiting = []
        for count, person in enumerate(people, 1):
            waiting.append(Work(self.slots, self.threads, *person))
            wait_for(self.slots, count)
            self.now_s += between_s
        running[0].end()
        while not any(work.begun.is_set() for work in waiting):
            Event().wait(0.001)
        first = [work.begun.is_set() for work in waiting].index(True)
        for work in (waiting[first], running[1], waiting[1 - first]):
            work.end()
        return first


@pytest.fixture
def clocked(threads):
    return Clocked(threads)


@pytest.mark.parametrize("spender", [("a", "greedy"), ("b", "")])
def test_whoever_had_least_computing_time_recently_goes_first(clocked, spender):
    clocked.had(20, *spender)
    clocked.had(1, "a", "calm")
    assert clocked.follows(spender, ("a", "calm")) == 1


def test_time_that_was_had_long_ago_is_forgotten(clocked):
    clocked.had(20, "a")
    clocked.now_s += 10 * SLOT_HALF_S
    clocked.had(1, "b")
    assert clocked.follows(("b",), ("a",)) == 1


@pytest.mark.parametrize(("between_s", "first"), [(2 * SLOT_LEAD_S_MAX - 0.1, 1), (2 * SLOT_LEAD_S_MAX + 0.1, 0)])
def test_whoever_had_much_waits_no_longer_behind_others_than_for_a_while(clocked, between_s, first):
    clocked.had(60, "a", "greedy")
    assert clocked.follows(("a", "greedy"), ("b", "calm"), between_s=between_s) == first


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
        item.ended.set()  # who goes first does not matter here
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


def test_newcomer_takes_the_place_of_whoever_fills_the_queue(slots, threads):
    running = begun(Work(slots, threads, "x")), begun(Work(slots, threads, "y"))
    hogs = queued(slots, threads, ("a",), ("a",), ("b",), ("b",))
    newcomer = Work(slots, threads, "c")
    with pytest.raises(Busy):
        hogs[1].result.result(30)
    assert slots.waiting() == 4
    for work in (*running, hogs[0], *hogs[2:], newcomer):
        work.end()


def test_newcomer_is_refused_where_nobody_has_more_in_the_queue(slots, threads):
    running = begun(Work(slots, threads, "x")), begun(Work(slots, threads, "y"))
    waiting = queued(slots, threads, ("a",), ("b",), ("c",), ("d",))
    with pytest.raises(Busy):
        Work(slots, threads, "e").result.result(30)
    for work in (*running, *waiting):
        work.end()


def test_browsers_that_are_not_known_are_no_browser_of_their_own(threads):
    slots = Slots(size=2, waiting_max=9, each_max=3, browser_max=1)
    running = begun(Work(slots, threads, "x")), begun(Work(slots, threads, "y"))
    waiting = queued(slots, threads, ("a", ""), ("a", ""), ("a", "known"))
    assert slots.waiting() == 3
    for work in (*running, *waiting):
        work.end()


class Attended:
    """Five slots with a clock that moves only when advanced; ``a`` has had ``had_s`` of them, and then ``others`` have asked for one."""

    def __init__(self, threads, *, had_s, others=(), aside_max=0, beside_max=4):
        self.now_s, self.threads = 0.0, threads
        self.slots = Slots(size=5, waiting_max=9, each_max=9, aside_max=aside_max, beside_max=beside_max, clock_s=lambda: self.now_s)
        self.one("a", had_s)
        for other in others:
            self.one(other, 0.0)

    def one(self, address, seconds):
        work = begun(Work(self.slots, self.threads, address))
        self.now_s += seconds
        work.end()

    def at_once(self):
        """How many of an address's maximum of four slots ``a`` gets; it waits for the fifth."""
        works = [Work(self.slots, self.threads, "a") for _ in range(5)]
        while sum(work.begun.is_set() for work in works) + self.slots.waiting() < 5:
            Event().wait(0.001)
        count = sum(work.begun.is_set() for work in works)
        for work in works:
            work.ended.set()
        for work in works:
            work.end()
        return count


@pytest.mark.parametrize(
    ("had_s", "others", "count"),
    [
        (SLOT_MUCH_S, "b", 2),
        (SLOT_MUCH_S, "bc", 2),
        (SLOT_MUCH_S, "ba", 2),
        (SLOT_MUCH_S, "", 4),
        (SLOT_MUCH_S, "a", 4),
        (SLOT_MUCH_S / 2, "b", 4),
    ],
)
def test_whoever_has_had_much_has_half_of_the_slots_while_others_are_there(threads, had_s, others, count):
    sight = Attended(threads, had_s=had_s, others=others)
    assert sight.at_once() == count
    assert sight.slots.gives_way("a") == (count == 2)


@pytest.mark.parametrize(("other_s", "gives_way"), [(0.8 * SLOT_MUCH_S, True), (1.2 * SLOT_MUCH_S, False), (8 * SLOT_MUCH_S, False)])
def test_whoever_has_had_much_gives_way_only_to_those_who_have_had_far_less(threads, other_s, gives_way):
    """A reader who has been there for a while does not yield to an attacker, who does yield to the reader."""
    sight = Attended(threads, had_s=2 * SLOT_MUCH_S)
    sight.one("b", other_s)
    sight.one("a", 0.0)
    assert sight.slots.gives_way("a") == gives_way
    assert sight.slots.gives_way("b") == (other_s > 2 * SLOT_MUCH_S)


@pytest.mark.parametrize(("others", "count"), [("", 4), ("a", 4), ("b", 2)])
def test_whoever_has_had_little_has_half_of_the_slots_as_well_while_others_are_there(threads, others, count):
    sight = Attended(threads, had_s=0.0, others=others, beside_max=0)
    assert (sight.at_once(), sight.slots.gives_way("a")) == (count, False)


def test_nobody_yields_to_a_call_that_is_for_no_address(threads):
    sight = Attended(threads, had_s=SLOT_MUCH_S, others=[""], beside_max=0)
    assert (sight.at_once(), sight.slots.gives_way("a")) == (4, False)


@pytest.mark.parametrize(("silent_s", "count"), [(BESIDE_S - 0.1, 2), (BESIDE_S, 4)])
def test_whoever_has_had_little_has_all_that_one_may_beside_those_who_seldom_ask(threads, silent_s, count):
    sight = Attended(threads, had_s=0.0, others="b", beside_max=0)
    sight.now_s += silent_s
    assert sight.at_once() == count


def test_what_others_do_for_somebody_counts_for_them_and_their_browser(threads):
    sight = Attended(threads, had_s=0.0, others="b")
    sight.slots.charge("a", "firefox", SLOT_MUCH_S)
    assert sight.slots.gives_way("a") and not sight.slots.gives_way("b")
    assert sight.slots._cost("firefox at a", sight.now_s) == SLOT_MUCH_S


@pytest.mark.parametrize(("had_s", "orders", "cost_s"), [(0.0, [1.0, 2.0], 3.0), (4.0, [1_000.0] * 50, ORDERED_S_MAX), (12.0, [5.0], 12.0)])
def test_many_who_order_together_yield_no_longer_than_one_who_orders_much(threads, had_s, orders, cost_s):
    sight = Attended(threads, had_s=had_s)
    for seconds in orders:
        sight.slots.charge("a", "", seconds)
    assert sight.slots._cost("a", sight.now_s) == pytest.approx(cost_s, abs=0.02)


def test_thread_knows_whether_the_address_it_has_a_slot_for_gives_way(threads):
    slots = Attended(threads, had_s=SLOT_MUCH_S, others="b").slots
    found = [slots.holder_gives_way()]
    for address in "ab":
        with slots.taken(address), slots.taken("of a call within it"):
            found.append(slots.holder_gives_way())
    assert [*found, slots.holder_gives_way()] == [False, True, False, False]


def test_whoever_gives_way_may_have_less_than_half(threads):
    assert Attended(threads, had_s=SLOT_MUCH_S, others="b", aside_max=1).at_once() == 1


def test_whoever_has_had_much_has_all_that_one_may_once_others_are_gone(threads):
    sight = Attended(threads, had_s=4 * SLOT_MUCH_S, others="b")
    sight.now_s += PRESENT_S
    assert sight.at_once() == 4


def test_slots_that_stood_empty_are_all_taken_once_others_are_gone(threads):
    sight = Attended(threads, had_s=4 * SLOT_MUCH_S, others="b")
    works = [Work(sight.slots, threads, "a") for _ in range(6)]
    wait_for(sight.slots, 4)
    sight.now_s += PRESENT_S
    next(work for work in works if work.begun.is_set()).end()
    wait_until = Event()
    while sum(work.begun.is_set() for work in works) < 5:
        wait_until.wait(0.001)
    for work in works:
        work.ended.set()
    for work in works:
        work.end()
