"""The eviction subresource: a deletion that disruption budgets may forbid.

An eviction is a POST that deletes the pod if its budget allows one more disruption. The API server
decides by the budget's stored status, which the disruption controller computes, and deducts the
disruption from that status itself before it deletes: two evictions in quick succession cannot both
use the last one. The pod is noted in ``disruptedPods``, so that the controller does not count it as
healthy while its deletion is under way; the note expires after two minutes.

The checks in their order:

* A pod that has ended, is pending or is already terminating is deleted without consulting a budget.
* No budget selects it: deleted. More than one: a 500.
* A pod that is not ready may be exempt from the budget, if that is healthy or allows it
  (``budget_spares_unready``, by version and ``unhealthyPodEvictionPolicy``).
* The status lags behind the budget's spec: 429 with retryAfterSeconds. No disruption left: 429
  without; kubectl drain waits five seconds and tries again in either case.

The 429 means "not now" and is not the client's fault. Its wording changed between versions
(``budget_refusal_text``).

Source: pkg/registry/core/pod/storage/eviction.go Create.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.answer import Answer, ApiError, Cause, forbidden_object, too_many_requests
from simulator.engine.apiserver.pods import delete_pod
from simulator.engine.apiserver.refusal import Doing, refusal_of
from simulator.engine.apiserver.store.budget_status import KIND, budgets_for, member_of, with_condition, write_status
from simulator.engine.apiserver.store.disrupt import disrupt
from simulator.engine.kernel.records import RecordKind
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.disruption import TOO_MANY, asks_no_budget, is_spared
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import BudgetKey, BudgetRow, PodRow

_SOURCE = "pkg/registry/core/pod/storage/eviction.go Create"
_VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget."
_SEVERAL = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."

RULES = (
    RuleText(
        "EVICT-NO-BUDGET",
        gettext_noop("No disruption budget covers the pod, so the eviction is a deletion."),
        _SOURCE,
    ),
    RuleText(
        "EVICT-BYPASS",
        gettext_noop(
            "No budget is consulted for a pod that has ended, is not running yet or is terminating: evicting it disrupts nothing."
        ),
        _SOURCE,
    ),
    RuleText(
        "EVICT-SPARED",
        gettext_noop(
            "The pod is not ready, and its budget is met without it or permits evicting such pods: nothing is taken from {budget}."
        ),
        _SOURCE,
    ),
    RuleText(
        "EVICT-COUNTED",
        gettext_noop("The budget {budget} allows the disruption: it records the pod as disrupted and allows {allowed} more."),
        _SOURCE,
    ),
    RuleText("EVICT-REFUSED", gettext_noop("A disruption budget does not allow the eviction right now: {message}"), _SOURCE),
    RuleText(
        "BUDGET-TAKEN",
        gettext_noop("The API server took a disruption from the budget before deleting the pod, so that the next eviction sees it."),
        _SOURCE,
    ),
)


def evicting(fx: Effects, row: PodRow, grace_s: int | None) -> Doing:
    """Consult the budgets; the act evicts. Raises Refusal with the API server's message."""
    pod = member_of(row)
    if asks_no_budget(pod):
        return lambda: _evict(fx, row, grace_s, target="bypass", rule="EVICT-BYPASS")
    keys = budgets_for(fx.tables, row)
    if not keys:
        return lambda: _evict(fx, row, grace_s, target="free", rule="EVICT-NO-BUDGET")
    if len(keys) > 1:
        raise refusal_of(ApiError(Answer(code=500, reason="", message=_SEVERAL)), "EVICT-REFUSED")
    budget = fx.tables.budgets[keys[0]]
    if fx.profile.budget_spares_unready and is_spared(budget.budget, budget.health, pod):
        return lambda: _evict(fx, row, grace_s, target="spared", rule="EVICT-SPARED", budget=budget)
    problem = _problem(fx, budget)
    if problem is not None:
        raise refusal_of(problem, "EVICT-REFUSED")
    return lambda: _counted(fx, row, grace_s, budget.key)


def _problem(fx: Effects, row: BudgetRow) -> ApiError | None:
    """Why the budget allows no disruption; None if it does."""
    stored = fx.tables.objects[(KIND, row.namespace, row.name)]
    # The controller has not seen the latest spec: its numbers are for the previous one.
    if row.observed < stored.generation:
        text = f"The disruption budget {row.name} is still being processed by the server."
        return _too_many(text, retry_after_s=fx.profile.budget_retry_s)
    if row.health.allowed < 0:
        return forbidden_object("poddisruptionbudget", row.name, "pdb disruptions allowed is negative", group="policy")
    if len(row.health.disrupted) > TOO_MANY:
        why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        return forbidden_object("poddisruptionbudget", row.name, why, group="policy")
    return _too_many(_why(fx, row)) if row.health.allowed == 0 else None


def _too_many(text: str, *, retry_after_s: int = 0) -> ApiError:
    return too_many_requests(_VIOLATED, causes=(Cause(reason="DisruptionBudget", message=text),), retry_after_s=retry_after_s)


def _why(fx: Effects, row: BudgetRow) -> str:
    state = row.health
    needs = f"The disruption budget {row.name} needs {state.desired} healthy pods and has {state.current} currently"
    if fx.profile.budget_refusal_text == "plain":
        return needs
    general = f"The disruption budget {row.name} does not allow evicting pods currently"
    if row.allows == "False" and row.reason == "SyncFailed":
        return f"{general} because it failed sync: {row.message}"
    if state.current <= state.desired:
        return needs
    return f"{general} ({row.reason}): {row.message}" if row.allows == "False" and row.message else general


def _counted(fx: Effects, row: PodRow, grace_s: int | None, key: BudgetKey) -> None:
    """Deduct one disruption, note the pod as disrupted, then evict it."""
    budget = fx.tables.budgets[key]
    state = budget.health
    taken = replace(state, allowed=state.allowed - 1, disrupted=(*state.disrupted, (row.name, fx.now)))
    budget = write_status(fx, with_condition(fx, replace(budget, health=taken), "taken"), "taken")
    _evict(fx, row, grace_s, target="counted", rule="EVICT-COUNTED", budget=budget)


def _evict(fx: Effects, row: PodRow, grace_s: int | None, *, target: str, rule: str, budget: BudgetRow | None = None) -> None:
    """Set DisruptionTarget on the pod in versions that do, then delete it."""
    data = (("budget", budget.name), ("allowed", budget.health.allowed)) if budget is not None else ()
    fx.cause = fx.record(
        kind=RecordKind.DECISION.value, subject=row.subject, machine="pod_eviction", target=target, rule=rule, data=data
    )  # fmt: skip
    disrupt(fx, row.key, "EvictionByEvictionAPI", "Eviction API: evicting", rule=rule)
    delete_pod(fx, fx.tables.pods[row.key], grace_s)
