"""The TTL-after-finished controller: deletes a finished Job after ttlSecondsAfterFinished.

A Job that is Complete or Failed and has the field set is deleted that many seconds after the
condition's lastTransitionTime; 0 means at once. Jobs are watched, and a Job that is finished gets
one timer. When the timer fires the object is read again, since the field may have been changed
meanwhile: a longer value plans another check, a removed one cancels the deletion.

The deletion is in the foreground: its pods are removed before the Job itself.

While a feature gate, off until 1.20, is not set, the field has no effect (``ttl_after_finished``).

Source: pkg/controller/ttlafterfinished/ttlafterfinished_controller.go.
"""

from simulator.engine.apiserver.store.owners import FOREGROUND, delete_owner
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Ms, seconds
from simulator.engine.model.times import parse_time
from simulator.engine.workloads.objects import condition_in, spec_of, status_of, stored_object
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import JobExpiry
from simulator.engine.world.queue import Lane
from simulator.engine.world.watch import ADDED, CHANGED, Watch
from simulator.engine.world.world import ApiObject

COMPONENT = "ttl-after-finished-controller"

RULES = (
    RuleText(
        "JOB-TTL",
        gettext_noop("The Job finished {ttl_s} s ago (ttlSecondsAfterFinished): it is deleted, its pods first."),
        "pkg/controller/ttlafterfinished/ttlafterfinished_controller.go processJob",
        "1.21",
    ),
)


def _written(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    due = _due_ms(fx, row)
    if due is not None:
        fx.check(max(due, fx.now + fx.profile.watch_ms), Lane.CONTROLLER, JobExpiry(row.namespace, row.name))


WATCHES = (Watch(COMPONENT, "Job", ADDED | CHANGED, _written),)


def _due_ms(fx: Effects, row: ApiObject) -> Ms | None:
    """When the Job is to be deleted; None if it is to stay, has not finished, or is already being deleted."""
    ttl = spec_of(row).get("ttlSecondsAfterFinished")
    if ttl is None or row.deletion_ms is not None or not fx.profile.ttl_after_finished:
        return None
    ends = (condition_in(status_of(row), kind) for kind in ("Complete", "Failed"))
    at = next((end["lastTransitionTime"] for end in ends if end is not None and end.get("status") == "True"), None)
    return parse_time(at) - seconds(fx.world.header.epoch_s) + seconds(int(ttl)) if at is not None else None


def job_expiry(fx: Effects, event: JobExpiry) -> None:
    """Delete a Job whose time is over; if the time has been changed, check it again."""
    row = stored_object(fx, "Job", event.namespace, event.name)
    due = _due_ms(fx, row) if row is not None else None
    if row is None or due is None:
        return
    if due > fx.now:
        fx.check(due, Lane.CONTROLLER, event)
        return
    data = (("ttl_s", int(spec_of(row)["ttlSecondsAfterFinished"])),)
    fx.cause = fx.note_step(row.subject, "expired", rule="JOB-TTL", data=data)
    delete_owner(fx, row, FOREGROUND)
