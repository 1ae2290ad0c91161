"""For any content of an object, the rules of its kind return errors that name a path."""

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine.apiserver.defaulting.kinds import default_object
from simulator.engine.apiserver.validation import validate_object, validate_object_update
from simulator.engine.apiserver.wire.shapes import shape_problem
from simulator.engine.model.kinds import KINDS
from simulator.engine.versions.release import Release

POD = {"containers": [{"name": "app", "image": "busybox:1.28"}]}
TEMPLATE = {"metadata": {"labels": {"app": "a"}}, "spec": POD}
SPECS: dict[str, dict[str, Any]] = {
    "Deployment": {"replicas": 1, "selector": {"matchLabels": {"app": "a"}}, "template": TEMPLATE, "strategy": {"rollingUpdate": {}}},
    "StatefulSet": {"selector": {"matchLabels": {"app": "a"}}, "template": TEMPLATE, "volumeClaimTemplates": [{"spec": {}}]},
    "DaemonSet": {"selector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]}, "template": TEMPLATE},
    "Job": {
        "completionMode": "Indexed",
        "completions": 3,
        "template": TEMPLATE,
        "podFailurePolicy": {"rules": [{"action": "Count", "onExitCodes": {"operator": "In", "values": [1]}}]},
        "successPolicy": {"rules": [{"succeededIndexes": "0-1"}]},
    },
    "CronJob": {"schedule": "* * * * *", "timeZone": "UTC", "jobTemplate": {"spec": {"template": TEMPLATE}}},
    "Service": {"ports": [{"port": 80}], "clusterIPs": ["10.0.0.1"], "type": "NodePort", "ipFamilies": ["IPv4"]},
    "PersistentVolumeClaim": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    "PersistentVolume": {"capacity": {"storage": "1Gi"}, "hostPath": {"path": "/x"}, "nodeAffinity": {"required": {}}},
    "PodDisruptionBudget": {"minAvailable": "50%", "selector": {}},
    "LimitRange": {"limits": [{"type": "Container", "max": {"cpu": "1"}, "maxLimitRequestRatio": {"cpu": "2"}}]},
    "ResourceQuota": {"hard": {"pods": "1"}, "scopes": ["BestEffort"], "scopeSelector": {"matchExpressions": [{}]}},
    "Node": {"taints": [{"key": "a", "effect": "NoSchedule"}], "podCIDRs": ["10.0.0.0/24"]},
    "Namespace": {"finalizers": ["kubernetes"]},
}
ODD = st.sampled_from(
    [None, 0, -1, 2**40, "", "x", "A_b!", "101%", "10.0.0.1", "2Gi", True, 1.5, [], {}, [1], ["a"], [{}], [None], {"a": "b"}, {"a": 1}]
)
MINORS = st.sampled_from([20, 23, 26, 29, 32, 34, 37])


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) in a document below its kind."""
    entries = list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    return [found for key, item in entries if key != "kind" for found in ((value, key), *places(item))]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """A valid object, and the same with up to three odd values."""
    kind = draw(st.sampled_from(sorted(SPECS)))
    good = {"apiVersion": "v1", "kind": kind, "metadata": {"name": "x", "labels": {"a": "b"}}, "spec": SPECS[kind]}
    odd = copy.deepcopy(good)
    for _ in range(draw(st.integers(1, 3))):
        found = places(odd)
        container, key = found[draw(st.integers(0, len(found) - 1))]
        container[key] = copy.deepcopy(draw(ODD))
    return good, odd


@settings(max_examples=300, deadline=None, derandomize=True)
@given(pairs(), MINORS)
def test_rules_answer_with_paths_whatever_an_object_holds(pair, minor):
    good, odd = pair
    assert all(error.field and error.message for _, error in validate_object(odd, release=Release(minor)))
    if not shape_problem(odd, minor=minor):
        assert all(error.field for error in validate_object_update(good, odd, release=Release(minor)))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(pairs(), MINORS)
def test_defaults_are_filled_in_once_when_the_shape_is_right(pair, minor):
    _, odd = pair
    if not shape_problem(odd, minor=minor):
        once = default_object(odd, release=Release(minor))
        assert default_object(once, release=Release(minor)) == once


def test_every_kind_of_the_list_is_known():
    assert set(SPECS) <= set(KINDS)
