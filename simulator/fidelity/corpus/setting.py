"""From an example to a run: its cluster, version, objects and commands."""

import json
from typing import Any

from msgspec import Struct

from simulator.engine import ClusterSpec, NodeSpec, RunHeader
from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.acts.registry import AnyCommand
from simulator.engine.versions import gates_of
from simulator.fidelity.corpus.index import Corpus, Example, ExampleStep
from simulator.manifests.check.check import Checked, check_text
from simulator.manifests.check.problems import Problem

KUBERNETES = "1.35"
"""The version examples run under: new enough for all of them."""
_SIZES = {"cpu": "4", "memory": "8Gi", "ephemeral-storage": "100Gi", "pods": "110"}


class Setting(Struct, frozen=True, kw_only=True):
    """An example ready to run. ``problems``: why its manifest is refused before anything runs."""

    header: RunHeader
    problems: tuple[str, ...] = ()


class NoSuchCommand(Exception):
    """A step that no command of the engine carries out."""


def set_up(corpus: Corpus, example: Example) -> Setting:
    """The run of an example: prerequisites first, then its own objects, all at time 0."""
    documents: list[str] = []
    for name in example.requires:
        documents += [item.json for item in _checked(corpus.text_of(name)).documents]
    own = _checked(corpus.text_of(example.name))
    documents += [item.json for item in own.documents]
    errors = tuple(_said(problem) for problem in own.problems if problem.severity == "error")
    header = RunHeader(
        kubernetes=KUBERNETES,
        cluster=_cluster(corpus, example),
        manifests=() if errors else tuple(documents),
        gates={gate.name: True for gate in gates_of(KUBERNETES) if gate.name in example.feature_gates and not gate.on},
        scenario=example.name,
    )
    return Setting(header=header, problems=errors)


def _said(problem: Problem) -> str:
    """The problem as the API server says it, with the field."""
    return f"{problem.path}: {problem.message}" if problem.path else problem.message


def _checked(text: str) -> Checked:
    return check_text(text, kubernetes=KUBERNETES, cluster=None)  # an example may name objects of other pages


def _cluster(corpus: Corpus, example: Example) -> ClusterSpec:
    nodes = {**corpus.cluster_defaults, **(example.cluster or {})}.get("nodes") or ()
    return ClusterSpec(nodes=tuple(_node(node) for node in nodes))


def _node(node: dict[str, Any]) -> NodeSpec:
    size = {**_SIZES, **{key: str(value) for key, value in (node.get("allocatable") or {}).items()}}
    taints = tuple(f"{item['key']}={item.get('value', '')}:{item['effect']}" for item in node.get("taints") or ())
    return NodeSpec(name=node["name"], labels=node.get("labels") or {}, taints=taints, capacity=size, allocatable=size)


def command_of(corpus: Corpus, example: Example, step: ExampleStep, existing: frozenset[str]) -> AnyCommand:
    """The command of a step; ``existing`` are the pods there are. Raises NoSuchCommand."""
    if step.do == "apply":
        documents = _checked(corpus.text_of(step.manifest)).documents
        for item in documents:
            if item.kind == "Pod" and f"{item.namespace}/{item.name}" in existing:
                return _update(corpus, example, item.namespace, item.name, item.doc)
        return ApplyManifest(documents=tuple(item.json for item in documents))
    if step.do == "delete_pod" and step.name and not step.name.startswith("("):
        return DeletePod(target=next(key for key in existing if key.partition("/")[2] == step.name))
    if step.do == "label_node":
        return LabelNode(node=step.node, labels=dict(step.labels))
    raise NoSuchCommand(step.do)


def _update(corpus: Corpus, example: Example, namespace: str, name: str, wanted: dict[str, Any]) -> AnyCommand:
    """``kubectl apply`` over an object that it made: what stood in the old manifest and no longer stands in the new one goes."""
    old = next(item.doc for item in _checked(corpus.text_of(example.name)).documents if item.name == name)
    return PatchPod(target=f"{namespace}/{name}", patch=json.dumps(_difference(old, wanted)), kind="merge")


def _difference(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    changed: dict[str, Any] = {key: None for key in old if key not in new}
    for key, value in new.items():
        if old.get(key) == value:
            continue
        both = isinstance(value, dict) and isinstance(old.get(key), dict)
        changed[key] = _difference(old[key], value) if both else value
    return changed
