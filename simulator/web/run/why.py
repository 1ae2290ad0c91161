"""The Why tab: the causal chain of a record, as sentences or as a sequence diagram.

Both show the same chain: sentences from the effect back to its cause, the diagram forward in time.
"""

from collections.abc import Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Seq
from simulator.engine.projection.subjects import pod_key
from simulator.engine.rules import explain
from simulator.engine.rules.actors import ACTORS, message_of
from simulator.manifests.documentation import docs_link
from simulator.runs.selectors.typed_lines import typed_lines
from simulator.web import presenters
from simulator.web.base.common import Context
from simulator.web.run.drawing.sequence import sequence_of
from simulator.web.run.scenes import PanelScene

WAYS: dict[str, str | Promise] = {"sentences": gettext_lazy("Sentences"), "sequence": gettext_lazy("Sequence diagram")}
"""The ways in which the Why tab shows a chain."""


def why_panel(scene: PanelScene) -> Context:
    """The causal chain of the chosen record, or of the selection's newest one, in the reader's language."""
    seq = scene.rec if 0 < scene.rec <= scene.seq else _newest(scene)
    steps = explain.why(scene.past, seq) if 0 < seq <= len(scene.past) else ()
    shown = scene.part if scene.part in WAYS else "sentences"
    context: Context = {"steps": _with_lines(scene, steps), "seq": seq, "shown": shown, "ways": WAYS.items()}
    return context | {"sequence": _sequence(steps, scene.past)} if shown == "sequence" and steps else context


def _with_lines(scene: PanelScene, steps: Sequence[explain.ExplainedStep]) -> list[Context]:
    """The links of the chain, acts with their typed line and who gave them. One query if there is an act."""
    acts = [step.seq for step in steps if step.seq <= len(scene.past) and scene.past[step.seq - 1].kind == "command"]
    lines = typed_lines(scene.run, acts) if acts else {}
    return [{**step_context(step), "typed": lines.get(step.seq)} for step in steps]


def _sequence(steps: Sequence[explain.ExplainedStep], past: Sequence[Record]) -> Context:
    """The chain from its beginning, as messages between the actors."""
    ordered = steps[::-1]
    messages = [message_of(past[step.seq - 1]) for step in ordered]
    drawn = sequence_of(messages, ACTORS)
    times = ["", *(presenters.clock_text(step.at_ms) for step in ordered)]
    rows = [
        {
            **step_context(step),
            "arrow": arrow,
            "sender": presenters.ACTOR_NAMES[sender],
            "receiver": presenters.ACTOR_NAMES[receiver],
            "time": time if time != before else "",
        }
        for step, arrow, (sender, receiver), before, time in zip(ordered, drawn.arrows, messages, times, times[1:], strict=False)
    ]
    return {"drawn": drawn, "names": [(line, presenters.ACTOR_NAMES[line.actor]) for line in drawn.lifelines], "rows": rows}


def step_context(step: explain.ExplainedStep) -> Context:
    """A link of a causal chain in the reader's language."""
    return {
        "seq": step.seq,
        "at_ms": step.at_ms,
        "subject": step.subject,
        "what": presenters.said(step.headline),
        "text": presenters.said(step.sentence),
        "rule_id": step.rule_id,
        "is_known": step.is_known,
        "source": presenters.source_text(step.source),
        "doc": docs_link(step.doc),
    }


def _newest(scene: PanelScene) -> Seq:
    """The seq of the newest record about the selection, otherwise of the pod's newest, 0 if nothing has happened.

    For a container that is being stopped, it is the record that says why it stops, whatever has happened to it since.
    """
    key = scene.key
    wanted = scene.sel or f"pod/{key}"
    fallback = newest = 0
    for record in reversed(scene.past):
        if record.subject == wanted:
            newest = newest or record.seq
            if record.machine == "container":
                return record.seq if record.target == "stopping" else newest
            if not wanted.startswith("container/"):
                return newest
        # The cheap check first: most records of a large run are about other pods.
        if not fallback and key in record.subject and not scene.node_name and pod_key(record.subject) == key:
            fallback = record.seq
    return newest or fallback
