"""What the API server and its controllers add to new objects."""

from typing import Any

import pytest

from simulator.engine.apiserver.documents.objects import object_document
from simulator.kubectl.kubectl import kubectl
from tests.engine.apiserver.store.requests import accepted, after, apply_yaml, delete, refused, world_of
from tests.engine.worlds import container, pod

NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "extra"}}


def job(**spec: Any) -> dict[str, Any]:
    """A Job of one container."""
    template = {"spec": {"containers": [container("exit 0")], "restartPolicy": "Never"}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {"template": template, **spec}}


@pytest.mark.parametrize(("kubernetes", "key"), [("1.26", "controller-uid"), ("1.27", "batch.kubernetes.io/controller-uid")])
def test_job_selects_its_pods_by_its_uid(kubernetes: str, key: str) -> None:
    found = object_document(world_of(job(), kubernetes=kubernetes), "Job", "default", "j")
    assert found["spec"]["selector"] == {"matchLabels": {key: found["metadata"]["uid"]}}
    assert found["spec"]["template"]["metadata"]["labels"]["job-name"] == "j"


def test_job_that_chooses_its_selector_keeps_it() -> None:
    chosen = {"manualSelector": True, "selector": {"matchLabels": {"a": "b"}}}
    template = {"metadata": {"labels": {"a": "b"}}, **job()["spec"]["template"]}
    found = object_document(world_of(job(**chosen, template=template)), "Job", "default", "j")
    assert (found["spec"]["selector"], found["spec"]["template"]["metadata"]["labels"]) == ({"matchLabels": {"a": "b"}}, {"a": "b"})


def test_job_is_unchanged_by_the_same_apply() -> None:
    assert accepted(world_of(job()), apply_yaml(job())) == []


def test_node_without_a_machine_is_unknown_and_takes_nothing() -> None:
    world = world_of()
    accepted(world, apply_yaml(NODE))
    assert kubectl(world, "get nodes").splitlines()[1].split()[:2] == ["extra", "Unknown"]
    assert "Taints:             node.kubernetes.io/not-ready:NoSchedule" in kubectl(world, "describe node extra")


def test_manifest_of_a_node_that_is_there_labels_it() -> None:
    given = {**NODE, "metadata": {"name": "node1", "labels": {"disk": "ssd"}}}
    world = world_of(given)
    assert world.tables.nodes["node1"].labels["disk"] == "ssd"
    assert refused(world, apply_yaml(given, create=True)).get("code") == 409


SPEC = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
CLAIM = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"}, "spec": SPEC}
USER = pod(container("exit 0"), restartPolicy="Never", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}])


def test_claim_is_bound_to_a_volume_of_its_size() -> None:
    world = world_of(CLAIM)
    assert kubectl(world, "get pvc").splitlines()[1].split()[3:5] == ["1Gi", "RWO"]


def test_pod_of_a_node_object_is_not_an_orphan() -> None:
    world = world_of(NODE, pod(container(), nodeName="extra"), at=200)
    assert world.live_pod("default", "p") is not None


def test_nodes_have_the_old_labels_too() -> None:
    labels = object_document(world_of(), "Node", "", "node1")["metadata"]["labels"]
    assert labels["beta.kubernetes.io/os"] == labels["kubernetes.io/os"] == "linux"


def test_claim_stays_until_the_last_pod_that_uses_it_is_gone() -> None:
    world = world_of(CLAIM, USER)
    accepted(world, delete("PersistentVolumeClaim", "c"))
    after(world, 60)
    assert kubectl(world, "get pvc").splitlines()[1].split()[1] == "Terminating"
    accepted(world, delete("Pod", "p"))
    assert "persistentvolumeclaim/default/c" in [record.subject for record in after(world, 1) if record.target == "gone"]


def test_claim_that_nobody_uses_goes_at_once() -> None:
    world = world_of(CLAIM)
    accepted(world, delete("PersistentVolumeClaim", "c"))
    after(world, 0.1)
    assert kubectl(world, "get pvc") == "No resources found in default namespace.\n"


def test_claim_is_unchanged_by_the_same_apply() -> None:
    assert accepted(world_of(CLAIM), apply_yaml(CLAIM)) == []
