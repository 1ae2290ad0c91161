"""Cells that are inferred from three others: when they are, and when not."""

import pytest
from msgspec.structs import replace

from simulator.engine import Record
from simulator.engine.acts.all_acts import Stamped
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.course.between import TooDifferent, ValueEnds
from simulator.engine.world.events import Relist
from simulator.engine.world.queue import Due
from simulator.headless.sweeps.inferred import EndedPlay, InferredRuns, Trace, may_depend_on_time
from simulator.headless.sweeps.sweep import Sweep, SweepPlan
from tests.engine.worlds import container, header, pod, stamped

SLEEP = "spec.containers[0].lifecycle.preStop.sleep.seconds"
DEAF = "trap '' TERM; while true; do sleep 1; done"
DELETED = stamped((10, DeletePod(target="default/p")))
ENDS = ValueEnds(2, 9, 8)


def inferred(script: str = DEAF, commands: list[Stamped] = DELETED, values: tuple[int, ...] = tuple(range(2, 10))) -> list[int]:
    """The values whose cells were not played; each cell is compared with that of a run from zero."""
    head = header(pod(container(script), terminationGracePeriodSeconds=40), kubernetes="1.34")
    sweep = Sweep(
        header=head, commands=tuple(commands), field=SLEEP, values=values, seeds=(1,), outcome="time-to-gone", until_ms=90_000,
    )  # fmt: skip
    plan, places, found = SweepPlan(sweep), [(value, 1) for value in values], []
    for number in plan.rows()[0]:
        stepped, alone = plan.stepped, SweepPlan(sweep)
        assert plan.play(*places[number]) == alone.play(*places[number])
        assert plan.digest() == alone.digest()
        if plan.stepped == stepped:
            found.append(values[number])
    return sorted(found)


def test_run_whose_moments_move_with_the_value_is_not_played() -> None:
    assert inferred("sleep 600") == [3, 4, 5, 6, 7]


def test_act_that_comes_before_an_event_here_and_after_it_there_is_waited_for() -> None:
    # The hook ends at 10 s and the sleep: before the second deletion up to 4, and after it from 5 on.
    again = stamped((10, DeletePod(target="default/p")), (14.5, DeletePod(target="default/p", grace_s=30)))
    assert inferred("sleep 600", again) == [6, 7]


def test_programs_that_tell_the_time_are_not_trusted() -> None:
    assert inferred("while sleep 1; do date; done") == []


@pytest.mark.parametrize(("text", "may"), [("date +%s", True), ("wget -q web", True), ("update", False), ("sleep 5; touch /tmp/ok", False)])
def test_texts_that_may_tell_the_time(text: str, may: bool) -> None:
    assert may_depend_on_time(text) is may


def record(at_ms: int, target: str = "answered", *, data: int = 0) -> Record:
    return Record(1, at_ms, "transition", "requests/default/web/a", "requests", "", "", target, 0, "R", (("answered", data),))


def play(moment: int, *records: Record, has_autoscaler: bool = False, failed: int = 0) -> EndedPlay:
    """A play that has processed one event."""
    taken = [Due(moment, 2, moment << 32, Relist("node-1", ""), 0)]
    return EndedPlay(trace=Trace(list(records), taken), failed={("default", "a", "reset"): failed}, has_autoscaler=has_autoscaler)


def runs(*records: Record, **asked: bool) -> InferredRuns:
    low, witness, high = (play(moment, *records, **asked) for moment in (2000, 8000, 9000))
    return InferredRuns(low, witness, high, ENDS, ())


def test_numbers_of_requests_may_differ_but_then_not_all_is_known() -> None:
    low, witness, high = (play(1000 * value, record(500, data=count)) for value, count in ((2, 7), (8, 9), (9, 8)))
    end = InferredRuns(low, witness, high, ENDS, ()).end(4, ("requests",))
    assert [item.at_ms for item in end.kept] == [500] and end.digest() is None
    assert runs(record(500)).end(4, ()).digest() is not None


def test_nothing_is_inferred_while_requests_fail() -> None:
    runs(record(100, "refused"), record(1000))
    with pytest.raises(TooDifferent):
        runs(record(100, "refused"), record(2500))
    with pytest.raises(TooDifferent):
        runs(record(100, "refused"))


def test_nothing_is_inferred_where_requests_come_to_something_else_at_a_moment_that_moves() -> None:
    low, witness, high = (play(1000 * value, record(1000 * value)) for value in (2, 8, 9))
    with pytest.raises(TooDifferent):
        InferredRuns(low, witness, high, ENDS, ())


def test_nothing_is_inferred_with_an_autoscaler_or_other_failures() -> None:
    with pytest.raises(TooDifferent):
        runs(has_autoscaler=True)
    with pytest.raises(TooDifferent):
        InferredRuns(play(2000), play(8000, failed=1), play(9000), ENDS, ())


def test_clock_that_ticks_every_seven_seconds_is_found_out_by_the_witness() -> None:
    with pytest.raises(TooDifferent):
        InferredRuns(play(2000), play(9000), play(9000), ENDS, ())


def test_witness_must_be_next_to_an_end() -> None:
    with pytest.raises(TooDifferent):
        InferredRuns(play(2000), play(5000), play(9000), replace(ENDS, witness=5), ())
