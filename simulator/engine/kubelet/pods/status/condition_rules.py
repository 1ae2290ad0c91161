"""The conditions of a pod that the kubelet computes, from ContainersReady to AllContainersRestarting.

Each function returns a ``Verdict``; keeping lastTransitionTime is up to the caller (it changes only with ``status``).
Source: kubelet status/generate.go. Cost: about 1 µs per condition for a plain pod.
"""

from collections.abc import Sequence

from msgspec import Struct

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kubelet.pods.sandbox.sandbox_change import SandboxStatus, sandbox_changed
from simulator.engine.machines.condition import CONDITION
from simulator.engine.model.container import Container
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.status import ContainerStatus, PodCondition, Running, Terminated
from simulator.engine.policies.restart_policy import triggers_restart_of_all


class ConditionOptions(Struct, frozen=True, kw_only=True, gc=False):
    """What the version switches on.

    ``sidecars``: restartable init containers count (1.28). ``pod_failed_reason``: a Failed pod says PodFailed (1.25).
    ``restart_all``: an Initialized pod stays so while its containers are restarted in place (1.35).
    """

    sidecars: bool = True
    pod_failed_reason: bool = True
    restart_all: bool = True


NEWEST = ConditionOptions()


class ConditionVerdict(Struct, frozen=True, gc=False):
    """The value of a condition and the id of the rule that gave it."""

    status: str
    reason: str
    message: str
    rule_id: str


def verdict(rule: str, reason: str = "", message: str = "") -> ConditionVerdict:
    """What a condition says under a rule; the status is that of the rule's row in the machine of conditions."""
    found: ConditionVerdict | None = CONDITION.kept.get((rule, reason, message))
    if found is not None:
        return found
    return CONDITION.keep((rule, reason, message), ConditionVerdict(CONDITION.decided(rule).target, reason, message, rule))


def _names(names: list[str]) -> str:
    return f"[{' '.join(names)}]"


def _by_name(statuses: Sequence[ContainerStatus]) -> dict[str, ContainerStatus]:
    return {status.name: status for status in statuses}


def containers_ready(
    spec: PodSpec,
    statuses: Sequence[ContainerStatus] | None,
    phase: str,
    *,
    options: ConditionOptions = NEWEST,
) -> ConditionVerdict:
    """The ContainersReady condition. ``statuses`` holds init and app containers in any order; None: nothing is known."""
    if statuses is None:
        return verdict("READY-NO-STATUSES", "UnknownContainerStatuses")
    known = {status.name: status for status in statuses}
    unknown: list[str] = []
    unready: list[str] = []
    for container in _counted(spec, options) if spec.init_containers else spec.containers:
        status = known.get(container.name)
        if status is None:
            unknown.append(container.name)
        elif not status.ready:
            unready.append(container.name)
    if phase == "Succeeded" and not unknown:
        return verdict("READY-COMPLETED", "PodCompleted")
    if phase == "Failed" and options.pod_failed_reason:
        return verdict("READY-FAILED", "PodFailed")
    if not unknown and not unready:
        return verdict("READY-CONTAINERS")
    return verdict("READY-CONTAINERS-NOT", "ContainersNotReady", _list_message(unknown, unready, "unready"))


def _counted(spec: PodSpec, options: ConditionOptions) -> tuple[Container, ...]:
    """Containers whose readiness counts: sidecars, then app containers."""
    if not options.sidecars:
        return spec.containers
    return tuple(c for c in spec.init_containers if c.restart_policy == "Always") + spec.containers


def _list_message(unknown: list[str], other: list[str], word: str) -> str:
    parts = []
    if unknown:
        parts.append(f"containers with unknown status: {_names(unknown)}")
    if other:
        parts.append(f"containers with {word} status: {_names(other)}")
    return ", ".join(parts)


def pod_ready(spec: PodSpec, containers: ConditionVerdict, conditions: Sequence[PodCondition] = ()) -> ConditionVerdict:
    """The Ready condition. ``containers`` is ContainersReady; ``conditions`` are the pod's own, for readiness gates."""
    if containers.status != "True":
        return verdict("READY-POD-CONTAINERS", containers.reason, containers.message)
    if not spec.readiness_gates:
        return verdict("READY-POD")
    statuses = {condition.type: condition.status for condition in conditions}
    problems = []
    for gate in spec.readiness_gates:
        kind = gate.condition_type
        status = statuses.get(kind)
        if status is None:
            problems.append(f'corresponding condition of pod readiness gate "{kind}" does not exist.')
        elif status != "True":
            problems.append(f'the status of pod readiness gate "{kind}" is not "True", but {status}')
    if not problems:
        return verdict("READY-POD")
    return verdict("READY-POD-GATES", "ReadinessGatesNotReady", ", ".join(problems))


def initialized(
    spec: PodSpec,
    statuses: Sequence[ContainerStatus] | None,
    phase: str,
    *,
    was_initialized: bool = False,
    options: ConditionOptions = NEWEST,
) -> ConditionVerdict:
    """The Initialized condition. ``was_initialized``: it was True in the previously published status."""
    if not spec.init_containers:
        return verdict("INITIALIZED-DONE") if phase != "Succeeded" else verdict("INITIALIZED-COMPLETED", "PodCompleted", "")
    if statuses is None:
        return verdict("INITIALIZED-NO-STATUSES", "UnknownContainerStatuses", "")
    known = _by_name(statuses)
    unknown = [container.name for container in spec.init_containers if container.name not in known]
    incomplete = [
        container.name
        for container in spec.init_containers
        if container.name in known and not _is_complete(container, known[container.name], options)
    ]
    if phase == "Succeeded" and not unknown:
        return verdict("INITIALIZED-COMPLETED", "PodCompleted", "")
    if options.sidecars and any_regular_started(spec, statuses):
        return verdict("INITIALIZED-APP-STARTED", "", "")
    if options.restart_all and was_initialized:
        return verdict("INITIALIZED-KEPT", "", "")
    if not unknown and not incomplete:
        return verdict("INITIALIZED-DONE")
    message = _list_message(unknown, incomplete, "incomplete")
    return verdict("INITIALIZED-NOT", "ContainersNotInitialized", message)


def _is_complete(container: Container, status: ContainerStatus, options: ConditionOptions) -> bool:
    if options.sidecars and container.restart_policy == "Always":
        return status.started is True
    return status.ready


def any_regular_started(spec: PodSpec, statuses: Sequence[ContainerStatus]) -> bool:
    """Whether an app container is running or has run, according to its published status."""
    names = [container.name for container in spec.containers]
    return any(status.name in names and isinstance(status.state, Running | Terminated) for status in statuses)


def ready_to_start_containers(spec: PodSpec, sandboxes: tuple[SandboxStatus, ...]) -> ConditionVerdict:
    """PodReadyToStartContainers (PodHasNetwork before 1.28): the newest sandbox needs no replacement."""
    return verdict("SANDBOX-CONDITION-FALSE" if sandbox_changed(spec, sandboxes).changed else "SANDBOX-CONDITION-TRUE")


def all_containers_restarting(
    spec: PodSpec,
    statuses: Sequence[ContainerStatus],
    phase: str,
    *,
    was_restarting: bool = False,
) -> ConditionVerdict:
    """AllContainersRestarting. ``statuses`` are of containers the runtime still knows; with none left the restart is prepared."""
    if phase == "Succeeded":
        return verdict("RESTART-ALL-OVER", "PodCompleted", "")
    if phase == "Failed":
        return verdict("RESTART-ALL-OVER", "PodFailed", "")
    containers = {container.name: container for container in (*spec.init_containers, *spec.containers)}
    asked = was_restarting or any(_asks_for_restart(containers.get(status.name), status) for status in statuses)
    if not asked or not any(status.name in containers for status in statuses):
        return verdict("RESTART-ALL-NONE", "", "")
    return verdict("RESTART-ALL-STARTED", "RestartAllContainersStarted", "container exited with restart policy rule")


def _asks_for_restart(container: Container | None, status: ContainerStatus) -> bool:
    state = status.state
    return container is not None and isinstance(state, Terminated) and triggers_restart_of_all(container, state.exit_code)


_SOURCE = "pkg/kubelet/status/generate.go "
_CONTAINERS = _SOURCE + "GenerateContainersReadyCondition"
_POD = _SOURCE + "GeneratePodReadyCondition"
_INIT = _SOURCE + "GeneratePodInitializedCondition"
_SANDBOX = _SOURCE + "GeneratePodReadyToStartContainersCondition"
_RESTART = _SOURCE + "GenerateAllContainersRestartingCondition"

RULES = (
    RuleText("READY-CONTAINERS", gettext_noop("Every container that counts is ready."), _CONTAINERS),
    RuleText("READY-CONTAINERS-NOT", gettext_noop("Some containers are not ready or unknown: {message}."), _CONTAINERS),
    RuleText("READY-COMPLETED", gettext_noop("The pod has Succeeded, so its containers are no longer ready."), _CONTAINERS),
    RuleText("READY-FAILED", gettext_noop("The pod has Failed, so its containers are no longer ready."), _CONTAINERS, "1.25"),
    RuleText("READY-NO-STATUSES", gettext_noop("The kubelet knows nothing about the containers yet."), _CONTAINERS),
    RuleText("READY-POD", gettext_noop("All containers are ready and every readiness gate is True, so the pod is Ready."), _POD),
    RuleText("READY-POD-CONTAINERS", gettext_noop("The pod is not Ready because its containers are not all ready."), _POD),
    RuleText("READY-POD-GATES", gettext_noop("All containers are ready but a readiness gate is not True: {message}"), _POD, "1.11"),
    RuleText("INITIALIZED-DONE", gettext_noop("Every init container has finished its work, or the pod has none."), _INIT),
    RuleText("INITIALIZED-COMPLETED", gettext_noop("The pod has Succeeded, so it was initialized."), _INIT),
    RuleText(
        "INITIALIZED-APP-STARTED", gettext_noop("A regular container has started, so the pod has already been initialized."), _INIT, "1.28"
    ),
    RuleText("INITIALIZED-KEPT", gettext_noop("The pod was initialized before all its containers were restarted in place."), _INIT, "1.35"),
    RuleText("INITIALIZED-NO-STATUSES", gettext_noop("The kubelet knows nothing about the init containers yet."), _INIT),
    RuleText("INITIALIZED-NOT", gettext_noop("Init containers still have work to do: {message}."), _INIT),
    RuleText("SANDBOX-CONDITION-TRUE", gettext_noop("The sandbox and its network are ready, so containers can start."), _SANDBOX, "1.25"),
    RuleText("SANDBOX-CONDITION-FALSE", gettext_noop("The pod has no usable sandbox, so no container can start."), _SANDBOX, "1.25"),
    RuleText("RESTART-ALL-NONE", gettext_noop("No restart of all containers is in progress."), _RESTART, "1.35"),
    RuleText("RESTART-ALL-OVER", gettext_noop("The pod has finished, so its containers will not be restarted."), _RESTART, "1.35"),
    RuleText(
        "RESTART-ALL-STARTED", gettext_noop("A container exited with a code that restarts all containers of the pod."), _RESTART, "1.35"
    ),
)
