"""The status of a ResourceQuota: its bounds and what is used of them."""

import json

from simulator.engine import advance, apply
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.apiserver.documents.objects import object_document
from tests.engine.worlds import container, header, pod, run

HARD = {"pods": "2", "requests.cpu": "1", "limits.memory": "1Gi", "count/configmaps": "5", "count/deployments.apps": "3", "services": "2"}
QUOTA = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": HARD}}
CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}
POD = pod(container("sleep 3600", resources={"requests": {"cpu": "250m"}, "limits": {"memory": "64Mi", "cpu": "500m"}}))


def status(world):
    return object_document(world, "ResourceQuota", "default", "q")["status"]


def test_status_says_what_is_used_of_each_bound():
    world, _ = run(header(QUOTA, CONFIG, POD), 5)
    used = {"pods": "1", "requests.cpu": "250m", "limits.memory": "64Mi", "count/configmaps": "1", "count/deployments.apps": "0"}
    assert status(world) == {"hard": HARD, "used": {**used, "services": "0"}}


def test_pod_that_goes_gives_back_what_it_used():
    world, _ = run(header(QUOTA, POD), 5)
    apply(world, DeletePod(target="default/p", grace_s=0, force=True))
    advance(world, until_ms=10_000)
    assert (status(world)["used"]["pods"], status(world)["used"]["requests.cpu"]) == ("0", "0")


def test_status_follows_a_changed_bound():
    world, _ = run(header(QUOTA, POD), 5)
    patch = json.dumps({"spec": {"hard": {"pods": "9", **dict.fromkeys(HARD.keys() - {"pods"})}}})
    record = apply(world, PatchObject(kind="ResourceQuota", namespace="default", name="q", patch=patch, patch_kind="merge"))[0]
    assert record.target == "accepted"
    assert status(world) == {"hard": {"pods": "9"}, "used": {"pods": "1"}}
    assert "status" not in json.loads(world.tables.objects[("ResourceQuota", "default", "q")].document)
