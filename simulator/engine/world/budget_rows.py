"""The row of a PodDisruptionBudget: what it asks for and what its status says."""

from msgspec import Struct

from simulator.engine.kernel.units import Ms, Seq
from simulator.engine.model.disruption import Budget, Health

BudgetKey = tuple[str, str]
"""Namespace and name."""


class BudgetRow(Struct, frozen=True, gc=False, kw_only=True):
    """A budget as the disruption controller sees it. ``observed`` is status.observedGeneration, 0 before the first computation."""

    namespace: str
    name: str
    budget: Budget
    health: Health = Health()
    observed: int = 0
    allows: str = ""  # status of the condition DisruptionAllowed
    reason: str = ""
    message: str = ""
    transition_ms: Ms = 0
    due: bool = False  # a computation is queued
    seq: Seq = 0

    @property
    def key(self) -> BudgetKey:
        """Its place in the table."""
        return (self.namespace, self.name)
