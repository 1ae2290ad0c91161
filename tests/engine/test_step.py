"""How far one slice of computing goes: a counted amount of work, and the same history wherever it is cut."""

from itertools import count

import pytest

from simulator.engine import World, advance, new_world
from simulator.engine.acts.all_acts import Stamped
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.workloads.scale import ScaleWorkload
from simulator.engine.course.replay import Course, Leg
from simulator.engine.kernel.errors import EngineError
from simulator.engine.world.events import ScriptDue
from simulator.engine.world.queue import Lane
from tests.engine.worlds import container, header, pod

BUSY = pod(container("while :; do :; done"))
IDLE = pod(container("sleep 3600"))
CROWD = {
    "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
    "spec": {
        "replicas": 5, "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container("sleep 5; exit 1")]}},
    },
}  # fmt: skip
UNTIL_MS = 20_000
SCALED = [
    Stamped(at_ms=7_000 + 900 * n, n=n, command=ScaleWorkload(kind="Deployment", namespace="default", name="web", replicas=n))
    for n in range(9)
]
A_FEW = 500
"""Units: the cost of an idle pod's first seconds, and a fraction of an instant of a busy one."""


def begun(document: dict) -> World:
    return new_world(header(document))


def stretches(world: World, *, limit: int) -> int:
    """How many slices of this size it takes to the end."""
    return next(n for n in count(1) if advance(world, until_ms=UNTIL_MS, limit=limit).exhausted)


def legs(course: Course, *, limit: int) -> list[Leg]:
    """The slices to the end."""
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


@pytest.mark.parametrize("limit", [1, 7])
@pytest.mark.parametrize("document", [IDLE, BUSY, CROWD], ids=["idle", "busy", "crowd"])
def test_work_is_the_same_wherever_it_is_cut(document: dict, limit: int) -> None:
    whole, cut = begun(document), begun(document)
    work = advance(whole, until_ms=UNTIL_MS).work
    parts = []
    while not parts or not parts[-1].exhausted:
        parts.append(advance(cut, until_ms=UNTIL_MS, limit=limit))
    assert len(parts) > 4
    assert sum(part.work for part in parts) == work


def test_work_is_the_same_where_a_copy_goes_on() -> None:
    whole, course = Course(header(IDLE, CROWD), SCALED), Course(header(IDLE, CROWD), SCALED)
    whole.drive(UNTIL_MS)
    for until_ms in range(0, UNTIL_MS + 1, 100):
        course = course.fork()
        course.drive(until_ms, limit=3)
        course = course.fork()
        course.drive(until_ms)
    assert course.done == whole.done


def test_work_of_commands_is_the_same_wherever_it_is_cut() -> None:
    whole, course = Course(header(IDLE, CROWD), SCALED), Course(header(IDLE, CROWD), SCALED)
    whole.drive(UNTIL_MS)
    legs(course, limit=1)
    assert course.done == whole.done


def test_work_of_a_walk_to_a_record_is_that_of_the_way_there() -> None:
    whole, course = Course(header(IDLE, CROWD), SCALED), Course(header(IDLE, CROWD), SCALED)
    whole.drive(UNTIL_MS)
    course.drive_to_seq(whole.world.seq, until_ms=UNTIL_MS)
    course.drive(UNTIL_MS)
    assert course.done == whole.done


@pytest.mark.parametrize("limit", [1, 10, 100])
def test_limit_holds_across_commands(limit: int) -> None:
    """A file may contain a thousand acts: a limit that restarted at each would be useless."""
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
