"""The status of PodDisruptionBudgets as the API server keeps it: written by the disruption controller, consulted and debited by evictions.

Source: pkg/controller/disruption/disruption.go updatePdbStatus;
pkg/registry/core/pod/storage/eviction.go.
"""

from msgspec.structs import replace

from simulator.engine.machines.budget import BUDGET, BudgetFacts
from simulator.engine.model.disruption import Member, Owner
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import BudgetKey, BudgetRow, PodRow
from simulator.engine.world.world import Tables

KIND = "PodDisruptionBudget"


def with_condition(fx: Effects, row: BudgetRow, trigger: str = "computed") -> BudgetRow:
    """The row with the condition DisruptionAllowed that matches its numbers, in versions that have it."""
    if not fx.profile.budget_condition:
        return row
    step = BUDGET.pick(BUDGET.initial, trigger, _facts(row))
    state = step.target if step is not None else ""
    if state == "failed":
        allows, reason, message = "False", "SyncFailed", row.health.problem
    elif state == "allows":
        allows, reason, message = "True", "SufficientPods", ""
    elif state == "blocks":
        allows, reason, message = "False", "InsufficientPods", ""
    else:
        return row
    moment = row.transition_ms if allows == row.allows else fx.now
    return replace(row, allows=allows, reason=reason, message=message, transition_ms=moment)


def _facts(row: BudgetRow) -> BudgetFacts:
    return BudgetFacts(row.health.problem, row.health.allowed)


def write_status(fx: Effects, row: BudgetRow, trigger: str) -> BudgetRow:
    """Store a status, with its record and as a revision of the object."""
    state = row.health
    data = (
        ("allowed", state.allowed), ("current", state.current), ("desired", state.desired), ("expected", state.expected),
        ("name", row.name), ("namespace", row.namespace), *((("message", state.problem),) if state.problem else ()),
    )  # fmt: skip
    stored = fx.tables.objects[(KIND, row.namespace, row.name)]
    _, fx.cause = fx.fire(BUDGET, stored.subject, BUDGET.initial, trigger, _facts(row), data=data)
    # A status write is a new revision of the object, though its stored document stays the same.
    fx.save_object(stored)
    row = replace(row, seq=fx.cause)
    fx.save_budget(row)
    return row


def member_of(row: PodRow) -> Member:
    """A pod as budgets see it."""
    ready = row.status.condition("Ready")
    owner = next((item for item in row.pod.metadata.owner_references if item.controller), None)
    return Member(
        name=row.name,
        labels=row.pod.metadata.labels,
        phase=row.status.phase,
        is_ready=ready is not None and ready.status == "True",
        is_terminating=row.deletion_ms is not None,
        owner=Owner(owner.kind, owner.name, owner.uid) if owner is not None else None,
    )


def budget_selects(row: BudgetRow, pod: Member) -> bool:
    """Whether the budget selects the pod."""
    selector = row.budget.selector
    return selector is not None and all(item.holds(pod.labels) for item in selector)


def budgets_for(tables: Tables, row: PodRow) -> list[BudgetKey]:
    """The budgets whose selector matches the pod, by name. O(budgets)."""
    pod = member_of(row)
    return sorted(key for key, held in tables.budgets.items() if key[0] == row.namespace and budget_selects(held, pod))
