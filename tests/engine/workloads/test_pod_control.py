"""A controller's client rate limit, pods that the API server refuses, and retries of failed syncs."""

import json

import pytest

from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.workloads.scale import ScaleWorkload
from tests.engine.worlds import container, events, header, pod, run

QUOTA = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": {"pods": "2"}}}


def replica_set(replicas, **template):
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}}
    metadata = {"labels": {"app": "web"}, **template}
    spec["template"] = {"metadata": metadata, "spec": {"containers": [container("sleep 3600")]}}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}, "spec": spec}


def created(records):
    return [record.at_ms for record in records if record.machine == "object" and record.target == "present"]


def test_client_makes_fifteen_pods_with_their_events_at_once_then_ten_a_second_and_twenty_without_events():
    moments = created(run(header(replica_set(60)), 8)[1])
    assert len(moments) == 60
    assert moments[14] == moments[0] == 10
    assert moments[24] == 10 + 10 * 100
    assert moments[59] == moments[24] + 35 * 50


def test_events_of_an_owner_are_combined_from_the_tenth_on_and_filtered_from_the_twenty_sixth_on():
    world, records = run(header(replica_set(60)), 8)
    told = [text for text in events(records) if text.startswith("SuccessfulCreate")]
    assert len(told) == 25
    assert not any("(combined from similar events): " in text for text in told[:9])
    assert all(text.startswith("SuccessfulCreate: (combined from similar events): Created pod: web-") for text in told[9:])
    rows = [row for row in world.tables.k8s_events.values() if row.reason == "SuccessfulCreate"]
    assert [row.count for row in rows] == [1] * 9 + [16]


def test_filter_lets_one_more_event_pass_after_five_minutes():
    _, records = run(header(replica_set(30)), 400, (350, ScaleWorkload(kind="ReplicaSet", namespace="default", name="web", replicas=33)))
    told = [record for record in records if record.target == "SuccessfulCreate" and record.at_ms > 350_000]
    assert [dict(record.data)["count"] for record in told] == [22]  # fifteen more were counted, though nobody saw them


def test_refused_pod_takes_its_name_with_it():
    _, records = run(header(QUOTA, replica_set(3)), 5)
    names = [text.split('"')[1] for text in events(records) if text.startswith("FailedCreate")]
    assert len(names) > 2 and len(set(names)) == len(names)


def test_refused_pod_is_reported_in_an_event_and_tried_again_later_and_later():
    world, records = run(header(QUOTA, replica_set(3)), 20)
    refused = [text for text in events(records) if text.startswith("FailedCreate")]
    assert "exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2" in refused[0]
    assert {record.rule for record in records if record.target == "FailedCreate"} == {"POD-NOT-MADE"}
    moments = [record.at_ms for record in records if record.target == "FailedCreate"]
    gaps = [after - before for before, after in zip(moments, moments[1:], strict=False)]
    assert gaps[-2] == 2 * gaps[-3] and gaps[-1] == 2 * gaps[-2]  # the pods that were created change nothing any more
    status = json.loads(world.tables.objects[("ReplicaSet", "default", "web")].document)["status"]
    assert [(item["type"], item["reason"]) for item in status["conditions"]] == [("ReplicaFailure", "FailedCreate")]


def test_condition_of_failure_goes_when_the_pods_can_be_made():
    gone = DeleteObject(kind="ResourceQuota", namespace="default", name="few")
    world, _ = run(header(QUOTA, replica_set(3)), 40, (5, gone))
    status = json.loads(world.tables.objects[("ReplicaSet", "default", "web")].document)["status"]
    assert (status["readyReplicas"], "conditions" in status) == (3, False)


def test_pods_with_annotations_are_made_as_well():
    world, _ = run(header(replica_set(2, annotations={"a": "b"})), 5)
    assert [row.pod.metadata.annotations["a"] for row in world.tables.pods.values()] == ["b", "b"]


def test_first_pod_of_a_template_says_the_same_as_the_next():
    world, _ = run(header(replica_set(2)), 5)
    one, other = (json.loads(row.document) for row in world.tables.pods.values())
    for document in (one, other):
        document["metadata"].pop("name")
        document["spec"].pop("volumes"), document["spec"]["containers"][0].pop("volumeMounts")
    assert one == other


@pytest.mark.parametrize(("kubernetes", "refused"), [("1.30", 1), ("1.31", 0)])
def test_generated_name_that_is_taken_is_drawn_again(kubernetes, refused):
    """By the server itself, or by the controller's next attempt."""
    first, _ = run(header(replica_set(1), kubernetes=kubernetes), 5)
    (taken,) = first.tables.pods.values()
    other = pod(container(), name=taken.name)
    world, records = run(header(other, replica_set(1), kubernetes=kubernetes), 5)
    assert len([record for record in records if record.target == "FailedCreate"]) == refused
    assert len(world.tables.pods) == 2


@pytest.mark.parametrize("replicas", [5, 10, 60])
def test_more_pods_than_the_client_may_request_are_refused_as_seldom_as_one(replicas):
    world, records = run(header(QUOTA, replica_set(replicas)), 60)
    moments = [record.at_ms for record in records if record.machine == "note" and record.target == "replicas"]
    assert len([moment for moment in moments if moment > 20_000]) <= 2
    status = json.loads(world.tables.objects[("ReplicaSet", "default", "web")].document)["status"]
    assert (status["replicas"], status["readyReplicas"]) == (2, 2)
