"""When each container was ready, as far as its instances and the last change of ContainersReady show."""

from typing import Any

from msgspec import Struct

from simulator.engine.kernel.units import SECOND, Ms
from simulator.imports.lives import Life, LivedContainer
from simulator.imports.moments import moment

Places = list[tuple[LivedContainer, tuple[Life, ...]]]
Spans = dict[int, tuple[Ms, Ms | None]]
"""By the number of the instance: when it became ready, and until when (None: it still is)."""


class ReadyChange(Struct, frozen=True):
    """The last change of ContainersReady."""

    is_ready: bool
    at_ms: Ms


class StatusTurn(Struct, frozen=True):
    """A condition's status from a moment on."""

    at_ms: Ms
    status: str


def changed_of(status: dict[str, Any]) -> ReadyChange | None:
    """The last change of ContainersReady that the text dates."""
    for item in status["conditions"]:
        at_ms = moment(item.get("lastTransitionTime"))
        if item["type"] == "ContainersReady" and at_ms is not None:
            return ReadyChange(item.get("status") == "True", at_ms)
    return None


def is_probed(place: LivedContainer) -> bool:
    """Whether a probe decides on the container's readiness."""
    return "readinessProbe" in place.spec or "startupProbe" in place.spec


def readiness_of(places: Places, changed: ReadyChange | None) -> list[Spans]:
    """When each container was ready, consistent with the last change of ContainersReady."""
    found = [ready_spans(place, lives, changed) for place, lives in places]
    if changed is None or changed.is_ready:
        return found
    counted = [n for n, (place, _lives) in enumerate(places) if place.group == "app" or place.is_sidecar]
    if not _is_ready_after(changed.at_ms + SECOND, turns_of([found[n] for n in counted])):
        return found
    # Together they would have been ready once more: those that are not ready now have not been ready since that change.
    return [
        _until(spans, changed.at_ms) if n in counted and places[n][0].status.get("ready") is not True else spans
        for n, spans in enumerate(found)
    ]


def _is_ready_after(at_ms: Ms, turns: list[StatusTurn]) -> bool:
    """Whether all were ready at some time after a moment."""
    is_ready = bool(turns) and turns[-1].status == "True"
    return is_ready or any(turn.at_ms > at_ms for turn in turns if turn.status == "False")


def _until(spans: Spans, at_ms: Ms) -> Spans:
    """The spans cut off at a moment."""
    cut = {n: (begin, at_ms if end is None else min(end, at_ms)) for n, (begin, end) in spans.items()}
    return {n: (begin, end) for n, (begin, end) in cut.items() if begin < end}


def ready_spans(place: LivedContainer, lives: tuple[Life, ...], changed: ReadyChange | None) -> Spans:
    """When each instance was ready. Without a probe that is always; with one, earlier instances are assumed to resemble the newest."""
    if place.group == "ephemeral" or (place.group == "init" and not place.is_sidecar):
        return {}
    if not is_probed(place):
        return {life.n: (life.start_ms, life.end_ms) for life in lives if life.began and life.end_ms != life.start_ms}
    newest = _newest(place, lives, changed)
    if newest is None:
        return {}
    spans: Spans = {}
    for life in lives[:-1]:
        begin = life.start_ms + _delay(place)
        if life.end_ms is not None and begin < life.end_ms:
            spans[life.n] = (begin, life.end_ms)
    return {**spans, lives[-1].n: newest}


def _newest(place: LivedContainer, lives: tuple[Life, ...], changed: ReadyChange | None) -> tuple[Ms, Ms | None] | None:
    """When the newest instance was ready; None if it never was."""
    if not lives:
        return None
    life = lives[-1]
    usual = life.start_ms + _delay(place)
    if place.status.get("ready") is True and life.end_ms is None:
        return (max(life.start_ms, changed.at_ms) if changed is not None and changed.is_ready else usual, None)
    if changed is None or changed.is_ready or changed.at_ms <= life.start_ms + SECOND:
        return None
    # It is not ready any more, and that changed during its lifetime: so it was ready before.
    end = changed.at_ms if life.end_ms is None else min(changed.at_ms, life.end_ms)
    return (usual if usual < end else life.start_ms, end)


def _delay(place: LivedContainer) -> Ms:
    """How long after the start the first attempt can come."""
    delays = [place.spec[name].get("initialDelaySeconds") for name in ("readinessProbe", "startupProbe") if name in place.spec]
    return max((item for item in delays if isinstance(item, int)), default=0) * SECOND


def turns_of(spans: list[Spans]) -> list[StatusTurn]:
    """When all containers together were ready, and when not."""
    changes: list[tuple[Ms, int, int]] = []
    for number, found in enumerate(spans):
        for begin, end in found.values():
            changes.append((begin, number, 1))
            if end is not None:
                changes.append((end, number, 0))
    state = [0] * len(spans)
    turns: list[StatusTurn] = []
    was = False
    for at_ms, number, value in sorted(changes, key=lambda item: (item[0], item[2])):
        state[number] = value
        now = bool(state) and all(state)
        if now != was:
            turns.append(StatusTurn(at_ms, "True" if now else "False"))
            was = now
    return turns
