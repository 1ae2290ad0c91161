"""Two runs side by side: the first difference, each outcome, where their lanes differ, how they can be aligned."""

from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.course.replay import replay
from simulator.headless.comparison import Comparison, Fact, Side, anchors, compare
from simulator.headless.matching import MISSING, TIME
from tests.engine.worlds import container, header, pod, stamped


def side(*commands, script: str = "trap 'exit 0' TERM; while :; do sleep 1; done", until_s: int = 60, zero_ms: int = 0) -> Side:
    records: list = []
    world = replay(header(pod(container(script))), stamped(*commands), until_ms=until_s * 1000, into=records)
    return Side(records=records, until_ms=until_s * 1000, zero_ms=zero_ms, world=world)


def fact(found: Comparison, title: str) -> Fact:
    return next(item for item in found.facts if item.title == title)


def test_a_run_does_not_differ_from_itself() -> None:
    found = compare(side(), side())
    assert found.first is None and found.differences == () and found.lanes == ()
    assert not any(item.differs for item in found.facts)


def test_first_difference_of_a_branch_is_its_act() -> None:
    found = compare(side((10, DeletePod(target="default/p"))), side())
    assert found.first is not None
    assert (found.first.at_ms, found.first.row.machine, found.first.row.differs) == (10_000, "command", MISSING)
    here, there = found.first.halves
    assert here.record is not None and here.record.kind == "command"
    assert there.record is None


def test_act_moved_in_time_differs_in_time_alone() -> None:
    found = compare(side((10, DeletePod(target="default/p"))), side((5, DeletePod(target="default/p"))))
    assert found.first is not None
    assert (found.first.at_ms, found.first.row.differs) == (5_000, TIME)
    assert all(half.record is not None for half in found.first.halves)


def test_what_a_lane_shows_meanwhile_is_told_where_nothing_happens() -> None:
    left, right = side(script="exec sleep 20; exit 1"), side(script="exec sleep 60")
    ended = next(row for row in compare(left, right).rows if row.machine == "container_status" and row.differs)
    assert ended.cells[1] is None and ended.cells[0] is not None
    found = compare(left, right)
    assert found.first is not None and found.first.halves[1].instead is not None


def test_facts_tell_what_came_of_a_pod_in_both() -> None:
    found = compare(side((10, DeletePod(target="default/p"))), side())
    assert fact(found, "STATUS at the end").values == ("–", "Running")
    gone = fact(found, "Time to removal")
    assert isinstance(gone.values[0], int) and gone.values[1] is None
    assert gone.differs
    assert not fact(found, "Time to Ready").differs


def test_exit_codes_are_listed_by_container() -> None:
    found = compare(side((10, ExitContainer(target="default/p", container="app", exit_code=3))), side(until_s=60))
    codes = fact(found, "Exit codes")
    assert codes.subject == "container/default/p/app" and codes.values == ("3", None)


def test_lanes_differ_from_the_act_on() -> None:
    found = compare(side((10, DeletePod(target="default/p"))), side())
    status = next(lane for lane in found.lanes if lane.machine == "status_word")
    assert status.intervals[0].from_ms == 10_000
    assert status.intervals[0].states == ("Terminating", "Running")
    assert status.intervals[-1].to_ms == found.horizon_ms and status.intervals[-1].states[0] == ""


def test_only_what_both_have_come_to_is_compared() -> None:
    found = compare(side((30, DeletePod(target="default/p"))), side(until_s=20))
    assert found.horizon_ms == 20_000 and found.first is None


def test_runs_aligned_on_an_event_are_compared_from_it_on() -> None:
    left, right = side((10, DeletePod(target="default/p"))), side((25, DeletePod(target="default/p")))
    anchor = next(item for item in anchors(left.records, right.records) if item.name == "deletion")
    sides = [
        Side(records=one.records, until_ms=one.until_ms, world=one.world, zero_ms=record.at_ms, from_seq=record.seq)
        for one, record in zip((left, right), anchor.records, strict=True)
    ]
    found = compare(sides[0], sides[1])
    assert found.horizon_ms == 35_000
    assert [row.target for row in found.differences if row.machine in ("object", "phase", "command")] == []


def test_anchors_are_what_both_have() -> None:
    names = [item.name for item in anchors(side((10, DeletePod(target="default/p"))).records, side().records)]
    assert "ready" in names and "deletion" not in names


def test_two_acts_on_one_thing_are_two_things_where_their_fields_differ() -> None:
    found = compare(*(side((10, DeletePod(target="default/p", grace_s=grace_s))) for grace_s in (5, 9)))
    acts = [row for row in found.rows if row.machine == "command"]
    assert [(row.target, row.differs) for row in acts] == [("delete_pod 5 accepted", MISSING), ("delete_pod 9 accepted", MISSING)]
    assert all(" " not in row.target for row in found.rows if row.machine == "phase")
