"""How far one stretch of computing goes: so much work, counted, and the same history wherever it is cut."""

from itertools import count

import pytest

from simulator.engine import World, advance, new_world
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.registry import Stamped
from simulator.engine.course.replay import Course, Leg
from simulator.engine.kernel.errors import EngineError
from simulator.engine.world.events import ScriptDue
from simulator.engine.world.queue import Lane
from tests.engine.worlds import container, header, pod

BUSY = pod(container("while :; do :; done"))
IDLE = pod(container("sleep 3600"))
UNTIL_MS = 20_000
A_FEW = 500
"""Units: what an idle pod's first seconds cost, and a fraction of an instant of a busy one."""


def begun(document: dict) -> World:
    return new_world(header(document))


def stretches(world: World, *, limit: int) -> int:
    """How many stretches of so much work it takes to the end."""
    return next(n for n in count(1) if advance(world, until_ms=UNTIL_MS, limit=limit).exhausted)


def legs(course: Course, *, limit: int) -> list[Leg]:
    """The stretches to the end."""
    found = [course.drive(UNTIL_MS, limit=limit)]
    while not found[-1].is_there:
        found.append(course.drive(UNTIL_MS, limit=limit))
    return found


def test_container_that_computes_much_ends_a_stretch_early() -> None:
    assert stretches(begun(BUSY), limit=A_FEW) > stretches(begun(IDLE), limit=A_FEW)


def test_stretch_is_one_event_at_least_however_much_it_takes() -> None:
    whole, cut = begun(BUSY), begun(BUSY)
    advance(whole, until_ms=UNTIL_MS)
    assert stretches(cut, limit=1) > 1
    assert cut.digest() == whole.digest()


def test_work_is_the_same_wherever_it_is_cut() -> None:
    whole, cut = begun(IDLE), begun(IDLE)
    work = advance(whole, until_ms=UNTIL_MS).work
    parts = []
    while not parts or not parts[-1].exhausted:
        parts.append(advance(cut, until_ms=UNTIL_MS, limit=7))
    assert len(parts) > 4
    assert work - len(parts) <= sum(part.work for part in parts) <= work  # less than a unit is lost at each cut


@pytest.mark.parametrize("limit", [1, 10, 100])
def test_limit_holds_across_commands(limit: int) -> None:
    """A file may hold a thousand acts: a bound that began again at each would be none."""
    commands = [Stamped(at_ms=1000 + n, n=n, command=DeletePod(target="default/nobody")) for n in range(1000)]
    whole = Course(header(IDLE), commands)
    whole.drive(UNTIL_MS)
    course = Course(header(IDLE), commands)
    found = legs(course, limit=limit)
    assert max(leg.work for leg in found) < limit + 100
    assert max(len(leg.applied) for leg in found) <= max(1, limit)
    assert course.world.digest() == whole.world.digest()
    assert [place.n for leg in found for place in leg.applied] == list(range(1000))
    assert course.done == sum(leg.work for leg in found)


def test_time_never_runs_backwards() -> None:
    world = begun(IDLE)
    advance(world, until_ms=1_000)
    world.queue.push(500, Lane.SCRIPT, ScriptDue(0), 0)
    with pytest.raises(EngineError, match="before the present"):
        advance(world, until_ms=2_000)
    assert world.now_ms == 1_000
