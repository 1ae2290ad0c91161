import pytest

from simulator.engine.model.disruption import scaled
from simulator.engine.model.whole import WHOLE_MAX, clamped
from simulator.engine.network.network import is_address
from simulator.kubectl.kubectl import kubectl
from tests.engine.apiserver.store.requests import world_of

NINES = "9" * 5000


@pytest.mark.parametrize(
    ("digits", "number"), [("0", 0), ("007", 7), ("0" * 5000 + "5", 5), (str(WHOLE_MAX), WHOLE_MAX), (NINES, WHOLE_MAX)]
)
def test_number_of_any_length_is_read_and_cut_to_64_bits(digits, number):
    assert clamped(digits) == number


@pytest.mark.parametrize("text", ["x", "9" * 30 + "x", "-1" * 20])
def test_what_is_no_number_is_none(text):
    with pytest.raises(ValueError):
        clamped(text)


def test_percentage_of_very_many_digits_is_very_much():
    assert scaled(f"{NINES}%", 10) > 10**9


def test_address_with_a_very_long_part_is_none():
    assert not is_address(f"{NINES}.1.1.1")


@pytest.mark.parametrize("revision", ["x", NINES, ""])
def test_deployment_is_described_whatever_the_revisions_of_its_replica_sets_are(revision):
    labels = {"app": "a"}
    spec = {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "a", "image": "b"}]}},
    }
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "uid": "u", "controller": True}
    of = {"name": "d-1", "annotations": {"deployment.kubernetes.io/revision": revision}, "ownerReferences": [owner]}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}
    replica_set = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": of, "spec": spec}
    assert "NewReplicaSet:" in kubectl(world_of(deployment, replica_set), "describe deployments")
