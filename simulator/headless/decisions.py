"""Reconstruct a scheduler's decision and print it as a table: ``simulate --explain POD@45s``.

A record says where a pod was placed, or with which message it was not. The verdicts on each node are not recorded
but reconstructed: the world just before the attempt is rebuilt and the scheduler runs once more, with its reasons.
"""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from simulator.engine import RunHeader
from simulator.engine.acts.all_acts import Stamped
from simulator.engine.course.replay import Checkpoints
from simulator.engine.kernel.records import Record
from simulator.engine.projection.scheduling import (
    REFUSED,
    NodeDecision,
    PreemptionDecision,
    SchedulingDecision,
    attempt_before,
    explain_scheduling,
)

NODES_SHOWN = 40
"""Nodes that are listed individually; if there are more, those that fit come first and the rest are only counted."""


def decision_at(
    checkpoints: Checkpoints, commands: Sequence[Stamped], records: Sequence[Record], pod: str, at_ms: int
) -> tuple[Record, SchedulingDecision] | None:
    """The last attempt to place the pod up to a moment, with the decision about every node; None if there was none.

    The world just before the attempt is replayed from the nearest checkpoint, which is the cost.
    """
    record = attempt_before(records, pod, at_ms)
    if record is None:
        return None
    # Up to the previous record, not up to the moment before: other records of the same moment may come first.
    world = checkpoints.seek_seq(commands, record.seq - 1, end_ms=record.at_ms)
    return record, explain_scheduling(world, pod)


def replayed_decision(header: RunHeader, records: Sequence[Record], pod: str, at_ms: int) -> tuple[Record, SchedulingDecision] | None:
    """Like ``decision_at``, for a run without commands."""
    return decision_at(Checkpoints(header), (), records, pod, at_ms)


def decision_lines(record: Record, decision: SchedulingDecision) -> Iterator[str]:
    """The decision as lines of text."""
    count = len(decision.nodes)
    attempt = ngettext(
        "%(at)ss: attempt to place %(pod)s, %(count)d node considered",
        "%(at)ss: attempt to place %(pod)s, %(count)d nodes considered",
        count,
    )
    yield attempt % {"at": f"{record.at_ms / 1000:g}", "pod": decision.pod, "count": count}
    if decision.rejection:
        yield _("%(plugin)s rejected every node: %(reason)s") % {"plugin": decision.rejected_by, "reason": decision.rejection}
        return
    yield _("chosen: %s") % decision.chosen if decision.chosen else _("no node fits")
    if decision.tied:
        yield _("tied: %s (the node with fewer pods is chosen, then the first in the cluster)") % ", ".join(decision.tied)
    for wanted, instead in decision.sums:
        yield label_sentence(wanted, instead)
    yield ""
    yield from _table(_filter_rows(decision.nodes))
    if any(node.scores for node in decision.nodes):
        yield ""
        yield from _table(_score_rows(decision.nodes))
    if decision.preemption is not None:
        yield ""
        for place, line in enumerate(preemption_lines(decision.preemption)):
            yield f"  {line}" if place else line


def label_sentence(wanted: str, instead: Sequence[tuple[str, int]]) -> str:
    """Summarize which labels the nodes have that were rejected for lacking ``wanted``."""
    listed = ", ".join(
        (_("%(count)d without that label") if found == "nothing" else _("%(count)d carry %(label)s")) % {"count": count, "label": found}
        for found, count in instead
    )
    return _("rejected for lack of %(wanted)s: %(listed)s") % {"wanted": wanted, "listed": listed}


def nodes_shown(nodes: Sequence[NodeDecision]) -> list[NodeDecision]:
    """At most NODES_SHOWN nodes: first those that fit, best first, then the others in order."""
    ordered = sorted(nodes, key=lambda node: (node.refusal is not None, not node.is_chosen, -node.total))
    return ordered[:NODES_SHOWN]


def _filter_rows(nodes: Sequence[NodeDecision]) -> Iterator[tuple[str, ...]]:
    yield "NODE", "VERDICT", "PLUGIN", "REASON", "BECAUSE"
    for node in nodes_shown(nodes):
        refusal = node.refusal
        if refusal is None:
            yield node.node, _("chosen") if node.is_chosen else _("fits"), "", "", ""
        else:
            because = "; ".join(f"{name}: {value}" for name, value in refusal.facts)
            yield node.node, REFUSED, refusal.plugin, "; ".join(refusal.reasons), because
    if len(nodes) > NODES_SHOWN:
        yield _("… and %d more") % (len(nodes) - NODES_SHOWN), "", "", "", ""


def _score_rows(nodes: Sequence[NodeDecision]) -> Iterator[tuple[str, ...]]:
    fitting = [node for node in nodes_shown(nodes) if node.scores]
    yield "NODE", *(f"{each.plugin}×{each.weight}" for each in fitting[0].scores), "TOTAL"
    for node in fitting:
        yield node.node, *(str(each.points) for each in node.scores), str(node.total) + (" *" if node.is_chosen else "")


def preemption_lines(tried: PreemptionDecision) -> Iterator[str]:
    """The results of looking for pods to evict, as sentences."""
    yield _("preemption, for a pod of priority %d:") % tried.priority
    if tried.ineligible:
        yield tried.ineligible
    for each in tried.candidates:
        victims = ", ".join(f"{name} ({priority})" for name, priority in each.victims)
        chosen = _("chosen") if each.is_chosen else _("possible")
        yield _("%(node)s: %(chosen)s, evicting %(victims)s; violating a budget: %(count)d") % {
            "node": each.node,
            "chosen": chosen,
            "victims": victims,
            "count": each.violations,
        }
    for node, reasons in tried.hopeless:
        yield _("%(node)s: no, even without lower-priority pods: %(reasons)s") % {"node": node, "reasons": "; ".join(reasons)}
    if tried.bare:
        yield _("no lower-priority pod on: %s") % ", ".join(tried.bare[:NODES_SHOWN])
    if not (tried.ineligible or tried.candidates or tried.hopeless or tried.bare):
        yield _("no rejection that removing pods could resolve")


def _table(rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    """Format the rows with columns as wide as their content."""
    held = list(rows)
    widths = [max(len(row[place]) for row in held) for place in range(len(held[0]))]
    for row in held:
        yield "   ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
