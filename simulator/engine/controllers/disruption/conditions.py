"""Stale DisruptionTarget conditions: the mark on a pod that was not deleted is removed.

A component that is about to disrupt a pod first writes DisruptionTarget=True and then deletes the
pod, in two requests. If the second never succeeds the pod lives on with a mark that is not true. So
the disruption controller sets the condition to False when it has stood for two minutes
(``disrupted_pod_timeout_ms``) on a pod that is neither terminal nor being deleted.

The kubelet's TerminationByKubelet is left alone. Later patches also clear reason and message
(``stale_disruption_cleared``).

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
# Older than any run, so that a condition without a time is overdue at once.
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
    """Check again when the condition has been there for its timeout."""
    for held in row.status.conditions:
        if held.type == TYPE:
            break
    else:
        return  # nearly every status write
    since = _standing_ms(row)
    if since is not None and fx.profile.disruption_target and since != _standing_ms(old):
        due = max(since + fx.profile.disrupted_pod_timeout_ms, fx.now)
        fx.check(due, Lane.CONTROLLER, DisruptionOver(row.key), put_off=True)


WATCHES = (Watch("disruption-controller", "Pod", STATUS, _status_written),)


def _standing_ms(row: PodRow) -> Ms | None:
    """Since when a live pod has been marked for disruption; a mark without a time is older than any timeout.

    The kubelet's own condition is never stale.
    """
    held = row.status.condition(TYPE)
    if held is None or held.status != "True" or held.reason == "TerminationByKubelet":
        return None
    if row.status.phase in TERMINAL_PHASES or row.deletion_ms is not None or row.gone_ms is not None:
        return None
    return _LONG_AGO if held.transition_ms is None else held.transition_ms


def end_disruption(fx: Effects, event: DisruptionOver) -> None:
    """Set the condition to False, unless the pod is ending or the condition is newer than the timeout."""
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
