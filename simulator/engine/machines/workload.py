"""How an object that makes pods goes as a whole, as its status tells."""

from msgspec import Struct

from simulator.engine.kernel.machine import ANY, Machine, Row, State


class WorkloadFacts(Struct, frozen=True, gc=False):
    """What the status of a workload says. ``wanted``: how many pods it asks for, None where it does not say.

    ``there``: how many are ready, or have succeeded for a Job; ``failing``: a condition tells of trouble.
    """

    wanted: int | None = None
    there: int = 0
    failing: bool = False
    done: bool = False


def is_failing(facts: WorkloadFacts) -> bool:
    """A condition of its status tells of trouble."""
    return facts.failing


def is_done(facts: WorkloadFacts) -> bool:
    """It has come to its end, as a Job does."""
    return facts.done


def has_all(facts: WorkloadFacts) -> bool:
    """As many as it asks for are there, or it asks for none."""
    return facts.wanted is None or facts.there >= facts.wanted


def has_some(facts: WorkloadFacts) -> bool:
    """Some are there, but not all."""
    return facts.there > 0


WORKLOAD: Machine[WorkloadFacts] = Machine(
    "workload",
    about="What a workload has of what it asks for.",
    initial="",
    omitted=("status",),
    states=(
        State("", "Not counted", "absent"),
        State("complete", "All there", "ready"),
        State("partial", "Some there", "notready"),
        State("empty", "None there", "starting"),
        State("failing", "Failing", "failed"),
        State("done", "Done", "succeeded"),
    ),
    rows=(
        Row(ANY, "status", "done", "WORKLOAD-DONE", when=is_done),
        Row(ANY, "status", "failing", "WORKLOAD-FAILING", when=is_failing),
        Row(ANY, "status", "complete", "WORKLOAD-COMPLETE", when=has_all),
        Row(ANY, "status", "partial", "WORKLOAD-PARTIAL", when=has_some),
        Row(ANY, "status", "empty", "WORKLOAD-EMPTY"),
    ),
)
