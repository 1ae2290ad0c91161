"""What a preview says of a text of each kind against one cluster: outcome, answer, kubectl's words and effects.

``tests/manifests/golden/previews.txt`` is written by ``make golden``.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from simulator.engine import advance, apply, new_world
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.world.world import World
from simulator.manifests.check.check import check_text
from simulator.manifests.editor.preview import live_object, preview
from tests.factories import make_header, pod_json
from tests.manifests.editor.fixes.test_fixes import DEPLOYMENT, POD, SERVICE
from tests.manifests.editor.preview.test_preview import CONFIG

GOLDEN = Path(__file__).parents[2] / "golden"
BUSY = {"name": "app", "image": "busybox:1.28", "command": ["sleep", "1000"]}
HELD = json.loads(pod_json("held", containers=[BUSY]))
HELD["metadata"]["finalizers"] = ["example.com/hold"]
CLUSTER = (
    pod_json("web", containers=[BUSY]),
    pod_json("gated", schedulingGates=[{"name": "a"}, {"name": "b"}], containers=[BUSY]),
    pod_json("done", restartPolicy="Never", containers=[{**BUSY, "command": ["true"]}]),
    pod_json("nowhere", nodeSelector={"disk": "ssd"}, containers=[BUSY]),
    pod_json("init", initContainers=[{**BUSY, "name": "first", "command": ["true"]}], containers=[BUSY]),
    pod_json("stuck", initContainers=[{**BUSY, "name": "first"}], containers=[BUSY]),
    json.dumps(HELD),
    CONFIG,
    json.dumps(next(iter(yaml.safe_load_all(SERVICE)))),
    json.dumps(yaml.safe_load(DEPLOYMENT)),
)
Edit = Callable[[dict[str, Any]], Any]
EDITS: tuple[tuple[str, str, str, Edit], ...] = (
    ("nothing", "Pod", "web", lambda pod: None),
    ("an image", "Pod", "web", lambda pod: pod["spec"]["containers"][0].update(image="busybox:1.29")),
    ("an image", "Pod", "done", lambda pod: pod["spec"]["containers"][0].update(image="busybox:1.29")),
    ("an image", "Pod", "nowhere", lambda pod: pod["spec"]["containers"][0].update(image="busybox:1.29")),
    ("an image", "Pod", "held", lambda pod: pod["spec"]["containers"][0].update(image="busybox:1.29")),
    ("the image of an init container", "Pod", "init", lambda pod: pod["spec"]["initContainers"][0].update(image="busybox:1.29")),
    ("the image of an init container", "Pod", "stuck", lambda pod: pod["spec"]["initContainers"][0].update(image="busybox:1.29")),
    ("a label", "Pod", "web", lambda pod: pod["metadata"].setdefault("labels", {}).update(app="web")),
    ("no labels", "Pod", "web", lambda pod: pod["metadata"].update(labels={"app": "other"})),
    ("a deadline", "Pod", "web", lambda pod: pod["spec"].update(activeDeadlineSeconds=100)),
    ("a deadline that has passed", "Pod", "web", lambda pod: pod["spec"].update(activeDeadlineSeconds=1)),
    ("a deadline", "Pod", "nowhere", lambda pod: pod["spec"].update(activeDeadlineSeconds=100)),
    ("one gate less", "Pod", "gated", lambda pod: pod["spec"]["schedulingGates"].pop()),
    ("no gates", "Pod", "gated", lambda pod: pod["spec"].pop("schedulingGates")),
    ("a toleration", "Pod", "web", lambda pod: pod["spec"]["tolerations"].append({"key": "a", "operator": "Exists"})),
    ("a toleration", "Pod", "nowhere", lambda pod: pod["spec"]["tolerations"].append({"key": "a", "operator": "Exists"})),
    ("no finalizer", "Pod", "held", lambda pod: pod["metadata"].pop("finalizers")),
    ("an annotation", "Pod", "web", lambda pod: pod["metadata"].setdefault("annotations", {}).update(a="b")),
    ("a behaviour", "Pod", "web", lambda pod: pod["metadata"].setdefault("annotations", {}).update({"podscope.dev/behaviour": "app: {}"})),
    ("resources", "Pod", "web", lambda pod: pod["spec"]["containers"][0].update(resources={"requests": {"cpu": "1"}})),
    ("a command", "Pod", "web", lambda pod: pod["spec"]["containers"][0].update(command=["sleep", "5"])),
    ("a node", "Pod", "web", lambda pod: pod["spec"].update(nodeName="elsewhere")),
    ("data", "ConfigMap", "c", lambda config: config["data"].update(a="2")),
    ("a selector", "Service", "web", lambda service: service["spec"].update(selector={"app": "other"})),
    ("no selector", "Service", "web", lambda service: service["spec"].pop("selector")),
    ("a port", "Service", "web", lambda service: service["spec"]["ports"][0].update(targetPort=81)),
    ("replicas", "Deployment", "web", lambda made: made["spec"].update(replicas=5)),
    ("fewer replicas", "Deployment", "web", lambda made: made["spec"].update(replicas=0)),
    ("a template", "Deployment", "web", lambda made: made["spec"]["template"]["spec"]["containers"][0].update(image="nginx:1.28")),
    ("a selector", "Deployment", "web", lambda made: made["spec"]["selector"]["matchLabels"].update(app="b")),
    ("a taint", "Node", "node1", lambda node: node["spec"].update(taints=[{"key": "a", "effect": "NoExecute"}])),
    ("a cordon", "Node", "node1", lambda node: node["spec"].update(unschedulable=True)),
)  # fmt: skip
BUDGET = (
    "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: {minAvailable: 1, selector: {matchLabels: {app: %s}}}\n"
)
CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: c}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: "busybox:1.28"}]}}}
"""
NEW = {
    "a pod": POD.replace("name: web", "name: new"),
    "a pod with gates": POD.replace("name: web", "name: new").replace("spec:\n", "spec:\n  schedulingGates: [{name: a}]\n"),
    "a pod of a node": POD.replace("name: web", "name: new").replace("spec:\n", "spec:\n  nodeName: node1\n"),
    "a pod of a service": POD.replace("  name: web", "  labels: {app: web}\n  name: new"),
    "a generated name": POD.replace("name: web", "generateName: new-"),
    "an invalid pod": POD.replace("name: web", "name: new").replace("Always", "Sometimes"),
    "an invalid deployment": DEPLOYMENT.replace("spec:\n  selector", "spec:\n  replicas: -1\n  paused: maybe\n  selector"),
    "two errors of a deployment": DEPLOYMENT.replace("spec:\n  selector", "spec:\n  replicas: -1\n  minReadySeconds: -1\n  selector"),
    "an unknown field": POD.replace("image:", "imagge:"),
    "one pod twice": f"{POD}---\n{POD}".replace("name: web", "name: new"),
    "one deployment twice": f"{DEPLOYMENT}---\n{DEPLOYMENT}".replace("metadata: {name: web}", "metadata: {name: new}"),
    "a service": SERVICE.replace("{name: web}", "{name: new}"),
    "a service of nothing": SERVICE.replace("{name: web}", "{name: new}").replace("{app: web}", "{app: none}"),
    "a service without a selector": SERVICE.replace("{name: web}", "{name: new}").replace("selector: {app: web}, ", ""),
    "a budget": BUDGET % "web",
    "a budget of nothing": BUDGET % "none",
    "a config": CONFIG.replace('"c"', '"new"'),
    "a quota": "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {pods: 5}}\n",
    "a priority": "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 10\n",
    "a claim": CLAIM,
    "a namespace that is not there": POD.replace("  name: web", "  namespace: nosuch\n  name: new"),
    "two objects": f"{DEPLOYMENT.replace('name: web', 'name: other', 1)}---\n{SERVICE.replace('{name: web}', '{name: other}')}",
    "a job": JOB,
}  # fmt: skip


def cluster() -> World:
    """The cluster after a minute, one of its pods being deleted and held by a finalizer."""
    world = new_world(make_header(*CLUSTER))
    advance(world, until_ms=60_000)
    apply(world, DeletePod(target="default/held"))
    advance(world, until_ms=70_000)
    return world


def told(world: World, text: str) -> Iterator[str]:
    found = preview(world.fork(), check_text(text, kubernetes="1.30"))
    yield f"  {found.outcome}: {' '.join(found.kubectl.split())}"
    if found.answer is not None and found.answer.get("status") == "Failure":
        yield f"  answer {json.dumps(found.answer)}"
    yield from (f"  {effect.rule} {effect.path} {effect.tone}: {effect.text}" for effect in found.effects)


def test_each_text_is_previewed_as_before(golden: Callable[[Path, str], None]) -> None:
    world = cluster()
    lines = []
    for what, kind, name, edit in EDITS:
        found = live_object(world, kind, "" if kind == "Node" else "default", name)
        assert found is not None, (kind, name)
        document = found.editable
        edit(document)
        lines += (f"== {what} of {kind} {name}", *told(world, yaml.safe_dump(document)))
    lines += (line for what, text in NEW.items() for line in (f"== new: {what}", *told(world, text)))
    golden(GOLDEN / "previews.txt", "\n".join(lines) + "\n")
