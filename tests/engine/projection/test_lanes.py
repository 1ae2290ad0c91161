"""Lanes folded from records: how long each state lasted, and which lanes a small picture shows."""

from simulator.engine.kernel.records import Record
from simulator.engine.projection.lanes import DrawnLane, LaneSpan, active_ms, chosen, lanes_of


def told(at_ms, subject, machine, target, *, kind="transition", **data):
    return Record(1, at_ms, kind, subject, machine, "", "", target, 0, "RULE", tuple(data.items()))


def container(at_ms, target, **data):
    return told(at_ms, "container/default/web/app", "container_status", target, **data)


def test_state_holds_until_the_next_one():
    records = [
        told(0, "pod/default/web", "status_word", "Pending", tone="starting"),
        told(40, "pod/default/web", "status_word", "Running", tone="ready"),
    ]
    (lane,) = lanes_of(records, until_ms=100)
    assert lane.spans == (LaneSpan(0, 40, "starting", "Pending"), LaneSpan(40, 100, "ready", "Running"))
    assert (lane.kind, lane.owner, lane.name) == ("status", "pod/default/web", "web")


def test_next_instance_is_another_state():
    records = [container(0, "running", ready=True, instance=0), container(50, "running", ready=True, instance=1)]
    assert [span.begin_ms for span in lanes_of(records, until_ms=100)[0].spans] == [0, 50]


def test_state_that_is_told_again_is_the_same_one():
    records = [container(0, "running", ready=True, instance=0), container(50, "running", ready=True, instance=0)]
    assert len(lanes_of(records, until_ms=100)[0].spans) == 1


def test_container_ends_with_its_pod():
    records = [container(0, "running", ready=True), told(60, "pod/default/web", "object", "gone")]
    assert lanes_of(records, until_ms=100)[0].spans[-1].end_ms == 60


def test_exit_and_reason_decide_on_the_tone():
    records = [
        container(0, "waiting", reason="CrashLoopBackOff"),
        container(10, "terminated", exit_code=0, reason="Completed"),
        container(20, "terminated", exit_code=137, reason="OOMKilled"),
        container(30, "running", ready=False),
    ]
    assert [span.tone for span in lanes_of(records, until_ms=40)[0].spans] == ["backoff", "succeeded", "failed", "notready"]


def test_what_comes_later_is_not_shown():
    records = [container(0, "running", ready=True), container(90, "terminated", exit_code=1)]
    assert [span.tone for span in lanes_of(records, until_ms=50)[0].spans] == ["ready"]


def test_attempts_of_a_probe_are_marks():
    record = told(5, "probe/default/web/app/liveness", "attempt", "failure", kind="attempt")
    (lane,) = lanes_of([record], until_ms=10)
    assert [(mark.at_ms, mark.result) for mark in lane.marks] == [(5, "failure")] and lane.owner == "pod/default/web"


def lane(kind, subject, tone="ready", owner=""):
    return DrawnLane(kind, subject, owner or subject, subject, (LaneSpan(0, 10, tone, tone),))


def test_crowd_is_shown_by_status_and_trouble_comes_first():
    pods = [lane("status", f"pod/default/{name}", "backoff" if name == "c" else "ready") for name in "abcd"]
    parts = [lane("container", "container/default/a/app", "failed", owner="pod/default/a")]
    assert [one.subject for one in chosen([*pods, *parts], limit=2)] == ["pod/default/a", "pod/default/c"]


def test_quiet_nodes_are_not_shown():
    assert [one.kind for one in chosen([lane("node", "node/n1"), lane("status", "pod/default/a")], limit=5)] == ["status"]
    assert len(chosen([lane("node", "node/n1", "unknown"), lane("status", "pod/default/a")], limit=5)) == 2


def test_picture_ends_soon_after_the_last_change():
    lanes = [DrawnLane("status", "p", "p", "p", (LaneSpan(0, 8000, "ready", "Running"), LaneSpan(8000, 300_000, "succeeded", "Completed")))]
    assert active_ms(lanes, until_ms=300_000) == 10_000
