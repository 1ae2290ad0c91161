"""What the status of a PodDisruptionBudget says: whether a pod may be disrupted.

Two components move it. computed is the disruption controller, which recounts the healthy pods after
each change and may fail to (then nothing may be disrupted). taken is the eviction API, which lowers
disruptionsAllowed itself, without waiting for the controller; taking the last disruption blocks the
budget at once. It opens again only after the controller has recounted.

Source: pkg/controller/disruption/disruption.go; pkg/registry/core/pod/storage/eviction.go.
"""

from msgspec import Struct

from simulator.engine.kernel.machine import ANY, Machine, Row, State


class BudgetFacts(Struct, frozen=True, gc=False):
    """What the disruption controller found. ``problem``: why it could not count; ``allowed``: how many pods may be disrupted."""

    problem: str = ""
    allowed: int = 0


def cannot_be_computed(facts: BudgetFacts) -> bool:
    """A problem with its pods or their owners keeps the controller from counting."""
    return bool(facts.problem)


def allows_some(facts: BudgetFacts) -> bool:
    """At least one more pod may be disrupted."""
    return facts.allowed > 0


BUDGET: Machine[BudgetFacts] = Machine(
    "budget",
    about="Whether a PodDisruptionBudget lets a pod go.",
    initial="",
    omitted=("computed", "taken"),
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
