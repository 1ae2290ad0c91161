"""Events of an import one by one: what the first occurrence says about a probe's result."""

import pytest

from simulator.imports.facts import FactList
from simulator.imports.lives import Life, LivedContainer
from simulator.imports.occurrences import probe_of, write_event
from simulator.imports.read import Event

MESSAGE = "Readiness probe failed: connection refused"


def facts_of(*, count: int, last_ms: int = 0, threshold: int | None = None) -> list[str]:
    """The facts from an Event of a readiness probe that failed this often until that moment, in order."""
    event = Event(
        type="Warning", reason="Unhealthy", message=MESSAGE, component="kubelet", field_path="spec.containers{app}", count=count,
        first_ms=0, last_ms=last_ms, exact=True, path="e",
    )  # fmt: skip
    probe = {} if threshold is None else {"failureThreshold": threshold}
    place = LivedContainer(
        name="app", group="app", position=0, listed=0, spec={"readinessProbe": probe}, status={}, path="", events=(event,)
    )  # fmt: skip
    facts = FactList(epoch_ms=0, created_ms=0)
    write_event(facts, event, place, (Life(n=0, start_ms=0),))
    return [fact.do for fact in facts.ordered(until_ms=60_000)]


@pytest.mark.parametrize(
    ("count", "threshold", "is_failed"), [(1, 1, True), (1, 2, False), (3, None, True), (2, None, False), (9, 3, True)]
)
def test_a_probe_has_failed_once_it_failed_as_often_in_a_row_as_it_may(count, threshold, is_failed):
    assert ("result" in facts_of(count=count, threshold=threshold)) is is_failed


def test_only_the_first_occurrence_has_the_result():
    assert facts_of(count=3, last_ms=30_000, threshold=1).count("result") == 1


@pytest.mark.parametrize(
    ("reason", "message", "probe"),
    [
        ("Unhealthy", MESSAGE, ("readiness", "connection refused")),
        ("Unhealthy", "Liveness probe errored and resulted in unknown state: gone", ("liveness", "gone")),
        ("Unhealthy", "Something else", ("", "")),
        ("ProbeWarning", MESSAGE, ("", "")),
    ],
)
def test_probe_is_told_of_by_events_of_one_reason(reason, message, probe):
    event = Event(
        type="Warning", reason=reason, message=message, component="kubelet", field_path="", count=1, first_ms=0, last_ms=0, exact=True,
        path="e",
    )  # fmt: skip
    assert probe_of(event) == probe
