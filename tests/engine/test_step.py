"""How far one stretch of computing goes: so many events, fewer where containers compute much, and the same history wherever it is cut."""

from itertools import count

from simulator.engine import World, advance, new_world
from simulator.engine.course.step import EVENT_UNITS
from simulator.engine.runtime.effort import INSTANT
from tests.engine.worlds import container, header, pod

BUSY = pod(container("while :; do :; done"))
IDLE = pod(container("sleep 3600"))
UNTIL_MS = 20_000


def begun(document: dict) -> World:
    return new_world(header(document))


def stretches(world: World, *, limit: int) -> int:
    """How many stretches of so many events it takes to the end."""
    return next(n for n in count(1) if advance(world, until_ms=UNTIL_MS, limit=limit).exhausted)


def test_container_that_computes_much_ends_a_stretch_early() -> None:
    limit = INSTANT // EVENT_UNITS
    assert stretches(begun(IDLE), limit=limit) == 1
    assert stretches(begun(BUSY), limit=limit) > 1


def test_stretch_is_one_event_at_least_however_much_it_takes() -> None:
    whole, cut = begun(BUSY), begun(BUSY)
    advance(whole, until_ms=UNTIL_MS)
    assert stretches(cut, limit=1) > 1
    assert cut.digest() == whole.digest()
