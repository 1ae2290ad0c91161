"""Timestamps of the run, adjusted to a client's clock.

Ages in tables are the server's. Elsewhere (describe, events, dashboards) a client counts from a timestamp to its own
clock, which differs from the run's. So the timestamp that is sent is the client's present minus the age that the object
has in the run.
"""

from typing import Any

from msgspec import Struct

from simulator.door.exchange import DoorRequest
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import SECOND, Ms, whole_second
from simulator.engine.model.times import format_time, parse_time

_IN_METADATA = ("creationTimestamp", "deletionTimestamp")
_ON_TOP = ("firstTimestamp", "lastTimestamp", "eventTime", "timestamp")
_WITH_MOMENTS_ON_TOP = ("Event", "NodeMetrics", "PodMetrics")
_IN_STATUS = frozenset(
    (
        *("lastTransitionTime", "lastHeartbeatTime", "lastProbeTime", "lastUpdateTime", "lastScheduleTime", "lastSuccessfulTime"),
        *("lastScaleTime", "startTime", "completionTime", "startedAt", "finishedAt"),
    )
)
_MICRO = ".000000Z"


class Shift(Struct, frozen=True, kw_only=True):
    """By how much timestamps are moved. ``is_fine``: with milliseconds, for a client that reads fractions but does not show them."""

    by_ms: Ms = 0
    is_fine: bool = False


NO_SHIFT = Shift()
_UNMOVED = ("kubectl get", "kubectl diff", "kubectl edit", "kubectl patch")


def shift_for(request: DoorRequest, *, now_ms: Ms, wall_ms: Ms) -> Shift:
    """The shift for a client: ``now_ms`` is the moment of the cluster since 1970, ``wall_ms`` the server's clock.

    What ``kubectl get`` prints is not moved: its tables have the server's ages, and its YAML is the same as on the
    run's page. Neither is anything that is compared with the answer to a write (``diff``, ``patch``) or written back
    (``edit``).
    """
    if request.command or request.agent.startswith("kubectl"):
        if request.command in _UNMOVED or (not request.command and request.accept.strip() == "application/json"):
            return NO_SHIFT
        # The age is correct as long as the answer arrives and is printed within a second.
        return Shift(by_ms=wall_ms - whole_second(now_ms), is_fine=True)
    return Shift(by_ms=whole_second(wall_ms) - whole_second(now_ms))


def shifted(document: Json, shift: Shift) -> Json:
    """The document with its timestamps moved, except in managedFields and in the spec of a Lease. O(document)."""
    if not shift.by_ms or document.get("kind") == "Lease":
        return document
    found = {**document, "metadata": _moved_fields(document.get("metadata") or {}, _IN_METADATA, shift)}
    if document.get("kind") in _WITH_MOMENTS_ON_TOP:
        found = _moved_fields(found, _ON_TOP, shift)
    if isinstance(document.get("status"), dict):
        found["status"] = _moved_below(document["status"], shift)
    return found


def _moved_fields(found: Json, names: tuple[str, ...], shift: Shift) -> Json:
    return {key: _moved(value, shift) if key in names else value for key, value in found.items()}


def _moved_below(value: Any, shift: Shift, key: str = "") -> Any:
    if isinstance(value, dict):
        # The pods that are about to be evicted, each with its moment.
        if key == "disruptedPods":
            return {name: _moved(item, shift) for name, item in value.items()}
        return {name: _moved_below(item, shift, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_moved_below(item, shift) for item in value]
    return _moved(value, shift) if key in _IN_STATUS else value


def _moved(value: Any, shift: Shift) -> Any:
    if not isinstance(value, str):
        return value
    try:
        moment = parse_time(value) + shift.by_ms
        text = format_time(whole_second(moment))
    except ValueError:
        return value
    if value.endswith(_MICRO):
        return f"{text[:-1]}.{moment % SECOND * 1000:06d}Z"
    return f"{text[:-1]}.{moment % SECOND:03d}Z" if shift.is_fine else text
