"""One object for each of the rarer rules of the other kinds."""

from typing import Any

import pytest

from simulator.engine.apiserver.validation import validate_object, validate_object_update
from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.release import Release

TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "i:1"}]}}
BAD_SELECTOR = {"matchExpressions": [{"key": "k", "operator": "Odd"}]}
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
DISK = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}
HOST = {**DISK, "hostPath": {"path": "/d"}}


def made(kind: str, spec: Json, **more: Any) -> Json:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": "n", "namespace": "default"}, "spec": spec, **more}


def service(**spec: Any) -> Json:
    return made("Service", {"ports": [{"port": 80}], **spec})


def job(**spec: Any) -> Json:
    return made("Job", {"template": TEMPLATE, "selector": {"matchLabels": {"a": "b"}}, **spec})


@pytest.mark.parametrize(
    ("rule", "minor", "document"),
    [
        ("CLAIM-SELECTOR", 33, made("PersistentVolumeClaim", {**CLAIM, "selector": BAD_SELECTOR})),
        ("CLAIM-CLASS", 33, made("PersistentVolumeClaim", {**CLAIM, "storageClassName": "No Good"})),
        ("VOLUME-CLASS", 33, made("PersistentVolume", {**HOST, "storageClassName": "No Good"})),
        ("VOLUME-LOCAL-PATH", 33, made("PersistentVolume", {**DISK, "local": {"path": "../up"}})),
        ("BUDGET-SELECTOR", 33, made("PodDisruptionBudget", {"minAvailable": 1, "selector": BAD_SELECTOR})),
        ("SERVICE-NAME", 36, {**service(), "metadata": {"name": "1.n", "namespace": "default"}}),
        ("SERVICE-SELECTOR", 33, service(selector={"no good!": "x"})),
        ("SOURCE-RANGES", 33, service(type="LoadBalancer", loadBalancerSourceRanges=["nowhere"])),
        ("TRAFFIC-DISTRIBUTION-1.33", 33, service(trafficDistribution="Odd")),
        ("LIMIT-NOT-OVERCOMMITTED", 33, made("LimitRange", {"limits": [
            {"type": "Container", "default": {"example.com/gpu": "2"}, "defaultRequest": {"example.com/gpu": "1"}}]})),
        ("QUOTA-SCOPES-1.33", 33, made("ResourceQuota", {"scopes": ["Odd"]})),
        ("QUOTA-SCOPE-SELECTOR-CONFLICT", 33, made("ResourceQuota", {"scopeSelector": {"matchExpressions": [
            {"scopeName": "BestEffort", "operator": "Exists"}, {"scopeName": "NotBestEffort", "operator": "Exists"}]}})),
        ("RUNTIME-NODE-SELECTOR", 33, {**made("RuntimeClass", {}), "handler": "h", "scheduling": {"nodeSelector": {"no good!": "x"}}}),
        ("FAILURE-POLICY-ACTION-1.28", 28, job(podFailurePolicy={"rules": [
            {"action": "Odd", "onExitCodes": {"operator": "In", "values": [1]}}]})),
    ],
)  # fmt: skip
def test_rule_refuses_the_object(rule: str, minor: int, document: Json) -> None:
    assert rule in {found.id for found, _ in validate_object(document, release=Release(minor))}


@pytest.mark.parametrize(
    ("field", "old", "new"),
    [
        ("volumeMode", made("PersistentVolume", {**HOST, "volumeMode": "Block"}),
         made("PersistentVolume", {**HOST, "volumeMode": "Filesystem"})),
        ("spec.backoffLimitPerIndex", job(completionMode="Indexed", completions=2, backoffLimitPerIndex=1),
         job(completionMode="Indexed", completions=2, backoffLimitPerIndex=2)),
    ],
    ids=["volumeMode", "backoffLimitPerIndex"],
)  # fmt: skip
def test_field_may_not_change(field: str, old: Json, new: Json) -> None:
    errors = validate_object_update(old, new, release=Release(33))
    assert (field, "field is immutable") in {(error.field, error.detail) for error in errors}
    assert field not in {error.field for error in validate_object_update(old, old, release=Release(33))}
