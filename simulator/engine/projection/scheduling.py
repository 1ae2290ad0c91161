"""A decision of the scheduler, looked into: which node was refused by whom because of what, what the others scored, whom preemption chose.

Nothing of this is kept while a run goes on. The scheduler only reads until it has chosen, so in the world just before an attempt the same
plugins say the same again; ``attempt_before`` names the record before which that world is to be looked for.

The same functions that decide are asked again, in the same order; only here every node's answers are
kept. Filters stop at the first refusal, as in the scheduler: what the later ones would say is not known. Scores
exist where more than one node fits. Preemption is looked at only when no node does.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from simulator.engine.kernel.records import Data, Record
from simulator.engine.kernel.units import Key
from simulator.engine.scheduler.attempt import look_at_all
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
    """What one filter said of a node; ``facts`` name the label, taint or numbers behind a refusal."""

    plugin: str
    verdict: str
    reasons: tuple[str, ...] = ()
    facts: Data = ()
    is_curable: bool = False


class PluginScore(Struct, frozen=True, kw_only=True):
    """What one plugin gave a node, 0 … 100, and what that was multiplied by."""

    plugin: str
    points: int
    weight: int


class NodeDecision(Struct, frozen=True, kw_only=True):
    """What an attempt made of one node. A node that fits has scores where there was a choice."""

    node: str
    filters: tuple[FilterVerdict, ...]
    scores: tuple[PluginScore, ...] = ()
    is_chosen: bool = False

    @property
    def refusal(self) -> FilterVerdict | None:
        """The filter that refused the node."""
        return next((each for each in self.filters if each.verdict == REFUSED), None)

    @property
    def total(self) -> int:
        """All points with their weights."""
        return sum(each.points * each.weight for each in self.scores)


class PreemptionCandidate(Struct, frozen=True, kw_only=True):
    """A node on which pods could be evicted: who would go (with the priorities), and how many of them against a disruption budget."""

    node: str
    victims: tuple[tuple[str, int], ...]
    violations: int
    is_chosen: bool


class PreemptionDecision(Struct, frozen=True, kw_only=True):
    """What came of looking for pods to evict. ``ineligible``: why nobody looked; ``hopeless``: nodes that refuse even without their less
    important pods, with the reasons; ``bare``: nodes without any less important pod."""

    priority: int
    ineligible: str = ""
    candidates: tuple[PreemptionCandidate, ...] = ()
    hopeless: tuple[tuple[str, tuple[str, ...]], ...] = ()
    bare: tuple[str, ...] = ()


class SchedulingDecision(Struct, frozen=True, kw_only=True):
    """An attempt to place a pod. ``rejection``: a plugin let it on no node at all, so that none was looked at.

    ``tied`` are the nodes that had as many points as the chosen one; ``sums`` says in short what is wrong with labels.
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
    """What an attempt to place the pod makes of every node in this world, whether it takes place or not. O(nodes × plugins).

    The pod must not have a node yet. Raises KeyError for a pod that is not there.
    """
    row = world.tables.pods[pod]
    cycle = Cycle(world, row)
    asked = ask(cycle, FILTERS)
    if asked.rejection:
        return SchedulingDecision(pod=pod, nodes=(), rejected_by=asked.rejected_by, rejection=asked.rejection)
    found = list(_looked_at(cycle, asked))
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
    # Among equals the scheduler draws at random (selectHost): a tie is worth telling.
    tied = tuple(node.node for node in nodes if node.scores and node.total == best and not node.is_chosen)
    preemption = None if chosen else _preemption(cycle)
    return SchedulingDecision(pod=pod, nodes=nodes, chosen=chosen, tied=tied, sums=_sums(nodes), preemption=preemption)


def _looked_at(cycle: Cycle, asked: PluginsAsked) -> Iterator[tuple[NodeRow, UnfitNode | None]]:
    """Each node that the attempt looks at, with who refuses it: only the nominated one where that fits."""
    nominated = nominated_that_fits(cycle, asked)
    if nominated is not None:
        yield nominated, None
        return
    candidates = {node.name: True for node in cycle.candidates}
    for node in cycle.nodes:
        yield node, refused_by(cycle, asked, node) if node.name in candidates else _left_out(cycle, node)


def _left_out(cycle: Cycle, node: NodeRow) -> UnfitNode:
    """A node that was not even asked about, since the pod's affinity names others."""
    reason = cycle.others_reason
    return UnfitNode(node, NODE_AFFINITY.name, Unfit((reason,) if reason else ()))


def _verdicts(cycle: Cycle, asked: PluginsAsked, node: NodeRow, refused: UnfitNode | None) -> tuple[FilterVerdict, ...]:
    """What every filter that the pod concerns said of the node, up to the one that refused."""
    found = []
    verdict = PASSED
    for plugin, state in asked.filters:
        if refused is not None and plugin.name == refused.plugin:
            facts = plugin.tell(cycle, state, node) if plugin.tell is not None else ()
            unfit = refused.refusal
            found.append(
                FilterVerdict(plugin=plugin.name, verdict=REFUSED, reasons=unfit.reasons, facts=facts, is_curable=unfit.is_curable)
            )
            verdict = NOT_ASKED
        else:
            found.append(FilterVerdict(plugin=plugin.name, verdict=verdict))
    return tuple(found)


def _sums(nodes: tuple[NodeDecision, ...]) -> tuple[tuple[str, tuple[tuple[str, int], ...]], ...]:
    """What labels the pod wants that its nodes lack, and what they have instead, with how many do."""
    found: dict[str, dict[str, int]] = {}
    for node in nodes:
        facts = dict(node.refusal.facts) if node.refusal is not None and node.refusal.plugin == "NodeAffinity" else {}
        if facts:
            instead = found.setdefault(str(facts["wanted"]), {})
            instead[str(facts["node_has"])] = instead.get(str(facts["node_has"]), 0) + 1
    return tuple((wanted, tuple(instead.items())) for wanted, instead in found.items())


def _preemption(cycle: Cycle) -> PreemptionDecision:
    tried: Preemption = look_for_victims(cycle, look_at_all(cycle).refused)
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
