"""Individual occurrences of Events: an Event object has a count with a first and last time, while the timeline shows each occurrence."""

import re

from simulator.engine.kernel.units import Ms, seconds
from simulator.engine.past.document import RECORDED
from simulator.imports.facts import BOUND, CONDITIONS, CONTAINERS, ENDING, FactList
from simulator.imports.lives import SPREAD, Life, LivedContainer
from simulator.imports.moments import Order
from simulator.imports.read import Event

OCCURRENCES_MAX = 40
"""The most occurrences of one Event that are shown."""
_AT_STARTS = {"Pulled": 2, "Created": 3, "Started": 6}
"""Events that come with the start of an instance, with their step in its order."""
_BY_CONTAINER = {"Pulling": 1, "Failed": 2, "BackOff": 12, "Unhealthy": 13, "Killing": 14}
_PROBE = re.compile(r"(Readiness|Liveness|Startup) probe (?:failed|errored)(?: and resulted in unknown state)?: ?(.*)", re.DOTALL)
_FIELD = re.compile(r"spec\.\w+\{(.+)\}")
KUBELET = "kubelet"


def container_of(event: Event) -> str:
    """The container that an Event is about, by its field path; empty if it is about the pod."""
    match = _FIELD.fullmatch(event.field_path)
    return match[1] if match else ""


def probe_of(event: Event) -> tuple[str, str]:
    """The kind of probe that an Unhealthy Event is about, and its output; empty if it is not about a probe."""
    match = _PROBE.match(event.message) if event.reason == "Unhealthy" else None
    return (match[1].lower(), match[2]) if match else ("", "")


def write_event(facts: FactList, event: Event, place: LivedContainer | None, lives: tuple[Life, ...]) -> None:
    """Add the occurrences of one Event, and for a probe's Event the attempts behind them."""
    times = _times(event, place, lives)
    kind, output = probe_of(event)
    for n, (at_ms, count, rule) in enumerate(times):
        life = _life_at(lives, at_ms)
        order = _order(event, place, life)
        if kind and place is not None:
            facts.add(
                "attempt", at_ms, order=(*order[:2], order[2] - 1), name=f"{place.name}/{kind}", rule=rule, source=event.path,
                outcome=_outcome(event), output=output[:200], run=_run(count, place, kind), threshold=_threshold(place, kind),
                took_ms=_took_ms(event, place, kind),
            )  # fmt: skip
            if n == 0 and _run(count, place, kind) >= _threshold(place, kind):
                facts.add("result", at_ms, order=order, name=f"{place.name}/{kind}", rule=SPREAD, source=event.path, result="failure")
        facts.add(
            "event", at_ms, order=order, name=event.reason, rule=rule, source=event.path, exact=event.exact and n == 0,
            type=event.type, message=event.message, component=component_of(event), field_path=event.field_path, count=count,
        )  # fmt: skip


def component_of(event: Event) -> str:
    """The component that wrote the Event; if it is not given, most likely the kubelet."""
    if event.component:
        return event.component
    return "default-scheduler" if event.reason in ("Scheduled", "FailedScheduling", "Preempted") else KUBELET


def _times(event: Event, place: LivedContainer | None, lives: tuple[Life, ...]) -> list[tuple[Ms, int, str]]:
    """Moment, count so far and rule of each occurrence that is shown."""
    if event.count == 1:
        return [(event.first_ms, 1, RECORDED)]
    if place is not None and event.reason in _AT_STARTS and event.count <= len(lives):
        return _at_starts(event, lives[-event.count :])
    shown = min(event.count, OCCURRENCES_MAX)
    span = event.last_ms - event.first_ms
    if span == 0:
        return [(event.first_ms, event.count, RECORDED)]
    out = []
    for n in range(shown):
        count = 1 + (event.count - 1) * n // (shown - 1)
        rule = RECORDED if n in (0, shown - 1) else SPREAD
        out.append((event.first_ms + span * n // (shown - 1), count, rule))
    return out


def _at_starts(event: Event, lives: tuple[Life, ...]) -> list[tuple[Ms, int, str]]:
    out = []
    for n, life in enumerate(lives):
        at_ms = event.first_ms if n == 0 else event.last_ms if n == len(lives) - 1 else life.start_ms
        at_ms = min(max(at_ms, event.first_ms), event.last_ms)
        out.append((at_ms, n + 1, RECORDED if n in (0, len(lives) - 1) else life.start_rule))
    return out


def _life_at(lives: tuple[Life, ...], at_ms: Ms) -> int:
    return max((life.n for life in lives if life.start_ms <= at_ms), default=0)


def _order(event: Event, place: LivedContainer | None, life: int) -> Order:
    if place is not None:
        step = _AT_STARTS.get(event.reason) or _BY_CONTAINER.get(event.reason, 20)
        return (CONTAINERS + place.position, life, step)
    if event.reason == "Scheduled":
        return (BOUND, 0, 1)
    return (ENDING, 0, 5) if event.reason in ("Killing", "Evicted", "Preempted") else (CONDITIONS, 0, 5)


def _outcome(event: Event) -> str:
    if "probe errored" in event.message:
        return "error"
    late = ("context deadline exceeded", "Client.Timeout", "timed out", "timeout")
    return "timeout" if any(word in event.message for word in late) else "failure"


def _took_ms(event: Event, place: LivedContainer, kind: str) -> Ms:
    """How long an attempt took: the probe's timeout if it got no answer; otherwise unknown, 0."""
    probe = place.spec.get(f"{kind}Probe")
    patience = probe.get("timeoutSeconds") if isinstance(probe, dict) else None
    return seconds(patience if isinstance(patience, int) else 1) if _outcome(event) == "timeout" else 0


def _threshold(place: LivedContainer, kind: str) -> int:
    probe = place.spec.get(f"{kind}Probe")
    return int(probe.get("failureThreshold") or 3) if isinstance(probe, dict) else 3


def _run(count: int, place: LivedContainer, kind: str) -> int:
    """How many consecutive failures there were, by the count: beyond the threshold the number does not matter."""
    return min(count, _threshold(place, kind))
