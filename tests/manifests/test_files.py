"""What is read from cluster files, sizes of nodes and scripts, and what is said about wrong ones.

``golden/files.txt`` is written by ``make golden``.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from simulator.manifests.problems import Problem
from simulator.manifests.script.cluster import read_cluster
from simulator.manifests.script.node_size import BadSize, read_size, size_text
from simulator.manifests.script.script import read_script

CLUSTERS = (
    "",
    "[]",
    "nodes: []",
    "nodes: {a: b}",
    "nodes: [{name: a}, {name: a}]",
    "nodes: [{name: a}, {}]",
    "nodes: [{name: a, colour: red}]",
    "nodes: [{name: A_}]",
    "nodes: [{name: a, labels: {zone: a, 'b c': d, e: 'f g'}}]",
    "nodes: [{name: a, labels: [x]}]",
    "nodes: [{name: a, taints: [{key: k, effect: NoSchedule}, {key: k, effect: Never}, {effect: NoExecute}, k=v:NoExecute, 5]}]",
    "nodes: [{name: a, capacity: {cpu: '2', memory: lots, pods: 1.5, example.com/gpu: 1}, allocatable: {cpu: '4'}}]",
    "nodes: [{name: a, capacity: {cpu: -1}}]",
    "nodes: [{name: a, joins: 5s}, {name: b, joins: later}, {name: c, joins: 0}]",
    "nodes: [{name: a, os: windows}, {name: b, os: beos}, {name: c, labels: {kubernetes.io/os: windows}}]",
    "nodes: [{name: a}]\nnodes2: 1",
    "nodes: [{name: a}]\n---\nnodes: [{name: b}]",
    'kubernetes: "1.20.2"',
    "kubernetes: latest",
    "kubernetes: 1.99",
    "internet: none",
    "internet: slow",
    'kubernetes: "1.20"\nruntime: docker\nnodes: [{name: a}]',
    'kubernetes: "1.20"\nruntime: docker\nnodes: [{name: a}, {name: b, os: windows}]',
    'kubernetes: "1.24"\nruntime: docker',
    "runtime: rkt",
    "runtime: docker",
    "terminated-pod-gc-threshold: 3",
    "terminated-pod-gc-threshold: 2147483647",
    "terminated-pod-gc-threshold: 2147483648",
    "terminated-pod-gc-threshold: -2147483647",
    "terminated-pod-gc-threshold: true",
    "images: {present: [a:1], pullable: {b:1: 5s, c:1: soon}, missing: [d:1], other: 1}",
    "images: {present: a, pullable: [b:1]}",
    "images: [a]",
    "images: {present: [a:1], missing: [a:1]}",
    "images: {stand-ins: {a: {listens: [{port: 80}]}, b: no}}",
    "images: {registry: {seconds-per-request: 0.25}}",
    "images: {registry: {seconds-per-request: -1, other: 1}}",
    "images: {platforms: {a:1: [windows], b:1: [beos], c:1: windows}}",
    "a: b: c",
)
SIZES = (
    "", "cpu=8", "cpu=8, pods=250", "cpu=8 memory=16Gi,,pods=5", "cpu", "=8", "cpu=", "cpu=lots", "cpu=-1", "cpu=0", "cpu=500m", "pods=1.5",
    "pods=0", "pods=-1", "pods=x", "pods=1k", "pods=99999999999", "pods=2147483647", "cpu=1 cpu=2", "gpu=1", "example.com/gpu=2", "/gpu=2",
    "hugepages-2Mi=4Mi", f"{'x' * 70}=1", f"cpu={'9' * 50}",
)  # fmt: skip
SCRIPTS = (
    "",
    "[]",
    "- at: 5s\n  delete: pod/web",
    "- at: 5s\n  delete: {names: [web]}\n- at: 3s\n  delete: {names: [web]}",
    "- at: soon\n  delete: {names: [web]}",
    "- delete: {names: [web]}",
    "- at: 5s",
    "- at: 5s\n  explode: web",
    "- at: 5s\n  delete: {names: [web]}\n  evict: web",
    "- at: 5s\n  delete: {names: [web], grace: 0}",
    "- at: 5s\n  delete: {names: [web], grace: many}",
    "- at: 5s\n  delete: {colour: red}",
    "- at: 5s\n  apply: {kind: Pod}",
    "- at: 5s\n  apply: |\n    apiVersion: v1\n    kind: Pod\n    metadata: {name: a}\n    spec: {containers: [{name: a, imagge: b}]}",
    "- at: 5s\n  apply: |\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: a}\n    data: {a: b}",
    "- at: 5s\n  scale: {kind: Deployment, name: web, replicas: 3}",
    "- at: 5s\n  scale: {kind: Deployment, name: web, replicas: -1}",
    "- at: 5s\n  cordon: node1\n- at: 6s\n  uncordon: node1\n- at: 7s\n  drain: node1",
    "- at: 5s\n  exit: {pod: web, container: app, code: 3}",
    "- at: 5s\n  exit: {pod: web, container: app, code: 300}",
    "- at: -5s\n  delete: {names: [web]}",
    "- at: 20000h\n  delete: {names: [web]}",
    "steps: []",
    "a: b: c",
)


def said(problems: Iterable[Problem]) -> Iterator[str]:
    for problem in problems:
        hint = f" ({problem.hint})" if problem.hint else ""
        yield f"  {problem.severity} {problem.line}:{problem.column} {problem.path}: {' '.join(problem.message.split())}{hint}"


def of_cluster(text: str) -> Iterator[str]:
    read = read_cluster(text)
    yield f"  {read.ok} {read.kubernetes or '-'} {msgspec.json.encode(read.spec).decode()}"
    yield from said(read.problems)


def of_size(text: str) -> Iterator[str]:
    try:
        size = read_size(text)
        yield f"  {size} {size_text(size)!r}"
    except BadSize as error:
        yield f"  refused: {error}"


def of_script(text: str) -> Iterator[str]:
    for version in ("1.20", "1.37"):
        read = read_script(text, kubernetes=version, namespace="default")
        yield f"  {version}: {msgspec.json.encode(read.steps).decode()} {read.lines}"
        yield from said(read.problems)


def test_each_file_is_read_as_before(golden: Callable[[Path, str], None]) -> None:
    lines = [line for text in CLUSTERS for line in (f"== cluster {text!r}", *of_cluster(text))]
    lines += [line for text in SIZES for line in (f"== size {text!r}", *of_size(text))]
    lines += [line for text in SCRIPTS for line in (f"== script {text!r}", *of_script(text))]
    golden(Path(__file__).parent / "golden" / "files.txt", "\n".join(lines) + "\n")
