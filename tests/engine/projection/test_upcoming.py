"""What is announced to come next: probe attempts that are then made, each exactly at its moment."""

from itertools import pairwise
from typing import Any

import pytest

from simulator.engine import Record, World
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.containers.probe import SetProbe
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.projection.project import pod_view
from tests.engine.worlds import container, header, pod, run

PROBE: dict[str, Any] = {"exec": {"command": ["true"]}, "periodSeconds": 10}
SLOW = {"exec": {"command": ["cat", "/tmp/up"]}, "periodSeconds": 5, "failureThreshold": 9}
ALL = {"startupProbe": SLOW, "livenessProbe": PROBE, "readinessProbe": PROBE}
SLEEPS = "sleep 22; touch /tmp/up; sleep 9999"


def told(world: World) -> dict[str, int]:
    """Kind of probe → the announced time of its next attempt."""
    view = pod_view(world, "default/p")
    assert view is not None
    return {thing.subject.rpartition("/")[2]: thing.at_ms for thing in view.next if thing.name == "probe_tick"}


def ahead(at_s: float, document: dict[str, Any], *commands: tuple[float, AnyCommand], **more: Any) -> dict[str, int]:
    world, _ = run(header(document, **more), at_s, *commands)
    return told(world)


def attempts(records: list[Record], kind: str) -> list[int]:
    """When attempts that ran the probe were made."""
    return [
        record.at_ms
        for record in records
        if record.machine == "probe_attempt" and record.target != "suppressed" and record.subject.endswith(kind)
    ]


def test_only_startup_is_tried_until_it_succeeds_and_then_the_others() -> None:
    document = pod(container(SLEEPS, **ALL))
    assert set(ahead(10, document)) == {"startup"}
    assert set(ahead(40, document)) == {"liveness", "readiness"}


def test_startup_has_no_next_attempt_after_its_success_where_its_worker_does_not_rest() -> None:
    assert set(ahead(40, pod(container(SLEEPS, **ALL)), kubernetes="1.28")) == {"liveness", "readiness"}


def test_container_that_waits_for_init_containers_is_not_probed() -> None:
    document = pod(container(**ALL), initContainers=[container("sleep 30", name="first")])
    assert ahead(10, document) == {}
    assert set(ahead(33, document)) == {"startup"}


def test_container_in_back_off_is_not_probed() -> None:
    crashes = [(at, ExitContainer(target="default/p", container="app", exit_code=1)) for at in (5.0, 8.0)]
    document = pod(container("sleep 9999", livenessProbe=PROBE, readinessProbe=PROBE))
    assert set(ahead(4, document)) == {"liveness", "readiness"}
    assert ahead(8.1, document, *crashes) == ahead(12, document, *crashes) == {}


def test_probe_that_rests_after_its_failure_has_no_next_attempt() -> None:
    fails = SetProbe(target="default/p", container="app", probe="liveness", outcome="failure")
    document = pod(
        container("trap '' TERM; while true; do sleep 1; done", livenessProbe=PROBE | {"failureThreshold": 1}, readinessProbe=PROBE)
    )
    assert set(ahead(20, document, (5.0, fails))) == {"readiness"}


def test_pod_that_is_over_is_not_probed() -> None:
    assert ahead(20, pod(container("sleep 5", livenessProbe=PROBE), restartPolicy="Never")) == {}


def test_pod_that_is_deleted_is_asked_only_whether_it_is_ready() -> None:
    document = pod(container("trap '' TERM; while true; do sleep 1; done", livenessProbe=PROBE, readinessProbe=PROBE))
    assert set(ahead(20, document, (15.0, DeletePod(target="default/p")))) == {"readiness"}


@pytest.mark.parametrize("delay_s", [0, 7, 25])
@pytest.mark.parametrize("kind", ["startup", "liveness", "readiness"])
def test_attempt_comes_when_it_was_announced(kind: str, delay_s: int) -> None:
    document = pod(container("sleep 9999", **{f"{kind}Probe": PROBE | {"initialDelaySeconds": delay_s}}))
    _, records = run(header(document), 90)
    made = attempts(records, kind)
    assert made
    before = [at_ms for one, other in pairwise([1000, *made]) if other - one > 200 for at_ms in (one + 100, (one + other) // 2, other - 1)]
    ends = [next(at_ms for at_ms in made if at_ms > moment) for moment in before]
    assert [ahead(moment / 1000, document) for moment in before] == [{kind: at_ms} for at_ms in ends]
