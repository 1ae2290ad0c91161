"""A lifecycle hook of a container: postStart or preStop.

Both run the same way and differ in what waits for them. postStart runs alongside the main process and
keeps the pod's worker busy: no other container starts and no status is published until it is over. Its
failure kills the container. preStop begins a stop and uses up the grace period; its failure is only an
Event, and the stop continues as if it had ended.

A hook has no timeout of its own. preStop ends with the grace period at the latest, which the stop
machine enforces; postStart may hang forever. Source: pkg/kubelet/kuberuntime/kuberuntime_container.go
startContainer, executePreStopHook; pkg/kubelet/lifecycle/handlers.go.
"""

from msgspec import Struct

from simulator.engine.kernel.machine import DECIDED, Machine, Row, State


class HookFacts(Struct, frozen=True, gc=False):
    """How a hook ended, and which one it was."""

    purpose: str
    has_failed: bool
    apart: bool = False  # the time of a preStop hook is not taken from what the process gets


def post_start_failed(facts: HookFacts) -> bool:
    """It was postStart and it failed."""
    return facts.has_failed and facts.purpose == "post_start"


def pre_stop_failed(facts: HookFacts) -> bool:
    """It was preStop and it failed."""
    return facts.has_failed and facts.purpose == "pre_stop"


def counts_apart(facts: HookFacts) -> bool:
    """It was preStop, and its time was not taken from the grace period."""
    return facts.apart and facts.purpose == "pre_stop"


def was_post_start(facts: HookFacts) -> bool:
    """It was postStart."""
    return facts.purpose == "post_start"


HOOK: Machine[HookFacts | str] = Machine(
    "hook",
    about="A postStart or preStop hook while it runs.",
    initial="",
    states=(
        State("", "Not begun", "absent"),
        State("running", "Running", "starting"),
        State("done", "Done", "succeeded"),
        State("failed", "Failed", "failed"),
    ),
    rows=(
        Row("", DECIDED, "running", "HOOK-POST-START"),
        Row("", DECIDED, "running", "STOP-HOOK"),
        Row("", DECIDED, "running", "STOP-HOOK-APART"),
        Row("running", "ended", "failed", "HOOK-POST-START-FAILED", when=post_start_failed),
        Row("running", "ended", "failed", "HOOK-PRE-STOP-FAILED", when=pre_stop_failed),
        Row("running", "ended", "done", "HOOK-POST-START", when=was_post_start),
        Row("running", "ended", "done", "STOP-HOOK-APART", when=counts_apart),
        Row("running", "ended", "done", "STOP-HOOK"),
    ),
)
