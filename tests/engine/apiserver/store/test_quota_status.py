"""The status of a ResourceQuota: its hard limits and what is used."""

import json

import pytest

from simulator.engine import advance, apply
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.objects.replace import ReplaceObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.model.quota_scopes import is_counted
from simulator.kubectl.kubectl import kubectl
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


LASTS = pod(container("sleep 3600"), name="lasts")
ENDS = pod(container("sleep 3600"), name="ends", activeDeadlineSeconds=600)
ASKS = pod(container("sleep 3600", resources={"requests": {"cpu": "100m"}}), name="asks", priorityClassName="system-node-critical")
ABROAD = {
    "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "a", "namespaces": ["x"], "labelSelector": {}}]}
}


def of_class(operator, *values):
    return {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": operator, "values": list(values)}]}}


@pytest.mark.parametrize(
    ("scope", "counted"),
    [
        ({}, ["lasts", "ends", "asks"]),
        ({"scopes": ["Terminating"]}, ["ends"]),
        ({"scopes": ["NotTerminating"]}, ["lasts", "asks"]),
        ({"scopes": ["BestEffort"]}, ["lasts", "ends"]),
        ({"scopes": ["NotBestEffort"]}, ["asks"]),
        ({"scopes": ["BestEffort", "NotTerminating"]}, ["lasts"]),
        (of_class("Exists"), ["asks"]),
        (of_class("DoesNotExist"), ["lasts", "ends"]),
        (of_class("In", "system-node-critical"), ["asks"]),
        (of_class("NotIn", "system-node-critical"), ["lasts", "ends"]),
        ({"scopes": ["CrossNamespacePodAffinity"]}, []),
    ],
    ids=str,
)
def test_quota_counts_the_pods_of_its_scopes(scope, counted):
    quota = {**QUOTA, "spec": {"hard": {"pods": "5"}, **scope}}
    world, _ = run(header(quota, LASTS, ENDS, ASKS), 1)
    assert status(world)["used"] == {"pods": str(len(counted))}
    assert [item["metadata"]["name"] for item in (LASTS, ENDS, ASKS) if is_counted(pod_from_document(item).spec, quota["spec"])] == counted


def test_scope_of_affinity_counts_pods_that_look_into_other_namespaces():
    assert is_counted(pod_from_document(pod(container(), affinity=ABROAD)).spec, {"scopes": ["CrossNamespacePodAffinity"]})


@pytest.mark.parametrize(("late", "target"), [(LASTS, "refused"), (ENDS, "accepted")])
def test_full_quota_refuses_only_pods_of_its_scope(late, target):
    quota = {**QUOTA, "spec": {"hard": {"pods": "1"}, "scopes": ["NotTerminating"]}}
    world, _ = run(header(quota, pod(container("sleep 3600"))), 1)
    records = apply(world, ApplyManifest(documents=(json.dumps(late),)))
    assert records[0].target == target


def test_describe_names_the_scopes():
    world, _ = run(header({**QUOTA, "spec": {"hard": {"pods": "1"}, "scopes": ["NotTerminating", "BestEffort"]}}), 1)
    lines = kubectl(world, "describe quota q").splitlines()
    assert lines[2:4] == [
        "Scopes:     BestEffort, NotTerminating",
        " * Matches all pods that do not have resource requirements set. These pods have a best effort quality of service.",
    ]


def test_status_that_is_sent_with_a_new_quota_is_not_kept():
    world, _ = run(header({**QUOTA, "status": {"used": {"pods": "7"}}}), 1)
    shown = object_document(world, "ResourceQuota", "default", "q")
    assert shown["status"]["used"]["pods"] == "0"
    assert [record.rule for record in apply(world, ReplaceObject(document=json.dumps(shown), namespace="default"))] == ["COMMAND"]
