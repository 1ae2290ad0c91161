"""The phase of a pod: count the container statuses, then take the first row that matches.

The rows are in the phase machine. The algorithms of 1.20 and of today share one table: what has changed since is how
things are *counted*, and ``PhaseRules`` says which way.

Source: kubelet kubelet_pods.go getPhase. Cost: about 2 µs for a pod with one container.
"""

from msgspec import Struct
from msgspec.structs import astuple

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.machines.phase import PHASE, PhaseFacts
from simulator.engine.model.container import Container
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.status import ContainerState, ContainerStatus, Running, Terminated, Waiting
from simulator.engine.policies.restart_policy import OOM_KILLED, RESTARTING_ALL, restarts_after

_KILLED = 137
Statuses = tuple[ContainerStatus | None, ...]


class PhaseRules(Struct, frozen=True, kw_only=True, gc=False):
    """Which algorithm computes the phase. ``algorithm``: ``1.3``, ``1.20`` or ``newest``; the flags apply to ``newest``.

    ``sidecars``: restartable init containers are counted separately (1.28). ``terminal_phase``: a pod whose containers are
    stopped for good ends Succeeded or Failed whatever its policy (1.27). ``restart_rules``: containers have their own
    policies (1.34). ``oom_fails_init``: an init container that is OOMKilled has failed whatever its exit code (1.27).
    """

    algorithm: str = "newest"
    sidecars: bool = True
    terminal_phase: bool = True
    restart_rules: bool = True
    oom_fails_init: bool = True


NEWEST = PhaseRules()


class PhaseVerdict(Struct, frozen=True, gc=False):
    """A phase and the id of the row that determined it."""

    phase: str
    rule_id: str


def compute_phase(
    spec: PodSpec,
    init: Statuses,
    app: Statuses,
    *,
    rules: PhaseRules = NEWEST,
    pod_is_terminal: bool = False,
    has_initialized: bool = False,
    is_static: bool = False,
) -> PhaseVerdict:
    """The phase that follows from the container statuses.

    ``init`` follows the spec order, with None for a container about which nothing is known yet; so does ``app``, unless every
    status is known. ``pod_is_terminal``: all containers are stopped and none will be restarted. ``has_initialized``: a
    regular container of the current sandbox has run. ``is_static``: static pods take no terminal phase from
    ``pod_is_terminal``.
    """
    facts = count(spec, init, app, rules=rules, pod_is_terminal=pod_is_terminal, has_initialized=has_initialized, is_static=is_static)
    counted = (rules.algorithm, *astuple(facts))
    found: PhaseVerdict | None = PHASE.kept.get(counted)
    if found is not None:  # pods are similar, so results repeat
        return found
    row = PHASE.pick(PHASE.initial, trigger_of(rules), facts)
    assert row is not None  # the last row always holds
    return PHASE.keep(counted, PhaseVerdict(row.target, row.rule))


def trigger_of(rules: PhaseRules) -> str:
    """The trigger of the phase machine once the containers have been counted."""
    return "counted_as_1_3" if rules.algorithm == "1.3" else "counted"


def count(
    spec: PodSpec,
    init: Statuses,
    app: Statuses,
    *,
    rules: PhaseRules = NEWEST,
    pod_is_terminal: bool = False,
    has_initialized: bool = False,
    is_static: bool = False,
) -> PhaseFacts:
    """What the machine's guards look at, with the arguments of ``compute_phase``. O(containers)."""
    newest = rules.algorithm == "newest"
    facts = PhaseFacts(spec.restart_policy)
    facts.terminal = pod_is_terminal and newest and rules.terminal_phase and not is_static
    facts.has_initialized = has_initialized
    own_policies = newest and rules.restart_rules
    if spec.init_containers:
        _count_init(facts, spec.init_containers, init, rules=rules, own_policies=own_policies)
    _count_app(facts, spec.containers, app, own_policies=own_policies)
    return facts


def _count_init(facts: PhaseFacts, containers: tuple[Container, ...], statuses: Statuses, *, rules: PhaseRules, own_policies: bool) -> None:
    """Count the init containers; sidecars, if they exist, are counted with the app containers."""
    newest = rules.algorithm == "newest"
    sidecars, by_oom = newest and rules.sidecars, newest and rules.oom_fails_init
    for container, status in zip(containers, statuses, strict=True):
        if sidecars and container.restart_policy == "Always":
            _count_sidecar(facts, status)
            continue
        ended = _last_end(status)
        if ended is None:
            facts.init_pending += 1
            continue
        code = ended.exit_code or (_KILLED if by_oom and ended.reason == OOM_KILLED else 0)
        if code != 0:
            facts.init_failed += 1
            if not _starts_again(facts.policy, container, status, code, own_policies=own_policies):
                facts.init_failed_for_good += 1


def _last_end(status: ContainerStatus | None) -> Terminated | None:
    """How the container ended: now, or before the restart it waits for. None while it runs or if it never ran."""
    if status is None:
        return None
    if isinstance(status.state, Terminated):
        return status.state
    if isinstance(status.state, Waiting) and isinstance(status.last_state, Terminated):
        return status.last_state
    return None


def _starts_again(policy: str, container: Container, status: ContainerStatus | None, exit_code: int, *, own_policies: bool) -> bool:
    """Whether an ended container will be restarted. A failed init container is final under pod policy Never only."""
    if not own_policies:
        return policy == "Always" or (policy == "OnFailure" and exit_code != 0)
    if status is not None and (_reason(status.state) == RESTARTING_ALL or _reason(status.last_state) == RESTARTING_ALL):
        return True
    return restarts_after(container, policy, exit_code)


def _reason(state: ContainerState | None) -> str:
    return "" if state is None or isinstance(state, Running) else state.reason


def _count_sidecar(facts: PhaseFacts, status: ContainerStatus | None) -> None:
    if status is None:
        facts.unknown += 1
        return
    state = status.state
    if isinstance(state, Running):
        facts.running += 1
        if not status.started:
            facts.sidecar_pending += 1
    elif state is None:
        facts.sidecar_pending += 1
        facts.unknown += 1
    elif isinstance(state, Waiting) and not isinstance(status.last_state, Terminated):
        facts.sidecar_pending += 1
        facts.waiting += 1


def _in_order_of_spec(containers: tuple[Container, ...], statuses: Statuses) -> Statuses:
    """Each container's own status: the kubelet publishes the statuses sorted by name, and containers may differ in policy."""
    known = {status.name: status for status in statuses if status is not None}
    return tuple(known.get(container.name) for container in containers)


def _count_app(facts: PhaseFacts, containers: tuple[Container, ...], statuses: Statuses, *, own_policies: bool) -> None:
    if own_policies and len(containers) > 1:
        statuses = _in_order_of_spec(containers, statuses)
    for container, status in zip(containers, statuses, strict=True):
        state = None if status is None else status.state
        if status is None or state is None:
            facts.unknown += 1
        elif isinstance(state, Running):
            facts.running += 1
        else:
            ended = _last_end(status)
            if ended is None:
                facts.waiting += 1
                continue
            facts.stopped += 1
            if isinstance(state, Terminated) and ended.exit_code == 0:
                facts.succeeded += 1
            if own_policies and _starts_again(facts.policy, container, status, ended.exit_code, own_policies=own_policies):
                facts.restartable += 1
    if not own_policies and (facts.policy == "Always" or (facts.policy == "OnFailure" and facts.stopped != facts.succeeded)):
        facts.restartable = facts.stopped


_SOURCE = "pkg/kubelet/kubelet_pods.go getPhase"

RULES = (
    RuleText(
        "PHASE-INIT-FAILED",
        gettext_noop("An init container has failed and will not be restarted, so the pod has Failed."),
        _SOURCE,
    ),
    RuleText(
        "PHASE-INIT-PENDING",
        gettext_noop("An init container has not finished yet, so the pod is Pending."),
        _SOURCE,
        "1.4",
    ),
    RuleText(
        "PHASE-SIDECAR-PENDING",
        gettext_noop("A sidecar has not started yet and no regular container has run, so the pod is Pending."),
        _SOURCE,
        "1.28",
    ),
    RuleText(
        "PHASE-PENDING",
        gettext_noop("A container is waiting for its very first start, so the pod is Pending even if others are running."),
        _SOURCE,
    ),
    RuleText(
        "PHASE-RUNNING",
        gettext_noop("At least one container is running and all others have run before, so the pod is Running."),
        _SOURCE,
    ),
    RuleText(
        "PHASE-TERMINAL-SUCCEEDED",
        gettext_noop("The pod has finished and every container exited with 0, so it has Succeeded whatever its restart policy."),
        _SOURCE,
        "1.27",
    ),
    RuleText(
        "PHASE-TERMINAL-FAILED",
        gettext_noop("The pod has finished and a container did not exit with 0, so it has Failed whatever its restart policy."),
        _SOURCE,
        "1.27",
    ),
    RuleText(
        "PHASE-RESTARTING",
        gettext_noop("Every container has terminated but one will be restarted, so the pod still counts as Running."),
        _SOURCE,
    ),
    RuleText(
        "PHASE-SUCCEEDED",
        gettext_noop("Every container exited with 0 and none will be restarted, so the pod has Succeeded."),
        _SOURCE,
    ),
    RuleText(
        "PHASE-FAILED",
        gettext_noop("Every container has terminated, at least one in failure, and none will be restarted, so the pod has Failed."),
        _SOURCE,
    ),
    RuleText(
        "PHASE-UNKNOWN-STATUS",
        gettext_noop("The kubelet does not know the state of every container yet, so the pod is Pending."),
        _SOURCE,
    ),
)
