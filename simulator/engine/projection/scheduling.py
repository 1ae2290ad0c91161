"""A scheduling decision in detail: which plugin rejected which node and why, the scores of the others, the choice of preemption.

None of this is kept while a run is in progress. The scheduler only reads until it has chosen, so in the world just before an attempt the
same plugins give the same answers; ``attempt_before`` names the record before which that world is to be sought.

The same functions that decide are called again, in the same order; only here every node's answers are
kept. Filters stop at the first rejection, as in the scheduler: what the later ones would say is unknown. Scores
exist if more than one node fits. Preemption is examined only if no node does.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from simulator.engine.kernel.records import Data, Record
from simulator.engine.kernel.units import Key
from simulator.engine.scheduler.attempt import examine_all
from simulator.engine.scheduler.framework import (
    Cycle,
    PluginsAsked,
    Unfit,
    UnfitNode,
    ask,
    best_of,
    nominated_that_fits,
    priority_of,
    refused_by,
    scores,
)
from simulator.engine.scheduler.plugins.node_affinity import NODE_AFFINITY
from simulator.engine.scheduler.plugins.order import FILTERS, SCORES
from simulator.engine.scheduler.preemption import Preemption, look_for_victims
from simulator.engine.world.rows import NodeRow
from simulator.engine.world.world import World

PASSED, REFUSED, NOT_ASKED = "passed", "refused", "not asked"


class FilterVerdict(Struct, frozen=True, kw_only=True):
    """One filter's verdict on a node; ``facts`` name the label, taint or numbers behind a rejection."""

    plugin: str
    verdict: str
    reasons: tuple[str, ...] = ()
    facts: Data = ()
    is_curable: bool = False


class PluginScore(Struct, frozen=True, kw_only=True):
    """One plugin's score for a node, 0 … 100, and its weight."""

    plugin: str
    points: int
    weight: int


class NodeDecision(Struct, frozen=True, kw_only=True):
    """The result of an attempt for one node. A node that fits has scores if there was a choice."""

    node: str
    filters: tuple[FilterVerdict, ...]
    scores: tuple[PluginScore, ...] = ()
    is_chosen: bool = False

    @property
    def refusal(self) -> FilterVerdict | None:
        """The filter that rejected the node."""
        return next((each for each in self.filters if each.verdict == REFUSED), None)

    @property
    def total(self) -> int:
        """The weighted total."""
        return sum(each.points * each.weight for each in self.scores)


class PreemptionCandidate(Struct, frozen=True, kw_only=True):
    """A node on which pods could be evicted: which would go (with their priorities), and how many of them against a disruption budget."""

    node: str
    victims: tuple[tuple[str, int], ...]
    violations: int
    is_chosen: bool


class PreemptionDecision(Struct, frozen=True, kw_only=True):
    """The result of looking for pods to evict. ``ineligible``: why none were considered; ``hopeless``: nodes that are rejected even
    without their less important pods, with the reasons; ``bare``: nodes without any less important pod."""

    priority: int
    ineligible: str = ""
    candidates: tuple[PreemptionCandidate, ...] = ()
    hopeless: tuple[tuple[str, tuple[str, ...]], ...] = ()
    bare: tuple[str, ...] = ()


class SchedulingDecision(Struct, frozen=True, kw_only=True):
    """An attempt to place a pod. ``rejection``: a plugin ruled out every node, so that none was examined.

    ``tied`` are the nodes with the same total as the chosen one; ``sums`` summarizes what is wrong with labels.
    """

    pod: Key
    nodes: tuple[NodeDecision, ...]
    chosen: str = ""
    rejected_by: str = ""
    rejection: str = ""
    tied: tuple[str, ...] = ()
    sums: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = ()
    preemption: PreemptionDecision | None = None


def attempt_before(records: Iterable[Record], pod: Key, until_ms: int) -> Record | None:
    """The record of the last attempt to place the pod up to a moment, or None. O(records)."""
    found = None
    for record in records:
        if record.at_ms > until_ms:
            break
        if record.machine == "scheduling" and record.subject == f"pod/{pod}":
            found = record
    return found


def explain_scheduling(world: World, pod: Key) -> SchedulingDecision:
    """The result, for every node in this world, of an attempt to place the pod, whether or not it takes place. O(nodes × plugins).

    The pod must not have a node yet. Raises KeyError if the pod does not exist.
    """
    row = world.tables.pods[pod]
    cycle = Cycle(world, row)
    asked = ask(cycle, FILTERS)
    if asked.rejection:
        return SchedulingDecision(pod=pod, nodes=(), rejected_by=asked.rejected_by, rejection=asked.rejection)
    found = list(_examined(cycle, asked))
    fitting = [node for node, refused in found if refused is None]
    scored = scores(cycle, SCORES, fitting) if len(fitting) > 1 else []
    chosen = best_of(cycle, fitting, scored).name if fitting else ""
    given = {
        node.name: tuple(PluginScore(plugin=each.plugin, points=each.points[place], weight=each.weight) for each in scored)
        for place, node in enumerate(fitting)
    }
    nodes = tuple(
        NodeDecision(
            node=node.name, filters=_verdicts(cycle, asked, node, refused), scores=given.get(node.name, ()), is_chosen=node.name == chosen
        )
        for node, refused in found
    )
    best = next((node.total for node in nodes if node.is_chosen), 0)
    # On a tie the scheduler picks at random (selectHost), which is worth showing.
    tied = tuple(node.node for node in nodes if node.scores and node.total == best and not node.is_chosen)
    preemption = None if chosen else _preemption(cycle)
    return SchedulingDecision(pod=pod, nodes=nodes, chosen=chosen, tied=tied, sums=_sums(nodes), preemption=preemption)


def _examined(cycle: Cycle, asked: PluginsAsked) -> Iterator[tuple[NodeRow, UnfitNode | None]]:
    """Each node that the attempt examines, with the plugin that rejects it: only the nominated one if that fits."""
    nominated = nominated_that_fits(cycle, asked)
    if nominated is not None:
        yield nominated, None
        return
    candidates = {node.name: True for node in cycle.candidates}
    for node in cycle.nodes:
        yield node, refused_by(cycle, asked, node) if node.name in candidates else _left_out(cycle, node)


def _left_out(cycle: Cycle, node: NodeRow) -> UnfitNode:
    """A node that was not even examined, since the pod's affinity names others."""
    reason = cycle.others_reason
    return UnfitNode(node, NODE_AFFINITY.name, Unfit((reason,) if reason else ()))


def _verdicts(cycle: Cycle, asked: PluginsAsked, node: NodeRow, refused: UnfitNode | None) -> tuple[FilterVerdict, ...]:
    """The verdict on the node of every filter that the pod concerns, up to the one that rejected."""
    found = []
    verdict = PASSED
    for plugin, state in asked.filters:
        if refused is not None and plugin.name == refused.plugin:
            facts = plugin.explain(cycle, state, node) if plugin.explain is not None else ()
            unfit = refused.refusal
            found.append(
                FilterVerdict(plugin=plugin.name, verdict=REFUSED, reasons=unfit.reasons, facts=facts, is_curable=unfit.is_curable)
            )
            verdict = NOT_ASKED
        else:
            found.append(FilterVerdict(plugin=plugin.name, verdict=verdict))
    return tuple(found)


def _sums(nodes: tuple[NodeDecision, ...]) -> tuple[tuple[str, tuple[tuple[str, int], ...]], ...]:
    """The labels that the pod wants but its nodes lack, and what they have instead, with the number of nodes."""
    found: dict[str, dict[str, int]] = {}
    for node in nodes:
        facts = dict(node.refusal.facts) if node.refusal is not None and node.refusal.plugin == "NodeAffinity" else {}
        if facts:
            instead = found.setdefault(str(facts["wanted"]), {})
            instead[str(facts["node_has"])] = instead.get(str(facts["node_has"]), 0) + 1
    return tuple((wanted, tuple(instead.items())) for wanted, instead in found.items())


def _preemption(cycle: Cycle) -> PreemptionDecision:
    tried: Preemption = look_for_victims(cycle, examine_all(cycle).refused)
    return PreemptionDecision(
        priority=priority_of(cycle.row),
        ineligible=tried.ineligible,
        candidates=tuple(
            PreemptionCandidate(
                node=plan.node.name,
                victims=tuple((f"{row.namespace}/{row.name}", priority_of(row)) for row in plan.victims),
                violations=plan.violations,
                is_chosen=plan is tried.chosen,
            )
            for plan in tried.plans
        ),
        hopeless=tuple((each.node.name, each.refusal.reasons) for each in tried.hopeless),
        bare=tried.bare,
    )
