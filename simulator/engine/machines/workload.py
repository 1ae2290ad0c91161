"""How a workload object is doing as a whole, judging by its status.

This is our own summary, not a field of the API: it compares what a workload asks for with the counts
in its status (``workloads/progress.py``). The first row whose guard holds decides, so the order
matters: a Job that is done is done even without pods, and a condition that reports trouble
outweighs any number of ready pods. "complete" also covers workloads that ask for no pods.

The state moves when the status is written, so it lags behind as the controller does: a pod may
already have failed while its ReplicaSet is still complete.

Source: the columns of kubectl get (pkg/printers/internalversion/printers.go) and the conditions
that the controllers set.
"""

from msgspec import Struct

from simulator.engine.kernel.machine import ANY, Machine, Row, State


class WorkloadFacts(Struct, frozen=True, gc=False):
    """What the status of a workload says. ``wanted``: how many pods it asks for, None if it does not say.

    ``there``: how many are ready or, for a Job, have succeeded; ``failing``: a condition reports trouble.
    """

    wanted: int | None = None
    there: int = 0
    failing: bool = False
    done: bool = False


def is_failing(facts: WorkloadFacts) -> bool:
    """A condition in its status reports trouble."""
    return facts.failing


def is_done(facts: WorkloadFacts) -> bool:
    """It has finished, as a Job does."""
    return facts.done


def has_all(facts: WorkloadFacts) -> bool:
    """All the pods it asks for are there, or it asks for none."""
    return facts.wanted is None or facts.there >= facts.wanted


def has_some(facts: WorkloadFacts) -> bool:
    """Some pods are there, but not all."""
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
