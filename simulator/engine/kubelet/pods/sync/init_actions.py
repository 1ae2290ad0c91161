"""What a sync does about init containers: the classic sequence, and the one with sidecars.

Both walk from the last init container to the first, because records of finished ones may already have been removed:
the latest one with a record shows how far the pod has come.
Source: kubelet findNextInitContainerToRun, computeInitContainerActions.
"""

from simulator.engine.kubelet.pods.containers.runtime_records import RuntimeContainer
from simulator.engine.kubelet.pods.sync.action_types import ActionsDraft, KillAction, Sync
from simulator.engine.model.container import Container
from simulator.engine.policies.restart_policy import OOM_KILLED, restarts_after


def classic_init(draft: ActionsDraft, sync: Sync) -> bool:
    """Without sidecars: add the next init container to ``draft``; whether the sequence is done."""
    containers = sync.spec.init_containers
    if not containers or (sync.rules.running_app_means_initialized and sync.some_app_in("running")):
        return True
    for position in range(len(containers) - 1, -1, -1):
        record = sync.record(containers[position].name)
        if record is not None and _has_failed(record, sync):
            _restart_failed(draft, sync, position, record)
            return False
    for position in range(len(containers) - 1, -1, -1):
        record = sync.record(containers[position].name)
        if record is None or record.state == "created":
            continue
        if record.state == "exited" and position < len(containers) - 1:
            draft.init = [position + 1]
        return record.state == "exited" and position == len(containers) - 1
    draft.init = [0]
    return False


def _has_failed(record: RuntimeContainer, sync: Sync) -> bool:
    if record.state == "exited" and sync.rules.oom_fails_init and record.reason == OOM_KILLED:
        return True
    return record.state == "unknown" or (record.state == "exited" and record.exit_code != 0)


def _restart_failed(draft: ActionsDraft, sync: Sync, position: int, record: RuntimeContainer) -> bool:
    """Restart a failed regular init container; False if it may not run again, which ends the pod."""
    if not _may_run_again(sync.spec.init_containers[position], sync, record):
        draft.kill_pod, draft.rule_id, draft.init = True, "ACTIONS-INIT-FAILED", []
        return False
    if record.state == "unknown":
        draft.kill.append(_kill_unknown(record))
    draft.init.append(position)
    return True


def _may_run_again(container: Container, sync: Sync, record: RuntimeContainer) -> bool:
    pod_policy = sync.spec.restart_policy
    if not sync.rules.restart_rules or container.restart_policy is None:
        return pod_policy != "Never"
    if record.state == "unknown":
        return container.restart_policy != "Never"
    return restarts_after(container, pod_policy, record.exit_code)


def _kill_unknown(record: RuntimeContainer) -> KillAction:
    message = 'Init container is in "unknown" state, try killing it before restart'
    return KillAction(record.name, record.id, message, "Unknown", True, "KILL-UNKNOWN")


def sidecar_init(draft: ActionsDraft, sync: Sync) -> bool:
    """With sidecars: add what init containers need to ``draft``; whether the app containers may be considered.

    ``reached`` turns True at the latest init container with a record; of the earlier ones only sidecars are kept.
    """
    containers = sync.spec.init_containers
    done = reached = sync.some_app_in("created", "running")
    for position in range(len(containers) - 1, -1, -1):
        container = containers[position]
        record = sync.record(container.name)
        is_sidecar = container.restart_policy == "Always"
        if record is None:
            if reached and is_sidecar:
                draft.init.append(position)
            continue
        if reached and not is_sidecar:
            continue
        completed = _plan_container(draft, sync, position, record)
        if draft.kill_pod:
            return False
        if completed and position == len(containers) - 1:
            done = True
        elif completed and not reached:
            draft.init.append(position + 1)
        reached = True
    if not reached:
        draft.init.append(0)
    return done


def _plan_container(draft: ActionsDraft, sync: Sync, position: int, record: RuntimeContainer) -> bool:
    """Add what this init container needs; whether it has done its part, so that the next may follow."""
    container = sync.spec.init_containers[position]
    if container.restart_policy == "Always":
        return _keep_sidecar(draft, sync, position, record)
    if _has_failed(record, sync):
        _restart_failed(draft, sync, position, record)
        return False
    if record.state == "created":
        draft.init.append(position)
    return record.state == "exited"


def _keep_sidecar(draft: ActionsDraft, sync: Sync, position: int, record: RuntimeContainer) -> bool:
    """Keep a sidecar alive; whether it has started, so that the next may follow. Its readiness does not matter."""
    if record.state != "running":
        if record.state == "unknown":
            draft.kill.append(_kill_unknown(record))
        draft.init.append(position)
        return False
    container = sync.spec.init_containers[position]
    name = container.name
    if container.startup_probe is not None and sync.startup.get(name) != "Success":
        if sync.startup.get(name) == "Failure":
            _replace(
                draft,
                position,
                KillAction(name, record.id, f"Init container {name} failed startup probe", "StartupProbe", True, "KILL-STARTUP"),
            )
        return False
    if record.spec_changed:
        _replace(draft, position, KillAction(name, record.id, f"Init container {name} definition changed", "", True, "KILL-CHANGED"))
    elif container.liveness_probe is not None and sync.liveness.get(name) == "Failure":
        _replace(
            draft,
            position,
            KillAction(name, record.id, f"Init container {name} failed liveness probe", "LivenessProbe", True, "KILL-LIVENESS"),
        )
    return True


def _replace(draft: ActionsDraft, position: int, kill: KillAction) -> None:
    draft.kill.append(kill)
    draft.init.append(position)
