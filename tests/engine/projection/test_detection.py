"""How long a probe takes to notice: what is shown equals what the engine does, to the millisecond."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from simulator.engine import Record, World
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.hang import HangContainer
from simulator.engine.acts.containers.probe import SetProbe
from simulator.engine.projection import project
from simulator.engine.projection.model import ProbeView
from tests.engine.worlds import header, pod, run

FIELDS = [(10, 1, 3), (5, 5, 2), (2, 5, 3), (1, 1, 1), (3, 4, 4), (7, 2, 1)]
"""periodSeconds, timeoutSeconds, failureThreshold: attempts shorter than the period, as long, and longer."""
HANDLERS: dict[str, dict[str, Any]] = {"exec": {"exec": {"command": ["true"]}}, "httpGet": {"httpGet": {"port": 80}}}
WHERE = {"target": "default/p", "container": "app"}
HANG = HangContainer(**WHERE)


def probed(kind: str, fields: tuple[int, int, int], handler: str = "exec", *, hook: bool = False, **more: Any) -> dict[str, Any]:
    period, timeout, threshold = fields
    probe = {**HANDLERS[handler], "periodSeconds": period, "timeoutSeconds": timeout, "failureThreshold": threshold, **more}
    stop = {"lifecycle": {"preStop": {"exec": {"command": ["sleep", "999"]}}}} if hook else {}
    return pod({"name": "app", "image": "nginx:1.16.1", f"{kind}Probe": probe, **stop}, terminationGracePeriodSeconds=20)


def attempts(records: list[Record], target: str = "") -> list[Record]:
    return [each for each in records if each.machine == "probe_attempt" and target in ("", each.target)]


def first(records: list[Record], is_it: Callable[[Record], bool]) -> int:
    return next(record.at_ms for record in records if is_it(record))


def is_noticed(record: Record) -> bool:
    return record.machine == "probe" and record.target == "failure" and record.rule != "PROBE-NOT-RUNNING"


def is_unready(record: Record) -> bool:
    return (record.machine, record.target, record.subject) == ("condition", "False", "condition/default/p/Ready")


def is_gone(record: Record) -> bool:
    return record.machine == "stop" and record.target == "stopped"


def after_a_success(document: dict[str, Any], *commands: AnyCommand, kubernetes: str = "1.30") -> tuple[list[Record], int]:
    """All records of a pod that is given the commands immediately after a success, and that moment."""
    head = header(document, kubernetes=kubernetes)
    _, calm = run(head, 40)
    at_ms = next(each.at_ms for each in attempts(calm, "success") if each.at_ms > 20_000)
    _, records = run(head, at_ms / 1000 + 200, *((at_ms / 1000, command) for command in commands))
    return [record for record in records if record.at_ms >= at_ms], at_ms


def viewed(world: World) -> ProbeView:
    view = project.pod_view(world, "default/p")
    assert view is not None
    return view.containers[0].probes[0]


def told(document: dict[str, Any], kubernetes: str = "1.30") -> ProbeView:
    return viewed(run(header(document, kubernetes=kubernetes), 1)[0])


@pytest.mark.parametrize("handler", HANDLERS)
@pytest.mark.parametrize("fields", FIELDS)
@pytest.mark.parametrize("kind", ["startup", "liveness", "readiness"])
def test_every_attempt_reports_when_the_next_one_begins(kind: str, fields: tuple[int, int, int], handler: str) -> None:
    """1.20 makes no extra attempts; a tick at the very moment at which an attempt ends is another one."""
    document = probed(kind, fields, handler, initialDelaySeconds=7)
    head = header(document, kubernetes="1.20")
    _, records = run(head, 90, (30, SetProbe(**WHERE, probe=kind, outcome="timeout", attempts=2)))
    told = [(record, dict(record.data).get("next_ms")) for record in attempts(records)]
    assert len([next_ms for _, next_ms in told if next_ms is not None]) > (0 if kind == "startup" else 3)
    for (one, next_ms), (other, _) in pairwise(told):
        began_ms = other.at_ms - int(str(dict(other.data).get("took_ms", 0)))
        is_killed = one.target == "timeout" and kind == "liveness" and one.rule == "PROBE-FAILED-HOLD"
        assert (next_ms is None) if is_killed else began_ms in {next_ms, one.at_ms}


@pytest.mark.parametrize("handler", HANDLERS)
@pytest.mark.parametrize("fields", FIELDS)
def test_liveness_that_gets_no_answer_kills_exactly_then(fields: tuple[int, int, int], handler: str) -> None:
    document = probed("liveness", fields, handler)
    records, hung_ms = after_a_success(document, HANG)
    known = told(document).detection
    assert first(records, is_noticed) - hung_ms == known.slow_ms
    assert first(records, is_gone) - hung_ms == known.gone_ms


@pytest.mark.parametrize("handler", HANDLERS)
@pytest.mark.parametrize("fields", FIELDS)
def test_readiness_that_gets_no_answer_makes_the_pod_unready_exactly_then(fields: tuple[int, int, int], handler: str) -> None:
    document = probed("readiness", fields, handler)
    records, hung_ms = after_a_success(document, HANG)
    known = told(document).detection
    assert first(records, is_unready) - hung_ms == known.slow_ms
    assert known.gone_ms is None and not any(is_gone(record) for record in records)


@pytest.mark.parametrize("kind", ["liveness", "readiness"])
@pytest.mark.parametrize("fields", FIELDS)
def test_failures_without_waiting_are_noticed_exactly_then(fields: tuple[int, int, int], kind: str) -> None:
    document = probed(kind, fields)
    records, broken_ms = after_a_success(document, SetProbe(**WHERE, probe=kind, outcome="failure"))
    assert first(records, is_noticed) - broken_ms == told(document).detection.quick_ms


@pytest.mark.parametrize("delay_ms", [1, 999, 4_000, 9_999])
def test_who_hangs_later_than_just_after_a_success_is_noticed_earlier(delay_ms: int) -> None:
    head = header(probed("liveness", (10, 1, 3)))
    at_ms = next(each.at_ms for each in attempts(run(head, 40)[1], "success") if each.at_ms > 20_000) + delay_ms
    _, records = run(head, 120, (at_ms / 1000, HANG))
    assert first(records, is_noticed) - at_ms == 31_000 - delay_ms


@pytest.mark.parametrize("kind", ["liveness", "startup"])
@pytest.mark.parametrize(
    ("more", "hook", "kubernetes", "stop_ms"),
    [
        ({}, False, "1.30", 20_000),
        ({"terminationGracePeriodSeconds": 5}, False, "1.30", 5_000),
        ({"terminationGracePeriodSeconds": 1}, False, "1.30", 2_000),
        ({"terminationGracePeriodSeconds": 5}, True, "1.30", 7_000),
        ({}, True, "1.30", 22_000),
        ({"terminationGracePeriodSeconds": 5}, False, "1.21", 20_000),
    ],
)
def test_container_that_hangs_is_gone_exactly_when_its_grace_is_over(
    kind: str, more: dict[str, Any], hook: bool, kubernetes: str, stop_ms: int
) -> None:
    document = probed(kind, (10, 1, 3), hook=hook, **more)
    known = told(document, kubernetes).detection
    assert known.gone_ms is not None and (known.slow_ms, known.gone_ms - known.slow_ms) == (31_000, stop_ms)
    if kind == "liveness":
        records, _ = after_a_success(document, HANG, kubernetes=kubernetes)
    else:
        _, records = run(header(document, kubernetes=kubernetes), 200, (0.9, HANG))
    assert first(records, is_gone) - first(records, is_noticed) == stop_ms


@pytest.mark.parametrize("delay_s", [0, 4, 13])
@pytest.mark.parametrize("fields", FIELDS)
def test_startup_that_never_succeeds_is_given_up_within_the_time_and_no_period_earlier(fields: tuple[int, int, int], delay_s: int) -> None:
    document = probed("startup", fields, initialDelaySeconds=delay_s)
    records: list[Record] = run(header(document), 200, (0.9, HANG))[1]
    shown_ms = first(records, lambda record: record.machine == "container_status" and record.target == "running")
    took_ms, known_ms = first(records, is_noticed) - shown_ms, told(document).detection.slow_ms
    assert known_ms - (fields[0] + 1) * 1000 < took_ms <= known_ms


def test_failed_startup_of_a_version_that_does_not_wake_for_it_promises_no_end() -> None:
    assert told(probed("startup", (10, 1, 3)), "1.20").detection.gone_ms is None


def moments_of_a_run(fields: tuple[int, int, int], handler: str, command: AnyCommand) -> tuple[int, list[ProbeView]]:
    """When liveness reports failure, and the probe as shown at moments between the first failure and then."""
    document = probed("liveness", fields, handler)
    records, at_ms = after_a_success(document, command)
    begin_ms, end_ms = attempts(records, "")[1].at_ms, first(records, is_noticed)
    shown = [begin_ms, *range(begin_ms + 137, end_ms, max(137, (end_ms - begin_ms) // 9)), end_ms - 1]
    worlds = [run(header(document), moment / 1000, (at_ms / 1000, command))[0] for moment in shown if begin_ms <= moment < end_ms]
    return end_ms, [viewed(world) for world in worlds]


@pytest.mark.parametrize("handler", HANDLERS)
@pytest.mark.parametrize("fields", [fields for fields in FIELDS if fields[2] > 1])
def test_run_of_failures_that_get_no_answer_ends_at_the_latest_moment_told(fields: tuple[int, int, int], handler: str) -> None:
    end_ms, shown = moments_of_a_run(fields, handler, HANG)
    assert shown and {view.remaining and view.remaining.latest_ms for view in shown} == {end_ms}


@pytest.mark.parametrize("fields", [fields for fields in FIELDS if fields[2] > 1])
def test_run_of_failures_without_waiting_ends_at_the_earliest_moment_told(fields: tuple[int, int, int]) -> None:
    end_ms, shown = moments_of_a_run(fields, "exec", SetProbe(**WHERE, probe="liveness", outcome="failure"))
    assert shown and {view.remaining and view.remaining.earliest_ms for view in shown} == {end_ms}


def test_last_attempt_of_a_run_may_fail_at_any_moment() -> None:
    _, shown = moments_of_a_run((10, 5, 2), "httpGet", HANG)
    assert {view.remaining.earliest_ms for view in shown if view.is_busy and view.remaining} == {None}


BROKEN = SetProbe(**WHERE, probe="liveness", outcome="failure", attempts=1)


def test_after_one_failure_the_rest_is_known_and_after_a_success_there_is_none() -> None:
    head = header(probed("liveness", (10, 1, 3)))
    before, failed, healed = (viewed(run(head, at, (5, BROKEN))[0]).remaining for at in (9, 19, 29))
    assert (before, healed) == (None, None)
    assert failed is not None and failed.earliest_ms is not None and failed.latest_ms - failed.earliest_ms == 1_000


@pytest.mark.parametrize("threshold", [1, 2])
def test_threshold_that_is_reached_leaves_nothing_to_wait_for(threshold: int) -> None:
    document = probed("readiness", (10, 1, threshold))
    world, _ = run(header(document), 55, (15, SetProbe(**WHERE, probe="readiness", outcome="failure")))
    assert (viewed(world).result, viewed(world).remaining) == ("failure", None)
