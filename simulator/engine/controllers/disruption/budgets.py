"""The disruption controller: computes how many pods each PodDisruptionBudget allows to be disrupted.

A budget is only a number in a status, ``disruptionsAllowed``, which the eviction API takes from.
This controller computes it again whenever something changes that it depends on: the budget, a pod
that it selects (labels, readiness, deletion), or the scale of any controller in the namespace.

currentHealthy counts the selected pods that are Ready, not being deleted and not evicted a moment
ago. desiredHealthy comes from minAvailable or maxUnavailable; percentages, and maxUnavailable in
any form, need to know how many pods there should be, and for that the controller asks the scale of
the pods' own controllers. Pods whose controller has none (DaemonSets, Jobs) make that computation
fail, and a failure is safe: nothing may be disrupted. Pods without a controller are skipped since
1.22 (``budget_skips_unmanaged``).

The race that this design answers is between the eviction API and the controller. An eviction lowers
disruptionsAllowed and notes the pod in ``status.disruptedPods``; until its deletion is seen here,
the note keeps the pod from being counted as healthy, so two evictions in quick succession cannot
both use the last disruption. A pod that is noted but not deleted within two minutes counts again,
with an Event. The eviction API in turn refuses while observedGeneration is behind, since the number
belongs to an older spec.

Budgets bind only evictions: deletions by controllers, users, taints or the kubelet never ask.

Source: pkg/controller/disruption/disruption.go. A cluster without budgets pays nothing for it.
"""

import json
from typing import Any

from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit_of_controller
from simulator.engine.apiserver.store.budget_status import KIND, budget_selects, budgets_for, member_of, with_condition, write_status
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.disruption import DISRUPTED_FOR_MS, Budget, Health, Member, Owner, health
from simulator.engine.model.selectors import from_document, selects
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import BudgetSync
from simulator.engine.world.lookups import pods_in
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import BudgetKey, BudgetRow, NodeRow, PodRow
from simulator.engine.world.watch import ADDED, CHANGED, DELETING, EVERY_KIND, GONE, STATUS, Queue, Watch
from simulator.engine.world.world import ApiObject

QUEUE = Queue("disruption-controller", Lane.CONTROLLER, "watch_ms")
COMPONENT = "controllermanager"
OLD_VERSION = "policy/v1beta1"
"""The API version in which an empty selector selects no pod; in policy/v1 it selects every one."""

RULES = (
    RuleText(
        "BUDGET-STATUS",
        gettext_noop(
            "The disruption controller counts the budget’s pods: {current} are healthy, {desired} must be, so {allowed} may be evicted now."
        ),
        "pkg/controller/disruption/disruption.go updatePdbStatus",
    ),
    RuleText(
        "BUDGET-NO-PODS",
        gettext_noop("No pod matches the budget’s selector, so it protects nothing yet."),
        "pkg/controller/disruption/disruption.go trySync",
    ),
    RuleText(
        "BUDGET-UNMANAGED",
        gettext_noop("Some of the budget’s pods have no controller that says how many there should be."),
        "pkg/controller/disruption/disruption.go trySync",
    ),
    RuleText(
        "BUDGET-SEVERAL",
        gettext_noop("More than one budget selects the pod, so it cannot be evicted: the disruption controller warns about that."),
        "pkg/controller/disruption/disruption.go getPdbForPod",
    ),
    RuleText(
        "BUDGET-NOT-DELETED",
        gettext_noop("The pod was evicted two minutes ago and has still not been deleted: it counts towards its budget again."),
        "pkg/controller/disruption/disruption.go buildDisruptedPodMap",
    ),
    RuleText(
        "BUDGET-FAILED",
        gettext_noop("The disruption controller cannot tell how many pods there should be, so it allows no evictions: {message}"),
        "pkg/controller/disruption/disruption.go failSafe",
    ),
)


def _budget_written(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    """A budget was created or changed: read its spec again and recompute it."""
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
    _wake(fx, (row.namespace, row.name))


def _wake(fx: Effects, key: BudgetKey) -> None:
    """Queue a budget, once for all changes that the controller sees together."""
    row = fx.tables.budgets[key]
    # One sync for any number of changes: the row remembers that it is queued.
    if not row.due:
        fx.save_budget(replace(row, due=True))
        fx.enqueue(QUEUE, BudgetSync(*key))


def _budget_gone(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    fx.drop_budget((row.namespace, row.name))


def _pod_written(fx: Effects, old: PodRow | None, row: PodRow) -> None:
    """A pod changed in what counts for budgets: recompute those that select it, or selected it before. O(budgets)."""
    if len(fx.tables.budgets) > 1:
        _emit_several(fx, row)
    if old is not None and _counted(old) == _counted(row):
        return
    after = row.pod.metadata.labels
    before = old.pod.metadata.labels if old is not None else after
    for key, held in tuple(fx.tables.budgets.items()):
        selector = held.budget.selector
        # A relabelled pod leaves one budget and may enter another: both must be computed.
        if key[0] == row.namespace and (selects(selector, after) or selects(selector, before)):
            _wake(fx, key)


def _emit_several(fx: Effects, row: PodRow) -> None:
    """Write a Warning Event about a pod selected by several budgets. Upstream chooses one at random; here it is the first."""
    found = budgets_for(fx.tables, row)
    if len(found) > 1:
        text = f'Pod "{row.namespace}"/"{row.name}" matches multiple PodDisruptionBudgets.  Chose "{found[0][1]}" arbitrarily.'
        emit_of_controller(
            fx, row, COMPONENT, severity="Warning", reason="MultiplePodDisruptionBudgets", message=text, rule="BUDGET-SEVERAL"
        )


def _counted(row: PodRow) -> tuple[object, ...]:
    """The parts of a pod that count for disruption budgets."""
    ready = row.status.condition("Ready")
    return (ready is not None and ready.status, row.deletion_ms is None, row.gone_ms, row.pod.metadata.labels)


def _scale_written(fx: Effects, _old: object, row: PodRow | NodeRow | ApiObject) -> None:
    """The scale of a controller may have changed: recompute every budget of its namespace."""
    if fx.tables.budgets and isinstance(row, ApiObject) and row.kind != KIND:
        for key in [key for key in fx.tables.budgets if key[0] == row.namespace]:
            _wake(fx, key)


WATCHES = (
    Watch("disruption-controller", KIND, ADDED | CHANGED, _budget_written),
    Watch("disruption-controller", KIND, GONE, _budget_gone),
    Watch("disruption-controller", "Pod", ADDED | CHANGED | DELETING | STATUS | GONE, _pod_written, counts=True, beside=KIND),
    Watch("disruption-controller", EVERY_KIND, ADDED | CHANGED | GONE, _scale_written),
)


def budget_sync(fx: Effects, event: BudgetSync) -> None:
    """Compute the status, and write it if it has changed."""
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
    _emit_events(fx, stored, held, found)
    _emit_not_deleted(fx, held)
    observed = held.observed if found.problem else stored.generation  # failSafe writes only that nothing may be disrupted
    changed = with_condition(fx, replace(held, health=found, observed=observed, due=False))
    if changed != replace(held, due=False):
        write_status(fx, changed, "computed")
        _recheck(fx, changed)
    else:
        fx.save_budget(changed)


def _recheck(fx: Effects, row: BudgetRow) -> None:
    """Count evicted pods that have not been seen to go again after two minutes."""
    if row.health.disrupted:
        due = min(at for _, at in row.health.disrupted) + DISRUPTED_FOR_MS
        fx.check(due, Lane.CONTROLLER, BudgetSync(row.namespace, row.name))


def members_of(fx: Effects, namespace: str) -> list[Member]:
    """The pods of a namespace as budgets see them."""
    return [member_of(row) for row in pods_in(fx.tables, namespace)]


_UNMANAGED = (
    "Pods selected by this PodDisruptionBudget (selector: {selector}) were found to be unmanaged. As a result, the status of the PDB "
    'cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" '
    "field of the PDB to an integer value."
)
_SCALED = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")


def _replicas(fx: Effects, namespace: str, owner: Owner) -> int | None:
    """The scale of the controller; for a ReplicaSet owned by a Deployment, the Deployment's."""
    held = fx.tables.objects.get((owner.kind, namespace, owner.name))
    if held is None or owner.kind not in _SCALED:
        return None
    document = json.loads(held.document)
    # A ReplicaSet's own size changes during a rollout; what the user asked for is in the
    # Deployment.
    above = next((item for item in (document.get("metadata") or {}).get("ownerReferences") or () if item.get("controller")), None)
    if above is not None and above.get("kind") == "Deployment":
        return _replicas(fx, namespace, Owner("Deployment", str(above.get("name")), str(above.get("uid") or "")))
    replicas = (document.get("spec") or {}).get("replicas")
    return 1 if replicas is None else int(replicas)


def _emit_events(fx: Effects, stored: ApiObject, held: BudgetRow, found: Health) -> None:
    """Write the Events of the budget: no pods, or a computation that fails."""
    if found.problem and found.problem != held.health.problem:
        reason, text = "CalculateExpectedPodCountFailed", f"Failed to calculate the number of expected pods: {found.problem}"
        if not fx.profile.budget_condition:
            # Until 1.21 the two causes have separate Events.
            reason, text = "NoControllerRef" if "controller ref" in found.problem else "NoControllers", found.problem
        emit_of_controller(fx, stored, COMPONENT, severity="Warning", reason=reason, message=text, rule="BUDGET-FAILED")
    elif found.unmanaged and not held.health.unmanaged and fx.profile.budget_tells_unmanaged:
        text = _UNMANAGED.format(selector=_go_selector((json.loads(stored.document).get("spec") or {}).get("selector") or {}))
        emit_of_controller(fx, stored, COMPONENT, severity="Warning", reason="UnmanagedPods", message=text, rule="BUDGET-UNMANAGED")
    elif not held.observed and not found.problem and not _matching(fx, held):
        emit_of_controller(fx, stored, COMPONENT, reason="NoPods", message="No matching pods found", rule="BUDGET-NO-PODS")


def _go_selector(selector: dict[str, Any]) -> str:
    """A LabelSelector as Go prints a pointer to one."""
    labels = "".join(f"{key}: {value}," for key, value in sorted((selector.get("matchLabels") or {}).items()))
    terms = "".join(
        f"LabelSelectorRequirement{{Key:{term.get('key')},Operator:{term.get('operator')},Values:[{' '.join(term.get('values') or ())}],}},"
        for term in selector.get("matchExpressions") or ()
    )
    return f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},MatchExpressions:[]LabelSelectorRequirement{{{terms}}},}}"


def _emit_not_deleted(fx: Effects, held: BudgetRow) -> None:
    """Write an Event about each pod that was evicted but not deleted in time. It names the namespace twice, as upstream does."""
    overdue = {name for name, at in held.health.disrupted if fx.now - at >= DISRUPTED_FOR_MS}
    for row in pods_in(fx.tables, held.namespace) if overdue else ():
        if row.name in overdue and row.deletion_ms is None:
            text = f"Pod was expected by PDB {held.namespace}/{held.namespace} to be deleted but it wasn't"
            emit_of_controller(fx, row, COMPONENT, severity="Warning", reason="NotDeleted", message=text, rule="BUDGET-NOT-DELETED")


def _matching(fx: Effects, row: BudgetRow) -> list[Member]:
    return [pod for pod in members_of(fx, row.namespace) if budget_selects(row, pod)]
