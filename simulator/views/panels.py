"""The panels of a run at one moment: inspector, Why, Events, Resources, YAML, describe, kubectl. Each gives template and context."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from simulator import presenters, timemachine
from simulator.engine import explain, project
from simulator.engine.records import Record
from simulator.engine.units import Key, Ms, Seq
from simulator.engine.world import World
from simulator.models import Run
from simulator.views import inspector

Context = dict[str, Any]
DOCS = "https://kubernetes.io/docs/"


@dataclass(frozen=True)
class Scene:
    """Who looks at what: a world (never advanced), the moment shown, and the selection.

    ``is_live`` says that an act belongs to the head; otherwise plain forms name the moment themselves. ``line`` is what kubectl is asked.
    """

    run: Run
    world: World
    now_ms: Ms
    sel: str
    rec: Seq
    role: str
    is_live: bool
    line: str = ""

    @cached_property
    def pods(self) -> tuple[project.PodRow, ...]:
        """All pods the moment knows."""
        return project.objects(self.world, now_ms=self.now_ms)

    @cached_property
    def key(self) -> Key:
        """The pod that the selection belongs to, the first one without a selection, "" where there is none."""
        wanted = pod_key(self.sel)
        keys = [row.key for row in self.pods]
        if wanted in keys:
            return wanted
        return keys[0] if keys else ""

    @cached_property
    def node(self) -> project.NodeView | None:
        """The node that is selected, if one is."""
        kind, _, name = self.sel.partition("/")
        return project.node_view(self.world, name) if kind == "node" else None

    @cached_property
    def pod(self) -> project.PodView | None:
        """The pod looked at."""
        return project.pod_view(self.world, self.key, now_ms=self.now_ms) if self.key else None

    @cached_property
    def past(self) -> list[Record]:
        """Every record up to the moment."""
        return timemachine.past(self.run, seq=self.world.seq)

    def form_fields(self) -> Context:
        """What the forms of acts send beside their own fields."""
        at_seq, at_ms = ("", "") if self.is_live else (self.world.seq, self.now_ms)
        return {"at_seq": at_seq, "at_ms": at_ms, "sel": self.sel, "can_act": self.role == "owner"}


def pod_key(subject: str) -> Key:
    """``default/web`` of ``pod/default/web``, ``container/default/web/app`` …; "" for subjects that belong to no pod."""
    parts = subject.split("/")
    if parts[0] in ("pod", "container", "probe", "condition") and len(parts) >= 3:
        return f"{parts[1]}/{parts[2]}"
    return ""


def panel(tab: str, scene: Scene) -> tuple[str, Context]:
    """Template and context of a panel; KeyError for a tab that does not exist."""
    return f"runs/partials/_{tab}.html", PANELS[tab](scene)


def why_panel(scene: Scene) -> Context:
    """The chain of causes of the chosen record, or of the newest one of the selection, in the reader's language."""
    seq = scene.rec if 0 < scene.rec <= scene.world.seq else _newest(scene)
    steps = explain.why(scene.past, seq) if 0 < seq <= len(scene.past) else ()
    return {"steps": [_step(step) for step in steps], "seq": seq}


def _step(step: explain.Step) -> Context:
    return {
        "seq": step.seq,
        "at_ms": step.at_ms,
        "subject": step.subject,
        "what": presenters.said(step.headline),
        "text": presenters.said(step.sentence),
        "rule_id": step.rule_id,
        "source": presenters.source_text(step.source),
        "doc": f"{DOCS}{step.doc}" if step.doc else "",
    }


def _newest(scene: Scene) -> Seq:
    """The seq of the newest record about the selection, of the pod's where it has none, 0 where nothing has happened."""
    wanted = scene.sel or f"pod/{scene.key}"
    fallback = 0
    for record in reversed(scene.past):
        if record.subject == wanted:
            return record.seq
        if not fallback and scene.node is None and pod_key(record.subject) == scene.key:
            fallback = record.seq
    return fallback


def events_panel(scene: Scene) -> Context:
    """The Kubernetes Events of the selected pod, newest first."""
    rows = project.events_view(scene.world, None if scene.node else scene.key or None, now_ms=scene.now_ms)
    if scene.node is not None:
        rows = tuple(row for row in rows if row.subject == scene.node.subject)
    return {"events": rows[::-1], "key": scene.node.name if scene.node else scene.key}


def yaml_panel(scene: Scene) -> Context:
    """The object as ``kubectl get -o yaml`` prints it."""
    if scene.node is not None:
        return _of_node(scene, "get node {} -o yaml")
    text = project.object_yaml(scene.world, scene.key, now_ms=scene.now_ms) if scene.pod and scene.pod.is_present else ""
    return {"text": text, "command": _kubectl(scene, "get pod {} -o yaml")}


def describe_panel(scene: Scene) -> Context:
    """The text of ``kubectl describe`` of what is selected."""
    if scene.node is not None:
        return _of_node(scene, "describe node {}")
    text = project.describe(scene.world, scene.key, now_ms=scene.now_ms) if scene.pod and scene.pod.is_present else ""
    return {"text": text, "command": _kubectl(scene, "describe pod {}")}


def _of_node(scene: Scene, words: str) -> Context:
    """What kubectl answers about the selected node; empty where its object is gone."""
    if scene.node is None or scene.node.is_deleted:
        return {"text": "", "command": ""}
    line = words.format(scene.node.name)
    return {"text": project.kubectl(scene.world, line, now_ms=scene.now_ms), "command": f"kubectl {line}"}


def resources_panel(scene: Scene) -> Context:
    """Why the QoS class, how the effective requests and limits are made, and what the Downward API shows."""
    found = project.reckoning(scene.world, scene.key) if scene.key else None
    if found is None:
        return {"found": None}
    rules = {item.rule: presenters.rule_sentence(item.rule) for item in found.downward}
    return {
        "found": found,
        "key": scene.key,
        "qos_sentence": presenters.rule_sentence(found.qos.rule),
        "sum_sentence": presenters.rule_sentence(found.resources.request_rule),
        "downward": [(item, rules[item.rule]) for item in found.downward],
        "notes": list(rules.values()),
        "sums": {kind: [item for item in found.sums if item.kind == kind] for kind in ("requests", "limits")},
    }


def _kubectl(scene: Scene, words: str) -> str:
    """The kubectl command with the pod's name; empty where no pod is looked at."""
    if scene.pod is None:
        return ""
    where = "" if scene.pod.namespace == "default" else f" --namespace={scene.pod.namespace}"
    return f"kubectl {words.format(scene.pod.name)}{where}"


def kubectl_panel(scene: Scene) -> Context:
    """What kubectl answers at the moment to the line that was typed, with the usual lines about what is selected."""
    usual = _usual_lines(scene)
    line = scene.line.strip() or usual[0]
    answer = project.kubectl(scene.world, line, now_ms=scene.now_ms)
    return {"line": line, "answer": answer, "usual": usual, "command": f"kubectl {line.removeprefix('kubectl ')}"}


def _usual_lines(scene: Scene) -> list[str]:
    """The lines behind the buttons; with the namespace where it is not the run's own."""
    lines = ["get pods", "get pods -o wide", "get events"]
    if len({row.namespace for row in scene.pods if row.is_present}) > 1:
        lines[:2] = ["get pods -A", "get pods -A -o wide"]
    if scene.node is not None:
        return [*lines, f"describe node {scene.node.name}", f"get node {scene.node.name} -o yaml"]
    if scene.pod is not None and scene.pod.is_present:
        where = "" if scene.pod.namespace == scene.world.header.namespace else f" -n {scene.pod.namespace}"
        return [*lines, f"describe pod {scene.pod.name}{where}", f"get pod {scene.pod.name}{where} -o yaml"]
    return lines


def inspector_panel(scene: Scene) -> Context:
    """What is selected, with a form for every act that is possible now."""
    starter = scene.run.content().source.manifests
    shared: Context = {
        "pods": scene.pods,
        "nodes": project.project(scene.world, now_ms=scene.now_ms).nodes,
        "others": inspector.object_rows(project.other_objects(scene.world)),
        "sel": scene.sel,
        "starter": starter,
    }
    if scene.node is not None:
        return {**shared, **inspector.node_context(scene.world, scene.node)}
    if scene.pod is None:
        return {**shared, "pod": None}
    return {**shared, **inspector.pod_context(scene.world, scene.pod, past=scene.past, now_ms=scene.now_ms)}


PANELS: dict[str, Callable[[Scene], Context]] = {
    "inspector": inspector_panel,
    "why": why_panel,
    "events": events_panel,
    "resources": resources_panel,
    "yaml": yaml_panel,
    "describe": describe_panel,
    "kubectl": kubectl_panel,
}
