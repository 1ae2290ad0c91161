"""The condition DisruptionTarget, which a component sets on a pod before it ends the pod.

Source: pkg/api/v1/pod AddDisruptionTarget (KEP-3329).
"""

from msgspec.structs import replace

from simulator.engine.apiserver.publish import Draft, condition_of, publish
from simulator.engine.kernel.units import Key
from simulator.engine.world.effects import Effects


def disrupt(fx: Effects, pod: Key, reason: str, message: str, *, rule: str, phase: str = "") -> None:
    """Add the DisruptionTarget condition in versions that have it; ``phase`` also changes the phase."""
    row = fx.tables.pods[pod]
    status = row.status
    if fx.profile.disruption_target and status.condition("DisruptionTarget") is None:
        condition = condition_of(fx, row, "DisruptionTarget", "True", reason, message)
        status = replace(status, conditions=(*status.conditions, condition))
    if phase:
        status = replace(status, phase=phase)
    if status is not row.status:
        publish(fx, row, status, rule=rule, draft=Draft(status, {"DisruptionTarget": rule, "phase": rule}))
