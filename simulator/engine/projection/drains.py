"""A waiting ``kubectl drain``: the pods that have not gone yet, the budgets that hold them, and when it retries."""

from msgspec import Struct

from simulator.engine.apiserver.store.budget_status import budgets_for
from simulator.engine.kernel.units import Key, Ms, Subject
from simulator.engine.projection.objects import BudgetView, budget_view
from simulator.engine.world.events import DrainRetry
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World


class DrainedPod(Struct, frozen=True, kw_only=True):
    """A pod that a drain waits for. ``next_ms``: when its eviction is retried; None: it is terminating.

    ``budgets`` are those that select the pod, as long as its eviction is refused.
    """

    subject: Subject
    name: str
    node: str
    next_ms: Ms | None
    budgets: tuple[BudgetView, ...]


def drained_pods(world: World, node: str) -> tuple[DrainedPod, ...]:
    """The pods of a node that a drain waits for; none without a drain. O(planned checks + budgets of each pod)."""
    asked = _asked(world)
    keys = dict.fromkeys((*world.tables.drains.get(node, ()), *(key for key in asked if world.tables.pods[key].node == node)))
    return tuple(_drained(world, world.tables.pods[key], asked.get(key)) for key in keys)


def refused_drains(world: World, namespace: str, name: str) -> tuple[DrainedPod, ...]:
    """The pods whose eviction for a drain a budget does not allow. O(planned checks)."""
    found = (_drained(world, world.tables.pods[key], due_ms) for key, due_ms in _asked(world).items())
    return tuple(pod for pod in found if any((budget.namespace, budget.name) == (namespace, name) for budget in pod.budgets))


def _asked(world: World) -> dict[Key, Ms]:
    """The pods whose eviction is retried, and when."""
    pods = world.tables.pods
    return {key.pod: due for key, (due, _) in world.tables.checks.items() if isinstance(key, DrainRetry) and pods[key.pod].gone_ms is None}


def _drained(world: World, row: PodRow, due_ms: Ms | None) -> DrainedPod:
    keys = budgets_for(world.tables, row) if due_ms is not None else []
    budgets = tuple(budget_view(world.tables.budgets[key]) for key in keys)
    return DrainedPod(subject=row.subject, name=row.name, node=row.node, next_ms=due_ms, budgets=budgets)
