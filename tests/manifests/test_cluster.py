"""Cluster files."""

import pytest

from simulator.engine import ScriptStep
from simulator.engine.acts.containers.image import SetImage
from simulator.manifests.script.cluster import default_cluster, read_cluster, with_awaited_images

FILE = """\
kubernetes: "1.20.2"
nodes:
- name: node1
  labels: {zone: a}
  capacity: {cpu: "2", memory: 4Gi, pods: 110}
- name: node2
  taints: [{key: dedicated, value: node2, effect: NoSchedule}]
images:
  present: [busybox:1.28]
  pullable: {pullme:1.0: 1s, slow:1.0: 500ms}
  missing: [pullme:2.0]
  stand-ins:
    nginx: {listens: [{port: 80, paths: {/: 200}, otherwise: 404}], on-term: ignore}
  registry: {seconds-per-request: 0.25}
"""


def test_default_cluster_has_three_nodes_and_every_image():
    cluster = default_cluster()
    assert [node.name for node in cluster.nodes] == ["node-1", "node-2", "node-3"]
    assert cluster.unlisted_images == "pullable"


def test_read_cluster_reads_version_nodes_and_taints():
    cluster = read_cluster(FILE)
    first, second = cluster.spec.nodes
    assert (cluster.ok, cluster.kubernetes) == (True, "1.20")
    assert first.capacity == first.allocatable == {"cpu": "2", "memory": "4Gi", "pods": "110"}
    assert second.taints == ("dedicated=node2:NoSchedule",)


def test_read_cluster_reads_images_and_makes_others_missing():
    spec = read_cluster(FILE).spec
    assert [(image.name, image.present, image.pull_ms) for image in spec.images] == [
        ("busybox:1.28", True, 1000),
        ("pullme:1.0", False, 1000),
        ("slow:1.0", False, 500),
        ("pullme:2.0", False, 1000),
    ]
    assert [image.name for image in spec.images if not image.available] == ["pullme:2.0"]
    assert spec.unlisted_images == "missing"


def test_internet_is_reachable_unless_the_file_says_otherwise():
    assert default_cluster().internet == read_cluster(FILE).spec.internet == "reachable"
    for text in ("internet: none\n", "internet: none\nimages: {present: [a]}\n"):
        assert read_cluster(text).spec.internet == "none"


def test_runtime_is_containerd_unless_the_file_says_docker():
    assert default_cluster().runtime == read_cluster(FILE).spec.runtime == "containerd"
    for text in ("runtime: docker\n", "kubernetes: '1.23'\nruntime: docker\nimages: {present: [a]}\n"):
        assert read_cluster(text).spec.runtime == "docker"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("runtime: podman", "runtime must be one of containerd, docker"),
        ("runtime: [docker]", "runtime must be one of containerd, docker"),
        ("runtime: docker\nkubernetes: '1.24'", "the kubelet has had no dockershim since 1.24, so the runtime cannot be docker"),
        ("runtime: docker\nnodes: [{name: a}, {name: b, os: windows}]", "docker is simulated only on Linux nodes"),
    ],
)
def test_runtime_that_cannot_be_is_refused_where_it_stands(text, message):
    (problem,) = read_cluster(text).problems
    assert (problem.path, problem.line, problem.message) == ("runtime", 1, message)


@pytest.mark.parametrize("value", ["maybe", "true", "[none]", ""])
def test_internet_is_one_of_two_words(value):
    (problem,) = read_cluster(f"nodes: [{{name: a}}]\ninternet: {value}\n").problems
    assert (problem.line, problem.message) == (2, "internet must be one of reachable, none")


def test_image_that_a_script_brings_is_missing_at_first():
    script = tuple(ScriptStep(at_ms=at, command=SetImage(image=name, available=True)) for at, name in enumerate(("new", "busybox:1.28")))
    images = with_awaited_images(read_cluster(FILE).spec, script).images
    assert [(image.name, image.available) for image in images] == [
        ("busybox:1.28", True),
        ("pullme:1.0", True),
        ("slow:1.0", True),
        ("pullme:2.0", False),
        ("new", False),
    ]


def test_read_cluster_keeps_stand_ins_as_json():
    assert '"on-term": "ignore"' in read_cluster(FILE).spec.stand_ins["nginx"]


def test_read_cluster_leaves_every_image_pullable_without_images_section():
    assert read_cluster("nodes: [{name: a}]").spec.unlisted_images == "pullable"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("- a", 1),
        ("kubernetes: 2.0", 1),
        ("nodes: []", 1),
        ("nodes:\n- labels: {}", 2),
        ("nodes:\n- name: a\n- name: a", 3),
        ("nodes:\n- name: a\n  labels: {b: 1}", 3),
        ("nodes:\n- name: a\n  taints:\n  - {key: k, effect: Sometimes}", 4),
        ("nodes:\n- name: a\n  capacity:\n    cpu: lots", 4),
        ("images:\n  pullable:\n    a: soon", 3),
        ("images:\n  present: {a: b}", 2),
        ("images:\n  missing: a", 2),
        ("images:\n  stand-ins:\n    nginx: {nope: 1}", 3),
        ("colour: red", 1),
        ("nodes: [", 1),
    ],
)
def test_read_cluster_refuses_with_a_line(text, line):
    cluster = read_cluster(text)
    assert not cluster.ok
    assert cluster.problems[0].line == line


def test_shutdown_of_a_node_is_read():
    read = read_cluster("nodes:\n- {name: a, shutdown: {grace: 1m, critical: 15s, by-priority: [{priority: 5, seconds: 9}]}}\n")
    (node,) = read.spec.nodes
    assert (node.shutdown_grace_s, node.shutdown_critical_s, node.shutdown_by_priority) == (60, 15, ((5, 9),))


@pytest.mark.parametrize("section", ["5", "{grace: soon}", "{by-priority: [5]}", "{other: 1}"])
def test_bad_shutdown_of_a_node_is_refused(section):
    assert not read_cluster(f"nodes:\n- {{name: a, shutdown: {section}}}\n").ok


def test_node_says_when_it_joins():
    cluster = read_cluster("nodes:\n- name: node1\n- {name: node2, joins: 1m}\n")
    assert [node.joins_ms for node in cluster.spec.nodes] == [0, 60_000]


def test_moment_of_joining_that_is_none_is_refused_with_its_place():
    (problem,) = read_cluster("nodes:\n- {name: node1, joins: soon}\n").problems
    assert (problem.path, problem.line) == ("nodes[0].joins", 2)


@pytest.mark.parametrize(("text", "kept"), [("3", 3), ("0", 0), ("-1", -1)])
def test_cluster_file_says_how_many_finished_pods_are_kept(text: str, kept: int) -> None:
    assert read_cluster(f"terminated-pod-gc-threshold: {text}").spec.terminated_pod_gc_threshold == kept
    assert read_cluster(f"terminated-pod-gc-threshold: {text}\nimages: {{}}").spec.terminated_pod_gc_threshold == kept


@pytest.mark.parametrize("text", ["many", "true", "1.5", "99999999999"])
def test_number_of_finished_pods_is_a_whole_number(text: str) -> None:
    (problem,) = read_cluster(f"terminated-pod-gc-threshold: {text}").problems
    assert (problem.path, str(problem.message)) == ("terminated-pod-gc-threshold", "must be a whole number")


def test_node_may_run_windows():
    given = "nodes: [{name: a, os: windows}, {name: b}, {name: c, labels: {kubernetes.io/os: windows}}]"
    nodes = read_cluster(given).spec.nodes
    assert [(node.os, node.labels["kubernetes.io/os"]) for node in nodes if node.name != "b"] == [("windows", "windows")] * 2
    assert nodes[1].os == "linux"


@pytest.mark.parametrize(
    ("node", "path", "message"),
    [
        ("{name: a, os: plan9}", "nodes[0].os", "os must be one of linux, windows"),
        ("{name: a, os: [windows]}", "nodes[0].os", "os must be one of linux, windows"),
        (
            "{name: a, os: windows, labels: {kubernetes.io/os: linux}}",
            "nodes[0].labels[kubernetes.io/os]",
            "the kubelet sets this label to the os of its node, windows",
        ),
    ],
)
def test_system_of_a_node_is_checked(node: str, path: str, message: str):
    problems = read_cluster(f"nodes: [{node}]").problems
    assert [(problem.path, problem.message) for problem in problems] == [(path, message)]


def test_images_may_name_their_platforms():
    assert read_cluster("images: {pullable: {example/app: 1s}, platforms: {example/app: [windows]}}").spec.platforms == {
        "example/app": ("windows",)
    }


@pytest.mark.parametrize("platforms", ["[windows]", "{a: windows}", "{a: []}", "{a: [plan9]}"])
def test_platforms_of_images_are_checked(platforms: str):
    problems = read_cluster(f"images: {{platforms: {platforms}}}").problems
    assert [problem.message for problem in problems] == [
        "platforms must be a map of image name to a list with at least one of linux, windows"
    ]


@pytest.mark.parametrize(
    ("text", "path", "line", "hint"),
    [
        ("nodes:\n- {name: a}\n- name: b\n  lables: {x: y}\n", "nodes[1].lables", 4, "labels"),
        ("nodes:\n- name: a\n  bogus: 1\n", "nodes[0].bogus", 3, ""),
        ("nodes:\n- name: a\n  taints:\n  - {key: k, effect: NoSchedule}\n  - key: k\n    efect: NoExecute\n    effect: NoExecute\n",
         "nodes[0].taints[1].efect", 6, "effect"),
        ("images:\n  present: [a]\n  mising: [b]\n", "images.mising", 3, "missing"),
        ("images:\n  registry:\n    seconds: 1\n", "images.registry.seconds", 3, ""),
        ("nodes: [{name: a}]\nimage: {}\n", "image", 2, "images"),
        ("nodes:\n- name: a\n  shutdown:\n    grase: 3s\n", "nodes[0].shutdown.grase", 4, "grace"),
        ("nodes:\n- name: a\n  eviction:\n    hrad: {memory.available: 100Mi}\n", "nodes[0].eviction.hrad", 4, "hard"),
    ],
)  # fmt: skip
def test_unknown_field_is_refused_with_its_line(text: str, path: str, line: int, hint: str):
    (problem,) = (item for item in read_cluster(text).problems if item.severity == "error")
    assert (problem.path, problem.line, problem.hint, problem.severity) == (path, line, hint, "error")


def test_second_document_of_a_cluster_file_is_refused():
    (problem,) = read_cluster("nodes: [{name: a}]\n---\nnodes: [{name: b}]\n").problems
    assert (problem.line, problem.severity) == (3, "error")


def test_registry_of_a_recording_is_noted_as_without_effect():
    (problem,) = read_cluster(FILE).problems
    assert (problem.path, problem.severity) == ("images.registry", "info")
