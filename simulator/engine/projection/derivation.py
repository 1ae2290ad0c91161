"""How kubectl arrives at the word in STATUS: every field it reads, in order, with the word after each.

Follows ``printed_columns`` step by step; the last word is the one that function prints (enforced by a test).

Source: pkg/printers/internalversion/printers.go printPod. Each step overwrites the word of the one before,
so the order is the rule: phase, reason, gates, init containers (the first with work left ends the
search), then app containers from last to first, so that the first one in the spec wins, then deletion.
"""

from typing import assert_never

from simulator.engine.model.pod import PodSpec
from simulator.engine.model.status import TERMINAL_PHASES, ContainerStatus, PodStatus, Running, Terminated, Waiting
from simulator.engine.policies.printing import PrintOptions
from simulator.engine.projection.model import DerivationStep


def derivation(spec: PodSpec, status: PodStatus, *, is_deleted: bool, options: PrintOptions) -> tuple[DerivationStep, ...]:
    """The steps that affected the word, the first one being the phase. O(containers)."""
    return tuple(step for step in questions(spec, status, is_deleted=is_deleted, options=options) if step.holds)


def questions(spec: PodSpec, status: PodStatus, *, is_deleted: bool, options: PrintOptions) -> tuple[DerivationStep, ...]:
    """Every step in kubectl's order, including those that found nothing and left the word unchanged. O(containers)."""
    steps = [DerivationStep("status.phase", status.phase, status.phase, "PRINT-PHASE")]
    _ask(steps, "status.reason", status.reason, status.reason, "PRINT-REASON")
    if options.scheduling_gates:
        scheduled = status.condition("PodScheduled")
        reason = scheduled.reason if scheduled is not None else ""
        gated = "SchedulingGated" if reason == "SchedulingGated" else ""
        _ask(steps, "status.conditions[PodScheduled].reason", reason, gated, "PRINT-GATED")
    initializing = _init_steps(steps, spec, status, options)
    # A restarted sidecar counts as initializing again; the pod stays initialized.
    if not initializing or (options.sidecars and _is_true(status, "Initialized")):
        _container_steps(steps, status)
    _deletion_step(steps, status, options, is_deleted=is_deleted)
    return tuple(steps)


def _ask(steps: list[DerivationStep], field: str, value: str, word: str, rule_id: str) -> None:
    """Add a step that gives ``word``; without one it keeps the last."""
    steps.append(DerivationStep(field, value, word or steps[-1].word, rule_id, holds=bool(word)))


def _is_true(status: PodStatus, kind: str) -> bool:
    condition = status.condition(kind)
    return condition is not None and condition.status == "True"


def _init_steps(steps: list[DerivationStep], spec: PodSpec, status: PodStatus, options: PrintOptions) -> bool:
    """The first init container that has work left determines the word; whether there is one."""
    sidecars = [item.name for item in spec.init_containers if item.restart_policy == "Always"] if options.sidecars else []
    for index, item in enumerate(status.init_containers):
        state = item.state
        field, value = _read(f"status.initContainerStatuses[{index}]", item)
        # Done, or a sidecar that has started: continue with the next init container.
        if (isinstance(state, Terminated) and state.exit_code == 0) or (item.name in sidecars and item.started):
            _ask(steps, field, value, "", "PRINT-INIT")
            continue
        if isinstance(state, Terminated):
            word = f"Init:{state.reason or _exit_word(state)}"
        elif isinstance(state, Waiting) and state.reason and state.reason != "PodInitializing":
            word = f"Init:{state.reason}"
        else:
            word = f"Init:{index}/{len(spec.init_containers)}"
        _ask(steps, field, value, word, "PRINT-INIT")
        return True
    return False


def _exit_word(state: Terminated) -> str:
    return f"Signal:{state.signal}" if state.signal else f"ExitCode:{state.exit_code}"


def _read(path: str, item: ContainerStatus) -> tuple[str, str]:
    """The deciding field of a container's state, and its value."""
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
    """From the last container to the first; a running one leaves the word unchanged."""
    some_run = False
    for index in reversed(range(len(status.containers))):
        item = status.containers[index]
        state = item.state
        field, value = _read(f"status.containerStatuses[{index}]", item)
        word = steps[-1].word
        # A running container keeps the word, and with it the rule that gave it.
        rule_id = next(step.rule_id for step in reversed(steps) if step.holds)
        if isinstance(state, Waiting) and state.reason:
            word, rule_id = state.reason, "PRINT-WAITING"
        elif isinstance(state, Terminated):
            word, rule_id = state.reason or _exit_word(state), "PRINT-TERMINATED"
        elif isinstance(state, Running) and item.ready:
            some_run = True
        steps.append(DerivationStep(field, value, word, rule_id))
    # One container is done and another is running: Completed would mislead.
    if some_run and steps[-1].word == "Completed":
        ready = status.condition("Ready")
        word, rule_id = ("Running", "PRINT-STILL-RUNNING") if _is_true(status, "Ready") else ("NotReady", "PRINT-NOT-READY")
        steps.append(DerivationStep("status.conditions[Ready].status", ready.status if ready is not None else "", word, rule_id))


def _deletion_step(steps: list[DerivationStep], status: PodStatus, options: PrintOptions, *, is_deleted: bool) -> None:
    field, value = "metadata.deletionTimestamp", "set" if is_deleted else ""
    # An old reason of node-controller for an unreachable node.
    if is_deleted and status.reason == "NodeLost":
        _ask(steps, field, value, "Unknown", "PRINT-NODE-LOST")
    else:
        hides = options.phase_outlives_deletion and status.phase in TERMINAL_PHASES
        _ask(steps, field, value, "Terminating" if is_deleted and not hides else "", "PRINT-TERMINATING")
