"""A HorizontalPodAutoscaler in a run."""

import json

import pytest

from simulator.engine.controllers.horizontal_pod_autoscaler.autoscaler import autoscaler_sync
from simulator.engine.kubelet.pods.start.launch import BEHAVIOUR_ANNOTATION
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import AutoscalerSync
from simulator.kubectl.kubectl import kubectl
from tests.engine.controllers.job.jobs import status, told
from tests.engine.worlds import container, events, header, run

IMAGES = ("example/app:1",)


def replica_set(cpu, *, replicas=2, request="100m", memory="32Mi", **more):
    asked = {"resources": {"requests": {"cpu": request, "memory": "64Mi"}}} if request else {}
    app = {"name": "app", "image": IMAGES[0], **asked, **more}
    behaviour = {BEHAVIOUR_ANNOTATION: json.dumps({"app": {"listens": [8080], "cpu": cpu, "memory": memory}})}
    template = {"metadata": {"labels": {"app": "web"}, "annotations": behaviour}, "spec": {"containers": [app]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}, "spec": spec}


def autoscaler(*, resource="cpu", version="v2", **spec):
    target = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"}
    metric = {"type": "Resource", "resource": {"name": resource, "target": {"type": "Utilization", "averageUtilization": 50}}}
    given = {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 10, **({"metrics": [metric]} if version != "v1" else {}), **spec}
    return {"apiVersion": f"autoscaling/{version}", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"}, "spec": given}


def played(*documents, seconds=100, version="1.36"):
    return run(header(*documents, kubernetes=version, images=IMAGES), seconds)


def replicas(world):
    return json.loads(world.tables.objects[("ReplicaSet", "default", "web")].document)["spec"]["replicas"]


def reasons(world):
    return {item["type"]: item["reason"] for item in status(world, "web", "HorizontalPodAutoscaler")["conditions"]}


def test_use_above_the_target_brings_more_pods():
    world, records = played(replica_set("100m"), autoscaler(), seconds=200)
    assert "SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target" in events(records)
    assert told(records, "HPA-SCALED")[0]["measured"] == "100%"
    assert replicas(world) == 10  # each pod uses the same, however many there are
    assert reasons(world)["ScalingLimited"] == "TooManyReplicas"


def test_beta_of_the_second_version_scales_and_has_its_defaults():
    world, _ = played(replica_set("100m"), autoscaler(version="v2beta2", metrics=[], behavior={"scaleUp": {}}), seconds=200, version="1.22")
    assert replicas(world) == 10
    spec = json.loads(world.tables.objects[("HorizontalPodAutoscaler", "default", "web")].document)["spec"]
    target = {"type": "Utilization", "averageUtilization": 80}
    assert spec["metrics"] == [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    assert spec["behavior"]["scaleUp"]["selectPolicy"] == "Max" and "targetCPUUtilizationPercentage" not in spec


def test_use_below_the_target_takes_pods_away_after_five_minutes():
    document = replica_set([{"at": "0s", "amount": "50m"}, {"at": "60s", "amount": "50m"}, {"at": "61s", "amount": "10m"}], replicas=4)
    world, records = played(document, autoscaler(), seconds=345)
    assert (replicas(world), reasons(world)["AbleToScale"]) == (4, "ScaleDownStabilized")
    world, records = played(document, autoscaler(), seconds=375)
    assert replicas(world) == 1
    assert "SuccessfulRescale: New size: 1; reason: All metrics below target" in events(records)


def test_slow_readiness_does_not_count():
    slow = {"readinessProbe": {"httpGet": {"path": "/", "port": 8080}, "initialDelaySeconds": 120, "periodSeconds": 5}}
    world, records = played(replica_set("100m", **slow), autoscaler(), seconds=100)
    assert (replicas(world), reasons(world)["ScalingActive"]) == (2, "FailedGetResourceMetric")
    assert replicas(played(replica_set("100m", **slow), autoscaler(), seconds=170)[0]) > 2


def test_missing_request_is_reported():
    world, records = played(replica_set("100m", request=""), autoscaler(), seconds=40)
    assert any("missing request for cpu in container app of Pod web-" in text for text in events(records))
    assert reasons(world)["ScalingActive"] == "FailedGetResourceMetric" and told(records, "HPA-NO-METRICS")


@pytest.mark.parametrize(
    ("version", "metric", "first"),
    [
        ("1.25", {"type": "Resource", "resource": {"name": "cpu"}}, "failed to get cpu utilization: missing request"),
        ("1.26", {"type": "Resource", "resource": {"name": "cpu"}}, "failed to get cpu resource metric value: failed to get cpu ut"),
        (
            "1.36",
            {"type": "ContainerResource", "containerResource": {"name": "cpu", "container": "app"}},
            "failed to get app container metric value: failed to get cpu utilization: missing request",
        ),
    ],
)
def test_metric_without_a_value_is_named_before_its_reason(version, metric, first):
    (source,) = [value for key, value in metric.items() if key != "type"]
    source["target"] = {"type": "Utilization", "averageUtilization": 50}
    _, records = played(replica_set("50m", request=""), autoscaler(metrics=[metric]), version=version)
    (text, *_) = [text for text in events(records) if text.startswith("FailedComputeMetricsReplicas") and "missing request" in text]
    assert f"invalid metrics (1 invalid out of 1), first error is: {first}" in text


def test_missing_target_is_reported():
    world, records = played(autoscaler(), seconds=20)
    assert 'FailedGetScale: replicasets.apps "web" not found' in events(records)
    assert reasons(world) == {"AbleToScale": "FailedGetScale"} and told(records, "HPA-NO-TARGET")


def test_bounds_hold_without_metrics():
    world, records = played(replica_set("1m", replicas=1), autoscaler(minReplicas=3), seconds=16)
    assert "SuccessfulRescale: New size: 3; reason: Current number of replicas below Spec.MinReplicas" in events(records)
    assert replicas(world) == 3 and told(records, "HPA-BOUNDS")


def test_no_replicas_switch_it_off():
    world, _ = played(replica_set("100m", replicas=0), autoscaler(), seconds=40)
    assert (replicas(world), reasons(world)["ScalingActive"]) == (0, "ScalingDisabled")


def test_memory_and_the_words_of_v1_are_known():
    world, _ = played(replica_set("1m"), autoscaler(resource="memory"), seconds=80)
    assert status(world, "web", "HorizontalPodAutoscaler")["currentMetrics"][0]["resource"]["current"] == {
        "averageValue": "33554432", "averageUtilization": 50,
    }  # fmt: skip
    world, _ = played(replica_set("100m"), autoscaler(version="v1", targetCPUUtilizationPercentage=50), version="1.20")
    assert replicas(world) > 2


def test_table_shows_current_and_wanted():
    world, _ = played(replica_set("50m"), autoscaler(), seconds=80)
    shown = kubectl(world, "get hpa", now_ms=world.now_ms).splitlines()[1].split()
    assert shown[:7] == ["web", "ReplicaSet/web", "cpu:", "50%/50%", "1", "10", "2"]


def test_top_shows_what_metrics_server_tells():
    world, _ = played(replica_set("150m"), seconds=40)
    first, *pods = [line.split() for line in kubectl(world, "top pods", now_ms=world.now_ms).splitlines()]
    assert first == ["NAME", "CPU(cores)", "MEMORY(bytes)"]
    assert [line[1:] for line in pods] == [["150m", "32Mi"]] * 2
    assert kubectl(world, "top nodes --no-headers", now_ms=world.now_ms).split()[:2] == ["node1", "300m"]
    assert kubectl(world, "top pods", now_ms=10_000) == "error: metrics not available yet\n"
    assert "NotFound" in kubectl(world, "top pod none") and "NotFound" in kubectl(world, "top node none")
    assert "app" in kubectl(world, "top pods --containers -A", now_ms=world.now_ms)


def test_top_says_where_it_found_no_pods():
    world, _ = played(replica_set("150m"), seconds=40)
    said = [kubectl(world, f"top pods {flags}", now_ms=world.now_ms) for flags in ("-n kube-public", "-A -l none=here", "-l none=here")]
    assert said == ["No resources found in kube-public namespace.\n", "No resources found\n", "No resources found in default namespace.\n"]


def test_top_shows_the_share_of_what_a_node_has_for_pods():
    """Two pods use half a core and 1 GiB each, of 4 cores and 16 GiB; percentages are rounded down."""
    world, _ = played(replica_set("500m", memory="1Gi"), seconds=40)
    assert kubectl(world, "top nodes --no-headers", now_ms=world.now_ms).split() == ["node1", "1000m", "25%", "2048Mi", "12%"]


def test_description_shows_metrics_conditions_and_events():
    world, _ = played(replica_set("100m"), autoscaler(), seconds=40)
    lines = [" ".join(line.split()) for line in kubectl(world, "describe hpa web", now_ms=world.now_ms).splitlines()]
    assert "resource cpu on pods (as a percentage of request): 100% (100m) / 50%" in lines
    assert "ReplicaSet pods: 2 current / 4 desired" in lines
    assert "ScalingActive True ValidMetricFound the HPA was able to successfully calculate a replica count from" in " ".join(lines)
    assert any(line.startswith("Normal SuccessfulRescale") for line in lines)


def test_second_round_writes_nothing():
    world, _ = played(replica_set("50m"), autoscaler(), seconds=80)
    for _ in range(2):
        records = []
        autoscaler_sync(Effects(world, records), AutoscalerSync("default", "web"))
    assert records == []


def test_container_that_declares_no_cpu_uses_none():
    document = replica_set("50m")
    document["spec"]["template"]["metadata"].pop("annotations")
    document["spec"]["template"]["spec"]["containers"] = [container("sleep 3600", resources={"requests": {"cpu": "100m"}})]
    world, _ = played(document, autoscaler(), seconds=80)
    assert status(world, "web", "HorizontalPodAutoscaler")["currentMetrics"][0]["resource"]["current"]["averageUtilization"] == 0
