"""The Machine tab: the state machines of the selection, STATUS as the questions that kubectl asks, and the phase as a fold.

The picture is the machine's table that the engine runs on, combined with the records. ``part`` in the URL names a
machine and a state or an edge; if it does not fit the selection, the machine of the chosen record is drawn, otherwise
the selection's own.
"""

from collections.abc import Sequence
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from simulator.engine.acts.offer import Offer
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Key, Seq, Subject
from simulator.engine.projection.diagrams import DRAWN, Diagram, DiagramEdge, DiagramState, Firing, diagram_at, recorded_diagram
from simulator.engine.projection.folds import phase_view, status_questions
from simulator.engine.projection.headlines import values_of
from simulator.engine.projection.text import needed
from simulator.engine.projection.tones import GLYPHS
from simulator.engine.rules.anchors import anchor
from simulator.engine.rules.rulebook import RULEBOOK
from simulator.engine.world.world import World
from simulator.manifests.documentation import docs_link
from simulator.web import presenters
from simulator.web.base.common import Context
from simulator.web.run.act_lines import offers_of_pod
from simulator.web.run.drawing.graph import graph_of

NONE = "none"
"""The name of the nameless state in pictures and URLs."""
HEAVIER_FROM = (1, 2, 5)
"""The counts from which an edge is drawn thicker."""
INSTANTS_MAX = 12
"""The most instants listed for an edge, newest first."""

TITLES: dict[str, str | Promise] = {
    "status": "STATUS",
    "phase": _("Phase"),
    "pod_worker": _("Pod worker"),
    "sandbox": _("Sandbox"),
    "container": _("Container"),
    "stop": _("Termination"),
    "probe": _("Probe"),
}
_OF_POD = ("status", "phase", "pod_worker", "sandbox")
_TOLD_OF_POD = ("pod_worker", "sandbox")
_OF_CONTAINER = ("container", "stop")
Parts = Sequence[tuple[Subject, Sequence[Subject]]]
"""The containers of a pod, each with its probes."""


def machine_context(records: Sequence[Record], key: Key, asked: tuple[Subject, Seq, str], parts: Parts, world: World | None) -> Context:
    """The template context for the pod ``key``. ``asked``: the selection, the chosen record, and a machine with a state or an edge.

    Anything that does not fit the selection is ignored. ``world`` is None if there are only records of the moment: then STATUS and phase,
    which are read from objects, are left out.
    """
    sel, rec, part = asked
    groups = _groups(key, parts, sel, _OF_POD if world is not None else _TOLD_OF_POD)
    choices = [choice for _name, found in groups for choice in found]
    kind, _dot, chosen = part.partition(".")
    taken = next((item for item in choices if item["name"] == kind and item["is_near"]), None)
    if taken is None:
        taken, chosen = _usual(records, sel, rec, choices)
    taken["is_chosen"] = True
    subject = taken["subject"]
    context: Context = {"key": key, "kind": taken["name"], "title": taken["label"], "groups": groups, "subject": subject}
    if taken["name"] in DRAWN:
        diagram = diagram_at(world, taken["name"], subject, records) if world else recorded_diagram(taken["name"], subject, records)
        drawn = _drawn(diagram, chosen, records)
        return context | drawn | {"acts": _acts(world, key, subject, drawn["edge"]) if world else []}
    assert world is not None
    return context | (_status(world, key) if taken["name"] == "status" else _phase(world, key, records))


def _groups(key: Key, parts: Parts, sel: Subject, of_pod: Sequence[str]) -> list[tuple[str, list[Context]]]:
    """The available machines, grouped by what they belong to. A machine is near if it needs no change of selection."""
    near = _nearness(sel)
    groups = [(key.partition("/")[2], [_choice(name, f"pod/{key}", TITLES[name], is_near=True) for name in of_pod])]
    for container, probes in parts:
        found = [_choice(name, container, TITLES[name], is_near=container == near) for name in _OF_CONTAINER]
        found += [_choice("probe", probe, probe.rpartition("/")[2], is_near=probe == sel) for probe in probes]
        groups.append((container.rpartition("/")[2], found))
    return groups


def _choice(name: str, subject: Subject, label: str | Promise, *, is_near: bool) -> Context:
    return {"name": name, "subject": subject, "label": label, "is_near": is_near, "is_chosen": False}


def _nearness(sel: Subject) -> Subject:
    """The selected container, or the container of the selected probe."""
    kind, *rest = sel.split("/")
    return "/".join(["container", *rest[:3]]) if kind in ("container", "probe") else ""


def _usual(records: Sequence[Record], sel: Subject, rec: Seq, choices: list[Context]) -> tuple[Context, str]:
    """The default: the machine and the edge of the chosen record, otherwise the selection's own machine."""
    near = {choice["name"]: choice for choice in choices if choice["is_near"]}
    record = records[rec - 1] if 0 < rec <= len(records) else None
    if record is not None and record.machine in near and near[record.machine]["subject"] == record.subject:
        return near[record.machine], f"{record.source or NONE}--{record.target or NONE}" if record.source else ""
    kind = sel.partition("/")[0]
    if kind == "container" and "stop" in near and _is_stopping(records, sel):
        return near["stop"], ""
    name = {"container": "container", "probe": "probe", "condition": "phase"}.get(kind, "pod_worker")
    return near.get(name) or near["pod_worker"], ""


def _is_stopping(records: Sequence[Record], container: Subject) -> bool:
    newest = next((record for record in reversed(records) if record.machine == "container" and record.subject == container), None)
    return newest is not None and newest.target == "stopping"


def _drawn(diagram: Diagram, chosen: str, records: Sequence[Record]) -> Context:
    """A machine with its picture, the details of the chosen part, and the table."""
    names = [state.name for state in diagram.states]
    edges = {(edge.source, edge.target): edge for edge in diagram.edges if edge.firings or _of_its_own(edge.triggers)}
    graph = graph_of(names, {ends: _words(edge) for ends, edge in edges.items()})
    edge = next((edge for edge in diagram.edges if _edge_part(edge) == chosen), None)
    state = next((state for state in diagram.states if _named(state.name) == chosen), None)
    if edge is None and state is None:
        # Nothing is chosen: use the last step taken, otherwise the present state.
        edge = next((edge for edge in diagram.edges if edge.id == diagram.last), None)
    present = next(state for state in diagram.states if state.name == diagram.present)
    if edge is None and state is None:
        state = present
    return {
        "graph": graph,
        "nodes": [_node(box, item, diagram, state) for box, item in zip(graph.nodes, diagram.states, strict=True)],
        "lines": sorted((_line(line, edges[line.ends], diagram, edge) for line in graph.lines), key=lambda item: item["rank"]),
        "present": _state_row(present),
        "since_ms": diagram.since_ms,
        "about": gettext(diagram.about),
        "edge": _edge_row(edge, records) if edge is not None else None,
        "state": _state_row(state) | _ways(state, diagram) if edge is None and state is not None else None,
        "table": [_edge_row(item) for item in diagram.edges],
    }


def _acts(world: World, key: Key, subject: Subject, edge: Context | None) -> list[Offer]:
    """The acts that make the machine of ``subject`` take this step; for a container or probe only its own acts."""
    if edge is None:
        return []
    rules = {row["rule"] for row in edge["rows"]}
    own = dict(zip(("container", "probe"), subject.split("/")[3:], strict=False))
    return [
        offer
        for offer in offers_of_pod(world, key)
        if rules.intersection(offer.fires) and all(offer.given.get(name, value) == value for name, value in own.items())
    ]


def _words(edge: DiagramEdge) -> list[str]:
    """The label of an edge: its triggers, and how often it was taken. A rule applied elsewhere has no trigger."""
    words = [name for name in _of_its_own(edge.triggers) if name != "decided"]
    count = f"×{len(edge.firings)}" if len(edge.firings) > 1 else ""
    if not words:
        return [count] if count else []
    return [*words[:-1], f"{words[-1]} {count}".strip()]


def _of_its_own(triggers: Sequence[str]) -> list[str]:
    """The triggers that occur in a running cluster, without those used for an imported past."""
    return [name for name in triggers if not name.startswith("imported")]


def _named(state: str) -> str:
    return state or NONE


def _edge_part(edge: DiagramEdge) -> str:
    return f"{_named(edge.source)}--{_named(edge.target)}"


def _node(box: Any, item: DiagramState, diagram: Diagram, chosen: DiagramState | None) -> Context:
    return {
        "box": box,
        "middle": box.x + box.width // 2,
        "name": _named(item.name),
        "label": gettext(item.label),
        "tone": item.tone,
        "glyph": GLYPHS[item.tone],
        "count": len(item.entered),
        "is_terminal": item.is_terminal,
        "is_present": item.name == diagram.present,
        "is_chosen": item is chosen,
    }


def _line(line: Any, edge: DiagramEdge, diagram: Diagram, chosen: DiagramEdge | None) -> Context:
    """An edge to be drawn; ``rank`` puts highlighted edges on top."""
    is_last = edge.id == diagram.last
    return {
        "line": line,
        "part": _edge_part(edge),
        "source": _named(edge.source),
        "target": _named(edge.target),
        "triggers": ", ".join(edge.triggers),
        "count": len(edge.firings),
        "weight": _weight(len(edge.firings)),
        "rules": [(row.trigger, presenters.rule_sentence(row.rule), row.rule) for row in edge.rows],
        "is_last": is_last,
        "is_chosen": edge is chosen,
        "rank": (is_last, edge is chosen, bool(edge.firings)),
    }


def _weight(count: int) -> int:
    """The thickness of an edge in three steps; 0 if it was never taken."""
    return sum(count >= least for least in HEAVIER_FROM)


def _edge_row(edge: DiagramEdge, records: Sequence[Record] = ()) -> Context:
    """An edge with its rules; ``records`` fill in the sentences of the rules by which it was taken."""
    fired = {firing.rule: records[firing.seq - 1] for firing in edge.firings if firing.seq <= len(records)}
    return {
        "part": _edge_part(edge),
        "source": _named(edge.source),
        "target": _named(edge.target),
        "rows": [
            {
                "trigger": row.trigger,
                "when": row.when.replace("_", " "),
                "do": row.do.replace("_", " "),
                **rule_facts(row.rule, fired.get(row.rule)),
            }
            for row in edge.rows
        ],
        **_instants(edge.firings),
    }


def rule_facts(rule_id: str, record: Record | None = None) -> Context:
    """A rule for pages: its id, sentence, source, and documentation. ``record`` fills in the sentence."""
    rule, doc = RULEBOOK.get(rule_id), anchor(rule_id)
    return {
        "rule": rule_id,
        "sentence": presenters.said(needed(rule.sentence, values_of(record))) if record and rule else presenters.rule_sentence(rule_id),
        "source": presenters.source_text(rule.source) if rule is not None else "",
        "doc": docs_link(doc),
    }


def _instants(firings: Sequence[Firing]) -> Context:
    """The instants, newest first, and how many earlier ones there were."""
    return {"count": len(firings), "instants": list(reversed(firings))[:INSTANTS_MAX], "earlier": max(0, len(firings) - INSTANTS_MAX)}


def _state_row(state: DiagramState) -> Context:
    label = "" if state.label.lower() == state.name else gettext(state.label)
    return {"name": _named(state.name), "label": label, "tone": state.tone, **_instants(state.entered)}


def _ways(state: DiagramState, diagram: Diagram) -> Context:
    return {"ways": [_edge_row(edge) for edge in diagram.edges if edge.source == state.name]}


def _status(world: World, key: Key) -> Context:
    """The questions in kubectl's order. A step changes the word if it differs from that of the step before."""
    steps = status_questions(world, key)
    words = ["", *(step.word for step in steps)]
    return {
        "steps": [
            {"step": step, "sentence": presenters.rule_sentence(step.rule_id), "changes": step.holds and step.word != before}
            for step, before in zip(steps, words, strict=False)
        ],
        "word": words[-1],
        "status_help": presenters.status_help(words[-1]),
        "looked_up": words[-1].rpartition(":")[2],
    }


COUNTS: dict[str, str | Promise] = {
    "init_pending": _("init containers left"),
    "init_failed": _("init containers that failed"),
    "init_failed_for_good": _("init containers that failed permanently"),
    "sidecar_pending": _("sidecars left to start"),
    "unknown": _("unknown"),
    "running": _("running"),
    "waiting": _("waiting for the first start"),
    "stopped": _("stopped"),
    "succeeded": _("exited with 0"),
    "restartable": _("to be restarted"),
}


def _phase(world: World, key: Key, records: Sequence[Record]) -> Context:
    """The current phase, and the two ways to compute it."""
    view = phase_view(world, key, records)
    if view is None:
        return {"phase": None}
    minor = world.header.kubernetes
    folds = [
        {
            "title": "Kubernetes 1.3" if fold.algorithm == "1.3" else f"Kubernetes {minor}",
            "phase": fold.phase,
            "containers": [(item.name, item.group, [COUNTS[name] for name in item.counts]) for item in fold.containers],
            "sums": [(COUNTS[name], count) for name, count in fold.sums],
            "rules": [{"item": item, "sentence": presenters.rule_sentence(item.rule)} for item in fold.rules],
        }
        for fold in view.folds
    ]
    return {"phase": view, "folds": folds, "differs": view.folds[0].phase != view.folds[1].phase, "phase_rule": rule_facts(view.rule)}
