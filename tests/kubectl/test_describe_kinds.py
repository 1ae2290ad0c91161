"""kubectl describe of everything except pods and nodes: layouts of their own, and the generic one."""

from typing import Any
from unittest.mock import Mock

import pytest

from simulator.kubectl.describe_workloads import _replica_sets, autoscaler_lines
from simulator.kubectl.kubectl import kubectl
from tests.engine.worlds import container, header, pod, run


def described(document: dict[str, Any]) -> list[str]:
    """The lines about an object named x."""
    world, _ = run(header({**document, "metadata": {"name": "x"}}), 5)
    return kubectl(world, f"describe {document['kind']} x").splitlines()


def test_kind_without_a_layout_is_described_field_by_field() -> None:
    lines = described({"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "handler": "runsc"})
    assert "API Version:  node.k8s.io/v1" in lines and "Handler:      runsc" in lines


BODY = {"containers": [{"name": "a", "image": "busybox"}]}
PODS = {"metadata": {"labels": {"app": "x"}}, "spec": BODY}
NOWHERE = {**PODS, "spec": {**BODY, "nodeSelector": {"a": "b"}}}
TEMPLATE = [
    "Pod Template:",
    "  Labels:  app=x",
    "  Containers:",
    "   a:",
    "    Image:         busybox",
    "    Port:          <none>",
    "    Host Port:     <none>",
    "    Environment:   <none>",
    "    Mounts:        <none>",
    "  Volumes:         <none>",
    "  Node-Selectors:  <none>",
    "  Tolerations:     <none>",
]


DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "x"}}, "template": PODS},
}


def test_deployment_is_described() -> None:
    lines = described(DEPLOYMENT)
    assert lines[5:10] == [
        "Selector:               app=x",
        "Replicas:               3 desired | 3 updated | 3 total | 0 available | 3 unavailable",
        "StrategyType:           RollingUpdate",
        "MinReadySeconds:        0",
        "RollingUpdateStrategy:  25% max unavailable, 25% max surge",
    ]
    name = lines[-5].partition("x-")[2].partition(" ")[0]
    assert lines[10:] == [
        *TEMPLATE,
        "Conditions:",
        "  Type           Status  Reason",
        "  ----           ------  ------",
        "  Available      False   MinimumReplicasUnavailable",
        "  Progressing    True    ReplicaSetUpdated",
        "OldReplicaSets:  <none>",
        f"NewReplicaSet:   x-{name} (3/3 replicas created)",
        "Events:",
        "  Type    Reason             Age   From                   Message",
        "  ----    ------             ----  ----                   -------",
        f"  Normal  ScalingReplicaSet  5s    deployment-controller  Scaled up replica set x-{name} to 3",
    ]


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("ReplicaSet", "Replicas: 0 current / 0 desired"),
        ("StatefulSet", "Replicas: 0 desired | 0 total"),
        ("DaemonSet", "Desired Number of Nodes Scheduled: 0"),
    ],
)
def test_workload_is_described_with_its_template(kind: str, line: str) -> None:
    more: dict[str, Any] = {"template": NOWHERE} if kind == "DaemonSet" else {"template": PODS, "replicas": 0}
    spec = {"selector": {"matchLabels": {"app": "x"}}, **more}
    lines = described({"apiVersion": "apps/v1", "kind": kind, "spec": spec})
    words = [" ".join(text.split()) for text in lines]
    assert line in words and "Pods Status: 0 Running / 0 Waiting / 0 Succeeded / 0 Failed" in words
    assert lines[lines.index("Pod Template:") :][:4] == TEMPLATE[:4]


def test_job_is_described() -> None:
    pods = {"spec": {**BODY, "restartPolicy": "Never"}}
    lines = described({"apiVersion": "batch/v1", "kind": "Job", "spec": {"template": pods, "activeDeadlineSeconds": 9}})
    assert "Pods Statuses:            1 Active (0 Ready) / 0 Succeeded / 0 Failed" in lines and "Active Deadline Seconds:  9s" in lines


def test_cron_job_is_described() -> None:
    job = {"spec": {"template": {"spec": {**BODY, "restartPolicy": "Never"}}}}
    lines = described({"apiVersion": "batch/v1", "kind": "CronJob", "spec": {"schedule": "0 * * * *", "jobTemplate": job}})
    assert "Schedule:                      0 * * * *" in lines and "Active Jobs:         <none>" in lines


@pytest.mark.parametrize(("deadline", "shown"), [({}, "<unset>"), ({"startingDeadlineSeconds": 30}, "30s")])
def test_cron_job_says_how_late_it_may_start(deadline: dict[str, int], shown: str) -> None:
    spec = {"schedule": "0 * * * *", "jobTemplate": {"spec": {"template": {"spec": {**BODY, "restartPolicy": "Never"}}}}, **deadline}
    lines = described({"apiVersion": "batch/v1", "kind": "CronJob", "spec": spec})
    assert f"Starting Deadline Seconds:     {shown}" in lines


def test_workload_counts_its_own_pods_alone() -> None:
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "x"}}, "template": PODS}
    other = {**spec, "selector": {"matchLabels": {"app": "y"}}, "template": {**PODS, "metadata": {"labels": {"app": "y"}}}}
    sets = [
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name}, "spec": of} for name, of in (("x", spec), ("y", other))
    ]
    world, _ = run(header(*sets), 5)
    statuses = [line for line in kubectl(world, "describe rs x").splitlines() if line.startswith("Pods Status:")]
    assert [line.split(":", 1)[1].split(" / ")[:2] for line in statuses] == [["  0 Running", "2 Waiting"]]


def test_namespace_is_described_with_quotas_and_limits() -> None:
    quota = {"kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {"pods": "9"}}}
    limits = {"kind": "LimitRange", "metadata": {"name": "l"}, "spec": {"limits": [{"type": "Container", "max": {"cpu": "1"}}]}}
    lines = kubectl(run(header(quota, limits), 1)[0], "describe ns default").splitlines()
    assert "  Name:     q" in lines and "  pods      0     9" in lines
    assert lines[-1].split() == ["Container", "cpu", "-", "1", "1", "1", "-"]


def test_claim_names_the_pods_that_use_it() -> None:
    claim = {"kind": "PersistentVolumeClaim", "metadata": {"name": "c"}, "spec": {"accessModes": ["ReadWriteOnce"]}}
    user = pod(container(), volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}])
    assert "Used By:       p" in kubectl(run(header(claim, user), 1)[0], "describe pvc c").splitlines()


def test_node_is_described_with_its_addresses() -> None:
    lines = kubectl(run(header(), 1)[0], "describe node node1").splitlines()
    place = lines.index("Addresses:")
    assert [line.split() for line in lines[place + 1 : place + 3]] == [["InternalIP:", "10.0.0.10"], ["Hostname:", "node1"]]


@pytest.mark.parametrize(
    ("status", "counts"), [({}, "0 current / 0 desired"), ({"currentReplicas": 3, "desiredReplicas": 4}, "3 current / 4 desired")]
)
def test_autoscaler_counts_the_pods_of_its_target(status: dict[str, int], counts: str) -> None:
    spec = {"scaleTargetRef": {"kind": "Deployment", "name": "x"}, "maxReplicas": 9}
    metadata = {"name": "x", "namespace": "default", "creationTimestamp": "2026-01-01T00:00:00Z"}
    assert f"Deployment pods:\t{counts}" in autoscaler_lines({"metadata": metadata, "spec": spec, "status": status}, Mock())


def test_deployment_without_a_set_of_its_template_has_old_ones_alone() -> None:
    old = {
        "kind": "ReplicaSet",
        "metadata": {"name": "x-1", "ownerReferences": [{"uid": "u", "controller": True}]},
        "spec": {"template": {"a": 1}},
    }
    sight = Mock(objects=lambda kind: [old], facts=Mock(every_old_replica_set=True))
    assert _replica_sets({"metadata": {"uid": "u"}, "spec": {"template": {"a": 2}}}, sight) == [
        "OldReplicaSets:\tx-1 (0/1 replicas created)",
        "NewReplicaSet:\t<none>",
    ]


def test_priority_class_is_described() -> None:
    lines = kubectl(run(header(), 1)[0], "describe pc system-node-critical").splitlines()
    assert lines[:2] == [
        "Name:              system-node-critical",
        "Value:             2000001000",
    ]


def test_service_account_is_described() -> None:
    assert "Mountable secrets:   <none>" in kubectl(run(header(), 1)[0], "describe sa default").splitlines()


def test_storage_class_is_described_by_what_it_has() -> None:
    head = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "disk.example"}
    more = {"volumeBindingMode": "WaitForFirstConsumer", "reclaimPolicy": "Retain", "allowVolumeExpansion": True, "mountOptions": ["ro"]}
    lines = described({**head, **more, "parameters": {"b": "2", "a": "1"}})
    told = {line.partition(":")[0]: line.partition(":")[2].strip() for line in lines}
    assert (told["Provisioner"], told["Parameters"], told["AllowVolumeExpansion"]) == ("disk.example", "a=1,b=2", "True")
    assert (told["ReclaimPolicy"], told["VolumeBindingMode"]) == ("Retain", "WaitForFirstConsumer")
    assert lines[lines.index("MountOptions:") + 1] == "  ro"
    by_default = described(head)
    assert {"ReclaimPolicy:         Delete", "VolumeBindingMode:     Immediate"} <= {*by_default}
    assert ["MountOptions:", "<none>"] in [line.split() for line in by_default]


CLAIM = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}


@pytest.mark.parametrize(("claims", "heading", "names"), [([], "<none>", 0), ([CLAIM], "", 1)])
def test_stateful_set_lists_its_claims_or_says_that_it_has_none(claims: list[dict[str, Any]], heading: str, names: int) -> None:
    spec = {"selector": {"matchLabels": {"app": "x"}}, "serviceName": "x", "template": PODS, "volumeClaimTemplates": claims}
    lines = described({"apiVersion": "apps/v1", "kind": "StatefulSet", "spec": spec})
    (told,) = (line for line in lines if line.startswith("Volume Claims"))
    assert (told.partition(":")[2].strip(), sum(line.split() == ["Name:", "data"] for line in lines)) == (heading, names)


def test_volumes_of_a_template_stand_below_its_containers_and_their_fields_one_step_further() -> None:
    body = {**BODY, "volumes": [{"name": "tmp", "emptyDir": {}}, {"name": "conf", "configMap": {"name": "c"}}]}
    lines = described({**DEPLOYMENT, "spec": {**DEPLOYMENT["spec"], "template": {**PODS, "spec": body}}})
    own = lines[lines.index("  Volumes:") + 1 :]
    assert [line for line in own if line.startswith("   ") and line[3] != " "] == ["   tmp:", "   conf:"]
    assert [line.partition(":")[0] for line in own if line.startswith("    ")][:3] == ["    Type", "    Medium", "    SizeLimit"]
