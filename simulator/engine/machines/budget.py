"""What the status of a PodDisruptionBudget says."""

from simulator.engine.api.disruption import Health
from simulator.engine.machine import ANY, Machine, Row, State


def cannot_be_computed(health: Health) -> bool:
    """Something about its pods or their owners keeps the controller from counting."""
    return bool(health.problem)


def allows_some(health: Health) -> bool:
    """At least one more pod may be disrupted."""
    return health.allowed > 0


BUDGET: Machine[Health] = Machine(
    "budget",
    about="Whether a PodDisruptionBudget lets a pod go.",
    initial="",
    untold=("computed", "taken"),
    states=(
        State("", "Not computed", "absent"),
        State("allows", "Allows disruptions", "ready"),
        State("blocks", "Allows none", "notready"),
        State("failed", "Cannot be computed", "failed"),
    ),
    rows=(
        Row(ANY, "computed", "failed", "BUDGET-FAILED", when=cannot_be_computed),
        Row(ANY, "computed", "allows", "BUDGET-STATUS", when=allows_some),
        Row(ANY, "computed", "blocks", "BUDGET-STATUS"),
        Row(ANY, "taken", "allows", "BUDGET-TAKEN", when=allows_some),
        Row(ANY, "taken", "blocks", "BUDGET-TAKEN"),
    ),
)
