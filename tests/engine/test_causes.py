"""Causes as contexts: what ``because``, ``aside`` and ``each`` leave as the cause of what follows."""

import pytest

from simulator.engine.world.effects import Effects
from tests.engine.worlds import header, run

FIRST, SECOND = 7, 9


@pytest.fixture
def fx() -> Effects:
    world, _ = run(header(), 0)
    effects = Effects(world, [])
    effects.cause = FIRST
    return effects


def test_a_cause_holds_inside_its_context_only(fx: Effects) -> None:
    with fx.because(SECOND):
        inside = fx.cause
    assert (inside, fx.cause) == (SECOND, FIRST)


def test_a_cause_set_inside_a_context_ends_with_it(fx: Effects) -> None:
    with fx.because(SECOND):
        fx.cause = fx.note("run", "step", "text")
    assert fx.cause == FIRST


def test_contexts_nest(fx: Effects) -> None:
    with fx.because(SECOND):
        with fx.because(FIRST):
            pass
        assert fx.cause == SECOND


def test_a_refusal_ends_a_context(fx: Effects) -> None:
    with pytest.raises(LookupError), fx.because(SECOND):
        raise LookupError
    assert fx.cause == FIRST


def test_what_is_done_aside_begins_with_the_cause_and_leaves_it(fx: Effects) -> None:
    with fx.aside():
        inside, fx.cause = fx.cause, SECOND
    assert (inside, fx.cause) == (FIRST, FIRST)


def test_each_item_begins_with_the_same_cause_and_the_loop_leaves_it(fx: Effects) -> None:
    causes = []
    for item in fx.each((1, 2)):
        causes.append(fx.cause)
        fx.cause = SECOND + item
    assert (causes, fx.cause) == ([FIRST, FIRST], FIRST)


def test_a_loop_left_early_keeps_the_cause_of_its_last_item(fx: Effects) -> None:
    for item in fx.each((1, 2)):
        fx.cause = SECOND + item
        break
    assert fx.cause == SECOND + 1
