"""Rules for CronJobs (pkg/apis/batch/validation)."""

import re
from collections.abc import Callable, Iterator

from simulator.engine.apiserver.validation.errors import FieldError, invalid, not_supported, required
from simulator.engine.apiserver.validation.kinds.common import inner, not_negative
from simulator.engine.apiserver.validation.kinds.kind_rules import kind_rule, update_rule
from simulator.engine.apiserver.validation.kinds.workloads.schedule import schedule_problem, schedule_problem_of_v1
from simulator.engine.apiserver.validation.pod_rules import Place, fields, text
from simulator.engine.model.time_zones import time_zones

_POLICIES = ("Allow", "Forbid", "Replace")
_NO_ZONE = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
_TWO_ZONES = "cannot use both timeZone field and TZ or CRON_TZ in schedule"
_ZONE_PART = re.compile(r"[A-Za-z._0-9+-]{1,14}", re.ASCII)


@kind_rule("SCHEDULE", "CronJob", since=22)
def schedule(place: Place) -> Iterator[FieldError]:
    """A schedule has five fields, or one of a few names."""
    return _schedule_errors(place, schedule_problem)


@kind_rule("SCHEDULE-1.21", "CronJob", until=21)
def schedule_before(place: Place) -> Iterator[FieldError]:
    """The parser of 1.20 and 1.21 knows no time zone prefix."""
    return _schedule_errors(place, schedule_problem_of_v1)


def _schedule_errors(place: Place, problem_of: Callable[[str], str]) -> Iterator[FieldError]:
    value = text(fields(place.value, "spec"), "schedule")
    if not value:
        yield required("spec.schedule")
    elif problem := problem_of(value):
        yield invalid("spec.schedule", value, problem)


@kind_rule("SCHEDULE-TIME-ZONE", "CronJob", since=29, create_only=True)
def schedule_time_zone(place: Place) -> Iterator[FieldError]:
    """The time zone has a field of its own."""
    value = text(fields(place.value, "spec"), "schedule")
    if "TZ" in value:
        yield invalid("spec.schedule", value, _NO_ZONE)


@kind_rule("SCHEDULE-TIME-ZONE-1.28", "CronJob", since=25, until=28)
def schedule_time_zone_before(place: Place) -> Iterator[FieldError]:
    """The time zone is given in the schedule or in its field, not in both."""
    spec = fields(place.value, "spec")
    value = text(spec, "schedule")
    if "TZ" in value and spec.get("timeZone") is not None:
        yield invalid("spec.schedule", value, _TWO_ZONES)


@kind_rule("STARTING-DEADLINE", "CronJob")
def starting_deadline(place: Place) -> Iterator[FieldError]:
    """The deadline is not negative."""
    yield from not_negative(inner(place, "spec"), "startingDeadlineSeconds")


@kind_rule("TIME-ZONE", "CronJob", since=25, create_only=True)
def time_zone(place: Place) -> Iterator[FieldError]:
    """A time zone is one of the IANA database."""
    spec = fields(place.value, "spec")
    value = text(spec, "timeZone")
    if spec.get("timeZone") is None:
        return
    if not value:
        yield invalid("spec.timeZone", value, "timeZone must be nil or non-empty string")
    elif any(_is_odd(part) for part in value.split("/")):
        yield invalid("spec.timeZone", value, f"unknown time zone {value}")
    # Go would load the server's own zone for it.
    elif value.lower() == "local":
        detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        yield invalid("spec.timeZone", value, detail)
    elif value not in time_zones():
        yield invalid("spec.timeZone", value, f"unknown time zone {value}")


def _is_odd(part: str) -> bool:
    return part in (".", "..") or part.startswith("-") or _ZONE_PART.fullmatch(part) is None


@kind_rule("CONCURRENCY-POLICY", "CronJob")
def concurrency_policy(place: Place) -> Iterator[FieldError]:
    """The concurrency policy is Allow, Forbid or Replace."""
    policy = text(fields(place.value, "spec"), "concurrencyPolicy")
    if policy and policy not in _POLICIES:
        yield not_supported("spec.concurrencyPolicy", policy, _POLICIES)


@kind_rule("HISTORY-LIMITS", "CronJob")
def history_limits(place: Place) -> Iterator[FieldError]:
    """The numbers of jobs to keep are not negative."""
    yield from not_negative(inner(place, "spec"), "successfulJobsHistoryLimit", "failedJobsHistoryLimit")


@update_rule("SCHEDULE-TIME-ZONE-UPDATE", "CronJob", since=29)
def schedule_time_zone_update(old: Place, new: Place) -> Iterator[FieldError]:
    """A schedule that had a time zone may keep one, as long as it is the only one."""
    spec = fields(new.value, "spec")
    before, after = text(fields(old.value, "spec"), "schedule"), text(spec, "schedule")
    if "TZ" in after and "TZ" not in before:
        yield invalid("spec.schedule", after, _NO_ZONE)
    elif "TZ" in after and spec.get("timeZone") is not None:
        yield invalid("spec.schedule", after, _TWO_ZONES)


@update_rule("TIME-ZONE-UPDATE", "CronJob", since=25)
def time_zone_update(old: Place, new: Place) -> Iterator[FieldError]:
    """A time zone is checked again when it changes."""
    if fields(old.value, "spec").get("timeZone") != fields(new.value, "spec").get("timeZone"):
        yield from time_zone(new)
