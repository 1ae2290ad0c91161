"""The conditions the kubelet writes into a status, in its order.

Source: pkg/kubelet/kubelet_pods.go generateAPIPodStatus, pkg/kubelet/status/generate.go.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.publish import observed
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
    """The status with the kubelet's conditions, in the order it writes them; conditions of others are kept in front."""
    spec = row.pod.spec
    options = fx.world.options.conditions
    statuses = (*status.init_containers, *status.containers)
    was = row.status.condition("Initialized")
    init = initialized(spec, statuses, status.phase, was_initialized=was is not None and was.status == "True", options=options)
    containers = containers_ready(spec, statuses, status.phase, options=options)
    ready = pod_ready(spec, containers, row.status.conditions)
    verdicts = [("Initialized", init), ("Ready", ready)]
    if fx.profile.containers_ready_condition:
        verdicts.append(("ContainersReady", containers))
    if fx.profile.ready_to_start_condition:
        sandbox = ready_to_start_containers(spec, sandbox_statuses(spec, fx.tables.seen.get(row.key)))
        verdicts.insert(0, (fx.profile.ready_to_start_condition, sandbox))
    restarting = restarting_all.condition(fx, row, status)
    if restarting is not None:
        verdicts.append((restarting_all.CONDITION, restarting))
    old = {item.type: item for item in row.status.conditions}
    generation = observed(fx, row)
    made = []
    for kind, verdict in verdicts:
        rules[kind] = verdict.rule_id
        made.append(_kept(old.get(kind), kind, verdict, generation))
    rules["PodScheduled"] = "SCHEDULED-KUBELET"
    made.append(_kept(old.get("PodScheduled"), "PodScheduled", _SCHEDULED, generation))
    mine = {item.type for item in made}
    foreign = tuple(item for item in row.status.conditions if item.type not in mine)
    return replace(status, conditions=(*foreign, *made))


_SCHEDULED = ConditionVerdict("True", "", "", "SCHEDULED-KUBELET")


def _kept(old: PodCondition | None, kind: str, verdict: ConditionVerdict, generation: int | None) -> PodCondition:
    """The condition as it was, where the verdict says the same; else a new one (its transition time comes with publishing)."""
    if (
        old is not None
        and old.status == verdict.status
        and old.reason == verdict.reason
        and old.message == verdict.message
        and old.observed_generation == generation
    ):
        return old
    return PodCondition(
        type=kind, status=verdict.status, reason=verdict.reason, message=verdict.message, observed_generation=generation
    )  # fmt: skip
