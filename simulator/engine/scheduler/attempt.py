"""One attempt to place a pod, up to the choice: which node, or which plugin rejected which node.

The order is upstream's: PreFilter for all plugins (one rejection ends the attempt without considering
any node), the nominated node alone, filters node by node, scores over those left. If results
for earlier pods of the same kind are available (``shortlist.py``), they give the same answer at lower cost.

An attempt only reads. ``scheduler.py`` acts on the result, and the explanation of a decision
repeats the attempt on the same world.

Source: pkg/scheduler/schedule_one.go schedulePod, findNodesThatFitPod.
"""

from msgspec import Struct

from simulator.engine.scheduler.framework import Cycle, UnfitNode, ask, best_of, nominated_that_fits, refused_by, scores
from simulator.engine.scheduler.plugins.order import FILTERS, SCORES
from simulator.engine.scheduler.shortlist import shortlist_for
from simulator.engine.world.rows import NodeRow
from simulator.engine.world.world import World


class Attempt(Struct, frozen=True):
    """The result of examining the nodes. ``reasons``: for how many nodes each was given; ``refused``: which plugin rejected which node.

    ``rejected_by``: the plugin that ruled out every node in its PreFilter, in which case no node was examined.
    """

    best: NodeRow | None
    reasons: dict[str, int]
    refused: list[UnfitNode] = []
    rejected_by: str = ""


def attempt(world: World, cycle: Cycle) -> Attempt:
    """Examine only what may have changed since a pod of this class was placed, if that is known; otherwise every node."""
    known = shortlist_for(world, cycle)
    if known is None:
        return examine_all(cycle)
    best = known.best()
    reasons = known.book.reasons_in_order() if known.book.reasons else {}
    return Attempt(best, reasons, known.book.refused() if best is None else [])


def examine_all(cycle: Cycle) -> Attempt:
    """Run every filter for every node and every score for the nodes that are left. O(nodes × plugins)."""
    asked = ask(cycle, FILTERS)
    if asked.rejection:
        return Attempt(None, {asked.rejection: len(cycle.nodes)} if cycle.nodes else {}, rejected_by=asked.rejected_by)
    nominated = nominated_that_fits(cycle, asked)
    if nominated is not None:
        return Attempt(nominated, {})
    reasons: dict[str, int] = {}
    refused: list[UnfitNode] = []
    fitting: list[NodeRow] = []
    candidates = cycle.candidates
    cycle.looks += len(candidates)
    for node in candidates:
        found = refused_by(cycle, asked, node)
        if found is None:
            fitting.append(node)
            continue
        refused.append(found)
        for reason in found.refusal.reasons:
            reasons[reason] = reasons.get(reason, 0) + 1
    left_out = len(cycle.nodes) - len(candidates)
    # Nodes excluded by the PreFilter are in no histogram before 1.30.
    if left_out and cycle.others_reason:
        reasons[cycle.others_reason] = left_out
    if not fitting:
        return Attempt(None, reasons, refused)
    # With one node left no plugin scores, as upstream.
    best = fitting[0] if len(fitting) == 1 else best_of(cycle, fitting, scores(cycle, SCORES, fitting))
    return Attempt(best, reasons)
