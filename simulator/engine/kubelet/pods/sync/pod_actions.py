"""What the kubelet has to do to bring a pod to its spec: kill, create a sandbox, start containers. One call per sync.

In short: without a usable sandbox, start over; run init containers one after another; then every app container that should
run; and when nothing runs and nothing is to be started, the pod is finished. Init containers are in ``init_actions``.
Source: kubelet kuberuntime_manager.go computePodActions. Cost: about 3 µs for a plain pod.
"""

from collections.abc import Mapping

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kubelet.pods.containers.runtime_records import RuntimeContainer
from simulator.engine.kubelet.pods.sandbox.sandbox_change import SandboxStatus, SandboxVerdict, sandbox_changed
from simulator.engine.kubelet.pods.sync.action_types import (
    NEWEST,
    NO_RESULTS,
    ActionRules,
    ActionsDraft,
    KillAction,
    PodActions,
    Sync,
)
from simulator.engine.kubelet.pods.sync.init_actions import classic_init, sidecar_init
from simulator.engine.model.container import Container
from simulator.engine.model.pod import PodSpec
from simulator.engine.policies.restart_policy import restarts_after, triggers_restart_of_all

__all__ = [
    "NEWEST",
    "ActionRules",
    "KillAction",
    "PodActions",
    "RuntimeContainer",
    "compute_pod_actions",
    "has_initialized",
    "should_restart",
]

Records = Mapping[str, RuntimeContainer]


def compute_pod_actions(
    spec: PodSpec,
    sandboxes: tuple[SandboxStatus, ...],
    records: Records,
    *,
    liveness: Mapping[str, str] = NO_RESULTS,
    startup: Mapping[str, str] = NO_RESULTS,
    is_deleted: bool = False,
    restarting_all: bool = False,
    rules: ActionRules = NEWEST,
) -> PodActions:
    """Decide the next actions.

    ``sandboxes``: newest first. ``records``: the newest instance the runtime knows of each container, by name.
    ``liveness`` and ``startup``: probe results by container name, absent if there is none. ``is_deleted``: the pod
    has a deletion timestamp. ``restarting_all``: the AllContainersRestarting condition is True.
    """
    sandbox = sandbox_changed(spec, sandboxes)
    sync = Sync(spec, records, liveness, startup, is_deleted, rules)
    draft = ActionsDraft(kill_pod=sandbox.changed, create_sandbox=sandbox.changed, rule_id=sandbox.rule_id)
    if rules.restart_all and restarting_all:
        draft.to_reset, draft.rule_id = _reset_order(spec, records), "ACTIONS-RESTART-ALL"
    elif sandbox.changed:
        _start_over(draft, sync, sandbox)
    else:
        if spec.ephemeral_containers:
            draft.ephemeral = [container.name for container in spec.ephemeral_containers if container.name not in records]
        if _init_is_done(draft, sync):
            _app_actions(draft, sync)
    return draft.finish(spec, sandbox)


def _start_over(draft: ActionsDraft, sync: Sync, sandbox: SandboxVerdict) -> None:
    """A new sandbox is needed: begin with the first init container, unless nothing is left to run."""
    spec = sync.spec
    if spec.restart_policy == "Never" and sandbox.attempt != 0 and sync.records:
        draft.create_sandbox, draft.rule_id = False, "ACTIONS-SANDBOX-NEVER"
        return
    to_start = [container.name for container in spec.containers if not _has_succeeded(container, sync)]
    if not to_start and _was_initialized(sync):
        draft.create_sandbox, draft.rule_id = False, "ACTIONS-NOTHING-LEFT"
    elif spec.init_containers:
        draft.init = [0]
    else:
        draft.start = to_start


def _own_policy(container: Container, sync: Sync) -> str:
    """The policy that applies to the container: its own if containers may have one, else the pod's."""
    return (container.restart_policy if sync.rules.restart_rules else None) or sync.spec.restart_policy


def _has_succeeded(container: Container, sync: Sync) -> bool:
    """Whether the container runs under OnFailure and has ended with 0: it is not run again in a new sandbox."""
    record = sync.records.get(container.name)
    if record is None or record.state == "running" or record.exit_code != 0:
        return False
    return _own_policy(container, sync) == "OnFailure"


def _was_initialized(sync: Sync) -> bool:
    if sync.rules.app_record_means_initialized:
        return any(container.name in sync.records for container in sync.spec.containers)
    return classic_init(ActionsDraft(), sync)


def _init_is_done(draft: ActionsDraft, sync: Sync) -> bool:
    """Add what init containers need; whether the app containers may be considered."""
    if not sync.spec.init_containers:
        return True
    done = sidecar_init(draft, sync) if sync.rules.sidecars else classic_init(draft, sync)
    if not done and not draft.kill_pod:
        draft.rule_id = "ACTIONS-INIT"
    return done


def _app_actions(draft: ActionsDraft, sync: Sync) -> None:
    kept = 0
    for container in sync.spec.containers:
        record = sync.records.get(container.name)
        if record is None or record.state != "running":
            _start_again(draft, container, record, sync)
            continue
        kill = _kill_running(container, record, sync)
        if kill is None:
            kept += 1
            continue
        draft.kill.append(kill)
        if kill.restart:
            draft.start.append(container.name)
    if kept == 0 and not draft.start:
        draft.kill_pod, draft.rule_id = True, "ACTIONS-POD-OVER"
        draft.init = []


def _start_again(draft: ActionsDraft, container: Container, record: RuntimeContainer | None, sync: Sync) -> None:
    own_rules = sync.rules.restart_rules
    if not should_restart(container, record, sync.spec.restart_policy, is_deleted=sync.is_deleted, restart_rules=own_rules):
        return
    draft.start.append(container.name)
    if record is not None and record.state == "unknown":
        draft.kill.append(_unknown(record))


def _unknown(record: RuntimeContainer) -> KillAction:
    message = 'Container is in "unknown" state, try killing it before restart'
    return KillAction(record.name, record.id, message, "Unknown", True, "KILL-UNKNOWN")


def _kill_running(container: Container, record: RuntimeContainer, sync: Sync) -> KillAction | None:
    """Why a running container must be killed, or None. After a change of its definition it is restarted under any policy."""
    name = container.name
    if record.spec_changed:
        return KillAction(name, record.id, f"Container {name} definition changed, will be restarted", "", True, "KILL-CHANGED")
    if sync.liveness.get(name) == "Failure":
        message, reason, rule_id = f"Container {name} failed liveness probe", "LivenessProbe", "KILL-LIVENESS"
    elif sync.startup.get(name) == "Failure":
        message, reason, rule_id = f"Container {name} failed startup probe", "StartupProbe", "KILL-STARTUP"
    elif record.resize_restarts:
        message = f"Container {name} resize requires restart"  # the only message that does not end in ", will be restarted"
        return KillAction(name, record.id, message, "", True, "KILL-RESIZE")
    else:
        return None
    restart = _own_policy(container, sync) != "Never"
    return KillAction(name, record.id, f"{message}, will be restarted" if restart else message, reason, restart, rule_id)


def should_restart(
    container: Container,
    record: RuntimeContainer | None,
    pod_policy: str,
    *,
    is_deleted: bool = False,
    restart_rules: bool = True,
) -> bool:
    """Whether a container that is not running is to be started (ShouldContainerBeRestarted). ``record`` None: it never ran."""
    if is_deleted:
        return False
    if record is None:
        return True
    if record.state == "exited":
        return restarts_after(container, pod_policy, record.exit_code, restart_rules=restart_rules)
    return record.state != "running"


def has_initialized(spec: PodSpec, records: Records, sandbox_id: str) -> bool:
    """Whether an app container is running or has run in the sandbox: the pod has been initialized there."""
    for container in spec.containers:
        record = records.get(container.name)
        if record is not None and record.sandbox_id == sandbox_id and record.state in ("running", "exited"):
            return True
    return False


def _reset_order(spec: PodSpec, records: Records) -> tuple[str, ...]:
    """Containers to remove for a restart of all: first those that did not request it, app before init."""
    targets: list[str] = []
    sources: list[str] = []
    for container in (*spec.containers, *spec.init_containers):
        record = records.get(container.name)
        if record is None:
            continue
        asked = record.state == "exited" and triggers_restart_of_all(container, record.exit_code)
        (sources if asked else targets).append(container.name)
    return (*targets, *sources)


_SOURCE = "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions"
RULES = (
    RuleText(
        "ACTIONS-RESTART-ALL", gettext_noop("A container asked for a restart of all containers, so each one is removed."), _SOURCE, "1.35"
    ),
    RuleText(
        "ACTIONS-SANDBOX-NEVER",
        gettext_noop("The sandbox is gone and the policy is Never, so the pod is only stopped."),
        _SOURCE,
    ),
    RuleText(
        "ACTIONS-NOTHING-LEFT", gettext_noop("The sandbox is gone but no container has work left, so no new one is created."), _SOURCE
    ),
    RuleText("ACTIONS-INIT", gettext_noop("Init containers are still running, so the app containers wait."), _SOURCE),
    RuleText("ACTIONS-INIT-FAILED", gettext_noop("An init container has failed and must not run again, so the pod is stopped."), _SOURCE),
    RuleText("ACTIONS-POD-OVER", gettext_noop("No app container is running and none will be started, so the pod is stopped."), _SOURCE),
    RuleText("KILL-CHANGED", gettext_noop("The definition of the container has changed, so it is replaced."), _SOURCE),
    RuleText("KILL-LIVENESS", gettext_noop("The liveness probe has failed, so the container is killed."), _SOURCE),
    RuleText("KILL-STARTUP", gettext_noop("The startup probe has failed, so the container is killed."), _SOURCE, "1.16"),
    RuleText(
        "KILL-RESIZE", gettext_noop("The new resources take effect only after a restart, so the container is killed."), _SOURCE, "1.27"
    ),
    RuleText("KILL-UNKNOWN", gettext_noop("The runtime lost track of the container, so it is killed before it is started again."), _SOURCE),
)
