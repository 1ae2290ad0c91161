"""From scripts to commands."""

import json

import pytest

from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.containers.hang import HangContainer
from simulator.engine.acts.containers.image import SetImage
from simulator.engine.acts.containers.oom import OomContainer
from simulator.engine.acts.containers.probe import SetProbe
from simulator.engine.acts.containers.signal import SignalContainer
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.nodes.delete import DeleteNode
from simulator.engine.acts.nodes.drain import DrainNode
from simulator.engine.acts.nodes.pressure import SetNodePressure
from simulator.engine.acts.nodes.shutdown import ShutdownNode
from simulator.engine.acts.nodes.static_pod import PlaceStaticPod
from simulator.engine.acts.nodes.taint import TaintNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.bind import BindPod
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.evict import EvictPod
from simulator.engine.acts.pods.gates import RemoveSchedulingGates
from simulator.engine.acts.pods.resize import ResizePod
from simulator.engine.acts.pods.sandbox import KillSandbox
from simulator.manifests.script.script import read_script


def read(text, **options):
    return read_script(text, kubernetes="1.30", **options)


def command(verb):
    script = read(f"- at: 1\n  {verb}\n")
    assert script.problems == ()
    (step,) = script.steps
    return step.command


def problem(text):
    script = read(text)
    assert not script.ok
    return script.problems[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("delete: {kind: Pod, names: [p]}", DeletePod(target="default/p")),
        ("delete: {names: ['deployment/web[oldest]']}", DeletePod(target="deployment/default/web[oldest]")),
        ("delete: {names: ['job/team/report[2]']}", DeletePod(target="job/team/report[2]")),
        ("evict: {pod: 'daemonset/web[node=n.example]'}", EvictPod(target="daemonset/default/web[node=n.example]")),
        ("oom: {pod: 'deployment/web[all]', container: c}", OomContainer(target="deployment/default/web[all]", container="c")),
        (
            "patch: {kind: ReplicaSet, name: 'deployment/web[oldest]', body: {}}",
            PatchObject(kind="ReplicaSet", namespace="default", name="deployment/default/web[oldest]", patch="{}"),
        ),
        ("delete: {names: [p], gracePeriodSeconds: 5}", DeletePod(target="default/p", grace_s=5)),
        ("delete: {names: [p], gracePeriodSeconds: 0}", DeletePod(target="default/p", grace_s=1)),
        ("delete: {names: [p], now: true}", DeletePod(target="default/p", grace_s=1)),
        ("delete: {names: [p], gracePeriodSeconds: 0, force: true}", DeletePod(target="default/p", grace_s=0, force=True)),
        ("signal: {pod: p, container: c, signal: KILL}", SignalContainer(target="default/p", container="c", signal=9)),
        ("signal: {pod: p, signal: SIGTERM, from: node}", SignalContainer(target="default/p", container="", signal=15)),
        ("signal: {pod: p, container: c, signal: 3}", SignalContainer(target="default/p", container="c", signal=3)),
        ("image: {name: 'a:1', available: true}", SetImage(image="a:1", available=True)),
        ("image: {name: 'a:1', available: false, pull: 6s}", SetImage(image="a:1", available=False, pull_ms=6000)),
        ("exit: {pod: p, container: c, code: 3}", ExitContainer(target="default/p", container="c", exit_code=3)),
        ("signal: {pod: p, sandbox: true, signal: KILL}", KillSandbox(target="default/p")),
        ("node: {name: m, kubelet: kill}", NodeControl(node="m", kubelet="kill")),
        ("node: {name: m, kubelet: start, runtime: start}", NodeControl(node="m", kubelet="start", runtime="start")),
        ("node: {name: m, network-plugin: missing}", NodeControl(node="m", network_plugin="missing")),
        ("taint: {node: m, add: 'k=v:NoExecute'}", TaintNode(node="m", add=("k=v:NoExecute",))),
        ("taint: {node: m, remove: [{key: k, effect: NoExecute}]}", TaintNode(node="m", remove=("k:NoExecute",))),
        ("cordon: {node: m}", CordonNode(node="m")),
        ("uncordon: {node: m}", CordonNode(node="m", unschedulable=False)),
        ("drain: {node: m, force: true, timeout: 10s}", DrainNode(node="m", force=True, timeout_s=10)),
        ("drain: {node: m, pod-selector: app=web}", DrainNode(node="m", pod_selector="app=web")),
        ("evict: {pod: p, gracePeriodSeconds: 5}", EvictPod(target="default/p", grace_s=5)),
        ("evict: {pod: p, eviction: other}", EvictPod(target="default/p", eviction="other")),
        ("bind: {pod: p, node: m}", BindPod(target="default/p", node="m")),
        (
            "delete: {kind: ReplicaSet, names: [r], cascade: orphan}",
            DeleteObject(kind="ReplicaSet", namespace="default", name="r", propagation="Orphan"),
        ),
        (
            "delete: {names: [p], preconditions: {uid: u}}",
            DeleteObject(kind="Pod", namespace="default", name="p", propagation="Background", uid="u"),
        ),
        (
            "delete: {kind: cm, selector: a=b}",
            DeleteObject(kind="ConfigMap", namespace="default", selector="a=b", propagation="Background"),
        ),
        (
            "patch: {kind: pdb, name: b, type: merge, body: {spec: {minAvailable: 1}}}",
            PatchObject(
                kind="PodDisruptionBudget", namespace="default", name="b", patch='{"spec": {"minAvailable": 1}}', patch_kind="merge"
            ),
        ),
        (
            "label: {kind: Service, name: s, labels: {a: b}}",
            PatchObject(kind="Service", namespace="default", name="s", patch='{"metadata": {"labels": {"a": "b"}}}', patch_kind="merge"),
        ),
        ("drain: {node: m, delete-emptydir-data: true, grace-period: 5}", DrainNode(node="m", delete_emptydir_data=True, grace_s=5)),
        ("delete: {kind: Node, names: [m]}", DeleteNode(node="m")),
        ("static-pod: {node: m, remove: s}", PlaceStaticPod(node="m", remove="s")),
        ("shutdown: {node: m, grace: 1m, critical: 20s}", ShutdownNode(node="m", grace_s=60, critical_s=20)),
        (
            "pressure: {node: m, signal: memory.available, available: 5%}",
            SetNodePressure(node="m", signal="memory.available", available="5%"),
        ),
        ("pressure: {node: m, signal: pid.available}", SetNodePressure(node="m", signal="pid.available")),
        ("ungate: {pod: p, gate: example.com/a}", RemoveSchedulingGates(target="default/p", gate="example.com/a")),
        (
            "resize: {pod: p, container: c, requests: {cpu: 500m}, limits: {memory: 1Gi}}",
            ResizePod(target="default/p", container="c", requests={"cpu": "500m"}, limits={"memory": "1Gi"}),
        ),
        ("oom: {pod: p, container: c}", OomContainer(target="default/p", container="c")),
        ("hang: {pod: p, container: c, hang: false}", HangContainer(target="default/p", container="c", hang=False)),
        (
            "probe: {pod: p, container: c, probe: liveness, outcome: failure, attempts: 3}",
            SetProbe(target="default/p", container="c", probe="liveness", outcome="failure", attempts=3),
        ),
    ],
)
def test_verb_becomes_its_command(text, expected):
    assert command(text) == expected


@pytest.mark.parametrize(
    ("step", "wanted"),
    [
        ("patch: {name: p, body: '{\"metadata\": {}}'}", "body must be a map or a list, as unquoted YAML or JSON"),
        ("patch: {name: [p], body: {}}", "name must be text"),
        ("label: {name: p, labels: tier}", "labels must be a map"),
        ("exec: {pod: p, container: c, command: ls}", "command must be a list"),
        ("hang: {pod: p, container: c, hang: 1}", "hang must be true or false"),
        ("exit: {pod: p, container: c, code: one}", "code must be a whole number"),
        ("signal: {pod: p, signal: {}}", "signal must be a number or text"),
        ("taint: {node: m, add: 5}", "add must be text, a map or a list"),
        ("delete: {kind: Pod, selector: 5}", "selector must be text or a map"),
    ],
)
def test_value_of_another_type_is_answered_with_what_is_wanted(step, wanted):
    assert problem(f"- at: 1\n  {step}\n").message == f"step 1: {wanted}"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("names: [p], gracePeriodSeconds: 5, force: true", "--force and --grace-period greater than 0 cannot be specified together"),
        (
            "kind: cm, names: [c], gracePeriodSeconds: 5, force: true",
            "--force and --grace-period greater than 0 cannot be specified together",
        ),
        (
            "kind: ns, names: [c], gracePeriodSeconds: 5, force: true",
            "--force and --grace-period greater than 0 cannot be specified together",
        ),
        ("all: true, gracePeriodSeconds: 5, now: true", "--now and --grace-period cannot be specified together"),
    ],
)
def test_delete_is_refused_as_kubectl_refuses_it(options, words):
    assert problem(f"- at: 1\n  delete: {{{options}}}\n").message == f"step 1: kubectl refuses this: error: {words}"


@pytest.mark.parametrize(
    "options", ["gracePeriodSeconds: 0, force: true", "gracePeriodSeconds: -1, force: true", "force: true", "now: true"]
)
def test_delete_that_kubectl_takes_is_read(options):
    assert read(f"- at: 1\n  delete: {{names: [p], {options}}}\n").ok


def test_delete_of_several_names_becomes_several_commands():
    script = read("- at: 7.8\n  delete: {kind: Pod, names: [a, b]}\n", namespace="team")
    assert [(step.at_ms, step.command.target) for step in script.steps] == [(7800, "team/a"), (7800, "team/b")]


def test_delete_with_grace_zero_is_forced_when_sent_to_the_api_server():
    script = read("- at: 1\n  delete: {names: [p], gracePeriodSeconds: 0}\n  answer: {code: 200}\n")
    assert script.steps[0].command == DeletePod(target="default/p", grace_s=0, force=True)


def test_apply_carries_checked_documents():
    applied = command("apply: |\n    {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {k: v}}")
    assert isinstance(applied, ApplyManifest)
    assert json.loads(applied.documents[0])["data"] == {"k": "v"}


def test_apply_reports_the_line_of_its_manifest():
    text = (
        "- at: 1\n  apply: |\n    apiVersion: v1\n    kind: Pod\n    metadata: {name: A_}\n    spec: {containers: [{name: a, image: b}]}\n"
    )
    found = problem(text)
    assert (found.line, found.path) == (5, "metadata.name")


def test_steps_are_ordered_by_time():
    script = read("- {at: 5, delete: {names: [b]}}\n- {at: 1, delete: {names: [a]}}\n")
    assert [step.at_ms for step in script.steps] == [1000, 5000]


def test_second_removal_of_a_network_plugin_is_its_return():
    script = read("- {at: 1, node: {name: m, network-plugin: missing}}\n- {at: 2, node: {name: m, network-plugin: missing}}\n")
    assert [step.command.network_plugin for step in script.steps] == ["missing", "present"]


def test_static_pod_carries_its_checked_manifest():
    text = "static-pod:\n    node: m\n    manifest: |\n      {kind: Pod, apiVersion: v1, metadata: {name: s}, spec: {containers: [{name: a, image: b}]}}"  # noqa: E501
    placed = command(text)
    assert json.loads(placed.document)["metadata"]["name"] == "s"


@pytest.mark.parametrize(
    "verb", ["node: {name: m, kubelet: dance}", "taint: {node: m, add: [5]}", "static-pod: {node: m}", "shutdown: {node: m, grace: soon}"]
)
def test_bad_step_about_a_node_is_refused(verb):
    assert not read(f"- at: 1\n  {verb}\n").ok


def test_answers_are_ignored():
    assert read("- at: 1\n  delete: {names: [p]}\n  answer: {out: anything}\n").ok


def test_unsupported_verb_names_its_step_and_line():
    found = problem("- at: 1\n  delete: {names: [p]}\n- at: 2\n  levitate: {node: m}\n")
    assert (found.message, found.line) == ('step 2: the verb "levitate" is not supported', 4)


@pytest.mark.parametrize(
    "text",
    [
        "a: b",
        "- 5",
        "- {at: x, delete: {names: [p]}}",
        "- {at: -1, delete: {names: [p]}}",
        "- {at: true, delete: {names: [p]}}",
        "- {at: 1}",
        "- {at: 1, delete: {names: [p]}, image: {name: a}}",
        "- {at: 1, delete: {}}",
        "- {at: 1, delete: {names: []}}",
        "- {at: 1, delete: {names: [5]}}",
        "- {at: 1, delete: {kind: Lease, names: [p]}}",
        "- {at: 1, delete: {names: [p], gracePeriodSeconds: x}}",
        "- {at: 1, signal: {pod: p, container: c, signal: NONE}}",
        "- {at: 1, signal: {pod: p, container: c, signal: 99}}",
        "- {at: 1, exit: {pod: p, container: c, code: 256}}",
        "- {at: 1, probe: {pod: p, container: c, probe: x}}",
        "- {at: 1, image: {name: a, pull: soon}}",
        "- {at: 1, apply: {a: b}}",
        "- [",
    ],
)
def test_bad_script_is_refused_with_a_line(text):
    assert problem(text).line == 1


def test_replace_takes_manifests():
    found = command("replace: '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: b}}'")
    assert json.loads(found.document)["metadata"]["name"] == "c"


def test_create_takes_manifests():
    assert command("create: '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}'").create


def test_role_with_a_place_that_there_is_not_is_an_error_at_its_step():
    found = problem("- at: 1\n  oom: {pod: 'deployment/web[eldest]', container: c}\n")
    assert found.line == 2 and "“eldest” is not a place; use one of oldest" in found.message
