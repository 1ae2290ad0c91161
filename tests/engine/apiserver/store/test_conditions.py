"""Conditions that a client writes through the status subresource are stored as sent."""

import json

import pytest

from simulator.engine import advance, apply
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.apiserver.documents.objects import object_document
from tests.engine.worlds import container, header, pod, run


@pytest.fixture
def world():
    return run(header(pod(container("sleep 3600"))), 5)[0]


def patch(world, **condition):
    body = {"status": {"conditions": [condition]}}
    command = PatchObject(kind="Pod", namespace="default", name="p", patch=json.dumps(body), subresource="status")
    assert apply(world, command)[0].target == "accepted"


def condition(world, name):
    status = object_document(world, "Pod", "default", "p")["status"]
    return next(item for item in status["conditions"] if item["type"] == name)


SENT = "2020-02-03T04:05:06Z"


def test_times_are_stored_as_they_were_sent(world):
    patch(world, type="a.b/c", status="True", lastTransitionTime=SENT, lastProbeTime="2021-01-01T00:00:00Z")
    found = condition(world, "a.b/c")
    assert (found["lastTransitionTime"], found["lastProbeTime"]) == (SENT, "2021-01-01T00:00:00Z")


def test_time_that_was_not_sent_is_null(world):
    patch(world, type="a.b/c", status="True")
    found = condition(world, "a.b/c")
    assert (found["lastTransitionTime"], found["lastProbeTime"]) == (None, None)


def test_time_stays_where_a_patch_changes_the_status_alone(world):
    patch(world, type="a.b/c", status="True", lastTransitionTime=SENT)
    patch(world, type="a.b/c", status="False")
    found = condition(world, "a.b/c")
    assert (found["status"], found["lastTransitionTime"]) == ("False", SENT)


def test_time_alone_may_change(world):
    patch(world, type="a.b/c", status="True")
    patch(world, type="a.b/c", status="True", lastTransitionTime=SENT)
    assert condition(world, "a.b/c")["lastTransitionTime"] == SENT


def test_kubelet_keeps_the_time_of_a_condition_that_is_not_its_own(world):
    patch(world, type="a.b/c", status="True", lastTransitionTime=SENT)
    advance(world, until_ms=120_000)
    assert condition(world, "a.b/c")["lastTransitionTime"] == SENT


def test_other_conditions_are_left_alone(world):
    before = condition(world, "Ready")
    patch(world, type="a.b/c", status="True")
    assert condition(world, "Ready") == before
