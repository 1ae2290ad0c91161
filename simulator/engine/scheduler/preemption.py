"""Preemption by the scheduler: a pod makes room by having pods of lower priority deleted.

It runs when no node fits. A node is a candidate if the rejection can be cured by removing
pods (a full node, a taken port; not a taint or a label), and if the pod fits once all pods of lower
priority are gone. On each candidate victims are then spared one by one, as long as the pod still
fits: first those whose eviction would violate a budget, then the others, in both groups the more
important ones first.

The cheapest node wins: fewest budget violations, then the lowest priority of the most important
victim, the lowest sum of priorities, the fewest victims, the latest start. Budgets decide between
nodes and between pods, but forbid nothing. QoS classes do not matter.

The victims are deleted with their own grace period and the preemptor gets nominatedNodeName, which
is a reservation, not a promise: until the victims are gone its request counts on that node for pods
of lower or equal priority only, and it may end up elsewhere. While its own victims terminate it
does not preempt again, otherwise each retry would delete more pods. Which terminating pods are "its
own" is known only since 1.27 (``preemption_awaits_own_victims``); before, any of lower priority
counted.

Pods of lower priority nominated to the same node lose their nomination, so that they can look
elsewhere.

Source: plugins/defaultpreemption; pkg/scheduler/framework/preemption.
"""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit_from
from simulator.engine.apiserver.pods import NEGATIVE, delete_pod
from simulator.engine.apiserver.publish import Draft, condition_of, publish
from simulator.engine.kernel.records import RecordKind
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.model.selectors import selects
from simulator.engine.scheduler.events import COMPONENT
from simulator.engine.scheduler.framework import Cycle, UnfitNode, ask, priority_of, refused_by
from simulator.engine.scheduler.plugins.order import FILTERS
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.world import Tables

NOT_HELPFUL = "Preemption is not helpful for scheduling"
NO_VICTIMS = "No preemption victims found for incoming pod"
_OFFSET = 1 << 31

RULES = (
    RuleText(
        "PREEMPT",
        gettext_noop(
            "No node has room, but {node} would without its lower-priority pods: the scheduler deletes those and reserves the node."
        ),
        "pkg/scheduler/framework/plugins/defaultpreemption",
    ),
    RuleText(
        "PREEMPTED",
        gettext_noop("A higher-priority pod needs the room; this pod is deleted with its own grace period."),
        "pkg/scheduler/framework/preemption",
    ),
)


class PreemptionPlan(Struct, frozen=True):
    """A node and the pods that would have to go; ``violations``: how many of them against a disruption budget.

    The first victim is treated as the most important one, which it is if the version sorts them.
    """

    node: NodeRow
    victims: tuple[PodRow, ...]
    violations: int = 0


class Preemption(Struct, frozen=True):
    """The result of looking for pods to evict. ``ineligible``: why no victims were considered.

    ``hopeless``: nodes with victims that a filter rejects even without them, with its reasons;
    ``bare``: nodes without a pod of lower priority.
    """

    plans: tuple[PreemptionPlan, ...] = ()
    chosen: PreemptionPlan | None = None
    ineligible: str = ""
    hopeless: tuple[UnfitNode, ...] = ()
    bare: tuple[str, ...] = ()

    def message(self, total: int) -> str:
        """The scheduler's message about preemption that did not help, from 1.24 on: why, with the number of nodes."""
        if self.ineligible:
            return self.ineligible
        counts = {NO_VICTIMS: len(self.bare)}
        for found in self.hopeless:
            for reason in found.refusal.reasons:
                counts[reason] = counts.get(reason, 0) + 1
        counts[NOT_HELPFUL] = total - len(self.bare) - len(self.hopeless)
        listed = ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items() if count))
        return f"0/{total} nodes are available: {listed}."


def look_for_victims(cycle: Cycle, refused: Iterable[UnfitNode]) -> Preemption:
    """Which pods could make room on which of the rejected nodes, and the best choice. Only reads. O(nodes × their pods)."""
    refused = list(refused)
    ineligible = why_not_eligible(cycle, refused)
    if ineligible:
        return Preemption(ineligible=ineligible)
    cycle.looks += len(refused) // 4  # most have no pod of lower priority
    nodes = [found.node for found in refused if found.refusal.is_curable and found.node.name in cycle.tables.nodes]
    plans: list[PreemptionPlan] = []
    hopeless: list[UnfitNode] = []
    bare: list[str] = []
    for node in nodes:
        lower = _lower_here(cycle, node)
        if not lower:
            bare.append(node.name)
            continue
        found = _refused_without(cycle, node, lower)
        if found is not None:
            hopeless.append(found)
        else:
            plans.append(_plan(cycle, node, lower))
    return Preemption(tuple(plans), min(plans, key=_cost) if plans else None, "", tuple(hopeless), tuple(bare))


def preempt(fx: Effects, cycle: Cycle, refused: list[UnfitNode]) -> Preemption:
    """Delete the victims on the best node if that helps."""
    tried = look_for_victims(cycle, refused)
    plan, row = tried.chosen, cycle.row
    if plan is None:
        return tried
    fx.cause = fx.record(
        kind=RecordKind.DECISION.value, subject=row.subject, machine="preemption", target=plan.node.name, rule="PREEMPT",
        data=(("node", plan.node.name), *((victim.key, priority_of(victim)) for victim in plan.victims)),
    )  # fmt: skip
    for victim in fx.each(plan.victims):
        _delete(fx, row, victim, plan.node)
    _take_over(fx, row, plan.node)
    return tried


def _take_over(fx: Effects, row: PodRow, node: NodeRow) -> None:
    """Clear the nomination of less important pods for this node: they may find another one meanwhile."""
    pods = [fx.tables.pods[key] for key in fx.tables.nominations]
    for other in fx.each([each for each in pods if each.status.nominated_node == node.name and priority_of(each) < priority_of(row)]):
        publish(fx, other, replace(other.status, nominated_node=""), rule="PREEMPT")


def _lower_here(cycle: Cycle, node: NodeRow) -> list[PodRow]:
    """The pods of lower priority on the node; most clusters have none at all, and then nothing is searched."""
    if not _has_lower(cycle):
        return []
    own = priority_of(cycle.row)
    return [other for other in cycle.pods_here(node.name) if priority_of(other) < own]


def _has_lower(cycle: Cycle) -> bool:
    """Whether the cluster may hold pods of a lower priority."""
    return priority_of(cycle.row) > 0 or bool(cycle.counters.get(NEGATIVE))


def _waits_for_victims(cycle: Cycle, refused: list[UnfitNode]) -> bool:
    """Whether pods of lower priority are still leaving the nominated node because of a preemption.

    A nominated node that no eviction can help any more is not waited for.
    """
    row, nominated = cycle.row, cycle.row.status.nominated_node
    if not nominated or any(found.node.name == nominated and not found.refusal.is_curable for found in refused):
        return False
    return any(_leaves(cycle, other) and priority_of(other) < priority_of(row) for other in cycle.pods_here(nominated))


def _leaves(cycle: Cycle, row: PodRow) -> bool:
    """Whether a pod is terminating; if DisruptionTarget gives the reason, only a preempted one counts."""
    profile = cycle.profile
    if row.deletion_ms is None or not (profile.disruption_target and profile.preemption_awaits_own_victims):
        return row.deletion_ms is not None
    condition = row.status.condition("DisruptionTarget")
    return condition is not None and condition.reason == profile.preempted_reason


def _plan(cycle: Cycle, node: NodeRow, lower: list[PodRow]) -> PreemptionPlan:
    """The pods that would have to leave the node: all of lower priority, except those that may stay after all.

    Those whose eviction would violate a budget are the first to be spared.
    """
    victims: list[PodRow] = []
    ranked = sorted(lower, key=_importance)
    violating = _violating(cycle.tables, ranked)
    violations = 0
    going = sorted(ranked, key=lambda other: other.key not in violating)
    while going:
        # Try the node with this pod kept: only the victims so far and those not yet tried are
        # gone.
        candidate = going.pop(0)
        if _refused_without(cycle, node, [*victims, *going]) is not None:
            victims.append(candidate)
            violations += candidate.key in violating
    if cycle.profile.preemption_sorts_victims:
        victims.sort(key=_importance)
    return PreemptionPlan(node, tuple(victims), violations)


def _violating(tables: Tables, ranked: list[PodRow]) -> list[Key]:
    """The pods for which no disruption is left in a budget once the more important ones have gone. O(pods × budgets)."""
    allowed = {key: held.health.allowed for key, held in tables.budgets.items()}
    found = []
    for row in ranked if allowed else ():
        labels, violates = row.pod.metadata.labels, False
        for key, held in tables.budgets.items():
            selector = held.budget.selector
            if key[0] != row.namespace or not labels or not selector or not selects(selector, labels):
                continue  # to the scheduler an empty selector selects nothing, too
            if row.name not in dict(held.health.disrupted):
                allowed[key] -= 1
                violates = violates or allowed[key] < 0
        if violates:
            found.append(row.key)
    return found


def _importance(row: PodRow) -> tuple[int, int]:
    """Most important first: higher priority, then the earlier start."""
    return -priority_of(row), row.status.start_ms if row.status.start_ms is not None else row.created_ms


def _refused_without(cycle: Cycle, node: NodeRow, removed: list[PodRow]) -> UnfitNode | None:
    """The plugin that rejects the node even without these pods, or None."""
    rest = cycle.without(removed)
    return refused_by(rest, ask(rest, FILTERS), node)


def _cost(plan: PreemptionPlan) -> tuple[int, int, int, int, int]:
    """The cost of a plan; the cheapest wins, and the first on a tie."""
    numbers = [priority_of(victim) for victim in plan.victims]
    highest = max(numbers)
    starts = [victim.status.start_ms or 0 for victim in plan.victims if priority_of(victim) == highest]
    # The offset makes every term positive, so that more victims never cost less. numbers[0] is the
    # first victim, which before 1.29 need not be the most important.
    return plan.violations, numbers[0], sum(number + _OFFSET for number in numbers), len(numbers), -min(starts)


def _delete(fx: Effects, row: PodRow, victim: PodRow, node: NodeRow) -> None:
    """Write DisruptionTarget to the victim if the version does, and delete it with its own grace period."""
    # Already terminating, for whatever reason: it is waited for, but not notified.
    if victim.deletion_ms is not None:
        return
    if fx.profile.disruption_target:
        text = fx.profile.preempted_condition_text.format(scheduler=row.pod.spec.scheduler_name)
        condition = condition_of(fx, victim, "DisruptionTarget", "True", fx.profile.preempted_reason, text)
        status = replace(victim.status, conditions=(*victim.status.conditions, condition))
        victim = publish(fx, victim, status, rule="PREEMPTED", draft=Draft(status, {"DisruptionTarget": "PREEMPTED"}))
    delete_pod(fx, fx.tables.pods[victim.key], None)
    text = fx.profile.preempted_text.format(namespace=row.namespace, pod=row.name, uid=row.uid, node=node.name)
    emit_from(fx, victim, COMPONENT, reason="Preempted", message=text, rule="PREEMPTED")


def why_not_eligible(cycle: Cycle, refused: list[UnfitNode]) -> str:
    """Why the scheduler does not even look for victims; empty if it does. Source: PodEligibleToPreemptOthers."""
    if cycle.spec.preemption_policy == "Never":
        return "not eligible due to preemptionPolicy=Never."
    return "not eligible due to a terminating pod on the nominated node." if _waits_for_victims(cycle, refused) else ""
