"""One attempt to place a pod, up to the choice: which node, or which plugin refused which node.

The order is upstream's: PreFilter for all plugins (one rejection ends the attempt without a look at
any node), the nominated node alone, filters node by node, scores over those left. Where a memory of
earlier pods of the same kind applies (``shortlist.py``), it gives the same answer for less.

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
    """The result of looking at the nodes. ``reasons``: how many nodes each was given for; ``refused``: by whom, where no node fits.

    ``rejected_by``: the plugin that let the pod on no node at all, in which case no node was looked at.
    """

    best: NodeRow | None
    reasons: dict[str, int]
    refused: list[UnfitNode] = []
    rejected_by: str = ""


def attempt(world: World, cycle: Cycle) -> Attempt:
    """Look at what may have changed since a pod of this class was placed, where that is known; else at every node."""
    known = shortlist_for(world, cycle)
    if known is None:
        return look_at_all(cycle)
    best = known.best()
    reasons = known.book.reasons_in_order() if known.book.reasons else {}
    return Attempt(best, reasons, known.book.refused() if best is None else [])


def look_at_all(cycle: Cycle) -> Attempt:
    """Ask every filter for every node and every score for those that are left. O(nodes × plugins)."""
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
    # With one node left no plugin scores, in upstream either.
    best = fitting[0] if len(fitting) == 1 else best_of(cycle, fitting, scores(cycle, SCORES, fitting))
    return Attempt(best, reasons)
