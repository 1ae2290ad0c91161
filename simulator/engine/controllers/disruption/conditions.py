"""The condition DisruptionTarget of a pod that nobody deletes: the disruption controller takes it back.

Source: pkg/controller/disruption/disruption.go syncStalePodDisruption.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.publish import Draft, observed, publish
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Ms
from simulator.engine.machines.condition import CONDITION
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import DisruptionOver
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import PodRow
from simulator.engine.world.watch import STATUS, Watch

TYPE = "DisruptionTarget"
_LONG_AGO: Ms = -1_000_000_000_000
RULES = (
    RuleText(
        "DISRUPTION-STALE",
        gettext_noop(
            "The pod was not deleted within two minutes of being marked for disruption: the disruption controller removes the mark."
        ),
        "pkg/controller/disruption/disruption.go syncStalePodDisruption",
        "1.26",
    ),
)


def _status_written(fx: Effects, old: PodRow, row: PodRow) -> None:
    """Look again when the condition has had its time."""
    since = _standing_ms(row)
    if since is not None and fx.profile.disruption_target and since != _standing_ms(old):
        due = max(since + fx.profile.disrupted_pod_timeout_ms, fx.now)
        fx.check(due, Lane.CONTROLLER, DisruptionOver(row.key), put_off=True)


WATCHES = (Watch("disruption-controller", "Pod", STATUS, _status_written),)


def _standing_ms(row: PodRow) -> Ms | None:
    """Since when the pod is to be disrupted though it neither ended nor is being deleted; for a client that gave no time, since ever.

    The kubelet's own condition is never stale.
    """
    held = row.status.condition(TYPE)
    if held is None or held.status != "True" or held.reason == "TerminationByKubelet":
        return None
    if row.status.phase in TERMINAL_PHASES or row.deletion_ms is not None or row.gone_ms is not None:
        return None
    return _LONG_AGO if held.transition_ms is None else held.transition_ms


def end_disruption(fx: Effects, event: DisruptionOver) -> None:
    """Write the condition back to False, unless the pod went or the condition is newer than that."""
    row = fx.tables.pods[event.pod]
    since, held = _standing_ms(row), row.status.condition(TYPE)
    if since is None or held is None or fx.now < since + fx.profile.disrupted_pod_timeout_ms:
        return
    cleared = replace(held, status=CONDITION.decided("DISRUPTION-STALE").target, observed_generation=observed(fx, row))
    if fx.profile.stale_disruption_cleared:
        cleared = replace(cleared, reason="", message="")
    conditions = tuple(cleared if item is held else item for item in row.status.conditions)
    changed = replace(row.status, conditions=conditions)
    publish(fx, row, changed, rule="DISRUPTION-STALE", draft=Draft(changed, {TYPE: "DISRUPTION-STALE"}))
