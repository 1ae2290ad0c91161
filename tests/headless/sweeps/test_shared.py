"""Cells that share their past: they equal those played from zero, and less is played for them."""

from random import Random
from typing import Any, cast

import pytest

from simulator.engine import Course
from simulator.engine.acts.all_acts import Stamped
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.course.between import TooDifferent, ValueEnds, course_between
from simulator.headless.sweeps import sweep as sweeps
from simulator.headless.sweeps.fields import numeric_fields
from simulator.headless.sweeps.shared import BETWEEN_MIN, CellPlay, SharedPasts, in_turn, is_amount
from simulator.headless.sweeps.sweep import Sweep, SweepCell, SweepPlan
from simulator.scenarios.build import story_content
from simulator.scenarios.story import Story, read_stories
from simulator.web.sweeps.sweep_forms import opening
from tests.engine.worlds import container, header, pod, stamped

STORIES = read_stories()
SECONDS = 60
VALUES = (1, 2, 3, 4, 5, 7, 8, 10, 15, 20, 30, 45)


def sweep_of(story: Story, field: str, **asked: Any) -> Sweep:
    """A sweep of a story, with the acts of a reader who follows it."""
    content = story_content(story)
    commands = tuple(Stamped(step.at_ms, n, step.command) for n, step in enumerate(story.sweep_steps(), 1))
    values = {"values": (VALUES[0], VALUES[-1] + 1), "seeds": (1, 2), "outcome": "time-to-ready", "until_ms": SECONDS * 1000}
    return Sweep(header=content.header, commands=(*content.commands, *commands), field=field, **(values | asked))


Told = dict[int, tuple[SweepCell, bytes | None]]


def told(plan: SweepPlan, numbers: list[int]) -> Told:
    """The cells in that order, with the digests of their records."""
    places = list(plan.places())
    found = {}
    for number in numbers:
        found[number] = plan.play(*places[number]), plan.digest()
    return found


def shared(sweep: Sweep) -> Told:
    plan = SweepPlan(sweep)
    return told(plan, [number for row in plan.rows() for number in row])


def from_zero(sweep: Sweep, numbers: list[int]) -> Told:
    """The same, each by a plan that has played nothing before."""
    return {number: told(SweepPlan(sweep), [number])[number] for number in numbers}


def amounts_of(story: Story) -> list[str]:
    """The fields of a story that may be swept and whose cells may share their past."""
    found = []
    for field in numeric_fields(story_content(story).header):
        try:
            plan = SweepPlan(sweep_of(story, field.text))
        except sweeps.BadSweep:  # an act of the story writes it
            continue
        if is_amount(field.path) and not any(plan.refusal(value) for value in plan.sweep.values):
            found.append(field.text)
    return found


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_cells_of_a_story_are_those_of_runs_from_zero(story: Story) -> None:
    random = Random(story.slug)
    amounts = amounts_of(story)
    if not amounts:
        return
    field, values = random.choice(amounts), sorted(random.sample(VALUES, 4))
    sweep = sweep_of(story, field, values=(*values, values[-1] + 1), seeds=(random.randrange(1000),))
    between = [1, 2]
    found = shared(sweep)
    assert_same({number: found[number] for number in between}, from_zero(sweep, between))


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_cells_of_a_story_that_are_inferred_are_those_of_runs_from_zero(story: Story) -> None:
    random = Random(f"inferred {story.slug}")
    amounts = amounts_of(story)
    if not amounts:
        return
    first = random.randrange(4)
    sweep = sweep_of(story, random.choice(amounts), values=tuple(range(first, first + 8)), seeds=(random.randrange(1000),))
    plan = SweepPlan(sweep)
    inferred: Told = {}
    for number in [number for row in plan.rows() for number in row]:
        stepped = plan.stepped
        cell = told(plan, [number])
        inferred |= cell if plan.stepped == stepped else {}
    some = random.sample(sorted(inferred), min(2, len(inferred)))
    assert_same({number: inferred[number] for number in some}, from_zero(sweep, some))


def assert_same(found: Told, own: Told) -> None:
    """The digest of inferred cells with requests is not known."""
    assert {number: (cell, digest and own[number][1]) for number, (cell, digest) in found.items()} == {
        number: (cell, found[number][1] and digest) for number, (cell, digest) in own.items()
    }


def test_example_of_the_site_steps_through_little_more_than_a_third() -> None:
    story = next(story for story in STORIES if story.slug == "zero-downtime")
    field = opening(numeric_fields(story_content(story).header), {}, has_load=True)["field"]
    asked = sweep_of(story, field, values=tuple(range(11)), seeds=(1, 2), outcome="failed-requests", until_ms=120_000)
    plan, zero = SweepPlan(asked), SweepPlan(asked)
    found = told(plan, [number for row in plan.rows() for number in row])
    zero_cells = {}
    for value, seed in zero.places():
        alone = SweepPlan(asked)
        zero_cells[value, seed] = alone.play(value, seed)
        zero.stepped += alone.stepped
    assert {place: found[number][0] for number, place in enumerate(zero.places())} == zero_cells
    assert plan.stepped < 0.35 * zero.stepped


@pytest.mark.parametrize(
    ("values", "order"),
    [
        ((0, 1, 2, 3, 4, 5), [5, 0, 4, 1, 2, 3]),
        ((20, 10, 30, 40), [40, 10, 30, 20]),
        ((2, 3), [3, 2]),
        ((0, 1), [1, 0]),
        ((7,), [7]),
        ((-3, 0, 4), [4, 0, -3]),
        ((-3, 1, 2, 4), [4, -3, 2, 1]),
    ],
)
def test_largest_come_first_and_the_others_in_ascending_order(values: tuple[int, ...], order: list[int]) -> None:
    assert in_turn(values) == order


GRACE = "spec.terminationGracePeriodSeconds"
SLEEP = "spec.containers[0].lifecycle.preStop.sleep.seconds"
DEAF = header(pod(container("trap '' TERM; while true; do sleep 1; done"), terminationGracePeriodSeconds=40), kubernetes="1.34")
DELETED = stamped((10, DeletePod(target="default/p")))


def a_plan(field: str = SLEEP, values: tuple[int, ...] = (2, 3, 4, 5, 6), **asked: Any) -> SweepPlan:
    fields = {"seeds": (1, 2), "outcome": "time-to-gone", "until_ms": 60_000}
    return SweepPlan(Sweep(header=DEAF, commands=tuple(DELETED), field=field, values=values, **(fields | asked)))


def test_cells_in_any_order_are_the_same() -> None:
    found = told(a_plan(), list(range(10)))
    numbers = list(found)
    Random(1).shuffle(numbers)
    assert told(a_plan(), numbers) == found == shared(a_plan().sweep)


def test_numbers_that_are_names_share_nothing() -> None:
    user = "spec.containers[0].securityContext.runAsUser"
    assert [len(row) for row in a_plan(user).rows()] == [1] * 10
    amounts = (GRACE, SLEEP, "spec.containers[0].livenessProbe.failureThreshold")
    assert [path for path in (*amounts, "spec.replicas", user) if is_amount(path)] == list(amounts)


def test_seed_is_parted_where_there_are_more_hands_than_seeds() -> None:
    rows = a_plan(values=tuple(range(2, 12)), seeds=(1,)).rows(hands=2)
    assert [len(row) for row in rows] == [5, 5] and sorted(rows[0] + rows[1]) == list(range(10))
    assert len(a_plan().rows(hands=2)) == 2


def courses(*values: int, until_ms: int) -> list[Course]:
    """The runs of a pod whose hook sleeps this long, at a moment."""
    made = [Course(a_plan().header(value, 1), DELETED) for value in values]
    for course in made:
        course.drive(until_ms)
    return made


def test_timer_between_two_is_believed_with_a_witness_alone() -> None:
    low, high, witness, own = courses(20, 30, 29, 24, until_ms=12_000)
    head = a_plan().header(24, 1)
    with pytest.raises(TooDifferent):
        course_between(low, high, ValueEnds(20, 30), 24, head)
    with pytest.raises(TooDifferent):
        course_between(low, high, ValueEnds(20, 30, 24), 25, head, witness=own)  # it is not next to an end
    between = course_between(low, high, ValueEnds(20, 30, 29), 24, head, witness=witness)
    for course in (between, own):
        course.drive(60_000)
    assert between.world.digest() == own.world.digest()


def test_number_that_nothing_has_followed_from_needs_no_witness() -> None:
    low, high, own = courses(20, 30, 24, until_ms=5_000)
    between = course_between(low, high, ValueEnds(20, 30), 24, a_plan().header(24, 1))
    assert between.drive(60_000).records == own.drive(60_000).records
    assert between.world.digest() == own.world.digest()


def test_worlds_with_another_past_have_nothing_between_them() -> None:
    low, high = courses(2, 30, until_ms=15_000)
    with pytest.raises(TooDifferent):
        course_between(low, high, ValueEnds(2, 30), 24, a_plan().header(24, 1))


def test_stops_are_kept_only_while_a_cell_is_to_come_that_may_begin_at_one() -> None:
    small, large = BETWEEN_MIN - 1, BETWEEN_MIN

    def is_wanted(first: int, then: int) -> bool:
        return SharedPasts([first, then]).add(first, cast(CellPlay, object()))

    assert (is_wanted(9, large), is_wanted(9, small)) == (True, False)


def test_zero_that_means_the_default_is_not_an_end() -> None:
    """0 means a period of 10 s, so between it and 10 there seems to be no difference."""
    probed = container("sleep 7; touch /tmp/ok; sleep 600", readinessProbe={"exec": {"command": ["cat", "/tmp/ok"]}})
    period = "spec.containers[0].readinessProbe.periodSeconds"
    asked = {"values": (0, 4, 9, 10), "seeds": (1,), "outcome": "time-to-ready", "until_ms": 60_000}
    sweep = Sweep(header=header(pod(probed)), field=period, **asked)  # type: ignore[arg-type]
    found = shared(sweep)
    assert found == from_zero(sweep, list(found))
