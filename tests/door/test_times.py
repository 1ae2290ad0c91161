"""Moments of an answer, moved to those of the client's clock: those that say when, and nothing else."""

from simulator.door.times import Shift, shifted

NOON, ONE = "2026-01-01T12:00:00Z", "2026-01-01T13:00:00Z"
HOUR = Shift(by_ms=3_600_000)


def test_only_fields_that_are_moments_are_moved() -> None:
    status = {"startTime": NOON, "message": NOON, "conditions": [{"lastTransitionTime": NOON, "reason": NOON}]}
    moved = {"startTime": ONE, "message": NOON, "conditions": [{"lastTransitionTime": ONE, "reason": NOON}]}
    document = {"kind": "Pod", "metadata": {"creationTimestamp": NOON, "annotations": {"at": NOON}}, "spec": {"startTime": NOON}}
    found = shifted({**document, "status": status}, HOUR)
    assert found["status"] == moved
    assert (found["metadata"]["creationTimestamp"], found["metadata"]["annotations"], found["spec"]) == (
        ONE,
        {"at": NOON},
        document["spec"],
    )


def test_pods_that_are_about_to_go_have_moments_by_their_names() -> None:
    document = {"kind": "PodDisruptionBudget", "status": {"disruptedPods": {"web": NOON}, "currentHealthy": 1}}
    assert shifted(document, HOUR)["status"] == {"disruptedPods": {"web": ONE}, "currentHealthy": 1}


def test_a_lease_stays_as_it_is() -> None:
    lease = {"kind": "Lease", "metadata": {"creationTimestamp": NOON}}
    assert shifted(lease, HOUR) == lease
