"""Turn an example into a run: its cluster, version, objects and commands."""

import json
import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from simulator.engine import ClusterSpec, NodeSpec, RunHeader
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.exec import ExecInContainer
from simulator.engine.acts.containers.signal import SignalContainer
from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.nodes.drain import DrainNode
from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.evict import EvictPod
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.acts.pods.resize import ResizePod
from simulator.engine.containers.signals import signal_number
from simulator.engine.model.kinds import KINDS
from simulator.engine.versions import gates_of
from simulator.engine.versions.usual import JUDGED
from simulator.engine.world.cluster import ImageSpec
from simulator.fidelity.corpus.index import Corpus, Example, ExampleStep
from simulator.manifests.check.check import Checked, Document, check_text
from simulator.manifests.problems import Problem

KUBERNETES = JUDGED
"""The version that examples run under: new enough for all of them."""
_SIZES = {"cpu": "4", "memory": "8Gi", "ephemeral-storage": "100Gi", "pods": "110"}


class Setting(Struct, frozen=True, kw_only=True):
    """An example ready to run. ``problems`` say why its manifest is refused before anything runs; ``own`` are the keys of its own pods."""

    header: RunHeader
    problems: tuple[str, ...] = ()
    own: tuple[str, ...] = ()


class NoSuchCommand(Exception):
    """No command of the engine carries out the step; the text says why."""


def set_up(corpus: Corpus, example: Example) -> Setting:
    """The run of an example: prerequisites first, then its own objects, all at time 0."""
    documents: list[str] = []
    for name in example.requires:
        documents += [item.json for item in _checked(corpus.text_of(name), example).documents]
    for step in example.steps:
        if is_first(step):
            documents += [item.json for item in _documents(_Step(corpus=corpus, example=example, step=step, existing=frozenset()))]
    own = _checked(corpus.text_of(example.name), example)
    documents += [item.json for item in own.documents]
    errors = tuple(_said(problem) for problem in own.problems if problem.severity == "error")
    header = RunHeader(
        kubernetes=KUBERNETES,
        cluster=_cluster(corpus, example),
        manifests=() if errors else tuple(documents),
        gates=_gates(example),
        scenario=example.name,
    )
    pods = tuple(f"{item.namespace}/{item.name}" for item in own.documents if item.kind == "Pod")
    return Setting(header=header, problems=errors, own=pods)


def is_first(step: ExampleStep) -> bool:
    """Whether the step creates objects before the example is applied."""
    return step.at_s < 0 and step.do in ("apply", "create", "apply_text")


def _said(problem: Problem) -> str:
    """The problem with its field, as the API server words it."""
    return f"{problem.path}: {problem.message}" if problem.path else problem.message


def _gates(example: Example) -> dict[str, bool]:
    """The feature gates that an example requires: those it names, and those that they depend on."""
    wanted = set(example.feature_gates)
    gates = {gate.name: gate for gate in gates_of(KUBERNETES)}
    while more := {need for name in wanted & set(gates) for need in gates[name].needs} - wanted:
        wanted |= more
    return {gate.name: True for gate in gates.values() if gate.name in wanted and not (gate.on or gate.idle)}


def _checked(text: str, example: Example) -> Checked:
    return check_text(text, kubernetes=KUBERNETES, gates=_gates(example), cluster=None)  # an example may refer to objects on other pages


def _cluster(corpus: Corpus, example: Example) -> ClusterSpec:
    given = {**corpus.cluster_defaults, **(example.cluster or {})}
    missing = tuple(ImageSpec(name=name, available=False) for name in given.get("missing_images") or ())
    return ClusterSpec(nodes=tuple(_node(node) for node in given.get("nodes") or ()), images=missing)


def _node(node: dict[str, Any]) -> NodeSpec:
    size = {**_SIZES, **{key: str(value) for key, value in (node.get("allocatable") or {}).items()}}
    taints = tuple(f"{item['key']}={item.get('value', '')}:{item['effect']}" for item in node.get("taints") or ())
    return NodeSpec(name=node["name"], labels=node.get("labels") or {}, taints=taints, capacity=size, allocatable=size)


def command_of(corpus: Corpus, example: Example, step: ExampleStep, existing: frozenset[str]) -> AnyCommand:
    """The command of a step; ``existing`` are the current pods. Raises NoSuchCommand."""
    make = COMMANDS.get(step.do)
    if make is None:
        raise NoSuchCommand(f"{step.do} is not a command")
    return make(_Step(corpus=corpus, example=example, step=step, existing=existing))


class _Step(Struct, frozen=True, kw_only=True):
    """A step with everything that its command may need."""

    corpus: Corpus
    example: Example
    step: ExampleStep
    existing: frozenset[str]

    @property
    def key(self) -> str:
        """The pod that the step names, or the example's own. Raises NoSuchCommand.

        A name in parentheses means any pod, because a controller generates the names of its pods.
        """
        name = self.step.pod or self.step.name
        if name.startswith("(") and self.existing:
            return min(self.existing)
        own = () if name else _checked(self.corpus.text_of(self.example.name), self.example).documents
        names = [name] if name else [item.name for item in own if item.kind == "Pod"]
        found = next((key for wanted in names for key in sorted(self.existing) if key.partition("/")[2] == wanted), None)
        if found is None:
            raise NoSuchCommand(f"{self.step.do}: there is no pod {name}".rstrip())
        return found


def _apply(given: _Step) -> AnyCommand:
    documents = _documents(given)
    for item in documents:
        if item.kind == "Pod" and f"{item.namespace}/{item.name}" in given.existing:
            return _update(given.corpus, given.example, item.namespace, item.name, item.doc)
    return ApplyManifest(documents=tuple(item.json for item in documents))


def _create(given: _Step) -> AnyCommand:
    return ApplyManifest(documents=tuple(item.json for item in _documents(given)), create=True)


def _documents(given: _Step) -> tuple[Document, ...]:
    step = given.step
    name = step.manifest or (given.example.name if step.do == "apply_text" else "")
    if step.object is None and not name:
        raise NoSuchCommand(f"{step.do} without a manifest or an object")
    text = json.dumps(step.object) if step.object is not None else _edited(given.corpus.text_of(name), step.sed)
    checked = _checked(text, given.example)
    errors = [_said(problem) for problem in checked.problems if problem.severity == "error"]
    if errors:
        raise NoSuchCommand(f"{step.do} was refused: {errors[0]}")
    return checked.documents


def _edited(text: str, sed: str | tuple[str, ...]) -> str:
    """The text after substitutions in the style of ``sed``: ``s/old/new/g``. Raises NoSuchCommand for anything else."""
    for script in (sed,) if isinstance(sed, str) else sed:
        parts = script[2:].split(script[1:2]) if script[:1] == "s" and len(script) > 1 else []
        if len(parts) != 3 or parts[2] not in ("", "g"):
            raise NoSuchCommand(f"sed {script} is not a substitution")
        text = "\n".join(re.sub(parts[0], parts[1], line, count=0 if parts[2] else 1) for line in text.split("\n"))
    return text


def _scale(given: _Step) -> AnyCommand:
    kind, patch = given.step.kind or "Deployment", json.dumps({"spec": {"replicas": given.step.replicas}})
    return PatchObject(kind=kind, namespace="default", name=given.step.name, patch=patch, patch_kind="merge")


def _delete(given: _Step) -> AnyCommand:
    if given.step.kind in ("", "Pod"):
        return DeletePod(target=given.key)
    info = KINDS.get(given.step.kind)
    if info is None:
        raise NoSuchCommand(f"delete of kind {given.step.kind} is not a command")
    return DeleteObject(kind=info.kind, namespace="default" if info.namespaced else "", name=given.step.name)


def _exec(given: _Step) -> AnyCommand:
    command = given.step.command
    words = ("sh", "-c", command) if isinstance(command, str) else command
    return ExecInContainer(target=given.key, container=given.step.container, command=words)


def _signal(given: _Step) -> AnyCommand:
    number = signal_number(str(given.step.signal))
    if number is None:
        raise NoSuchCommand(f"signal {given.step.signal} is not a signal")
    return SignalContainer(target=given.key, container=given.step.container, signal=number)


def _patch_resize(given: _Step) -> AnyCommand:
    step = given.step
    if step.patch is not None:
        return PatchPod(target=given.key, patch=json.dumps(step.patch), subresource="resize")
    parts = {part: {name: str(amount) for name, amount in held.items()} for part, held in (step.resources or {}).items()}
    return ResizePod(target=given.key, container=step.container, requests=parts.get("requests") or {}, limits=parts.get("limits") or {})


def _patch_condition(given: _Step) -> AnyCommand:
    body = {"status": {"conditions": [{"type": given.step.type, "status": given.step.status}]}}
    return PatchPod(target=given.key, patch=json.dumps(body), subresource="status")


COMMANDS: dict[str, Callable[[_Step], AnyCommand]] = {
    "apply": _apply,
    "apply_text": _apply,
    "scale": _scale,
    "create": _create,
    "delete": _delete,
    "delete_pod": lambda given: DeletePod(target=given.key),
    "evict_pod": lambda given: EvictPod(target=given.key),
    "exec": _exec,
    "signal": _signal,
    "patch_resize": _patch_resize,
    "patch_status_condition": _patch_condition,
    "label_node": lambda given: LabelNode(node=given.step.node or given.step.name, labels=dict(given.step.labels)),
    "drain_node": lambda given: DrainNode(node=given.step.node or given.step.name, force=True, ignore_daemonsets=True),
    "uncordon_node": lambda given: CordonNode(node=given.step.node or given.step.name, unschedulable=False),
}
"""The command of each step by its ``do``."""


def _update(corpus: Corpus, example: Example, namespace: str, name: str, wanted: dict[str, Any]) -> AnyCommand:
    """``kubectl apply`` on an object it created: fields that were in the old manifest but are not in the new one are removed."""
    old = next(item.doc for item in _checked(corpus.text_of(example.name), example).documents if item.name == name)
    return PatchPod(target=f"{namespace}/{name}", patch=json.dumps(_difference(old, wanted)))


def _difference(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    changed: dict[str, Any] = {key: None for key in old if key not in new}
    for key, value in new.items():
        if old.get(key) == value:
            continue
        both = isinstance(value, dict) and isinstance(old.get(key), dict)
        changed[key] = _difference(old[key], value) if both else value
    return changed
