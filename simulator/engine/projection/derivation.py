"""How kubectl got at the word in STATUS: every field it read on the way, in its order, with the word after each.

Follows ``printed_columns`` step by step; the last word is the one that function prints (a test holds them together).
"""

from typing import assert_never

from simulator.engine.lifecycle.printing import PrintOptions
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.status import TERMINAL_PHASES, ContainerStatus, PodStatus, Running, Terminated, Waiting
from simulator.engine.projection.model import DerivationStep


def derivation(spec: PodSpec, status: PodStatus, *, is_deleted: bool, options: PrintOptions) -> tuple[DerivationStep, ...]:
    """The steps, the first one the phase. O(containers)."""
    steps = [DerivationStep("status.phase", status.phase, status.phase, "PRINT-PHASE")]
    if status.reason:
        steps.append(DerivationStep("status.reason", status.reason, status.reason, "PRINT-REASON"))
    scheduled = status.condition("PodScheduled")
    if options.scheduling_gates and scheduled is not None and scheduled.reason == "SchedulingGated":
        steps.append(DerivationStep("status.conditions[PodScheduled].reason", scheduled.reason, "SchedulingGated", "PRINT-GATED"))
    initializing = _init_steps(steps, spec, status, options)
    if not initializing or (options.sidecars and _is_true(status, "Initialized")):
        _container_steps(steps, status)
    if is_deleted:
        _deletion_step(steps, status, options)
    return tuple(steps)


def _is_true(status: PodStatus, kind: str) -> bool:
    condition = status.condition(kind)
    return condition is not None and condition.status == "True"


def _init_steps(steps: list[DerivationStep], spec: PodSpec, status: PodStatus, options: PrintOptions) -> bool:
    """The first init container that has work left gives the word; returns whether there is one."""
    sidecars = [item.name for item in spec.init_containers if item.restart_policy == "Always"] if options.sidecars else []
    for index, item in enumerate(status.init_containers):
        state = item.state
        if isinstance(state, Terminated) and state.exit_code == 0:
            continue
        if item.name in sidecars and item.started:
            continue
        field, value = _read(f"status.initContainerStatuses[{index}]", item)
        if isinstance(state, Terminated):
            word = f"Init:{state.reason or _exit_word(state)}"
        elif isinstance(state, Waiting) and state.reason and state.reason != "PodInitializing":
            word = f"Init:{state.reason}"
        else:
            word = f"Init:{index}/{len(spec.init_containers)}"
        steps.append(DerivationStep(field, value, word, "PRINT-INIT"))
        return True
    return False


def _exit_word(state: Terminated) -> str:
    return f"Signal:{state.signal}" if state.signal else f"ExitCode:{state.exit_code}"


def _read(path: str, item: ContainerStatus) -> tuple[str, str]:
    """The field of a container's state that decides, and its value."""
    state = item.state
    if isinstance(state, Terminated):
        if state.reason:
            return f"{path}.state.terminated.reason", state.reason
        return f"{path}.state.terminated.exitCode", str(state.exit_code)
    if isinstance(state, Running):
        return f"{path}.ready", str(item.ready).lower()
    if state is None or isinstance(state, Waiting):
        return f"{path}.state.waiting.reason", state.reason if state is not None else ""
    assert_never(state)


def _container_steps(steps: list[DerivationStep], status: PodStatus) -> None:
    """From the last container to the first; one that runs leaves the word as it is."""
    some_run = False
    for index in reversed(range(len(status.containers))):
        item = status.containers[index]
        state = item.state
        field, value = _read(f"status.containerStatuses[{index}]", item)
        word = steps[-1].word
        rule_id = steps[-1].rule_id
        if isinstance(state, Waiting) and state.reason:
            word, rule_id = state.reason, "PRINT-WAITING"
        elif isinstance(state, Terminated):
            word, rule_id = state.reason or _exit_word(state), "PRINT-TERMINATED"
        elif isinstance(state, Running) and item.ready:
            some_run = True
        steps.append(DerivationStep(field, value, word, rule_id))
    if some_run and steps[-1].word == "Completed":
        ready = status.condition("Ready")
        word, rule_id = ("Running", "PRINT-STILL-RUNNING") if _is_true(status, "Ready") else ("NotReady", "PRINT-NOT-READY")
        steps.append(DerivationStep("status.conditions[Ready].status", ready.status if ready is not None else "", word, rule_id))


def _deletion_step(steps: list[DerivationStep], status: PodStatus, options: PrintOptions) -> None:
    if status.reason == "NodeLost":
        steps.append(DerivationStep("metadata.deletionTimestamp", "set", "Unknown", "PRINT-NODE-LOST"))
    elif not options.phase_outlives_deletion or status.phase not in TERMINAL_PHASES:
        steps.append(DerivationStep("metadata.deletionTimestamp", "set", "Terminating", "PRINT-TERMINATING"))
