"""The hash of a pod template equals that of real controllers: templates with hashes from real clusters."""

import gzip
import json
from importlib.resources import files
from typing import Any

import pytest

from simulator.engine.workloads.hashing import template_hash
from simulator.engine.workloads.template_dump import template_dump
from simulator.engine.workloads.template_types import TEMPLATE_STRUCTS, template_fields

SLEEPS = ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 1 & wait $!; done"]
WRITTEN = {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File", "imagePullPolicy": "IfNotPresent"}
NGINX = {
    20: "66b6c48dd5", 21: "66b6c48dd5", 22: "66b6c48dd5", 23: "9456bbbf9", 24: "6595874d85", 25: "7fb96c846b", 30: "77d8468669",
    32: "647677fc66", 33: "647677fc66", 34: "bf744486c", 35: "77bc6bd484",
}  # fmt: skip
"""By minor version: the ReplicaSet of the first Deployment in the Kubernetes documentation, with nginx:1.14.2."""
OLD_IMAGE, NEW_IMAGE = "k8s.gcr.io/coredns", "registry.k8s.io/coredns/coredns"
COREDNS = {
    20: (f"{OLD_IMAGE}:1.7.0", "74ff55c5b"),
    21: (f"{OLD_IMAGE}/coredns:v1.8.0", "558bd4d5db"),
    22: (f"{OLD_IMAGE}/coredns:v1.8.4", "78fcd69978"),
    23: (f"{OLD_IMAGE}/coredns:v1.8.6", "64897985d"),
    24: (f"{OLD_IMAGE}/coredns:v1.8.6", "6d4b75cb6d"),
    25: (f"{NEW_IMAGE}:v1.9.3", "565d847f94"),
    26: (f"{NEW_IMAGE}:v1.9.3", "787d4945fb"),
    27: (f"{NEW_IMAGE}:v1.10.1", "5d78c9869d"),
    28: (f"{NEW_IMAGE}:v1.10.1", "5dd5756b68"),
    29: (f"{NEW_IMAGE}:v1.11.1", "76f75df574"),
    30: (f"{NEW_IMAGE}:v1.11.1", "7db6d8ff4d"),
    31: (f"{NEW_IMAGE}:v1.11.1", "6f6b679f8f"),
    32: (f"{NEW_IMAGE}:v1.11.3", "668d6bf9bc"),
    33: (f"{NEW_IMAGE}:v1.12.0", "674b8bbfcf"),
    34: (f"{NEW_IMAGE}:v1.12.1", "66bc5c9577"),
    35: (f"{NEW_IMAGE}:v1.13.1", "7d764666f9"),
}
"""By minor version: the cluster DNS that kubeadm installs, and the ReplicaSet that every such cluster has."""


def template(label: dict[str, str], container: dict[str, Any], **spec: Any) -> dict[str, Any]:
    written = {
        "restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst", "securityContext": {},
        "schedulerName": "default-scheduler",
    }  # fmt: skip
    containers = [{"resources": {}, **WRITTEN, **container}]
    return {"metadata": {"creationTimestamp": None, "labels": label}, "spec": {**written, "containers": containers, **spec}}


def nginx(image: str) -> dict[str, Any]:
    ports = [{"containerPort": 80, "protocol": "TCP"}]
    return template({"app": "nginx"}, {"name": "nginx", "image": image, "ports": ports})


def coredns(image: str, minor: int) -> dict[str, Any]:
    named = minor >= 34
    ports = [("dns", 53, "UDP"), ("dns-tcp", 53, "TCP"), ("metrics", 9153, "TCP")]
    ports += [("liveness-probe", 8080, "TCP"), ("readiness-probe", 8181, "TCP")] if named else []
    probe = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
    alive = {"path": "/health", "port": "liveness-probe" if named else 8080, "scheme": "HTTP"}
    ready = {"path": "/ready", "port": "readiness-probe" if named else 8181, "scheme": "HTTP"}
    container = {
        "name": "coredns",
        "image": image,
        "args": ["-conf", "/etc/coredns/Corefile"],
        "resources": {"limits": {"memory": "170Mi"}, "requests": {"memory": "70Mi", "cpu": "100m"}},
        "volumeMounts": [{"name": "config-volume", "mountPath": "/etc/coredns", "readOnly": True}],
        "ports": [{"name": name, "containerPort": port, "protocol": protocol} for name, port, protocol in ports],
        "livenessProbe": {**probe, "httpGet": alive, "initialDelaySeconds": 60, "timeoutSeconds": 5, "failureThreshold": 5},
        "readinessProbe": {**probe, "httpGet": ready},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"add": ["NET_BIND_SERVICE"], "drop": ["ALL" if minor >= 29 else "all"]},
            "readOnlyRootFilesystem": True,
        },
    }
    roles = ("master", "control-plane") if minor <= 25 else ("control-plane",)
    return template({"k8s-app": "kube-dns"}, container, **_coredns_spec(roles, spread=minor >= 25))


def _coredns_spec(roles: tuple[str, ...], *, spread: bool) -> dict[str, Any]:
    selector = {"matchExpressions": [{"key": "k8s-app", "operator": "In", "values": ["kube-dns"]}]}
    term = {"labelSelector": selector, "topologyKey": "kubernetes.io/hostname"}
    soft = "preferredDuringSchedulingIgnoredDuringExecution"
    return {
        "dnsPolicy": "Default",
        "serviceAccountName": "coredns",
        "priorityClassName": "system-cluster-critical",
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "tolerations": [
            {"key": "CriticalAddonsOnly", "operator": "Exists"},
            *({"key": f"node-role.kubernetes.io/{role}", "effect": "NoSchedule"} for role in roles),
        ],
        "volumes": [
            {
                "name": "config-volume",
                "configMap": {"name": "coredns", "items": [{"key": "Corefile", "path": "Corefile"}], "defaultMode": 420},
            }
        ],
        **({"affinity": {"podAntiAffinity": {soft: [{"weight": 100, "podAffinityTerm": term}]}}} if spread else {}),
    }


def test_deployment_of_a_recorded_cluster_has_its_hash() -> None:
    probe = {
        "exec": {"command": ["sh", "-c", "true"]}, "initialDelaySeconds": 5, "timeoutSeconds": 1, "periodSeconds": 5,
        "successThreshold": 1, "failureThreshold": 3,
    }  # fmt: skip
    spec = {
        "terminationGracePeriodSeconds": 5,
        "nodeSelector": {"kubernetes.io/hostname": "node2"},
        "tolerations": [{"key": "dedicated", "operator": "Equal", "value": "node2", "effect": "NoSchedule"}],
    }
    found = template({"app": "web"}, {"name": "app", "image": "busybox:1.28", "command": SLEEPS, "readinessProbe": probe}, **spec)
    assert template_hash(found, None, 20) == "59f5dc5867"


def test_daemon_set_of_a_recorded_cluster_has_its_hash() -> None:
    spec = {"terminationGracePeriodSeconds": 3, "nodeSelector": {"kubernetes.io/hostname": "node1"}}
    found = template({"app": "ds"}, {"name": "app", "image": "busybox:1.28", "command": SLEEPS}, **spec)
    assert template_hash(found, None, 20) == "5b65446c4c"


@pytest.mark.parametrize("minor", NGINX)
def test_documented_deployment_has_the_hash_that_clusters_show(minor: int) -> None:
    assert template_hash(nginx("nginx:1.14.2"), None, minor) == NGINX[minor]


@pytest.mark.parametrize(("minor", "hashed"), [(22, "559d658b74"), (23, "ff6655784")])
def test_documented_update_has_the_hash_that_clusters_show(minor: int, hashed: str) -> None:
    assert template_hash(nginx("nginx:1.16.1"), None, minor) == hashed


@pytest.mark.parametrize("minor", COREDNS)
def test_cluster_dns_has_the_hash_that_clusters_show(minor: int) -> None:
    image, hashed = COREDNS[minor]
    assert template_hash(coredns(image, minor), None, minor) == hashed


def test_order_of_keys_does_not_matter() -> None:
    found = coredns("coredns:1", 30)
    turned = json.loads(json.dumps(found), object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    assert list(turned["spec"]) != list(found["spec"])
    assert template_hash(turned, None, 30) == template_hash(found, None, 30)


def test_empty_lists_and_maps_are_none() -> None:
    found = nginx("nginx")
    found["spec"] |= {"tolerations": [], "nodeSelector": {}}
    assert template_hash(found, None, 30) == template_hash(nginx("nginx"), None, 30)


def test_collisions_change_the_hash() -> None:
    assert len({template_hash(nginx("nginx"), collisions, 30) for collisions in (None, 0, 1, 2)}) == 4


@pytest.mark.parametrize(
    ("quantity", "shown"),
    [
        ("100m", "value:(int64)100 scale:(resource.Scale)-3} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)100m "),
        ("64Mi", "value:(int64)67108864 scale:(resource.Scale)0} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string) "),
        ("70Mi", "value:(int64)73400320 scale:(resource.Scale)0} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)70Mi "),
    ],
)
def test_quantity_keeps_its_text_where_it_is_seen_to_be_canonical(quantity: str, shown: str) -> None:
    found = nginx("nginx")
    found["spec"]["containers"][0]["resources"] = {"limits": {"memory": quantity}}
    assert shown in template_dump(found, 30)


def _official(minor: int) -> dict[str, dict[str, Any]]:
    data = json.loads(gzip.decompress(files("simulator.schemas").joinpath("schemas.json.gz").read_bytes()))
    return {name.split(".")[-1]: data["definitions"][place] for name, place in data["versions"][f"1.{minor}"]["definitions"].items()}


@pytest.mark.parametrize("minor", range(25, 38))
def test_fields_are_those_of_the_official_schema(minor: int) -> None:
    official = _official(minor)
    for name in TEMPLATE_STRUCTS:
        schema = official.get(name.removeprefix("v1."))
        if schema is not None:
            assert _names(name, minor) == _properties(schema), (name, minor)


def _names(name: str, minor: int) -> set[str]:
    """Names in JSON; for embedded structs the names of their fields."""
    found: set[str] = set()
    for field in template_fields(name, minor) or ():
        embedded = field.name == field.type.split(".")[-1] and field.name in ("VolumeSource", "ProbeHandler", "LocalObjectReference")
        renamed = "serviceAccount" if field.name == "DeprecatedServiceAccount" else field.json
        found |= _names(field.type, minor) if embedded else {renamed}
    return found


def _properties(schema: dict[str, Any]) -> set[str]:
    return set(schema.get("properties") or {})
