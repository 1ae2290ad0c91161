"""Times and numbers in an import that no cluster has: a refusal that names the field and its line, and never a run that cannot be shown."""

import re

import pytest

from simulator.engine import advance, new_world
from simulator.imports.build import import_text
from simulator.imports.moments import BadMoment, moment
from simulator.kubectl.kubectl import kubectl
from simulator.web.gallery.imports import example

TIMES = (
    "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-23:59", "9999-12-01T00:00:00Z", "0001-01-01T00:00:01Z", "0000-01-01T00:00:00Z",
    "0000-01-01T00:00:00+23:59", "1969-12-31T23:59:59Z", "2242-12-31T00:00:00Z", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z",
    "2026-01-01T00:00:60Z", "２０２６-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "-001-01-01T00:00:00Z",
)  # fmt: skip
STAMPS = sorted({match[0] for match in re.finditer(r'\w+: "20[0-9-]+T[0-9:.]+Z"', example())})


def shown(text: str, now_ms: int | None = None) -> list[str]:
    """The import's contradictions with its text; if there are none, its run is played and shown."""
    found = import_text(text, now_ms=now_ms)
    if found.header is None:
        return [f"{problem.line} {problem.path}: {problem.message}" for problem in found.problems if problem.severity == "error"]
    world = new_world(found.header)
    for at_ms in (0, found.resume_ms, found.resume_ms + 60_000):
        advance(world, until_ms=at_ms)
        for line in ("get pods", "get events", "get pods -o yaml", "describe pods", "describe nodes", "get nodes"):
            kubectl(world, line)
    return []


@pytest.mark.parametrize("stamp", STAMPS)
@pytest.mark.parametrize("time", TIMES)
def test_time_that_no_run_can_have_is_refused_by_the_name_of_its_field(stamp, time):
    field, text = stamp.partition(":")[0], example()
    line = text[: text.index(stamp)].count("\n") + 1
    said = shown(text.replace(stamp, f'{field}: "{time}"', 1))
    assert [problem for problem in said if problem.startswith(f"{line} ") and field in problem], said


@pytest.mark.parametrize("time", ["2026-06-01T00:00:00Z", "2242-03-16T12:56:32Z"])
def test_latest_times_that_a_run_can_have_are_shown(time):
    assert shown(example(), now_ms=moment(time)) == []


@pytest.mark.parametrize("time", TIMES)
def test_moment_of_writing_is_refused_too(time):
    with pytest.raises(BadMoment):
        moment(time)


@pytest.mark.parametrize("time", ["1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z"])
def test_zero_of_a_runtime_and_of_go_are_not_times(time):
    assert moment(time) is None


@pytest.mark.parametrize(
    ("written", "instead", "path"),
    [
        ("cpu: 500m", "cpu: 1970x", "spec.containers[0].resources.limits.cpu"),
        ("memory: 256Mi", "memory: ''", "spec.containers[0].resources.requests.memory"),
        ("priority: 0", "priority: 99999999999999999999", "spec.priority"),
        ("periodSeconds: 10", "periodSeconds: -5", "spec.containers[0].livenessProbe.periodSeconds"),
        ("periodSeconds: 10", "periodSeconds: 0", "spec.containers[0].livenessProbe.periodSeconds"),
        ("periodSeconds: 10", "terminationGracePeriodSeconds: 0", "spec.containers[0].livenessProbe.terminationGracePeriodSeconds"),
        ("periodSeconds: 10", "terminationGracePeriodSeconds: -1", "spec.containers[0].livenessProbe.terminationGracePeriodSeconds"),
        ("restartPolicy: Always", "activeDeadlineSeconds: 0", "spec.activeDeadlineSeconds"),
        ("port: http", "port: 99999999999999", "spec.containers[0].livenessProbe.httpGet.port"),
    ],
)
def test_value_that_no_api_server_could_have_stored_is_refused_by_the_name_of_its_field(written, instead, path):
    said = shown(example().replace(written, instead, 1))
    assert [problem for problem in said if f" {path}: " in problem], said


@pytest.mark.parametrize(
    ("instead", "least"), [("periodSeconds: 0", 1), ("initialDelaySeconds: -1", 0), ("terminationGracePeriodSeconds: 0", 1)]
)
def test_number_that_is_too_low_is_refused_with_the_least_that_is_taken(instead, least):
    (said,) = shown(example().replace("periodSeconds: 10", instead, 1))
    assert said.endswith(f"must be at least {least}")


@pytest.mark.parametrize("seconds", [-1, -3, 0])
def test_grace_period_below_one_second_is_taken_as_servers_store_it(seconds):
    text = example().replace("terminationGracePeriodSeconds: 30", f"terminationGracePeriodSeconds: {seconds}")
    assert text.count(f"terminationGracePeriodSeconds: {seconds}") > 0 and shown(text) == []
