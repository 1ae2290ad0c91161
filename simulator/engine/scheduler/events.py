"""FailedScheduling Events: of events.k8s.io/v1, repeated ones folded into a series.

The first attempt creates an Event, the second begins its series. What follows within six minutes
(``event_series_ms``) is counted in the scheduler's memory and shows in no object, so a pod that has
been rejected a hundred times may have an Event of count 2 with the text of the first.

1.20 tries a pod twice in quick succession, because it takes its own status write for a change of
the pod (``status_update_wakes_scheduler``); there the first two attempts have Events of their own.

Source: client-go tools/events; observed on a 1.20.2 node.
"""

from simulator.engine.apiserver.k8s_events import emit_from
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow

COMPONENT = "default-scheduler"
REASON = "FailedScheduling"


def emit_failure(fx: Effects, row: PodRow, message: str, *, rule: str) -> None:
    """Write the API's view of a failed attempt to place the pod. ``tries`` already includes the attempt."""
    tries, _ = fx.tables.tries.get(row.key, (1, 0))
    doubled = fx.profile.status_update_wakes_scheduler
    part = min(tries, 2) if doubled else 1
    last_ms, text, written = fx.tables.series.get((row.key, part), (fx.now - fx.profile.event_series_ms, message, 0))
    if fx.now - last_ms >= fx.profile.event_series_ms and written:
        text, written = message, 0
    fx.save_series((row.key, part), (fx.now, text, written + 1))
    if written >= 2:
        return
    name = f"{part}" if doubled else ""
    series = (name, doubled and written > 0)
    emit_from(fx, row, COMPONENT, severity="Warning", reason=REASON, message=text, rule=rule, series=series)


def emit_deleted(fx: Effects, row: PodRow, *, rule: str) -> None:
    """Write the Event of old schedulers that they skip a pod that is being deleted (observed on a 1.20.2 node)."""
    emit_from(
        fx, row, COMPONENT, severity="Warning", reason=REASON, message=f"skip schedule deleting pod: {row.namespace}/{row.name}", rule=rule
    )
