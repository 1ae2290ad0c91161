"""The phase of a pod: derived from its containers' statuses, or set by the component that ends the pod.

The kubelet counts how many containers run, wait or have stopped, and how; the first row whose guard
holds gives the phase. So the order of the ``counted`` rows is the algorithm (getPhase). Init
containers come first, then a waiting container, which makes a pod Pending however many others
run, then running ones. Only when all have stopped does it matter how they ended, and a container
that will be restarted keeps the pod Running.

"For good" rows apply when the kubelet itself has stopped every container (1.27 and later): restart
policies no longer count. ``counted_as_1_3`` is the algorithm of versions before init containers
affected the phase.

A terminal phase is never left (PHASE-KEPT). Other components set Failed by rules of their own:
evictions, deadlines, a node shutdown, rejected pods, the pod garbage collector. These do not
look at containers at all.

Source: pkg/kubelet/kubelet_pods.go getPhase.
"""

from msgspec import Struct

from simulator.engine.kernel.machine import ANY, DECIDED, Machine, Row, State


class PhaseFacts(Struct, gc=False):
    """What the guards look at. Mutable while it is being counted; the guards only read it."""

    policy: str
    terminal: bool = False
    has_initialized: bool = False
    init_failed: int = 0
    init_failed_for_good: int = 0
    init_pending: int = 0
    sidecar_pending: int = 0
    unknown: int = 0
    running: int = 0
    waiting: int = 0
    stopped: int = 0
    succeeded: int = 0
    restartable: int = 0


def an_init_container_failed_for_good(facts: PhaseFacts) -> bool:
    """An init container has failed and will not be restarted."""
    return facts.init_failed_for_good > 0


def init_containers_are_pending(facts: PhaseFacts) -> bool:
    """An init container has not finished."""
    return facts.init_pending > 0


def sidecars_are_pending(facts: PhaseFacts) -> bool:
    """A sidecar has not started, and no app container of this sandbox has run."""
    return facts.sidecar_pending > 0 and not facts.has_initialized


def containers_wait(facts: PhaseFacts) -> bool:
    """A container is waiting for its first start."""
    return facts.waiting > 0


def some_run_none_is_unknown(facts: PhaseFacts) -> bool:
    """A container runs, and no container's state is unknown."""
    return facts.running > 0 and not facts.unknown


def some_run(facts: PhaseFacts) -> bool:
    """A container runs."""
    return facts.running > 0


def all_stopped(facts: PhaseFacts) -> bool:
    """Every container has stopped."""
    return facts.stopped > 0 and not facts.running and not facts.unknown


def all_stopped_for_good_and_succeeded(facts: PhaseFacts) -> bool:
    """Every container was stopped for good, each with exit code 0."""
    return facts.terminal and all_stopped(facts) and facts.stopped == facts.succeeded


def all_stopped_for_good(facts: PhaseFacts) -> bool:
    """Every container was stopped for good."""
    return facts.terminal and all_stopped(facts)


def all_stopped_some_restart(facts: PhaseFacts) -> bool:
    """Every container has stopped, and at least one will be restarted."""
    return all_stopped(facts) and facts.restartable > 0


def all_stopped_and_succeeded(facts: PhaseFacts) -> bool:
    """Every container has stopped, each with exit code 0."""
    return all_stopped(facts) and facts.stopped == facts.succeeded


_ENDINGS = (
    "DEADLINE-EXCEEDED",
    "EVICTED",
    "EVICTION-LOCAL",
    "CRITICAL-PREEMPTION",
    "NODE-SHUTDOWN",
    "ADMISSION-REJECTED",
    "ADMISSION-PRESSURE",
    "REMOVAL-FAILED",
    "POD-GC",
    "POD-GC-OUT-OF-SERVICE",
    "POD-GC-UNSCHEDULED",
)
"""Rules by which another component ends a pod, whatever its containers do."""

PHASE: Machine[PhaseFacts] = Machine(
    "phase",
    about="The phase of a pod. Counted: the kubelet looked at the containers' statuses; decided: somebody else's rule sets it.",
    initial="",
    states=(
        State("", "No status", "absent"),
        State("Pending", "Pending", "waiting"),
        State("Running", "Running", "ready"),
        State("Succeeded", "Succeeded", "succeeded"),
        State("Failed", "Failed", "failed"),
        State("Unknown", "Unknown", "unknown"),
    ),
    omitted=("counted", "counted_as_1_3"),
    rows=(
        Row("", DECIDED, "Pending", "POD-CREATED"),
        Row("Succeeded", DECIDED, "Succeeded", "PHASE-KEPT"),
        Row("Failed", DECIDED, "Failed", "PHASE-KEPT"),
        Row("Running", DECIDED, "Running", "PHASE-RESTARTING"),
        Row(ANY, "counted", "Failed", "PHASE-INIT-FAILED", when=an_init_container_failed_for_good),
        Row(ANY, "counted", "Pending", "PHASE-INIT-PENDING", when=init_containers_are_pending),
        Row(ANY, "counted", "Pending", "PHASE-SIDECAR-PENDING", when=sidecars_are_pending),
        Row(ANY, "counted", "Pending", "PHASE-PENDING", when=containers_wait),
        Row(ANY, "counted", "Running", "PHASE-RUNNING", when=some_run_none_is_unknown),
        Row(ANY, "counted", "Succeeded", "PHASE-TERMINAL-SUCCEEDED", when=all_stopped_for_good_and_succeeded),
        Row(ANY, "counted", "Failed", "PHASE-TERMINAL-FAILED", when=all_stopped_for_good),
        Row(ANY, "counted", "Running", "PHASE-RESTARTING", when=all_stopped_some_restart),
        Row(ANY, "counted", "Succeeded", "PHASE-SUCCEEDED", when=all_stopped_and_succeeded),
        Row(ANY, "counted", "Failed", "PHASE-FAILED", when=all_stopped),
        Row(ANY, "counted", "Pending", "PHASE-UNKNOWN-STATUS"),
        Row(ANY, "counted_as_1_3", "Failed", "PHASE-INIT-FAILED", when=an_init_container_failed_for_good),
        Row(ANY, "counted_as_1_3", "Pending", "PHASE-PENDING", when=containers_wait),
        Row(ANY, "counted_as_1_3", "Running", "PHASE-RUNNING", when=some_run),
        Row(ANY, "counted_as_1_3", "Running", "PHASE-RESTARTING", when=all_stopped_some_restart),
        Row(ANY, "counted_as_1_3", "Succeeded", "PHASE-SUCCEEDED", when=all_stopped_and_succeeded),
        Row(ANY, "counted_as_1_3", "Failed", "PHASE-FAILED", when=all_stopped),
        Row(ANY, "counted_as_1_3", "Pending", "PHASE-UNKNOWN-STATUS"),
        *(Row(ANY, DECIDED, "Failed", rule) for rule in _ENDINGS),
        Row(ANY, DECIDED, ANY, "STATUS-PATCHED"),
        Row(ANY, DECIDED, ANY, "STATUS-RECONCILED"),
        Row(ANY, DECIDED, ANY, "STATUS-CAUGHT-UP"),
        Row(ANY, DECIDED, ANY, "IMPORT-STATE"),
    ),
)


def phase_by(rule: str, state: str = ANY) -> str:
    """The phase that a rule gives to a pod in phase ``state``."""
    return PHASE.decided(rule, state).target
