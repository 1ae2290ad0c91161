"""Whose turn it is to compute: owners first, then their runs; whoever is sent ahead waits for whoever keeps pace."""

from threading import Event

import pytest

from simulator.runs.runner.fair_turns import HURRY_TURN, FairTurns


@pytest.fixture
def turns():
    own = FairTurns()
    yield own
    own.shutdown()


def order_of(turns, submitted):
    """In which order the names come up that are submitted while the thread is busy: (owner, name, hurries)."""
    gate, done = Event(), []
    futures = [turns.seat("gate").submit(gate.wait)]
    for owner, name, hurries in submitted:
        seat = turns.seat(owner)
        seat.hurries = hurries
        futures.append(seat.submit(done.append, name))
    gate.set()
    for future in futures:
        future.result(timeout=10)
    return done


def test_owner_of_many_runs_takes_turns_with_the_owner_of_one(turns):
    many = [("many", f"m{number}", False) for number in range(3)]
    assert order_of(turns, [*many, ("one", "o", False)]) == ["m0", "o", "m1", "m2"]


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
