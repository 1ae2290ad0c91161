"""Random pods and acts for whole runs of any version: what ``manage.py bench fuzz --runs`` plays. Equal numbers give equal runs."""

import json
from collections.abc import Callable
from random import Random
from typing import Any, get_args

import msgspec
from msgspec import Struct

from simulator.engine import ClusterSpec, ImageSpec, NodeSpec, RunHeader, Stamped
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.kernel.json_text import Json
from simulator.engine.versions import MINORS

NODES = ("node1", "node2")
PODS = ("a", "b", "c")
IMAGES = ("busybox:1.36", "nginx:1.27", "nosuch/app:1")
LAST_ACT_MS = 180_000

_SCRIPTS = (
    "sleep 3600", "sleep 3600", "sleep 3600", "sleep 3600", "sleep 3; exit 0", "sleep 5; exit 1", "exit 1", "exit 0",
    "touch /tmp/ok; sleep 20; rm /tmp/ok; sleep 600",
    "trap 'sleep 2; exit 0' TERM; while true; do sleep 1; done", "trap '' TERM; sleep 3600", "sleep 40; exit 42", "kill -9 $$",
    "no-such-program", "cat /etc/hostname; sleep 30", "while true; do echo x; sleep 7; done",
)  # fmt: skip
_PROBES: tuple[dict[str, Any], ...] = (
    {"exec": {"command": ["sleep", "0.3"]}}, {"exec": {"command": ["false"]}}, {"exec": {"command": ["cat", "/tmp/ok"]}},
    {"tcpSocket": {"port": 80}}, {"httpGet": {"path": "/", "port": 80}}, {"exec": {"command": ["sleep", "3"]}, "timeoutSeconds": 1},
)  # fmt: skip
_HOOKS: tuple[dict[str, Any], ...] = (
    {"exec": {"command": ["sh", "-c", "sleep 2"]}}, {"exec": {"command": ["sh", "-c", "exit 1"]}}, {"exec": {"command": ["sleep", "50"]}},
    {"httpGet": {"path": "/", "port": 80}},
)  # fmt: skip
_VOLUMES: tuple[dict[str, Any], ...] = (
    {"name": "v", "emptyDir": {}}, {"name": "v", "emptyDir": {"sizeLimit": "1Mi"}}, {"name": "v", "configMap": {"name": "c"}},
    {"name": "v", "configMap": {"name": "none"}}, {"name": "v", "secret": {"secretName": "none", "optional": True}},
    {"name": "v", "persistentVolumeClaim": {"claimName": "claim"}},
)  # fmt: skip
_TOLERATIONS = (
    {"operator": "Exists"}, {"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 10},
    {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 20},
)  # fmt: skip
_OBJECTS: tuple[Json, ...] = (
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"k": "v"}},
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "held", "finalizers": ["a.b/c"]}},
    {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "budget"},
     "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "x"}}}},
    {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"selector": {"app": "x"}, "ports": [{"port": 80}]}},
    {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}},
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}},
)  # fmt: skip
_PATCHES: tuple[Json, ...] = (
    {"metadata": {"labels": {"app": "y"}}}, {"metadata": {"finalizers": ["a.b/c"]}}, {"metadata": {"finalizers": None}},
    {"spec": {"activeDeadlineSeconds": 20}},
    {"spec": {"containers": [{"name": "app", "image": "nginx:1.27"}]}}, {"spec": {"tolerations": []}},
    {"metadata": {"annotations": {"a/b": "c"}}}, {"spec": 5}, {"spec": {"minAvailable": 2}},
)  # fmt: skip


_EMPTY: dict[Any, Any] = {str: "", int: 0}
_RARELY = frozenset({"DeletePods", "DeleteNode", "DeleteNamespace", "ShutdownNode", "DrainNode"})
"""Acts after which little is left to act on."""


class Aim(Struct, frozen=True):
    """The existing objects to act on."""

    dice: Random
    pods: tuple[str, ...]
    nodes: tuple[str, ...]


def random_run(number: int) -> tuple[RunHeader, tuple[Stamped, ...]]:
    """The run of that number: one to three pods on one or two nodes of some version, and up to eight acts in the first three minutes."""
    dice = Random(f"run {number}")
    nodes = NODES[: dice.choice((1, 1, 2))]
    images = tuple(ImageSpec(name=name, present=dice.random() < 0.5) for name in IMAGES[:2])
    pods = PODS[: dice.randint(1, 3)]
    header = RunHeader(
        kubernetes=dice.choice(MINORS),
        jitter=dice.random() < 0.5,
        seed=dice.randrange(1000),
        cluster=ClusterSpec(nodes=tuple(NodeSpec(name=name) for name in nodes), images=images, unlisted_images="missing"),
        manifests=tuple(json.dumps(_pod(dice, name)) for name in pods)
        + tuple(json.dumps(item) for item in _OBJECTS if dice.random() < 0.3),
    )
    moments = sorted(dice.randrange(LAST_ACT_MS) for _ in range(dice.randint(0, 10)))
    aim = Aim(dice, pods, nodes)
    return header, tuple(Stamped(at_ms, n, _act(aim)) for n, at_ms in enumerate(moments, 1))


def _pod(dice: Random, name: str) -> Json:
    """A more or less sensible Pod."""
    names = ("app", "side")[: dice.choice((1, 1, 2))]
    spec: dict[str, Any] = {"containers": [_container(dice, item) for item in names]}
    if dice.random() < 0.3:
        spec["initContainers"] = [_init(dice, item) for item in ("init", "init2")[: dice.choice((1, 2))]]
    if dice.random() < 0.4:
        spec["volumes"] = [dice.choices(_VOLUMES, (6, 3, 3, 1, 3, 1))[0]]
        spec["containers"][0]["volumeMounts"] = [{"name": "v", "mountPath": "/data"}]
    rarely: dict[str, tuple[Any, ...]] = {
        "restartPolicy": ("Always", "Never", "OnFailure"),
        "terminationGracePeriodSeconds": (0, 1, 5, 45),
        "activeDeadlineSeconds": (3, 30),
        "tolerations": ([dice.choice(_TOLERATIONS)],),
        "hostNetwork": (True,),
        "shareProcessNamespace": (True,),
        "nodeName": NODES,
        "nodeSelector": ({"disk": "ssd"},),
        "priorityClassName": ("system-node-critical",),
        "schedulingGates": ([{"name": "a.b/gate"}],),
        "readinessGates": ([{"conditionType": "a.b/ready"}],),
    }
    for field, choices in rarely.items():
        if dice.random() < (0.5 if field in ("restartPolicy", "terminationGracePeriodSeconds") else 0.04):
            spec[field] = dice.choice(choices)
    metadata = {"name": name, "labels": {"app": "x"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _container(dice: Random, name: str) -> dict[str, Any]:
    container: dict[str, Any] = {"name": name, "image": dice.choices(IMAGES, (16, 6, 1))[0]}
    if not container["image"].startswith("nginx") or dice.random() < 0.2:
        container["command"] = ["sh", "-c", dice.choice(_SCRIPTS)]
    for field in ("livenessProbe", "readinessProbe", "startupProbe"):
        if dice.random() < 0.25:
            container[field] = {**dice.choice(_PROBES), "periodSeconds": dice.choice((1, 3, 10)), "failureThreshold": dice.choice((1, 3))}
    hooks = {hook: dice.choice(_HOOKS) for hook in ("postStart", "preStop") if dice.random() < 0.15}
    if hooks:
        container["lifecycle"] = hooks
    if dice.random() < 0.3:
        limits = {"cpu": dice.choices(("100m", "500m", "9"), (8, 8, 1))[0], "memory": dice.choice(("64Mi", "1Gi"))}
        container["resources"] = dice.choice(({"limits": limits}, {"requests": limits}))
    if dice.random() < 0.1:
        container["env"] = [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": dice.choices(("c", "none"), (5, 1))[0], "key": "k"}}}]
    return container


def _init(dice: Random, name: str) -> dict[str, Any]:
    container = _container(dice, name)
    for field in ("livenessProbe", "readinessProbe", "startupProbe", "lifecycle"):
        container.pop(field, None)
    if dice.random() < 0.3:
        return {**container, "restartPolicy": "Always"}
    return {**container, "image": IMAGES[0], "command": ["sh", "-c", dice.choice(("sleep 2", "exit 0", "sleep 4", "exit 1"))]}


def _act(aim: Aim) -> AnyCommand:
    """An act of any kind, so that new acts are covered automatically; one in twelve is aimed at something that does not exist."""
    dice = aim.dice
    if dice.random() < 1 / 12:
        aim = Aim(dice, ("none",), ("none",))
    kinds = get_args(AnyCommand)
    command = dice.choices(kinds, [0.3 if kind.__name__ in _RARELY else 1 for kind in kinds])[0]
    fields = msgspec.structs.fields(command)
    known = _OF_ACTS.get(command.__name__, _of_any)(aim)
    given = {field.name: _value(dice, known, field) for field in fields if field.required or dice.random() < 0.6}
    made: AnyCommand = command(**given)
    return made


def _value(dice: Random, known: dict[str, tuple[Any, ...]], field: msgspec.structs.FieldInfo) -> Any:
    """A typical value for a field of that name; one of its type if none are known."""
    if field.name in known:
        return dice.choice(known[field.name])
    if field.type is bool:
        return dice.random() < 0.2
    return _EMPTY.get(field.type, ()) if field.required else field.default


def _of_any(aim: Aim) -> dict[str, tuple[Any, ...]]:
    """Values by field name, whatever the act."""
    document = aim.dice.choice((*_OBJECTS, _pod(aim.dice, aim.dice.choice(PODS))))
    return {
        "target": tuple(f"default/{name}" for name in aim.pods),
        "container": ("app", "app", "app", "side", "init"),
        "target_container": ("", "app"),
        "node": aim.nodes,
        "grace_s": (None, 0, 1, 5, 40),
        "critical_s": (None, 0, 5),
        "timeout_s": (0, 10),
        "exit_code": (0, 1, 42, 137),
        "signal": (9, 15),
        "available": (True, False),
        "probe": ("liveness", "readiness", "startup"),
        "outcome": (None, "success", "failure", "timeout"),
        "attempts": (0, 1, 3),
        "image": IMAGES,
        "command": (("sh", "-c", "sleep 5; exit 3"), ("true",), ("kill", "1")),
        "kubelet": ("", "stop", "kill", "start", "start"),
        "runtime": ("", "stop", "start", "start"),
        "network_plugin": ("", "missing", "present"),
        "add": ((), ("k=v:NoExecute",), ("k:NoSchedule",)),
        "remove": ((), ("k",)),
        "labels": ({"disk": "ssd"}, {"disk": None}),
        "selector": ("", "app=x"),
        "requests": ({"cpu": "200m"}, {"memory": "128Mi"}, {"cpu": "99"}),
        "limits": ({}, {"cpu": "1"}, {"memory": "64Mi"}),
        "documents": ((json.dumps(document),),),
        "document": (json.dumps(document),),
        "patch": tuple(json.dumps(patch) for patch in _PATCHES),
        "patch_kind": ("strategic", "merge"),
        "kind": ("Pod",),
        "name": aim.pods,
        "namespace": ("default",),
        "propagation": ("", "Foreground", "Orphan", "Background"),
        "uid": ("",),
        "resource_version": ("",),
        "eviction": ("",),
        "subresource": ("",),
        "pod_selector": ("",),
        "gate": ("", "a.b/gate"),
    }


def _of_object(aim: Aim) -> dict[str, tuple[Any, ...]]:
    """An object of another kind, half of the time."""
    if aim.dice.random() < 0.5:
        return _of_any(aim)
    document: Json = aim.dice.choice(_OBJECTS)
    return {
        **_of_any(aim),
        "kind": (document["kind"],),
        "name": (document["metadata"]["name"],),
        "document": (json.dumps({**document, "data": {"k": "w"}}),),
        "selector": ("",),
    }


def _of_static_pod(aim: Aim) -> dict[str, tuple[Any, ...]]:
    return {**_of_any(aim), "document": (json.dumps(_pod(aim.dice, "static")), ""), "remove": ("", "", "static")}


_OF_ACTS: dict[str, Callable[[Aim], dict[str, tuple[Any, ...]]]] = {
    "PatchObject": _of_object,
    "ReplaceObject": _of_object,
    "DeleteObject": _of_object,
    "PlaceStaticPod": _of_static_pod,
    "PatchPod": lambda aim: {**_of_any(aim), "kind": ("strategic", "merge")},
    "DeletePods": lambda aim: {**_of_any(aim), "selector": ({"app": "x"}, {})},
    "DeleteNamespace": lambda aim: {**_of_any(aim), "name": ("other", "none")},
    "SetNodePressure": lambda aim: {
        **_of_any(aim),
        "signal": ("memory.available", "nodefs.available", "pid.available"),
        "available": (None, "1Mi", "5%", "90%"),
    },
}
"""Acts in which a field means something else than in the others."""
