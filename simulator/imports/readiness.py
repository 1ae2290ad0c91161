"""When each container was ready, as far as its instances and the last change of ContainersReady tell."""

from typing import Any

from msgspec import Struct

from simulator.engine.kernel.units import SECOND, Ms
from simulator.imports.lives import Life, LivedContainer
from simulator.imports.moments import moment

Spans = dict[int, tuple[Ms, Ms | None]]
"""By number of the instance: since when it was ready, and until when (None: it still is)."""


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


def ready_spans(place: LivedContainer, lives: tuple[Life, ...], changed: ReadyChange | None) -> Spans:
    """When each instance was ready. Without a probe that is always; with one, earlier instances are taken to be like the newest."""
    if place.group == "ephemeral" or (place.group == "init" and place.spec.get("restartPolicy") != "Always"):
        return {}
    if not is_probed(place):
        return {life.n: (life.start_ms, life.end_ms) for life in lives if life.began}
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
    """When the newest instance was ready; None where it never was."""
    if not lives:
        return None
    life = lives[-1]
    usual = life.start_ms + _delay(place)
    if place.status.get("ready") is True and life.end_ms is None:
        return (max(life.start_ms, changed.at_ms) if changed is not None and changed.is_ready else usual, None)
    if changed is None or changed.is_ready or changed.at_ms <= life.start_ms + SECOND:
        return None
    # It is not ready any more, and that changed while it lived: so it was ready before.
    end = changed.at_ms if life.end_ms is None else min(changed.at_ms, life.end_ms)
    return (usual if usual < end else life.start_ms, end)


def _delay(place: LivedContainer) -> Ms:
    """How long after the start the first attempt can come."""
    delays = [place.spec[name].get("initialDelaySeconds") for name in ("readinessProbe", "startupProbe") if name in place.spec]
    return max((item for item in delays if isinstance(item, int)), default=0) * SECOND


def turns_of(spans: list[Spans]) -> list[StatusTurn]:
    """When all containers together were ready and when not."""
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
