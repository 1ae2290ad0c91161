"""What follows an import, compared with what really followed, as far as the text determines it.

That is the case for pods that have ended, which stay as they are; for back-offs, whose message states the delay after an end with a known
time; for deletions, whose deadline is known; and for containers that run a program the simulator understands, without anything that the
text does not show (probes, hooks, faults of the node).
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from simulator.bench.import_judge import at_of
from simulator.engine import Course, World, advance
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import SECOND, Ms
from simulator.engine.model.status import TERMINAL_PHASES, Running, Terminated
from simulator.engine.world.rows import PodRow
from simulator.kubectl.get import get_row

SPAN_MS: Ms = 60 * SECOND
_STEP_MS: Ms = 500
_LATE_MS: Ms = 4 * SECOND
"""Tolerance for the time of the same change: syncs and relists have phases that no text shows."""
_RETRY_MS: Ms = 15 * SECOND
"""A start after a back-off: the kubelet retries up to ten seconds, plus jitter, after the delay."""
_BLINK_MS: Ms = 3 * SECOND
_WINDOW = re.compile(r"back-off (?:(\d+)m)?(?:(\d+)s)? restarting")
_GONE = ("gone",)
Shown = tuple[str, ...]


class Sighting(Struct, frozen=True):
    """STATUS, READY and RESTARTS of a pod from a moment after the import on."""

    from_ms: Ms
    shown: Shown


def sequel_problems(course: Course, world: World, documents: dict[str, Json], *, is_quiet: bool) -> Iterator[str]:
    """Play both for another minute. ``is_quiet``: no act of the run had an effect that the text does not show."""
    begin = {name: found for name, found in _rows(world).items() if name in documents}
    real: dict[str, list[Sighting]] = {}
    ours: dict[str, list[Sighting]] = {}
    here, there = world.now_ms, course.world.now_ms
    starts: dict[tuple[str, str], Ms] = {}
    for after_ms in range(0, SPAN_MS + 1, _STEP_MS):
        course.drive(there + after_ms)
        advance(world, until_ms=here + after_ms)
        _note(real, course.world, documents, after_ms)
        _note(ours, world, documents, after_ms)
        _note_starts(starts, begin, world)
    for name, document in documents.items():
        for problem in _of_pod(document, real[name], ours[name], is_quiet=is_quiet):
            yield f"after the import {name}: {problem}"
        yield from _backoffs(name, document, world, starts)


def _rows(world: World) -> dict[str, PodRow]:
    return {row.name: row for row in world.tables.pods.values() if row.gone_ms is None}


def _note(found: dict[str, list[Sighting]], world: World, documents: dict[str, Json], after_ms: Ms) -> None:
    rows = _rows(world)
    for name, document in documents.items():
        row = rows.get(name)
        shown: Shown = _GONE
        if row is not None and row.uid == document["metadata"]["uid"]:
            cells = get_row(world, row, world.now_ms).cells
            shown = (cells[2], cells[1], cells[3].partition(" ")[0])
        seen = found.setdefault(name, [])
        if not seen or seen[-1].shown != shown:
            seen.append(Sighting(after_ms, shown))


def _note_starts(starts: dict[tuple[str, str], Ms], begin: dict[str, PodRow], world: World) -> None:
    """When each container was first started after the import."""
    for name, before in begin.items():
        row = world.tables.pods.get(before.key)
        if row is None:
            continue
        counts = {item.name: item.restart_count for item in before.status.containers}
        for item in row.status.containers:
            state = item.state if isinstance(item.state, Running | Terminated) else item.last_state
            if (
                item.restart_count > counts.get(item.name, item.restart_count)
                and (name, item.name) not in starts
                and isinstance(state, Running | Terminated)
            ):
                starts[(name, item.name)] = (state.started_ms or 0) + world.header.epoch_s * SECOND


def _of_pod(document: Json, real: list[Sighting], ours: list[Sighting], *, is_quiet: bool) -> Iterator[str]:
    status = document["status"]
    is_deleted = "deletionTimestamp" in document["metadata"]
    if status.get("phase") in TERMINAL_PHASES and not _running(status) and not is_deleted:
        if len(real) == 1 and len(ours) > 1:
            yield f"it has ended, but becomes {ours[1].shown} after {ours[1].from_ms} ms"
        return
    for a, b, c in zip(ours, ours[1:], ours[2:], strict=False):
        if c.shown == a.shown and c.from_ms - b.from_ms < SECOND and not _has_blink(real, b.shown):
            yield f"{a.shown} blinks to {b.shown} and back after {b.from_ms} ms"
    if is_quiet and is_determined(document):
        yield from _unlike(_lasting(_rough(real)), _rough(ours), late_ms=_RETRY_MS if _is_held(document) else _LATE_MS)


def _has_blink(real: list[Sighting], shown: Shown) -> bool:
    return any(item.shown == shown for item in real)


def _running(status: Json) -> bool:
    return any(
        "running" in (item.get("state") or {}) for name in ("initContainerStatuses", "containerStatuses") for item in status.get(name) or ()
    )


def is_determined(document: Json) -> bool:
    """Whether spec and status of a pod fully determine what comes next."""
    spec, status = document["spec"], document["status"]
    every = [*(spec.get("initContainers") or ()), *spec["containers"]]
    if any(name in item for item in every for name in ("livenessProbe", "readinessProbe", "startupProbe", "lifecycle")):
        return False
    if "activeDeadlineSeconds" in spec or "deletionTimestamp" in document["metadata"] or status.get("phase") != "Running":
        return False
    items: list[Json] = status.get("containerStatuses") or []
    return bool(items) and all(_is_foreseen(item) for item in items)


def _is_foreseen(item: Json) -> bool:
    """Whether a container runs, or waits for a moment that follows from its message and its last end."""
    state = item.get("state") or {}
    is_held = bool(_WINDOW.match(str((state.get("waiting") or {}).get("message") or "")))
    return "running" in state or is_held


def _is_held(document: Json) -> bool:
    items = document["status"].get("containerStatuses") or ()
    return any("waiting" in (item.get("state") or {}) for item in items)


def _rough(seen: list[Sighting]) -> list[Sighting]:
    """The same without the word for a container that does not run: the regular sync, whose phase is unknown, may change it."""
    found: list[Sighting] = []
    for item in seen:
        word = item.shown[0] if item.shown[0] in ("Running", *_GONE) else "not running"
        rough = Sighting(item.from_ms, (word, *item.shown[1:]))
        if not found or found[-1].shown != rough.shown:
            found.append(rough)
    return found


def _lasting(seen: list[Sighting]) -> list[Sighting]:
    """Only what lasted; a very short state may be missing on either side."""
    ends = [item.from_ms for item in seen[1:]] + [SPAN_MS + _BLINK_MS]
    return [item for item, end in zip(seen, ends, strict=True) if end - item.from_ms >= _BLINK_MS]


def _unlike(real: list[Sighting], ours: list[Sighting], *, late_ms: Ms) -> Iterator[str]:
    for n, item in enumerate(real):
        if item.from_ms + late_ms * (n + 1) > SPAN_MS:
            return
        if not any(found.shown == item.shown and abs(found.from_ms - item.from_ms) <= late_ms * (n + 1) for found in ours):
            yield f"no {item} within {late_ms * (n + 1)} ms: {ours}"
            return


def _backoffs(name: str, document: Json, world: World, starts: dict[tuple[str, str], Ms]) -> Iterator[str]:
    """A container is not started before its back-off is over."""
    for item in document["status"].get("containerStatuses") or ():
        waiting = (item.get("state") or {}).get("waiting") or {}
        last = (item.get("lastState") or {}).get("terminated") or {}
        match = _WINDOW.match(str(waiting.get("message") or ""))
        started, ended = starts.get((name, item["name"])), at_of(last.get("finishedAt"))
        if match and ended and started is not None:
            wait = (int(match[1] or 0) * 60 + int(match[2] or 0)) * SECOND
            if started < ended + wait - SECOND:
                yield f"{name}: {item['name']} is started {started - ended} ms after its end, before its back-off of {wait} ms"
