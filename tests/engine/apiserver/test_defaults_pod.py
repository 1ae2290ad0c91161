"""Defaults of a Pod: what a server stores for what was sent."""

from typing import Any

import pytest
from msgspec.structs import replace

from simulator.engine.apiserver.admission.chain import admit
from simulator.engine.apiserver.admission.surroundings import Surroundings
from simulator.engine.apiserver.defaulting.pod import default_pod_document, default_template_document, defaults_of, fill_spec
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.service_account import token_volume
from simulator.engine.versions.release import Release


def filled(container: dict[str, Any] | None = None, *, resize_policy: bool = False, **spec: Any) -> dict[str, Any]:
    document = {"containers": [{"name": "app", "image": "busybox:1.28", **(container or {})}], **spec}
    fill_spec(document, rules=replace(defaults_of(Release(20)), resize_policy=resize_policy))
    return document


def admitted(**spec: Any) -> dict[str, Any]:
    pod = {"metadata": {"name": "p"}, "spec": filled(**spec)}
    known = Surroundings(service_accounts=None)
    admit(pod, KINDS["Pod"], known, release=Release(20), namespace="default", suffix="x")
    return pod["spec"]


def test_spec_gets_the_defaults_of_the_pod() -> None:
    spec = filled()
    assert (spec["restartPolicy"], spec["dnsPolicy"], spec["terminationGracePeriodSeconds"], spec["securityContext"]) == (
        "Always", "ClusterFirst", 30, {},
    )  # fmt: skip


def test_container_gets_its_defaults() -> None:
    assert filled()["containers"] == [
        {
            "name": "app",
            "image": "busybox:1.28",
            "imagePullPolicy": "IfNotPresent",
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
            "resources": {},
        }
    ]


def test_field_that_is_set_stays() -> None:
    assert filled(terminationGracePeriodSeconds=0)["terminationGracePeriodSeconds"] == 0


def test_probe_gets_numbers_and_handler_defaults() -> None:
    probe = filled({"readinessProbe": {"httpGet": {"port": 80}, "periodSeconds": 0}})["containers"][0]["readinessProbe"]
    assert probe == {
        "httpGet": {"port": 80, "path": "/", "scheme": "HTTP"},
        "timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3,
    }  # fmt: skip


def test_request_follows_the_limit_and_quantities_are_canonical() -> None:
    resources = filled({"resources": {"limits": {"cpu": 0.5, "memory": "1024Mi"}}})["containers"][0]["resources"]
    assert resources["requests"] == {"cpu": "500m", "memory": "1Gi"} == resources["limits"]


def test_quantity_that_cannot_be_read_stays_as_it_is() -> None:
    assert filled({"resources": {"limits": {"cpu": "lots"}}})["containers"][0]["resources"]["limits"] == {"cpu": "lots"}


def test_resize_policy_is_filled_in_when_the_version_knows_it() -> None:
    container = filled({"resources": {"limits": {"memory": "1Gi"}}}, resize_policy=True)["containers"][0]
    assert container["resizePolicy"] == [{"resourceName": "memory", "restartPolicy": "NotRequired"}]


def test_host_port_is_the_container_port_when_the_pod_uses_the_host_network() -> None:
    assert filled({"ports": [{"containerPort": 80}]}, hostNetwork=True)["containers"][0]["ports"] == [
        {"containerPort": 80, "protocol": "TCP", "hostPort": 80}
    ]


def test_volume_without_source_is_an_empty_dir_and_modes_are_set() -> None:
    sent = [{"name": "e"}, {"name": "c", "configMap": {"name": "x"}}, {"name": "h", "hostPath": {"path": "/x"}}]
    assert filled(volumes=sent)["volumes"] == [
        {"name": "e", "emptyDir": {}},
        {"name": "c", "configMap": {"name": "x", "defaultMode": 420}},
        {"name": "h", "hostPath": {"path": "/x", "type": ""}},
    ]


def test_admission_mounts_the_token_read_only() -> None:
    spec = admitted()
    assert spec["volumes"][-1] == {"name": "default-token-x", "secret": {"secretName": "default-token-x", "defaultMode": 420}}
    assert spec["containers"][0]["volumeMounts"] == [
        {"name": "default-token-x", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": True}
    ]


def test_admission_mounts_no_token_when_it_is_switched_off() -> None:
    assert "volumes" not in admitted(automountServiceAccountToken=False)


def test_token_is_projected_when_it_is_bound() -> None:
    sources = token_volume("kube-api-access-x", bound=True)["projected"]["sources"]
    assert sources[0] == {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}


def test_admission_adds_two_tolerations_unless_the_pod_has_its_own() -> None:
    own = {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}
    tolerations = admitted(tolerations=[own])["tolerations"]
    assert tolerations[0] == own and [item["key"] for item in tolerations[1:]] == ["node.kubernetes.io/unreachable"]


def test_admission_adds_no_toleration_when_everything_is_tolerated() -> None:
    assert admitted(tolerations=[{"operator": "Exists"}])["tolerations"] == [{"operator": "Exists"}]


def shown(container: dict[str, Any] | None = None, *, minor: int = 37, **spec: Any) -> dict[str, Any]:
    containers = [{"name": "app", "image": "busybox:1.28", **(container or {})}]
    document: dict[str, Any] = default_pod_document({"spec": {"containers": containers, **spec}}, release=Release(minor))["spec"]
    return document


def test_document_that_was_sent_stays_as_it_is() -> None:
    sent: dict[str, Any] = {"spec": {"containers": [{"name": "app", "image": "app"}]}}
    default_pod_document(sent, release=Release(37))
    assert sent == {"spec": {"containers": [{"name": "app", "image": "app"}]}}


def test_defaults_of_a_pod_with_defaults_change_nothing() -> None:
    once = default_pod_document({"spec": shown({"resources": {"limits": {"cpu": "1"}}})}, release=Release(37))
    assert default_pod_document(once, release=Release(37)) == once


def test_quantity_finer_than_a_thousandth_is_rounded_up() -> None:
    assert shown({"resources": {"requests": {"memory": "1n"}}})["containers"][0]["resources"] == {"requests": {"memory": "1m"}}


def test_ephemeral_container_gets_no_requests_and_no_host_ports() -> None:
    debugger = {"name": "d", "image": "d", "resources": {"limits": {"cpu": "1"}}, "ports": [{"containerPort": 80}]}
    (filled_in,) = shown(hostNetwork=True, ephemeralContainers=[debugger])["ephemeralContainers"]
    assert (filled_in["resources"], filled_in["ports"]) == ({"limits": {"cpu": "1"}}, [{"containerPort": 80, "protocol": "TCP"}])


@pytest.mark.parametrize(("minor", "known"), [(32, False), (33, True)])
def test_resize_policy_comes_with_the_version(minor: int, known: bool) -> None:
    assert ("resizePolicy" in shown({"resources": {"limits": {"cpu": "1"}}}, minor=minor)["containers"][0]) is known


@pytest.mark.parametrize(("minor", "policy"), [(30, {}), (31, {"pullPolicy": "Always"})])
def test_volume_of_an_image_gets_a_pull_policy(minor: int, policy: dict[str, str]) -> None:
    volume = {"name": "v", "image": {"reference": "model:latest"}}
    assert shown(volumes=[volume], minor=minor)["volumes"] == [{"name": "v", "image": {"reference": "model:latest", **policy}}]


def test_projected_token_lasts_an_hour() -> None:
    volume = {"name": "v", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}}
    assert shown(volumes=[volume])["volumes"][0]["projected"]["sources"] == [
        {"serviceAccountToken": {"path": "t", "expirationSeconds": 3600}}
    ]


def test_requests_of_the_pod_are_those_of_its_containers_or_its_limits() -> None:
    container = {"resources": {"requests": {"cpu": "100m"}}}
    resources = shown(container, resources={"limits": {"cpu": "1", "memory": "1Gi"}})["resources"]
    assert resources["requests"] == {"cpu": "100m", "memory": "1Gi"}


def test_pod_level_resources_are_left_alone_before_1_34() -> None:
    assert shown(resources={"limits": {"cpu": "1"}}, minor=33)["resources"] == {"limits": {"cpu": "1"}}


def template(container: dict[str, Any], *, minor: int = 37, **spec: Any) -> dict[str, Any]:
    sent = {"spec": {"containers": [{"name": "app", "image": "app", **container}], **spec}}
    found: dict[str, Any] = default_template_document(sent, release=Release(minor))["spec"]
    return found


def test_template_has_neither_service_links_nor_requests_from_limits() -> None:
    spec = template({"resources": {"limits": {"cpu": "1"}}})
    assert "enableServiceLinks" not in spec and spec["containers"][0]["resources"] == {"limits": {"cpu": "1"}}


@pytest.mark.parametrize(("minor", "host_port"), [(27, {"hostPort": 80}), (28, {})])
def test_template_gets_host_ports_until_1_27(minor: int, host_port: dict[str, int]) -> None:
    ports = template({"ports": [{"containerPort": 80}]}, minor=minor, hostNetwork=True)["containers"][0]["ports"]
    assert ports == [{"containerPort": 80, "protocol": "TCP", **host_port}]


def test_priority_is_the_number_behind_the_class() -> None:
    spec = admitted(priorityClassName="system-node-critical")
    assert (spec["priority"], spec["preemptionPolicy"]) == (2_000_001_000, "PreemptLowerPriority")


def test_account_stands_under_both_of_its_names() -> None:
    spec = admitted(serviceAccount="robot")
    assert (spec["serviceAccountName"], spec["serviceAccount"]) == ("robot", "robot")


def test_null_among_the_items_of_a_list_is_an_empty_item() -> None:
    spec = default_pod_document({"spec": {"containers": [None], "volumes": [None]}}, release=Release(37))["spec"]
    assert spec["containers"][0]["terminationMessagePolicy"] == "File" and spec["volumes"] == [{"emptyDir": {}}]


def test_empty_text_is_filled_in_like_a_missing_one() -> None:
    variable = {"name": "A", "valueFrom": {"fieldRef": {"apiVersion": "", "fieldPath": "metadata.name"}}}
    spec = filled(
        {"ports": [{"containerPort": 80, "protocol": ""}], "env": [variable]},
        volumes=[{"name": "r", "rbd": {"pool": ""}}, {"name": "e", "emptyDir": None}, {"name": "a", "azureDisk": {"cachingMode": ""}}],
    )
    (app,) = spec["containers"]
    assert (app["ports"][0]["protocol"], app["env"][0]["valueFrom"]["fieldRef"]["apiVersion"]) == ("TCP", "v1")
    assert [spec["volumes"][0]["rbd"]["pool"], spec["volumes"][1]["emptyDir"], spec["volumes"][2]["azureDisk"]["cachingMode"]] == [
        "rbd",
        {},
        "",
    ]
