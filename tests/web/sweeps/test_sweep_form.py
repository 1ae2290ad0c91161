"""The form of a sweep: what it proposes, and at which field it says what is wrong."""

import pytest

from simulator.engine.course.header import RunHeader
from simulator.headless.sweeps.fields import ABSENT, WRITTEN, NumericField
from simulator.web.sweeps.sweep_forms import SweepForm, opening
from tests.factories import pod_json

HEADER = RunHeader(kubernetes="1.33", manifests=(pod_json(),))
GRACE = "spec.terminationGracePeriodSeconds"
ASKED = {"field": GRACE, "first": "1", "last": "5", "step": "2", "seeds": "3", "outcome": "time-to-ready", "seconds": "30"}


def form(**fields):
    made = SweepForm(ASKED | fields)
    assert made.is_valid(), made.errors
    return made


@pytest.mark.parametrize(
    ("fields", "at"),
    [
        ({"field": "spec.nothing"}, "field"),
        ({"last": "x"}, "first"),
        ({"argument": "more"}, "argument"),
    ],
)
def test_problem_stands_at_the_field_that_is_wrong(fields, at):
    made = form(**fields)
    assert made.sweep(HEADER, ()) is None
    assert [*made.errors] == [at]


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        ({}, (1, 3, 5)),
        ({"step": ""}, (1, 2, 3, 4, 5)),
        ({"last": ""}, (1,)),
        ({"last": "", "step": "2"}, (1,)),
        ({"first": "1,4", "last": ""}, (1, 4)),
    ],
)
def test_values_are_those_from_first_to_last(fields, values):
    sweep = form(**fields).sweep(HEADER, ())
    assert sweep is not None and tuple(sweep.values) == values


@pytest.mark.parametrize(("pod", "wanted"), [("", ""), ("*", ""), (" web ", "web"), ("web-*", "web-*")])
def test_star_alone_means_every_pod(pod, wanted):
    sweep = form(pod=pod).sweep(HEADER, ())
    assert sweep is not None and (sweep.pod, sweep.seeds, sweep.until_ms) == (wanted, (1, 2, 3), 30_000)


def numeric(path, value=30, state=WRITTEN):
    return NumericField(document=0, path=path, name="", state=state, value=value)


FIRST = "spec.containers[0].livenessProbe.failureThreshold"
SLEEP = "spec.containers[0].lifecycle.preStop.sleep.seconds"


@pytest.mark.parametrize(
    ("fields", "has_load", "shown"),
    [
        ((), False, {"outcome": "time-to-ready"}),
        (
            (numeric("spec.a", 1), numeric(GRACE)),
            False,
            {"field": GRACE, "first": "1", "last": "60", "step": "5", "outcome": "time-to-gone"},
        ),
        ((numeric(GRACE, 4),), False, {"last": "10", "step": "1"}),
        ((numeric(GRACE, 0),), False, {"first": "0", "last": "10", "step": "1"}),
        ((numeric(GRACE, 30, ABSENT),), False, {"first": "0", "last": "10"}),
        ((numeric(GRACE, "64Mi"),), False, {"first": "0", "last": "10"}),
        ((numeric("spec.a", 1, ABSENT), numeric("spec.b", 1)), False, {"field": "spec.b"}),
        ((numeric("spec.a", 1, ABSENT), numeric("spec.b", 1, ABSENT)), False, {"field": "spec.a"}),
        ((numeric(FIRST, 3),), True, {"outcome": "restarts"}),
        ((numeric(SLEEP, 3),), True, {"outcome": "failed-requests"}),
        ((numeric(SLEEP, 3),), False, {"outcome": "time-to-gone"}),
        ((numeric(GRACE, 3),), True, {"outcome": "time-to-gone"}),
    ],
)
def test_form_opens_with_a_likely_field_and_values_around_its_own(fields, has_load, shown):
    found = opening(fields, {}, has_load=has_load)
    assert {name: found.get(name) for name in shown} == shown


def test_what_was_asked_for_comes_first():
    assert opening((numeric(GRACE),), {"first": "7"})["first"] == "7"
