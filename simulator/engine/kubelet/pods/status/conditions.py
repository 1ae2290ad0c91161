"""The conditions the kubelet writes into a status, in its order.

Source: pkg/kubelet/kubelet_pods.go generateAPIPodStatus, pkg/kubelet/status/generate.go.
"""

from typing import Any

from msgspec.structs import replace

from simulator.engine.kernel.machine import KEPT_MAX
from simulator.engine.kubelet.pods.sandbox.sandbox_view import sandbox_statuses
from simulator.engine.kubelet.pods.status import restarting_all
from simulator.engine.kubelet.pods.status.condition_rules import (
    ConditionVerdict,
    containers_ready,
    initialized,
    pod_ready,
    ready_to_start_containers,
)
from simulator.engine.model.status import PodCondition, PodStatus
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow


def with_conditions(fx: Effects, row: PodRow, status: PodStatus, rules: dict[str, str]) -> PodStatus:
    """The status with the kubelet's conditions, in the order it writes them; conditions of other writers stay in front."""
    verdicts = _verdicts(fx, row, status)
    old = {item.type: item for item in row.status.conditions}
    generation = status.observed_generation
    made = []
    # A plain loop: every sync of every pod goes through here.
    for kind, verdict in verdicts:
        rules[kind] = verdict.rule_id
        item = old.pop(kind, None)
        if item is None or item.status != verdict.status:
            # Publishing would set the moment too, but by copying the condition.
            item = PodCondition(
                type=kind, status=verdict.status, reason=verdict.reason, message=verdict.message, transition_ms=fx.now,
                observed_generation=generation,
            )  # fmt: skip
        elif item.reason != verdict.reason or item.message != verdict.message or item.observed_generation != generation:
            item = PodCondition(
                type=kind, status=verdict.status, reason=verdict.reason, message=verdict.message, transition_ms=item.transition_ms,
                observed_generation=generation,
            )  # fmt: skip
        made.append(item)
    foreign = [item for item in row.status.conditions if item.type in old] if old else ()
    return replace(status, conditions=(*foreign, *made))


_SCHEDULED = ConditionVerdict("True", "", "", "SCHEDULED-KUBELET")


def _verdicts(fx: Effects, row: PodRow, status: PodStatus) -> list[tuple[str, ConditionVerdict]]:
    """The kubelet's verdict on each of its conditions; equal for similar pods, so the result is cached in the world."""
    spec = row.pod.spec
    if spec.init_containers or spec.readiness_gates or fx.profile.restart_all_containers:
        return _worked_out(fx, row, status)
    seen = fx.tables.seen.get(row.key)
    sandbox = None if seen is None or seen.sandbox is None else (seen.sandbox.state, bool(seen.sandbox.ip), spec.host_network)
    statuses = tuple([(item.name, item.ready) for item in status.containers])
    asked = (status.phase, sandbox, statuses, tuple([item.name for item in spec.containers]))
    memo: dict[Any, list[tuple[str, ConditionVerdict]]] = fx.world.memo.setdefault("conditions", {})
    found = memo.get(asked)
    if found is None:
        if len(memo) >= KEPT_MAX:
            memo.clear()
        found = memo[asked] = _worked_out(fx, row, status)
    return found


def _worked_out(fx: Effects, row: PodRow, status: PodStatus) -> list[tuple[str, ConditionVerdict]]:
    spec, profile = row.pod.spec, fx.profile
    options = fx.world.options.conditions
    statuses = (*status.init_containers, *status.containers)
    was = row.status.condition("Initialized") if spec.init_containers else None
    init = initialized(spec, statuses, status.phase, was_initialized=was is not None and was.status == "True", options=options)
    containers = containers_ready(spec, statuses, status.phase, options=options)
    ready = pod_ready(spec, containers, row.status.conditions)
    verdicts = [("Initialized", init), ("Ready", ready)]
    if profile.containers_ready_condition:
        verdicts.append(("ContainersReady", containers))
    if profile.ready_to_start_condition:
        sandbox = ready_to_start_containers(spec, sandbox_statuses(spec, fx.tables.seen.get(row.key)))
        verdicts.insert(0, (profile.ready_to_start_condition, sandbox))
    restarting = restarting_all.condition(fx, row, status) if profile.restart_all_containers else None
    if restarting is not None:
        verdicts.append((restarting_all.CONDITION, restarting))
    verdicts.append(("PodScheduled", _SCHEDULED))
    return verdicts
