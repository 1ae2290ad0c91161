"""Preemption by the scheduler: a pod of higher priority makes room for itself by deleting pods of lower priority.

Source: plugins/defaultpreemption. Disruption budgets decide between nodes and between pods, but forbid nothing. QoS classes do not matter.
"""

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit_from
from simulator.engine.apiserver.pods import NEGATIVE, delete_pod
from simulator.engine.apiserver.publish import Draft, condition_of, publish
from simulator.engine.kernel.records import RecordKind
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.lifecycle.host_ports import ports_taken
from simulator.engine.lifecycle.room import need_of, shortages, with_pod
from simulator.engine.model.selectors import selects
from simulator.engine.scheduler import cache
from simulator.engine.scheduler.events import COMPONENT
from simulator.engine.world.effects import Effects
from simulator.engine.world.resize_rows import Need, Room
from simulator.engine.world.rows import NodeRow, PodRow

NOT_HELPFUL = "Preemption is not helpful for scheduling"
NO_VICTIMS = "No preemption victims found for incoming pod"
_OFFSET = 1 << 31

RULES = (
    RuleText(
        "PREEMPT",
        gettext_noop("No node has room, but {node} would have without pods of lower priority: the scheduler deletes those and keeps it."),
        "pkg/scheduler/framework/plugins/defaultpreemption",
    ),
    RuleText(
        "PREEMPTED",
        gettext_noop("A pod of higher priority needs the room; this pod is deleted with its own grace period."),
        "pkg/scheduler/framework/preemption",
    ),
)


class PreemptionPlan(Struct, frozen=True):
    """A node and the pods that would have to go, most important first; ``violations``: how many of them against a disruption budget."""

    node: NodeRow
    victims: tuple[PodRow, ...]
    violations: int = 0


def priority_of(row: PodRow) -> int:
    """The pod's priority; 0 without a class."""
    return row.pod.spec.priority or 0


def nominated_before(fx: Effects, row: PodRow) -> list[PodRow]:
    """Waiting pods of the same or a higher priority for which a node keeps room. O(pods that wait)."""
    pods = fx.tables.pods
    waiting = [pods[key] for key in fx.tables.unscheduled if pods[key].status.nominated_node and key != row.key]
    return [other for other in waiting if priority_of(other) >= priority_of(row)]


def with_nominated(room: Room, node: str, nominated: list[PodRow]) -> Room:
    """What is taken on the node together with what it keeps for those pods."""
    for other in nominated:
        if other.status.nominated_node == node:
            room = with_pod(room, need_of(other.pod.spec))
    return room


def preempt(fx: Effects, row: PodRow, helped: list[NodeRow]) -> str:
    """Delete what stands in the way on the best of the nodes where that helps; returns the nominated node or ""."""
    if not _has_lower(fx, row) or why_not_eligible(fx, row):
        return ""
    plans = [plan for node in helped if (plan := _plan(fx, row, node)) is not None]
    if not plans:
        return ""
    plan = min(plans, key=_cost)
    fx.cause = fx.record(
        kind=RecordKind.DECISION.value, subject=row.subject, machine="preemption", target=plan.node.name, rule="PREEMPT",
        data=(("node", plan.node.name), *((victim.key, priority_of(victim)) for victim in plan.victims)),
    )  # fmt: skip
    for victim in fx.each(plan.victims):
        _delete(fx, row, victim, plan.node)
    return plan.node.name


def _has_lower(fx: Effects, row: PodRow) -> bool:
    """Whether the cluster may hold pods of a lower priority: most have none at all, and then nothing needs to be searched."""
    return priority_of(row) > 0 or bool(fx.world.counters.get(NEGATIVE))


def _waits_for_victims(fx: Effects, row: PodRow) -> bool:
    """Whether pods of lower priority are still leaving the nominated node."""
    nominated = row.status.nominated_node
    return bool(nominated) and any(
        other.deletion_ms is not None and priority_of(other) < priority_of(row) for other in cache.pods_here(fx, nominated)
    )


def _plan(fx: Effects, row: PodRow, node: NodeRow) -> PreemptionPlan | None:
    """The pods that would have to leave the node: all of lower priority, less those that may stay after all.

    Those whose leaving would violate a budget are asked first whether they may stay.
    """
    lower = [other for other in cache.pods_here(fx, node.name) if priority_of(other) < priority_of(row)]
    need = need_of(row.pod.spec)
    if not lower or not _fits(fx, node, row, need, lower):
        return None
    victims: list[PodRow] = []
    ranked = sorted(lower, key=_importance)
    violating = _violating(fx, ranked)
    violations = 0
    going = sorted(ranked, key=lambda other: other.key not in violating)
    while going:
        candidate = going.pop(0)
        if not _fits(fx, node, row, need, [*victims, *going]):
            victims.append(candidate)
            violations += candidate.key in violating
    return PreemptionPlan(node, tuple(sorted(victims, key=_importance)), violations)


def _violating(fx: Effects, ranked: list[PodRow]) -> list[Key]:
    """The pods that no budget has a disruption left for, when the more important ones go first. O(pods × budgets)."""
    allowed = {key: held.health.allowed for key, held in fx.tables.budgets.items()}
    found = []
    for row in ranked if allowed else ():
        labels, violates = row.pod.metadata.labels, False
        for key, held in fx.tables.budgets.items():
            selector = held.budget.selector
            if key[0] != row.namespace or not labels or not selector or not selects(selector, labels):
                continue  # to the scheduler an empty selector, too, selects nothing
            if row.name not in dict(held.health.disrupted):
                allowed[key] -= 1
                violates = violates or allowed[key] < 0
        if violates:
            found.append(row.key)
    return found


def _importance(row: PodRow) -> tuple[int, int]:
    """Most important first: higher priority, then the earlier start."""
    return -priority_of(row), row.status.start_ms if row.status.start_ms is not None else row.created_ms


def _fits(fx: Effects, node: NodeRow, row: PodRow, need: Need, removed: list[PodRow]) -> bool:
    rest = with_nominated(cache.without(fx, node.name, removed), node.name, nominated_before(fx, row))
    if shortages(node, rest, need):
        return False
    going = {other.key: True for other in removed}
    return not ports_taken((other for other in cache.pods_here(fx, node.name) if other.key not in going), row.pod.spec)


def _cost(plan: PreemptionPlan) -> tuple[int, int, int, int, int]:
    """What a plan costs; the cheapest wins, and of equal ones the first."""
    numbers = [priority_of(victim) for victim in plan.victims]
    highest = max(numbers)
    starts = [victim.status.start_ms or 0 for victim in plan.victims if priority_of(victim) == highest]
    return plan.violations, highest, sum(number + _OFFSET for number in numbers), len(numbers), -min(starts)


def _delete(fx: Effects, row: PodRow, victim: PodRow, node: NodeRow) -> None:
    """Tell the victim why and delete it with its own grace period."""
    if victim.deletion_ms is not None:
        return
    if fx.profile.disruption_target:
        text = f"{row.pod.spec.scheduler_name}: preempting to accommodate a higher priority pod"
        told = condition_of(fx, victim, "DisruptionTarget", "True", "PreemptionByScheduler", text)
        status = replace(victim.status, conditions=(*victim.status.conditions, told))
        victim = publish(fx, victim, status, rule="PREEMPTED", draft=Draft(status, {"DisruptionTarget": "PREEMPTED"}))
    delete_pod(fx, fx.tables.pods[victim.key], None)
    text = fx.profile.preempted_text.format(namespace=row.namespace, pod=row.name, uid=row.uid, node=node.name)
    emit_from(fx, victim, COMPONENT, reason="Preempted", message=text, rule="PREEMPTED")


def why_not_eligible(fx: Effects, row: PodRow) -> str:
    """Why the scheduler does not even look for victims; empty where it does. Source: PodEligibleToPreemptOthers."""
    if row.pod.spec.preemption_policy == "Never":
        return "not eligible due to preemptionPolicy=Never."
    return "not eligible due to a terminating pod on the nominated node." if _waits_for_victims(fx, row) else ""


def post_filter_text(total: int, helped: int) -> str:
    """What the scheduler says of preemption from 1.24 on: why it did not help, with the number of nodes."""
    counts = [(helped, NO_VICTIMS), (total - helped, NOT_HELPFUL)]
    listed = ", ".join(sorted(f"{count} {reason}" for count, reason in counts if count))
    return f"0/{total} nodes are available: {listed}."
