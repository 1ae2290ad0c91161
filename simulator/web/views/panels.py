"""The panels of a run at one moment: inspector, Why, Map, Events, Logs, Resources, YAML, describe, kubectl: template and context of each.

Most show a world. Where another revision recorded the run and today's rules lead elsewhere, the records tell what they can.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _
from msgspec import structs

from simulator.engine import Divergence
from simulator.engine.apiserver.documents.custom import kind_in
from simulator.engine.course.header import RunHeader
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Key, Ms, Seq
from simulator.engine.model.kinds import KINDS
from simulator.engine.projection import project
from simulator.engine.projection.cluster_map import cluster_map
from simulator.engine.projection.logs import log_view
from simulator.engine.projection.objects import ObjectView, object_at, object_view
from simulator.engine.projection.recorded import Told, events_told_by, told_by
from simulator.engine.projection.scheduling import attempt_before, explain_scheduling
from simulator.engine.projection.subjects import pod_key
from simulator.engine.world.world import World
from simulator.headless import decisions
from simulator.kubectl.acting.outcome import answer_of, is_over
from simulator.kubectl.acting.registry import NeedsEditor, deed_of, is_acting
from simulator.kubectl.kubectl import kubectl
from simulator.kubectl.line import BadLine
from simulator.kubectl.logs import readable
from simulator.kubectl.pods import describe, object_yaml
from simulator.models import Run
from simulator.runs import timemachine
from simulator.runs.allowance import StillComputing
from simulator.runs.history import is_kept
from simulator.web import presenters
from simulator.web.views import difference, inspector, kept
from simulator.web.views.common import Context
from simulator.web.views.left_out import left_out_of
from simulator.web.views.machine import machine_context
from simulator.web.views.why import why_panel


@dataclass(frozen=True, kw_only=True)
class PanelScene(ABC):
    """Who looks at what: a moment after record ``seq``, and the selection.

    ``is_live`` says that an act belongs to the head; otherwise plain forms name the moment themselves. ``line`` is what kubectl is asked,
    ``did`` the number of the command that it was carried out with, or 0. ``part`` is which of several things a panel shows. ``pin_ms`` is
    the moment that this one is compared with, None the one before the last change of what is selected; ``noise``: with the fields that
    change with every write. ``computing``: where the moment that was asked for is still being computed and this is an earlier one, how far
    that has come, and how far it has to.
    """

    run: Run
    now_ms: Ms
    sel: str
    rec: Seq
    role: str
    is_live: bool
    line: str = ""
    did: int = 0
    part: str = ""
    pin_ms: Ms | None = None
    noise: bool = False
    computing: tuple[Ms, Ms] | None = None

    @property
    @abstractmethod
    def seq(self) -> Seq:
        """The last record that has been written."""

    @property
    def header(self) -> RunHeader:
        """What the run starts from."""
        return self.run.header()

    @property
    @abstractmethod
    def keys(self) -> tuple[Key, ...]:
        """The pods that the moment knows, in the order of creation."""

    @property
    @abstractmethod
    def past(self) -> list[Record]:
        """Every record up to the moment."""

    @property
    def loads(self) -> tuple[str, ...]:
        """Services of which the moment knows that they get requests, or will, by namespace and name."""
        return ()

    @cached_property
    def key(self) -> Key:
        """The pod that the selection belongs to, the first one without a selection, "" where there is none."""
        wanted = pod_key(self.sel)
        if wanted in self.keys:
            return wanted
        return self.keys[0] if self.keys else ""

    @property
    def node_name(self) -> str:
        """The node that is selected; empty where something else is."""
        kind, _, name = self.sel.partition("/")
        return name if kind == "node" else ""

    def form_fields(self) -> Context:
        """What the forms of acts send beside their own fields."""
        at_seq, at_ms = ("", "") if self.is_live else (self.seq, self.now_ms)
        return {"at_seq": at_seq, "at_ms": at_ms, "sel": self.sel, "can_act": self.role == "owner"}


@dataclass(frozen=True, kw_only=True)
class WorldScene(PanelScene):
    """A moment of which there is a world (never advanced)."""

    world: World

    @property
    def seq(self) -> Seq:
        """As the world says."""
        return self.world.seq

    @property
    def header(self) -> RunHeader:
        """As the world has it, decoded already."""
        return self.world.header

    @property
    def loads(self) -> tuple[str, ...]:
        """Those that declare a load."""
        return tuple(f"{namespace}/{name}" for namespace, name in self.world.tables.loads)

    @cached_property
    def pods(self) -> tuple[project.PodLine, ...]:
        """All pods the moment knows."""
        return project.objects(self.world, now_ms=self.now_ms)

    @property
    def keys(self) -> tuple[Key, ...]:
        """Those of the pods."""
        return tuple(row.key for row in self.pods)

    @cached_property
    def node(self) -> project.NodeView | None:
        """The node that is selected, if one is."""
        return project.node_view(self.world, self.node_name) if self.node_name else None

    @cached_property
    def object(self) -> ObjectView | None:
        """The object that is selected, where it is neither a pod nor a node."""
        row = object_at(self.world, self.sel)
        return object_view(self.world, row) if row is not None else None

    @cached_property
    def pod(self) -> project.PodView | None:
        """The pod looked at."""
        return project.pod_view(self.world, self.key, now_ms=self.now_ms) if self.key else None

    @cached_property
    def past(self) -> list[Record]:
        """Every record up to the moment."""
        return timemachine.past(self.run, seq=self.world.seq)

    @cached_property
    def befores(self) -> dict[Seq, World]:
        """Worlds that were sought before; scenes of one stretch share them."""
        return {}

    def before(self, seq: Seq) -> World:
        """The world that record ``seq`` was written in. Costs a seek the first time."""
        if seq not in self.befores:
            self.befores[seq] = timemachine.seek(self.run, seq=seq - 1)
        return self.befores[seq]


@dataclass(frozen=True, kw_only=True)
class RecordedScene(PanelScene):
    """A moment that another revision recorded and that today's rules do not lead to, or not yet: only its records tell of it."""

    records: list[Record]
    divergence: Divergence

    @property
    def seq(self) -> Seq:
        """The last one."""
        return len(self.records)

    @cached_property
    def past(self) -> list[Record]:
        """Every record up to the moment."""
        return self.records

    @cached_property
    def told(self) -> Told:
        """What the records tell of pods and nodes."""
        return told_by(self.records)

    @property
    def keys(self) -> tuple[Key, ...]:
        """Those of the pods."""
        return tuple(self.told.pods)


def scene_at(run: Run, *, t_ms: Ms | None = None, seq: Seq | None = None, asked_ms: Ms, **who: Any) -> PanelScene:
    """The scene after record ``seq``, or at ``t_ms``, or at the head; ``asked_ms`` is the moment to count ages from.

    Costs a seek. Of a run that another revision recorded it is what was recorded, never what today's rules would have made of it.
    """
    if not is_kept(run):
        at_seq = run.head_seq if seq is None and t_ms is None else seq
        world = timemachine.seek(run, ms=t_ms) if at_seq is None else timemachine.seek_shown(run, seq=at_seq, ms=asked_ms)
        return WorldScene(run=run, world=world, now_ms=max(asked_ms, world.now_ms), **who)
    if seq is None:
        seq = run.head_seq if t_ms is None else timemachine.recorded_seq(run, ms=t_ms)
    recorded = timemachine.recorded_or_told(run, seq=min(seq, run.head_seq))
    if isinstance(recorded, World):
        return WorldScene(run=run, world=recorded, now_ms=max(asked_ms, recorded.now_ms), **who)
    records = timemachine.log(run, after=0, limit=seq)
    computing = (recorded.at_ms, recorded.goal_ms) if isinstance(recorded, timemachine.Uncompared) else None
    at_ms = max(asked_ms, records[-1].at_ms)
    return RecordedScene(run=run, records=records, divergence=recorded, now_ms=at_ms, computing=computing, **who)


def scene_or_before(run: Run, *, t_ms: Ms | None, asked_ms: Ms, **who: Any) -> PanelScene:
    """As ``scene_at`` for a page; where a request cannot play so far, the latest moment that is at hand of those that the log holds.

    Plays at most WORK_MAX and RESERVE (``runs/allowance.py``).
    """
    try:
        scene = scene_at(run, t_ms=t_ms, asked_ms=asked_ms, **who)
        if scene.seq > run.head_seq:  # the log lacks what is to be told of
            _ = scene.past
    except StillComputing as met:
        if not run.head_seq:
            raise
        world = timemachine.seek_logged(run)
        far = (run.head_ms, met.goal_ms) if met.goal_ms > run.head_ms else (met.reached_ms, met.goal_ms)
        return WorldScene(run=run, world=world, now_ms=world.now_ms, computing=far, **who)
    return scene


def panel_or_progress(tab: str, scene: PanelScene) -> tuple[str, Context]:
    """As ``panel`` for a page; of one that needs what a request cannot play, how far that has come. The page asks again by itself."""
    try:
        return panel(tab, scene)
    except StillComputing as met:
        return "runs/partials/_computing.html", {"text": presenters.computing_text(met.reached_ms, met.goal_ms)}


def panel(tab: str, scene: PanelScene) -> tuple[str, Context]:
    """Template and context of a panel; KeyError for a tab that does not exist."""
    if tab == "why":
        return "runs/partials/_why.html", why_panel(scene)
    if tab == "machine":
        return "runs/partials/_machine.html", machine_panel(scene)
    if isinstance(scene, RecordedScene) and tab in ("faults", "faultbar"):
        return f"runs/partials/_{tab}.html", {"faults": [], "bar": []}
    if isinstance(scene, RecordedScene):
        return _RECORDED_PANELS.get(tab, "runs/partials/_recorded_facts.html"), recorded_panel(tab, scene)
    assert isinstance(scene, WorldScene)
    return f"runs/partials/_{tab}.html", PANELS[tab](scene)


def machine_panel(scene: PanelScene) -> Context:
    """The state machines of what is selected, with what fired in them by the moment."""
    asked = (scene.sel, scene.rec, scene.part)
    if scene.node_name or not scene.key:
        return {"key": ""}
    if isinstance(scene, WorldScene):
        containers = scene.pod.containers if scene.pod is not None else ()
        parts = [(item.subject, [probe.subject for probe in item.probes]) for item in containers]
        return machine_context(scene.past, scene.key, asked, parts, scene.world)
    told = scene.told.pods[scene.key] if isinstance(scene, RecordedScene) else None
    return machine_context(scene.past, scene.key, asked, [(item.subject, ()) for item in told.containers.values()] if told else [], None)


def events_panel(scene: WorldScene) -> Context:
    """The Kubernetes Events of what is selected, newest first."""
    about = scene.node or scene.object
    rows = project.events_view(scene.world, None if about else scene.key or None, now_ms=scene.now_ms)
    if about is not None:
        rows = tuple(row for row in rows if row.subject == about.subject)
    return {"events": rows[::-1], "key": about.name if about else scene.key}


def yaml_panel(scene: WorldScene) -> Context:
    """The object as ``kubectl get -o yaml`` prints it."""
    if scene.node is not None:
        return _of_node(scene, "get node {} -o yaml")
    if scene.object is not None:
        return _of_object(scene, scene.object, "get {} -o yaml")
    text = object_yaml(scene.world, scene.key, now_ms=scene.now_ms) if scene.pod and scene.pod.is_present else ""
    return {"text": text, "command": _kubectl(scene, "get pod {} -o yaml")}


def describe_panel(scene: WorldScene) -> Context:
    """The text of ``kubectl describe`` of what is selected."""
    if scene.node is not None:
        return _of_node(scene, "describe node {}")
    if scene.object is not None:
        return _of_object(scene, scene.object, "describe {}")
    text = describe(scene.world, scene.key, now_ms=scene.now_ms) if scene.pod and scene.pod.is_present else ""
    return {"text": text, "command": _kubectl(scene, "describe pod {}")}


def _of_node(scene: WorldScene, words: str) -> Context:
    """What kubectl answers about the selected node; empty where its object is gone."""
    if scene.node is None or scene.node.is_deleted:
        return {"text": "", "command": ""}
    line = words.format(scene.node.name)
    return {"text": kubectl(scene.world, line, now_ms=scene.now_ms), "command": f"kubectl {line}"}


def _of_object(scene: WorldScene, about: ObjectView, words: str) -> Context:
    """What kubectl answers about the selected object."""
    where = f" -n {about.namespace}" if about.namespace not in ("", scene.world.header.namespace) else ""
    info = KINDS.get(about.kind)
    resource = info.resource if info is not None else about.kind.lower()
    line = words.format(f"{resource} {about.name}{where}")
    return {"text": kubectl(scene.world, line, now_ms=scene.now_ms), "command": f"kubectl {line}"}


def map_panel(scene: WorldScene) -> Context:
    """The cluster as a map: nodes with their pods, controllers, budgets, Services with their requests."""
    found = cluster_map(scene.world, now_ms=scene.now_ms)
    services = [(service, presenters.rates_said(service.rates)) for service in found.services]
    return {"map": found, "services": services, "sel": scene.sel}


def logs_panel(scene: WorldScene) -> Context:
    """What the selected container has printed by the moment, instance by instance, with the line that reads it where kubectl can."""
    parts = scene.sel.split("/")
    view = log_view(scene.world, scene.key, parts[3] if len(parts) > 3 else "", now_ms=scene.now_ms) if scene.key else None
    if view is None:
        return {"view": None}
    row = scene.world.tables.pods[scene.key]
    where = f"{row.name} -c {view.container}" + ("" if row.namespace == scene.world.header.namespace else f" -n {row.namespace}")
    lines = {} if row.gone_ms is not None else readable(row, view.container)
    refused = "" if lines or row.gone_ms is not None else kubectl(scene.world, f"logs {where}", now_ms=scene.now_ms)
    return {
        "view": view,
        "key": scene.key,
        "parts": [
            {**structs.asdict(part), "line": f"logs {where}{lines[part.instance]}" if part.instance in lines else ""} for part in view.parts
        ],
        "line": f"logs {where}",
        "refused": refused,
    }


def resources_panel(scene: WorldScene) -> Context:
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


def scheduling_panel(scene: WorldScene) -> Context:
    """The last attempt to place the pod before the moment: what became of each node, and why. Costs one more seek."""
    record = attempt_before(scene.past, scene.key, scene.now_ms) if scene.key else None
    if record is None:
        return {"decision": None, "key": scene.key}
    decision = explain_scheduling(scene.before(record.seq), scene.key)
    shown = decisions.nodes_shown(decision.nodes)
    scored = [node for node in shown if node.scores]
    return {
        "key": scene.key,
        "at_ms": record.at_ms,
        "decision": decision,
        "nodes": shown,
        "scored": scored,
        "plugins": scored[0].scores if scored else (),
        "left_out": len(decision.nodes) - len(shown),
        "sums": [decisions.label_sentence(wanted, instead) for wanted, instead in decision.sums],
        "preemption": list(decisions.preemption_lines(decision.preemption)) if decision.preemption is not None else [],
    }


def _kubectl(scene: WorldScene, words: str) -> str:
    """The kubectl command with the pod's name; empty where no pod is looked at."""
    if scene.pod is None:
        return ""
    where = "" if scene.pod.namespace == "default" else f" --namespace={scene.pod.namespace}"
    return f"kubectl {words.format(scene.pod.name)}{where}"


def kubectl_panel(scene: WorldScene) -> Context:
    """What kubectl answers at the moment to the line that was typed, with the usual lines about what is selected.

    A line that changes something is not carried out by being shown: ``acts`` says that a button may do it, ``edit`` which object the
    editor takes; what became of one that was carried out is told as far as the moment knows.
    """
    usual = _usual_lines(scene)
    line = scene.line.strip() or usual[0]
    context = _acting(scene, line) if is_acting(line) else {"answer": kubectl(scene.world, line, now_ms=scene.now_ms)}
    told = _unacted(scene.world, line)
    return {"line": line, "usual": usual, "command": f"kubectl {line.removeprefix('kubectl ')}", "unacted": told, **context}


def _acting(scene: WorldScene, line: str) -> Context:
    if scene.did:
        return {"did": scene.did, **_done(scene, line)}
    if scene.role != "owner":
        return {"answer": "", "note": _("This command changes the run, and only its owner can do that. Branch it to get your own.")}
    try:
        deed_of(scene.world, line, now_ms=scene.now_ms)
    except NeedsEditor as error:
        return {"answer": "", "edit": error.object, "acts": True, "note": _("Use the editor for manifests to apply.")}
    except BadLine as error:
        return {"answer": f"{error}\n"}
    return {"answer": "", "acts": True, "note": _("This command makes a change; nothing has been done yet.")}


def _done(scene: WorldScene, line: str) -> Context:
    """What became of a line whose commands begin with number ``did`` of the run."""
    seqs = [record.seq for record in scene.past if record.kind == "command"][scene.did - 1 :]
    if not seqs:
        return {"answer": "", "note": _("It had not been done yet at this moment.")}
    try:
        deed = deed_of(scene.before(seqs[0]), line)
    except BadLine as error:
        return {"answer": f"{error}\n"}
    given = [row.command() for row in scene.run.commands.filter(n__gte=scene.did)[: len(deed.steps)]]
    if given != [step.command for step in deed.steps]:
        return {"answer": "", "note": _("This command was run under different circumstances; see the records for the result.")}
    seqs = seqs[: len(given)]
    is_told = len(seqs) == len(given) and is_over(deed, seqs, scene.past, scene.world)
    return {"answer": answer_of(deed, seqs, scene.past, scene.world), "note": "" if is_told else _("Not finished yet at this moment.")}


def _unacted(world: World, line: str) -> list[str]:
    """What nothing in the simulation acts on, of the kinds that a line names: kubectl itself does not know it."""
    named = {info.kind for word in line.split() for part in word.split(",") if (info := kind_in(world, part.partition("/")[0])) is not None}
    found = [item for (kind, _, _), items in project.unacted_objects(world).items() if kind in named for item in items]
    return list(dict.fromkeys(presenters.unacted_text(item) for item in found))


def _usual_lines(scene: WorldScene) -> list[str]:
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


def inspector_panel(scene: WorldScene) -> Context:
    """What is selected, with a form for every act that is possible now."""
    starter = scene.run.content().source.manifests
    shared: Context = {
        **_chips(scene.pods, f"pod/{scene.key}", project.node_lines(scene.world), scene.sel),
        "others": inspector.object_rows(scene.world, but=scene.object.subject if scene.object is not None else ""),
        "left_out": left_out_of(scene.run.id, starter, scene.world.header.kubernetes),
        "sel": scene.sel,
        "starter": starter,
    }
    if scene.node is not None:
        return {**shared, **inspector.node_context(scene.world, scene.node)}
    if scene.object is not None:
        return {**shared, **inspector.object_context(scene.world, scene.object, now_ms=scene.now_ms)}
    if scene.pod is None:
        return {**shared, "pod": None}
    return {**shared, **inspector.pod_context(scene.world, scene.pod, past=lambda: scene.past, now_ms=scene.now_ms)}


def _chips(pods: Sequence[Any], pod: str, nodes: Sequence[Any], node: str) -> Context:
    """What the inspector names at its top, and how many it does not."""
    some, few = inspector.chips(pods, pod), inspector.chips(nodes, node)
    return {"pods": some, "nodes": few, "unnamed": len(pods) + len(nodes) - len(some) - len(few)}


def faults_panel(scene: WorldScene) -> Context:
    """The acts on what is selected alone: what a lane's menu and its bar offer."""
    if scene.node is not None:
        return inspector.node_faults(scene.world, scene.node)
    if scene.object is not None:
        return inspector.object_faults(scene.world, scene.object)
    if scene.pod is None:
        return {"faults": [], "bar": []}
    kind, *parts = scene.sel.split("/")
    named = parts[2:] if kind in ("container", "probe") and pod_key(scene.sel) == scene.key else []
    container, probe = ([*named, "", ""])[:2]
    return inspector.pod_faults(scene.world, scene.pod, container=container, probe=probe)


def recorded_panel(tab: str, scene: RecordedScene) -> Context:
    """What the records alone tell of what is selected; Events are recorded in full."""
    told, pod, node = scene.told, scene.told.pods.get(scene.key), scene.told.nodes.get(scene.node_name)
    about = node or pod
    shared: Context = {
        **_chips(list(told.pods.values()), f"pod/{scene.key}", list(told.nodes.values()), scene.sel),
        "pod": None if node else pod,
        "cards": [(item, inspector.told_ledger(scene.records, item, scene.now_ms)) for item in pod.containers.values()] if pod else [],
        "node": node,
        "sel": scene.sel,
        "conditions": list(about.conditions.values()) if about is not None else [],
        "status_help": presenters.status_help(pod.status_word) if pod else "",
        "notice": kept.divergence_facts(scene.divergence),
        "needs_world": tab != "inspector",
    }
    if tab == "events":
        subject = node.subject if node else f"pod/{scene.key}"
        events = events_told_by(scene.records, subject, now_ms=scene.now_ms)
        shared |= {"events": events[::-1], "key": node.name if node else scene.key}
    return shared


_RECORDED_PANELS = {"inspector": "runs/partials/_recorded.html", "events": "runs/partials/_events.html"}
"""Templates of what records tell by themselves; the other panels need a world and show the facts instead."""

PANELS: dict[str, Callable[[WorldScene], Context]] = {
    "inspector": inspector_panel,
    "faults": faults_panel,
    "faultbar": faults_panel,
    "map": map_panel,
    "events": events_panel,
    "logs": logs_panel,
    "resources": resources_panel,
    "scheduling": scheduling_panel,
    "yaml": yaml_panel,
    "describe": describe_panel,
    "diff": difference.diff_panel,
    "kubectl": kubectl_panel,
}
TABS = ("why", "machine", *PANELS)
"""Every panel there is."""
