"""Defaults of a document: what a server stores for what was sent."""

from typing import Any

from simulator.engine.views.defaults import admit, fill_spec, token_volume


def filled(container: dict[str, Any] | None = None, *, resize_policy: bool = False, **spec: Any) -> dict[str, Any]:
    document = {"containers": [{"name": "app", "image": "busybox:1.28", **(container or {})}], **spec}
    fill_spec(document, resize_policy=resize_policy)
    return document


def admitted(**spec: Any) -> dict[str, Any]:
    document = filled(**spec)
    admit(document, token_volume("default-token-x", bound=False))
    return document


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
