"""The disruption controller: it computes the status of PodDisruptionBudgets whenever their pods change.

Source: pkg/controller/disruption/disruption.go. A cluster without budgets pays nothing for it.
"""

import json

from msgspec.structs import replace

from simulator.engine.api.disruption import DISRUPTED_FOR_MS, Budget, Health, Member, Owner, health
from simulator.engine.api.selectors import from_document
from simulator.engine.budget_rows import BudgetKey, BudgetRow
from simulator.engine.controllers.store.object_events import emit_about
from simulator.engine.effects import Effects
from simulator.engine.events import BudgetSync
from simulator.engine.machines.budget import BUDGET, BudgetFacts
from simulator.engine.queue import Lane
from simulator.engine.rows import PodRow
from simulator.engine.rules.text import RuleText, gettext_noop
from simulator.engine.world import ApiObject

KIND = "PodDisruptionBudget"
COMPONENT = "controllermanager"
OLD_VERSION = "policy/v1beta1"
"""In which an empty selector selects no pod; in policy/v1 it selects every one."""

RULES = (
    RuleText(
        "BUDGET-STATUS",
        gettext_noop(
            "The disruption controller counts the pods of the budget: {current} are healthy, {desired} must be, "
            "so {allowed} may be evicted now."
        ),
        "pkg/controller/disruption/disruption.go updatePdbStatus",
    ),
    RuleText(
        "BUDGET-FAILED",
        gettext_noop("The disruption controller cannot tell how many pods there should be, so it allows no eviction: {message}"),
        "pkg/controller/disruption/disruption.go failSafe",
    ),
)


def watch_budget(fx: Effects, row: ApiObject) -> None:
    """A budget was stored or changed: it is computed anew."""
    document = json.loads(row.document)
    spec = document.get("spec") or {}
    selector = from_document(spec.get("selector"))
    budget = Budget(
        selector=selector if selector or document.get("apiVersion") != OLD_VERSION else None,
        minimum=spec.get("minAvailable"),
        maximum=spec.get("maxUnavailable"),
        policy=str(spec.get("unhealthyPodEvictionPolicy") or "") if fx.profile.unhealthy_eviction_policy else "",
    )
    held = fx.tables.budgets.get((row.namespace, row.name))
    fresh = BudgetRow(namespace=row.namespace, name=row.name, budget=budget)
    fx.save_budget(fresh if held is None else replace(held, budget=budget))
    fx.wake_budget((row.namespace, row.name))


def wake_all(fx: Effects, namespace: str) -> None:
    """A controller's scale may have changed: every budget of the namespace is computed anew."""
    for key in [key for key in fx.tables.budgets if key[0] == namespace]:
        fx.wake_budget(key)


def budget_sync(fx: Effects, event: BudgetSync) -> None:
    """Compute the status, and write it where it says something new."""
    held = fx.tables.budgets.get((event.namespace, event.name))
    stored = fx.tables.objects.get((KIND, event.namespace, event.name))
    if held is None or stored is None:
        return
    found = health(
        held.budget,
        members_of(fx, event.namespace),
        scale=lambda owner: _replicas(fx, event.namespace, owner),
        before=held.health,
        now_ms=fx.now,
        skips_unmanaged=fx.profile.budget_skips_unmanaged,
    )
    _tell(fx, stored, held, found)
    changed = with_condition(fx, replace(held, health=found, observed=stored.generation, due=False))
    if changed != replace(held, due=False):
        write_status(fx, changed, "computed")
        _recheck(fx, changed)
    else:
        fx.save_budget(changed)


def with_condition(fx: Effects, row: BudgetRow, trigger: str = "computed") -> BudgetRow:
    """The row with the condition DisruptionAllowed that fits its numbers, where the version has it."""
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
    fx.save_object(stored)
    row = replace(row, seq=fx.cause)
    fx.save_budget(row)
    return row


def _recheck(fx: Effects, row: BudgetRow) -> None:
    """Evicted pods that are not seen to go count again after two minutes."""
    if row.health.disrupted:
        due = min(at for _, at in row.health.disrupted) + DISRUPTED_FOR_MS
        fx.schedule(due, Lane.CONTROLLER, BudgetSync(row.namespace, row.name))


def members_of(fx: Effects, namespace: str) -> list[Member]:
    """The pods of a namespace as budgets see them. O(pods)."""
    return [member_of(row) for row in fx.tables.pods.values() if row.namespace == namespace and row.gone_ms is None]


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


_UNMANAGED = (
    "Pods selected by this PodDisruptionBudget (selector: {selector}) were found to be unmanaged. As a result, the status of the PDB "
    'cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" '
    "field of the PDB to an integer value."
)
_SCALED = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")


def _replicas(fx: Effects, namespace: str, owner: Owner) -> int | None:
    """What the controller's scale says; of a ReplicaSet that a Deployment owns, the Deployment's."""
    held = fx.tables.objects.get((owner.kind, namespace, owner.name))
    if held is None or owner.kind not in _SCALED:
        return None
    document = json.loads(held.document)
    above = next((item for item in (document.get("metadata") or {}).get("ownerReferences") or () if item.get("controller")), None)
    if above is not None and above.get("kind") == "Deployment":
        return _replicas(fx, namespace, Owner("Deployment", str(above.get("name")), str(above.get("uid") or "")))
    replicas = (document.get("spec") or {}).get("replicas")
    return 1 if replicas is None else int(replicas)


def _tell(fx: Effects, stored: ApiObject, held: BudgetRow, found: Health) -> None:
    """The Events of the budget: no pods, or a computation that fails."""
    cause = fx.cause
    if found.problem and found.problem != held.health.problem:
        reason, text = "CalculateExpectedPodCountFailed", f"Failed to calculate the number of expected pods: {found.problem}"
        if not fx.profile.budget_condition:
            reason, text = "NoControllerRef" if "controller ref" in found.problem else "NoControllers", found.problem
        emit_about(fx, stored, component=COMPONENT, severity="Warning", reason=reason, message=text, rule="BUDGET-FAILED")
    elif found.unmanaged and not held.health.unmanaged:
        shown = json.dumps((json.loads(stored.document).get("spec") or {}).get("selector"), ensure_ascii=False)
        text = _UNMANAGED.format(selector=shown)
        emit_about(fx, stored, component=COMPONENT, severity="Warning", reason="UnmanagedPods", message=text, rule="BUDGET-STATUS")
    elif not held.observed and not found.problem and not _matching(fx, held):
        emit_about(fx, stored, component=COMPONENT, reason="NoPods", message="No matching pods found", rule="BUDGET-STATUS")
    fx.cause = cause


def _matching(fx: Effects, row: BudgetRow) -> list[Member]:
    return [pod for pod in members_of(fx, row.namespace) if budget_selects(row, pod)]


def budget_selects(row: BudgetRow, pod: Member) -> bool:
    """Whether the budget speaks of the pod."""
    selector = row.budget.selector
    return selector is not None and all(item.holds(pod.labels) for item in selector)


def budgets_for(fx: Effects, row: PodRow) -> list[BudgetKey]:
    """The budgets whose selector means the pod, by name."""
    pod = member_of(row)
    return sorted(key for key, held in fx.tables.budgets.items() if key[0] == row.namespace and budget_selects(held, pod))
