"""The API server's defaults for kinds other than Pod."""

import pytest

from simulator.engine.apiserver.defaulting.kinds import default_object
from simulator.engine.versions.release import Release

CONTAINER = {"name": "app", "image": "busybox:1.28", "resources": {"limits": {"cpu": "1"}}}
TEMPLATE = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [CONTAINER]}}


def filled(kind: str, minor: int = 35, **fields: object) -> dict:
    return default_object({"kind": kind, "metadata": {"name": "x"}, **fields}, release=Release(minor))


def spec_of(kind: str, spec: dict, minor: int = 35) -> dict:
    return {key: value for key, value in filled(kind, minor, spec=spec)["spec"].items() if key != "template"}


@pytest.mark.parametrize(
    ("kind", "spec", "minor", "expected"),
    [
        (
            "Deployment",
            {},
            35,
            {
                "replicas": 1,
                "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}},
                "revisionHistoryLimit": 10,
                "progressDeadlineSeconds": 600,
            },
        ),
        (
            "Deployment",
            {"replicas": 0, "strategy": {"type": "Recreate"}, "revisionHistoryLimit": 0, "progressDeadlineSeconds": 5},
            35,
            {"replicas": 0, "strategy": {"type": "Recreate"}, "revisionHistoryLimit": 0, "progressDeadlineSeconds": 5},
        ),
        ("ReplicaSet", {}, 35, {"replicas": 1}),
        (
            "DaemonSet",
            {},
            35,
            {
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}},
                "revisionHistoryLimit": 10,
            },
        ),
        (
            "DaemonSet",
            {},
            21,
            {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}}, "revisionHistoryLimit": 10},
        ),
        (
            "StatefulSet",
            {},
            26,
            {
                "replicas": 1,
                "revisionHistoryLimit": 10,
                "podManagementPolicy": "OrderedReady",
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
            },
        ),
        ("Job", {}, 21, {"completions": 1, "parallelism": 1, "backoffLimit": 6}),
        (
            "Job",
            {"completions": 3},
            28,
            {"completions": 3, "parallelism": 1, "backoffLimit": 6, "completionMode": "NonIndexed", "suspend": False},
        ),
        (
            "Job",
            {"parallelism": 2, "backoffLimitPerIndex": 1},
            35,
            {
                "parallelism": 2,
                "backoffLimitPerIndex": 1,
                "backoffLimit": 2147483647,
                "completionMode": "NonIndexed",
                "suspend": False,
                "podReplacementPolicy": "TerminatingOrFailed",
                "manualSelector": False,
            },
        ),
        (
            "CronJob",
            {"schedule": "@daily"},
            35,
            {
                "schedule": "@daily",
                "concurrencyPolicy": "Allow",
                "suspend": False,
                "successfulJobsHistoryLimit": 3,
                "failedJobsHistoryLimit": 1,
            },
        ),
        (
            "Service",
            {"ports": [{"port": 80}]},
            20,
            {"ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}], "type": "ClusterIP", "sessionAffinity": "None"},
        ),
        (
            "Service",
            {"type": "LoadBalancer", "sessionAffinity": "ClientIP"},
            35,
            {
                "type": "LoadBalancer",
                "sessionAffinity": "ClientIP",
                "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 10800}},
                "externalTrafficPolicy": "Cluster",
                "internalTrafficPolicy": "Cluster",
                "allocateLoadBalancerNodePorts": True,
                "ipFamilyPolicy": "SingleStack",
                "ipFamilies": ["IPv4"],
            },
        ),
        (
            "Service",
            {"type": "ExternalName", "externalName": "a.b"},
            35,
            {"type": "ExternalName", "externalName": "a.b", "sessionAffinity": "None"},
        ),
        ("PersistentVolumeClaim", {}, 35, {"volumeMode": "Filesystem"}),
        (
            "PersistentVolume",
            {"hostPath": {"path": "/x"}},
            35,
            {"hostPath": {"path": "/x", "type": ""}, "persistentVolumeReclaimPolicy": "Retain", "volumeMode": "Filesystem"},
        ),
        ("PodDisruptionBudget", {"minAvailable": 1}, 35, {"minAvailable": 1}),
        ("Namespace", {}, 35, {"finalizers": ["kubernetes"]}),
    ],
)
def test_spec_gets_the_defaults_of_its_kind(kind, spec, minor, expected):
    assert spec_of(kind, spec, minor) == expected


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"])
def test_template_gets_the_defaults_of_templates(kind):
    spec = filled(kind, spec={"template": TEMPLATE})["spec"]["template"]["spec"]
    assert spec["terminationGracePeriodSeconds"] == 30
    assert "enableServiceLinks" not in spec
    assert spec["containers"][0]["resources"] == {"limits": {"cpu": "1"}}


def test_template_inside_a_cron_job_gets_defaults():
    cron_job = filled("CronJob", spec={"jobTemplate": {"spec": {"template": TEMPLATE}}})
    job = cron_job["spec"]["jobTemplate"]["spec"]
    assert set(job) == {"template"}
    assert job["template"]["spec"]["dnsPolicy"] == "ClusterFirst"


def test_job_has_the_labels_of_its_pods_when_it_has_none():
    assert filled("Job", spec={"template": TEMPLATE})["metadata"]["labels"] == {"app": "a"}


def test_condition_of_a_failure_policy_is_true_unless_said():
    policy = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]}
    spec = filled("Job", spec={"podFailurePolicy": policy})["spec"]
    assert spec["podFailurePolicy"]["rules"][0]["onPodConditions"] == [{"type": "DisruptionTarget", "status": "True"}]
    assert spec["podReplacementPolicy"] == "Failed"


def test_claims_of_a_stateful_set_get_the_defaults_of_claims():
    (claim,) = filled("StatefulSet", spec={"volumeClaimTemplates": [{"metadata": {"name": "d"}}]})["spec"]["volumeClaimTemplates"]
    assert claim == {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "d"},
        "spec": {"volumeMode": "Filesystem"},
        "status": {"phase": "Pending"},
    }


def test_secret_stores_plain_text_as_data():
    secret = filled("Secret", data={"a": "eA==", "b": "eQ=="}, stringData={"b": "z"})
    assert (secret["type"], secret["data"], "stringData" in secret) == ("Opaque", {"a": "eA==", "b": "eg=="}, False)


def test_config_map_stays_as_it_is():
    document = {"kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a": "b"}}
    assert default_object(document, release=Release(35)) == document


def test_defaults_of_a_limit_range_follow_each_other():
    limit = {"type": "Container", "max": {"cpu": "2", "memory": "1Gi"}, "min": {"cpu": "1"}, "default": {"memory": "512Mi"}}
    (found,) = filled("LimitRange", spec={"limits": [limit]})["spec"]["limits"]
    assert found["default"] == {"memory": "512Mi", "cpu": "2"}
    assert found["defaultRequest"] == {"memory": "512Mi", "cpu": "2"}


def test_priority_class_preempts_unless_said():
    found = filled("PriorityClass")
    assert (found["preemptionPolicy"], found["value"]) == ("PreemptLowerPriority", 0)


@pytest.mark.parametrize(("minor", "labels"), [(20, {}), (21, {"kubernetes.io/metadata.name": "x"})])
def test_namespace_has_its_name_as_a_label_since_1_21(minor, labels):
    assert filled("Namespace", minor)["metadata"].get("labels", {}) == labels


def test_document_is_not_changed_when_defaults_are_filled_in():
    document = {"kind": "Service", "spec": {"ports": [{"port": 80}]}}
    default_object(document, release=Release(35))
    assert document == {"kind": "Service", "spec": {"ports": [{"port": 80}]}}


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Service", "Secret", "LimitRange"])
def test_defaults_change_nothing_when_they_are_filled_in_again(kind):
    once = filled(kind, spec={"template": TEMPLATE})
    assert default_object(once, release=Release(35)) == once
