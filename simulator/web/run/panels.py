"""The panels of a run at one moment (inspector, Why, Map, Events, Logs, Resources, YAML, describe, kubectl): template and context of each.

Most show a world. If another revision recorded the run and today's rules lead elsewhere, they show what the records contain.

A panel must depend on its scene alone, not on the clock or the database, because tracks render it for moments that are
not on screen yet, and keep the result.
"""

from collections.abc import Callable, Sequence
from typing import Any

from django.utils.translation import gettext as _
from msgspec import structs

from simulator.door.typed import looked
from simulator.engine.acts.containers.exec import ExecInContainer, WriteToExec
from simulator.engine.apiserver.documents.custom import kind_in
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.units import Seq
from simulator.engine.model.kinds import KINDS
from simulator.engine.projection import project
from simulator.engine.projection.cluster_map import cluster_map
from simulator.engine.projection.logs import log_view
from simulator.engine.projection.objects import ObjectView
from simulator.engine.projection.recorded import recorded_events
from simulator.engine.projection.scheduling import attempt_before, explain_scheduling
from simulator.engine.projection.subjects import pod_key
from simulator.engine.world.world import World
from simulator.headless import decisions
from simulator.kubectl.acting.action import KubectlAction
from simulator.kubectl.acting.outcome import answer_of, following, is_over
from simulator.kubectl.acting.verbs import NeedsEditor, action_of, is_acting
from simulator.kubectl.context import chosen_by, context_name
from simulator.kubectl.kubectl import kubectl
from simulator.kubectl.line import BadLine
from simulator.kubectl.logs import readable
from simulator.kubectl.pods import describe, object_yaml
from simulator.runs.turns.allowance import StillComputing
from simulator.web import presenters
from simulator.web.base.common import Context
from simulator.web.base.levels import refused_of
from simulator.web.run import difference, inspector, kept
from simulator.web.run.left_out import left_out_of
from simulator.web.run.machine import machine_context
from simulator.web.run.scenes import PanelScene, RecordedScene, WorldScene
from simulator.web.run.why import why_panel


def panel_or_progress(tab: str, scene: PanelScene) -> tuple[str, Context]:
    """Like ``panel``, for a page; if a request cannot play that far, the progress instead. The page then reloads by itself."""
    try:
        return panel(tab, scene)
    except StillComputing as met:
        return "runs/partials/_computing.html", {"text": presenters.computing_text(met.reached_ms, met.goal_ms)}


def panel(tab: str, scene: PanelScene) -> tuple[str, Context]:
    """The template and context of a panel. Raises KeyError for an unknown tab."""
    if tab == "why":
        return "runs/partials/_why.html", why_panel(scene)
    if tab == "machine":
        return "runs/partials/_machine.html", machine_panel(scene)
    # Acts need a world; a recorded moment has none.
    if isinstance(scene, RecordedScene) and tab in ("faults", "faultbar"):
        return f"runs/partials/_{tab}.html", {"faults": [], "bar": []}
    if isinstance(scene, RecordedScene):
        return _RECORDED_PANELS.get(tab, "runs/partials/_recorded_facts.html"), recorded_panel(tab, scene)
    assert isinstance(scene, WorldScene)
    return f"runs/partials/_{tab}.html", PANELS[tab](scene)


def machine_panel(scene: PanelScene) -> Context:
    """The state machines of the selection, with the transitions that have fired by the moment."""
    asked = (scene.sel, scene.rec, scene.part)
    if scene.node_name or not scene.key:
        return {"key": ""}
    if isinstance(scene, WorldScene):
        containers = scene.pod.containers if scene.pod is not None else ()
        parts = [(item.subject, [probe.subject for probe in item.probes]) for item in containers]
        return machine_context(scene.past, scene.key, asked, parts, scene.world)
    pod = scene.recorded.pods[scene.key] if isinstance(scene, RecordedScene) else None
    return machine_context(scene.past, scene.key, asked, [(item.subject, ()) for item in pod.containers.values()] if pod else [], None)


def events_panel(scene: WorldScene) -> Context:
    """The Kubernetes Events of the selection, newest first."""
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
    """The output of ``kubectl describe`` for the selection."""
    if scene.node is not None:
        return _of_node(scene, "describe node {}")
    if scene.object is not None:
        return _of_object(scene, scene.object, "describe {}")
    text = describe(scene.world, scene.key, now_ms=scene.now_ms) if scene.pod and scene.pod.is_present else ""
    return {"text": text, "command": _kubectl(scene, "describe pod {}")}


def _of_node(scene: WorldScene, words: str) -> Context:
    """kubectl's output about the selected node; empty if its object is gone."""
    if scene.node is None or scene.node.is_deleted:
        return {"text": "", "command": ""}
    line = words.format(scene.node.name)
    return {"text": kubectl(scene.world, line, now_ms=scene.now_ms), "command": f"kubectl {line}"}


def _of_object(scene: WorldScene, about: ObjectView, words: str) -> Context:
    """kubectl's output about the selected object."""
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
    """What the selected container has printed by the moment, instance by instance, with the kubectl line that shows it, if possible."""
    parts = scene.sel.split("/")
    view = log_view(scene.world, scene.key, parts[3] if len(parts) > 3 else "", now_ms=scene.now_ms) if scene.key else None
    if view is None:
        return {"view": None}
    row = scene.world.tables.pods[scene.key]
    where = f"{row.name} -c {view.container}" + ("" if row.namespace == scene.world.header.namespace else f" -n {row.namespace}")
    # kubectl logs needs the pod's object; the panel shows what the world still has.
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
    """The reason for the QoS class, how the effective requests and limits are computed, and what the Downward API shows."""
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
    """The last attempt to schedule the pod before the moment: the result for each node, and why. Costs one more seek."""
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
    """The kubectl command with the pod's name; empty if no pod is selected."""
    if scene.pod is None:
        return ""
    where = "" if scene.pod.namespace == "default" else f" --namespace={scene.pod.namespace}"
    return f"kubectl {words.format(scene.pod.name)}{where}"


def kubectl_panel(scene: WorldScene) -> Context:
    """kubectl's output at the moment for the typed line, with the usual lines about the selection.

    Showing a line that changes something does not carry it out: ``acts`` says that a button may do so, ``edit`` which object the editor
    opens, ``edit_in`` the namespace of new ones. The result of a line that was carried out is shown as far as it is known at the moment.
    ``namespace`` is that of the context for the lines that follow: the one of this line, or the one that it sets.
    """
    namespace = chosen_by(scene.line, scene.world.release.minor, _context_of(scene)) or scene.namespace
    usual = _usual_lines(scene, namespace)
    line = scene.line.strip() or usual[0]
    context = _acting(scene, line) if is_acting(line) else {"answer": _looked(scene, line)}
    unacted = _unacted(scene.world, line)
    return {
        "line": line,
        "usual": usual,
        "namespace": namespace,
        "asked_in": scene.namespace,
        "command": f"kubectl {line.removeprefix('kubectl ').removeprefix('k ')}",
        "unacted": unacted,
        **context,
    }


def _looked(scene: WorldScene, line: str) -> str:
    return looked(scene.world, line, now_ms=scene.now_ms, namespace=scene.namespace, context=_context_of(scene)).text


def _context_of(scene: WorldScene) -> str:
    """The name of the context, the same as in the kubeconfig that the run or the link gives out."""
    return context_name(scene.run.share_id if scene.run.is_frozen and scene.run.share_id else scene.run.id.hex)


def _acting(scene: WorldScene, line: str) -> Context:
    if scene.did:
        return {"did": scene.did, **_done(scene, line)}
    if scene.role != "owner":
        return {"answer": "", "note": _("This command changes the run, and only its owner can do that. Branch it to get your own.")}
    try:
        action = action_of(scene.world, line, now_ms=scene.now_ms, namespace=scene.namespace)
    except NeedsEditor as error:
        note = _("Use the editor for manifests to apply.")
        return {"answer": "", "edit": error.object, "edit_in": error.namespace, "acts": True, "note": note}
    except BadLine as error:
        return {"answer": f"{error}\n"}
    if not action.steps:
        return {"answer": answer_of(action, (), scene.past, scene.world)}
    refused = refused_of(scene.run, [step.command for step in action.steps])
    if refused:
        return {"answer": "", "note": refused}
    return {"answer": "", "acts": True, "note": _("This command makes a change; nothing has been done yet.")}


def _done(scene: WorldScene, line: str) -> Context:
    """The result of a line whose commands begin with number ``did`` of the run."""
    seqs = [record.seq for record in scene.past if record.kind == "command"][scene.did - 1 :]
    if not seqs:
        return {"answer": "", "note": _("It had not run yet at this moment.")}
    try:
        action = action_of(scene.before(seqs[0]), line, namespace=scene.namespace)
    except BadLine as error:
        return {"answer": f"{error}\n"}
    given = [row.command() for row in scene.run.commands.filter(n__gte=scene.did)[: len(action.steps)]]
    # The URL may have been edited, or the line may mean something else in this world.
    if list(map(_plain, given)) != [_plain(step.command) for step in action.steps]:
        return {"answer": "", "note": _("This command was run under different circumstances; see the records for the result.")}
    seqs = seqs[: len(given)]
    is_told = len(seqs) == len(given) and is_over(action, seqs, scene.past, scene.world)
    note = "" if is_told else _("Not finished yet at this moment.")
    then = _then(scene, action, seqs)
    answer = answer_of(action, seqs, scene.past, scene.world)
    return {"answer": answer, "note": note, "then": then, **_session(scene, action.steps[0].command, seqs[0])}


def _then(scene: WorldScene, action: KubectlAction, seqs: Sequence[Seq]) -> str:
    """The line that is to follow now, as ``run --rm`` deletes its pod; the browser gives it where the end of the run is looked at."""
    attached = following(action, seqs, scene.past, scene.world) if scene.is_live and scene.role == "owner" else None
    return attached.due if attached is not None else ""


def _plain(command: Command) -> Command:
    """A command in a container without its terminal settings, which earlier releases did not store."""
    return structs.replace(command, stdin=False, tty=False, apart=False) if isinstance(command, ExecInContainer) else command


def _session(scene: WorldScene, command: Command, seq: Seq) -> Context:
    """The session that a line started or typed into, if it is still open at the end of the run: the next line goes there."""
    number = command.exec if isinstance(command, WriteToExec) else seq
    row = next((row for row in scene.world.tables.execs.values() if row.seq == number and row.state.input), None)
    if row is None or not isinstance(command, WriteToExec | ExecInContainer):
        return {}
    return {
        "session": number,
        "session_name": row.container,
        "note": _("What you type goes to the command in the container; exit ends it."),
    }


def _unacted(world: World, line: str) -> list[str]:
    """Notes on what the simulation does not act on, for the kinds that a line names; kubectl itself would not mention it."""
    named = {info.kind for word in line.split() for part in word.split(",") if (info := kind_in(world, part.partition("/")[0])) is not None}
    found = [item for (kind, _, _), items in project.unacted_objects(world).items() if kind in named for item in items]
    return list(dict.fromkeys(presenters.unacted_text(item) for item in found))


def _usual_lines(scene: WorldScene, namespace: str) -> list[str]:
    """The lines for the buttons, with the namespace if it is not that of the context, which is the run's own where it is empty."""
    lines = ["get pods", "get pods -o wide", "get events"]
    if len({row.namespace for row in scene.pods if row.is_present}) > 1:
        lines[:2] = ["get pods -A", "get pods -A -o wide"]
    if scene.node is not None:
        return [*lines, f"describe node {scene.node.name}", f"get node {scene.node.name} -o yaml"]
    if scene.pod is not None and scene.pod.is_present:
        where = "" if scene.pod.namespace == (namespace or scene.world.header.namespace) else f" -n {scene.pod.namespace}"
        return [*lines, f"describe pod {scene.pod.name}{where}", f"get pod {scene.pod.name}{where} -o yaml"]
    return lines


def inspector_panel(scene: WorldScene) -> Context:
    """The selection, with a form for every act that is possible now."""
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
    """The pods and nodes named at the top of the inspector, and how many are not."""
    some, few = inspector.chips(pods, pod), inspector.chips(nodes, node)
    return {"pods": some, "nodes": few, "unnamed": len(pods) + len(nodes) - len(some) - len(few)}


def faults_panel(scene: WorldScene) -> Context:
    """Only the acts on the selection, for a lane's menu and its bar."""
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
    """What the records alone contain about the selection; Events are recorded completely."""
    recorded, pod, node = scene.recorded, scene.recorded.pods.get(scene.key), scene.recorded.nodes.get(scene.node_name)
    about = node or pod
    shared: Context = {
        **_chips(list(recorded.pods.values()), f"pod/{scene.key}", list(recorded.nodes.values()), scene.sel),
        "pod": None if node else pod,
        "cards": [(item, inspector.recorded_ledger(scene.records, item, scene.now_ms)) for item in pod.containers.values()] if pod else [],
        "node": node,
        "sel": scene.sel,
        "conditions": list(about.conditions.values()) if about is not None else [],
        "status_help": presenters.status_help(pod.status_word) if pod else "",
        "notice": kept.divergence_facts(scene.divergence),
        "needs_world": tab != "inspector",
    }
    if tab == "events":
        subject = node.subject if node else f"pod/{scene.key}"
        events = recorded_events(scene.records, subject, now_ms=scene.now_ms)
        shared |= {"events": events[::-1], "key": node.name if node else scene.key}
    return shared


_RECORDED_PANELS = {"inspector": "runs/partials/_recorded.html", "events": "runs/partials/_events.html"}
"""Templates of the panels that records alone are enough for; the others need a world, and show the facts instead."""

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
"""All panels."""
