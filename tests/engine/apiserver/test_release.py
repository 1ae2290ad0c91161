"""Feature gates of a cluster affect every stage of a create: decoding, dropping, defaulting and validation."""

import json
from typing import Any

import pytest

from simulator.engine import RunHeader, apply, new_world
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.apiserver.create import CreateRequest, completed, create_answer
from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.versions.release import release_of
from simulator.manifests.check.check import check_text

GRPC = {"livenessProbe": {"grpc": {"port": 80}}}
RULES = {"restartPolicy": "Never", "restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}]}


def sleeping(seconds: int) -> dict[str, Any]:
    return {"lifecycle": {"preStop": {"sleep": {"seconds": seconds}}}}


def pod(container: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    app = {"name": "app", "image": "busybox:1.28", **(container or {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [app], **spec}}


@pytest.mark.parametrize(
    ("minor", "gates", "container", "accepted"),
    [
        (23, {}, GRPC, False),
        (23, {"GRPCContainerProbe": True}, GRPC, True),
        (25, {}, GRPC, True),
        (25, {"GRPCContainerProbe": False}, GRPC, False),
        (29, {}, sleeping(5), False),
        (29, {"PodLifecycleSleepAction": True}, sleeping(5), True),
        (32, {}, sleeping(0), False),
        (32, {"PodLifecycleSleepActionAllowZero": True}, sleeping(0), True),
        (34, {"ContainerRestartRules": True}, RULES, True),
    ],
)
def test_gate_decides_for_answer_store_and_page_alike(
    minor: int, gates: dict[str, bool], container: dict[str, Any], accepted: bool
) -> None:
    document, kubernetes = pod(container), f"1.{minor}"
    assert (create_answer(document, CreateRequest(release=release_of(minor, gates))) is None) is accepted
    world = new_world(RunHeader(kubernetes=kubernetes, gates=gates))
    records = apply(world, ApplyManifest(documents=(json.dumps(document),)))
    assert (records[0].target == "accepted") is accepted
    assert check_text(json.dumps(document), kubernetes=kubernetes, gates=gates, strict=False).ok is accepted


@pytest.mark.parametrize(("gates", "kept"), [({}, False), ({"SidecarContainers": True}, True)])
def test_sidecar_is_an_ordinary_init_container_where_the_gate_is_off(gates: dict[str, bool], kept: bool) -> None:
    document = pod(initContainers=[{"name": "i", "image": "busybox:1.28", "restartPolicy": "Always"}])
    whole = completed(document, CreateRequest(release=release_of(28, gates)))
    assert ("restartPolicy" in whole["spec"]["initContainers"][0]) is kept


OWN_USERS = {"hostUsers": False}
STATELESS, NETWORK = {"UserNamespacesStatelessPodsSupport": True}, {"UserNamespacesHostNetworkSupport": True}
RESTART_ALL = {"NodeDeclaredFeatures": True, "RestartAllContainersOnContainerExits": True}
SIDECAR = {"name": "i", "image": "busybox:1.28", "restartPolicy": "Always", "restartPolicyRules": RULES["restartPolicyRules"]}


@pytest.mark.parametrize(
    ("minor", "gates", "spec", "refused"),
    [
        (27, {}, {**OWN_USERS, "hostNetwork": True}, ""),
        (27, STATELESS, {**OWN_USERS, "hostNetwork": True}, "spec.hostNetwork"),
        (27, STATELESS, {**OWN_USERS, "volumes": [{"name": "v", "hostPath": {"path": "/x"}}]}, "spec.volumes[0]"),
        (27, STATELESS, {**OWN_USERS, "volumes": [{"name": "v", "emptyDir": {}}]}, ""),
        (28, {"UserNamespacesSupport": True}, {**OWN_USERS, "hostPID": True}, "spec.HostPID"),
        (35, {}, {**OWN_USERS, "hostNetwork": True}, "spec.hostNetwork"),
        (35, NETWORK, {**OWN_USERS, "hostNetwork": True}, ""),
        (35, NETWORK, {**OWN_USERS, "hostPID": True}, "spec.HostPID"),
        (35, {}, {"initContainers": [SIDECAR]}, "spec.initContainers[0].restartPolicyRules"),
        (35, RESTART_ALL, {"initContainers": [SIDECAR]}, ""),
    ],
)
def test_gate_decides_what_a_pod_may_combine(minor: int, gates: dict[str, bool], spec: dict[str, Any], refused: str) -> None:
    answer = create_answer(pod(**spec), CreateRequest(release=release_of(minor, gates)))
    assert [cause.field for cause in answer.causes] == [refused] if refused else answer is None


def deployment(template: dict[str, Any]) -> dict[str, Any]:
    labels = {"app": "web"}
    whole = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "busybox:1.28"}], **template}}
    spec = {"selector": {"matchLabels": labels}, "template": whole}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


@pytest.mark.parametrize(("gates", "kept"), [({}, False), (STATELESS, True)])
def test_pod_template_loses_what_is_switched_off(gates: dict[str, bool], kept: bool) -> None:
    whole = completed(deployment(OWN_USERS), CreateRequest(release=release_of(27, gates)))
    assert ("hostUsers" in whole["spec"]["template"]["spec"]) is kept


def test_changed_pod_template_loses_what_is_switched_off() -> None:
    world = new_world(RunHeader(kubernetes="1.27"))
    apply(world, ApplyManifest(documents=(json.dumps(deployment({})),)))
    apply(world, ApplyManifest(documents=(json.dumps(deployment({**OWN_USERS, "hostNetwork": True})),)))
    shown = object_document(world, "Deployment", "default", "web")
    assert "hostNetwork" in shown["spec"]["template"]["spec"]
    assert "hostUsers" not in shown["spec"]["template"]["spec"]


def test_requests_of_a_pod_follow_its_limits_where_the_gate_is_on() -> None:
    document = pod(resources={"limits": {"cpu": "2"}})
    whole = completed(document, CreateRequest(release=release_of(32, {"PodLevelResources": True})))
    assert whole["spec"]["resources"] == {"limits": {"cpu": "2"}, "requests": {"cpu": "2"}}
