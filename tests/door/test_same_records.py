"""The same script by kubectl through the API and in the run's kubectl tab produces the same records."""

import json
from typing import Any

import pytest

from simulator.door.answering import written_to
from simulator.door.exchange import DoorRequest
from simulator.door.scene import DoorScene
from simulator.door.writing import tried
from simulator.engine import RunHeader, advance, apply, new_world
from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.workloads.rollout import PauseRollout, RestartRollout
from simulator.engine.kernel.command import Command
from simulator.engine.world.world import World
from simulator.kubectl.acting.meant import meant_by
from simulator.kubectl.acting.verbs import action_of
from tests.factories import pod_json

STRATEGIC, MERGE, JSON_PATCH = (f"application/{kind}+json" for kind in ("strategic-merge-patch", "merge-patch", "json-patch"))
NAME = next(iter(new_world(RunHeader(kubernetes="1.30", manifests=(pod_json("a"),))).tables.nodes))
NODE, DEPLOYMENT, POD = f"/api/v1/nodes/{NAME}", "/apis/apps/v1/namespaces/default/deployments/web", "/api/v1/namespaces/default/pods/a"
LOAD = "/api/v1/namespaces/default/services/web"
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "nginx:1.27"}]}}
OBJECTS = (
    {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE},
    },
    {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
    },
)


@pytest.fixture(scope="module")
def before() -> World:
    """A Deployment with a Service and a pod, after a minute."""
    header = RunHeader(kubernetes="1.30", manifests=(pod_json("a"), *map(json.dumps, OBJECTS)))
    world = new_world(header)
    advance(world, until_ms=60_000)
    return world


def given(world: World, *commands: Command) -> World:
    """The world a while after these commands."""
    world = world.fork()
    for command in commands:
        records = apply(world, command)
        assert next(record for record in records if record.kind == "command").target == "accepted", records
    advance(world, until_ms=world.now_ms + 30_000)
    return world


def by_tab(world: World, line: str) -> World:
    """The result of a line in the run's kubectl tab."""
    return given(world, *(step.command for step in action_of(world, line, now_ms=world.now_ms).steps))


def by_door(world: World, method: str, path: str, body: Any, content_type: str) -> World:
    """The result of a client's request."""
    headers = {"content-type": content_type}
    asked = DoorRequest(method=method, path=path, headers=headers, body=json.dumps(body).encode() if body is not None else b"")
    scene = DoorScene(world=world, now_ms=world.now_ms, wall_ms=1_800_000_000_000, may_write=True)
    place, resource = written_to(asked, scene)
    return given(world, tried(asked, place, resource, scene)[0].command)


def template(spec: Any) -> Any:
    return {"spec": {"template": {"spec": spec}}}


ORDER = {"$setElementOrder/containers": [{"name": "app"}]}
ENV = {**ORDER, "containers": [{"$setElementOrder/env": [{"name": "A"}], "env": [{"name": "A", "value": "1"}], "name": "app"}]}
WAYS = {
    "cordon": (f"cordon {NAME}", "PATCH", NODE, {"spec": {"unschedulable": True}}, STRATEGIC),
    "taint": (
        f"taint nodes {NAME} a=b:NoSchedule", "PATCH", NODE,
        {"spec": {"$setElementOrder/taints": [{"key": "a"}], "taints": [{"effect": "NoSchedule", "key": "a", "value": "b"}]}}, STRATEGIC,
    ),
    "label a node": (f"label nodes {NAME} disk=ssd", "PATCH", NODE, {"metadata": {"labels": {"disk": "ssd"}}}, MERGE),
    "label a pod": ("label pod a tier=x", "PATCH", POD, {"metadata": {"labels": {"tier": "x"}}}, MERGE),
    "annotate": ("annotate deployment web a=b", "PATCH", DEPLOYMENT, {"metadata": {"annotations": {"a": "b"}}}, MERGE),
    "load": (
        "annotate service web podscope.dev/load=rate=5", "PATCH", LOAD,
        {"metadata": {"annotations": {"podscope.dev/load": "rate=5"}}}, MERGE,
    ),
    "scale": ("scale deployment web --replicas=3", "PATCH", f"{DEPLOYMENT}/scale", {"spec": {"replicas": 3}}, MERGE),
    "scale of 1.20": (
        "scale deployment web --replicas=3", "PUT", f"{DEPLOYMENT}/scale",
        {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": {"name": "web"}, "spec": {"replicas": 3}}, "application/json",
    ),
    "set image": (
        "set image deployment/web app=nginx:1.28", "PATCH", DEPLOYMENT,
        template({**ORDER, "containers": [{"image": "nginx:1.28", "name": "app"}]}), STRATEGIC,
    ),
    "set image of a pod": (
        "set image pod/a app=nginx:1.28", "PATCH", POD,
        {"spec": {**ORDER, "containers": [{"image": "nginx:1.28", "name": "app"}]}}, STRATEGIC,
    ),
    "set env": ("set env deployment/web A=1", "PATCH", DEPLOYMENT, template(ENV), STRATEGIC),
    "rollout restart": (
        "rollout restart deployment/web", "PATCH", DEPLOYMENT,
        {"spec": {"template": {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "2026-11-28T00:00:00Z"}}}}}, STRATEGIC,
    ),
    "rollout pause": ("rollout pause deployment/web", "PATCH", DEPLOYMENT, {"spec": {"paused": True}}, STRATEGIC),
    "delete": ("delete pod a", "DELETE", POD, {"propagationPolicy": "Background"}, "application/json"),
    "delete --force": (
        "delete pod a --force", "DELETE", POD, {"gracePeriodSeconds": 0, "propagationPolicy": "Background"}, "application/json",
    ),
    "delete a deployment": ("delete deployment web", "DELETE", DEPLOYMENT, {"propagationPolicy": "Background"}, "application/json"),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_a_line_and_its_request_leave_the_same_records(before: World, way: str) -> None:
    line, method, path, body, content_type = WAYS[way]
    assert by_door(before, method, path, body, content_type).digest() == by_tab(before, line).digest() != given(before).digest()


def test_uncordon_and_resume(before: World) -> None:
    cordoned = by_tab(by_tab(before, f"cordon {NAME}"), "rollout pause deployment/web")
    opened = by_door(cordoned, "PATCH", NODE, {"spec": {"unschedulable": None}}, STRATEGIC)
    resumed = by_door(opened, "PATCH", DEPLOYMENT, {"spec": {"paused": None}}, STRATEGIC)
    assert resumed.digest() == by_tab(by_tab(cordoned, f"uncordon {NAME}"), "rollout resume deployment/web").digest()


def test_taints_go_by_what_is_left_of_them(before: World) -> None:
    tainted = by_tab(before, f"taint nodes {NAME} a=b:NoSchedule c=d:NoExecute")
    patch = {"spec": {"taints": [{"effect": "NoExecute", "key": "c", "value": "d"}]}}
    assert by_door(tainted, "PATCH", NODE, patch, MERGE).digest() == by_tab(tainted, f"taint nodes {NAME} a=b:NoSchedule-").digest()


@pytest.mark.parametrize(("line", "back_to"), [("rollout undo deployment/web", 1), ("rollout undo deployment/web --to-revision=1", 0)])
def test_an_undo_is_known_by_the_revision_whose_template_it_brings(before: World, line: str, back_to: int) -> None:
    images = ["nginx:1.28", "nginx:1.29"][: 2 - back_to]
    rolled = before
    for image in images:
        rolled = by_tab(rolled, f"set image deployment/web app={image}")
    first = json.loads(json.dumps(TEMPLATE))
    sets = [row for (kind, _, _), row in rolled.tables.objects.items() if kind == "ReplicaSet"]
    assert len(sets) == len(images) + 1
    kept = next(each for each in _templates(rolled) if each["spec"]["containers"][0]["image"] == first["spec"]["containers"][0]["image"])
    patch = [{"op": "replace", "path": "/spec/template", "value": kept}, {"op": "replace", "path": "/metadata/annotations", "value": {}}]
    assert by_door(rolled, "PATCH", DEPLOYMENT, patch, JSON_PATCH).digest() == by_tab(rolled, line).digest()


def _templates(world: World) -> list[Any]:
    """The templates of the Deployment's ReplicaSets as kubectl rolls back to them: without the hash."""
    found = []
    for (kind, _, _), row in world.tables.objects.items():
        if kind == "ReplicaSet":
            whole = json.loads(row.document)["spec"]["template"]
            whole["metadata"]["labels"].pop("pod-template-hash", None)
            found.append(whole)
    return found


PATCHES = [
    ("Node", {"spec": {"unschedulable": True, "podCIDR": "x"}}),
    ("Node", {"spec": {"unschedulable": "yes"}}),
    ("Deployment", {"spec": {"paused": False}}),  # it is not paused
    ("Deployment", {"spec": {"paused": True, "replicas": 3}}),
    ("Deployment", {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "x", "tty": True}]}}}}),
    ("Deployment", {"metadata": {"labels": {"a": "b"}}}),
]


@pytest.mark.parametrize(("kind", "body"), PATCHES)
def test_what_differs_in_anything_stays_a_patch(before: World, kind: str, body: Any) -> None:
    name, namespace = (NAME, "") if kind == "Node" else ("web", "default")
    patch = PatchObject(kind=kind, namespace=namespace, name=name, patch=json.dumps(body), patch_kind="strategic")
    assert meant_by(patch, before) is patch


@pytest.mark.parametrize(
    ("line", "command"),
    [
        (f"""patch node {NAME} -p '{{"spec":{{"unschedulable":true}}}}'""", CordonNode(node=NAME)),
        ("""patch deployment web -p '{"spec":{"paused":true}}'""", PauseRollout(kind="Deployment", namespace="default", name="web")),
    ],
)
def test_the_tab_knows_them_as_well(before: World, line: str, command: Command) -> None:
    assert [step.command for step in action_of(before, line, now_ms=before.now_ms).steps] == [command]


def test_a_restart_of_what_is_paused_stays_a_patch(before: World) -> None:
    paused = by_tab(before, "rollout pause deployment/web")
    restart = {"spec": {"template": {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "x"}}}}}
    patch = PatchObject(kind="Deployment", namespace="default", name="web", patch=json.dumps(restart), patch_kind="strategic")
    assert meant_by(patch, paused) is patch
    assert meant_by(patch, before) == RestartRollout(kind="Deployment", namespace="default", name="web")
