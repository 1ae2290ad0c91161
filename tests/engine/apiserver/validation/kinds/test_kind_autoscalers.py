"""What the API server says of a HorizontalPodAutoscaler's metrics and behaviour (autoscaling/validation)."""

from collections.abc import Callable

import pytest

SCALER = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "n", "namespace": "default"},
    "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "web"}, "minReplicas": 1, "maxReplicas": 5},
}
HALF = {"type": "Utilization", "averageUtilization": 50}
EACH = {"type": "AverageValue", "averageValue": "100m"}
METRIC = {"metric": {"name": "queue"}}


@pytest.mark.parametrize(
    ("metric", "errors"),
    [
        ({"type": "Resource", "resource": {"name": "cpu", "target": HALF}}, []),
        ({"type": "ContainerResource", "containerResource": {"name": "cpu", "container": "c", "target": HALF}}, []),
        ({"type": "Pods", "pods": {**METRIC, "target": EACH}}, []),
        ({"type": "Object", "object": {**METRIC, "target": {"type": "Value", "value": "10k"}}}, []),
        ({"type": "External", "external": {**METRIC, "target": EACH}}, []),
        (
            {"type": "Resource", "resource": {"name": "cpu", "target": {**HALF, "averageValue": "1"}}},
            ["resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization"],
        ),
        (
            {"type": "Resource", "resource": {"name": "cpu", "target": {"averageUtilization": 50}}},
            [
                "resource.target.type: Required value: must specify a metric target type",
                'resource.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
            ],
        ),
        (
            {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Value", "value": "1"}}},
            ["resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization"],
        ),
        (
            {"type": "Pods", "pods": {**METRIC, "target": {"type": "AverageValue", "averageValue": "0"}}},
            [
                'pods.target.averageValue: Invalid value: "0": must be positive',
                "pods.target.averageValue: Required value: must specify a positive target averageValue",
            ],
        ),
        (
            {"type": "Pods", "pods": {"target": EACH}, "resource": {"name": "cpu", "target": HALF}},
            [
                "pods.metric.name: Required value: must specify a metric name",
                "resource: Forbidden: must populate the given metric source only",
            ],
        ),
        ({"type": "Object"}, ["object: Required value: must populate information for the given metric source"]),
        (
            {"type": "cpu"},
            ['type: Unsupported value: "cpu": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"'],
        ),
        (
            {"type": "External", "external": {**METRIC, "target": {**EACH, "value": "1"}}},
            ["external.target.value: Forbidden: may not set both a target value for metric and a per-pod target"],
        ),
    ],
)
def test_metric(said: Callable[..., list[str]], metric: dict, errors: list[str]) -> None:
    assert said(SCALER, {"spec.metrics": [metric]}) == [f"spec.metrics[0].{error}" for error in errors]


@pytest.mark.parametrize(
    ("rules", "errors"),
    [
        ({"policies": [{"type": "Pods", "value": 4, "periodSeconds": 1800}], "stabilizationWindowSeconds": 3600}, []),
        ({"policies": []}, ["policies: Required value: must specify at least one Policy"]),
        ({"stabilizationWindowSeconds": 3601}, ["stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600"]),
        ({"stabilizationWindowSeconds": -1}, ["stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero"]),
        ({"selectPolicy": "max"}, ['selectPolicy: Unsupported value: "max": supported values: "Disabled", "Max", "Min"']),
        (
            {"policies": [{"type": "Pod", "value": 0, "periodSeconds": 1801}]},
            [
                'policies[0].type: Unsupported value: "Pod": supported values: "Percent", "Pods"',
                "policies[0].value: Invalid value: 0: must be greater than zero",
                "policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800",
            ],
        ),
    ],
)
def test_behavior(said: Callable[..., list[str]], rules: dict, errors: list[str]) -> None:
    assert said(SCALER, {"spec.behavior.scaleDown": rules}) == [f"spec.behavior.scaleDown.{error}" for error in errors]
