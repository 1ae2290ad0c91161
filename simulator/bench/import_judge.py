"""Whether a pod of an imported run, at some moment of its past or at the import, contradicts the imported document."""

import json
from collections.abc import Iterator
from typing import Any

from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import SECOND, Ms
from simulator.engine.model.status import TERMINAL_PHASES, ContainerStatus, Running, Terminated
from simulator.engine.model.times import parse_time
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World
from simulator.kubectl.kubectl import kubectl

_OWN = frozenset({
    "resourceVersion", "generation", "observedGeneration", "containerID", "imageID", "image", "lastProbeTime", "volumeMounts",
    "allocatedResources", "resources", "user", "resize", "hostIPs", "podIPs", "nominatedNodeName", "allocatedResourcesStatus",
})  # fmt: skip
"""Fields of a status that belong to the original cluster: numbers and names that no import keeps."""
_DATED = ("creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "uid")


def rows_of(world: World) -> dict[str, Json]:
    """The pods that kubectl shows, by name, as documents."""
    text = kubectl(world, "kubectl get pods -o json")
    return {item["metadata"]["name"]: item for item in json.loads(text)["items"]} if text.startswith("{") else {}


def differences(document: Json, found: Json) -> Iterator[str]:
    """The differences of ``found`` from ``document``: status, and the dates of metadata."""
    yield from _compare(_plain(document.get("status")), _plain(found.get("status")), "status")
    for name in _DATED:
        was, shown = document["metadata"].get(name), found["metadata"].get(name)
        if was != shown:
            yield f"metadata.{name}: {shown!r} instead of {was!r}"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if key not in _OWN and item not in (None, "", {}, [])}
    if isinstance(value, list):
        return sorted((_plain(item) for item in value), key=_label)
    return value


def _label(item: Any) -> str:
    return str(item.get("type") or item.get("name") or "") if isinstance(item, dict) else ""


def _compare(was: Any, found: Any, path: str) -> Iterator[str]:
    if isinstance(was, dict) and isinstance(found, dict):
        for key in sorted({*was, *found}):
            yield from _compare(was.get(key), found.get(key), f"{path}.{key}")
    elif isinstance(was, list) and isinstance(found, list) and [_label(item) for item in was] == [_label(item) for item in found]:
        for a, b in zip(was, found, strict=True):
            yield from _compare(a, b, f"{path}[{_label(a)}]")
    elif was != found:
        yield f"{path}: {found!r} instead of {was!r}"


def contradictions(document: Json, row: PodRow, world: World, *, restarts: dict[tuple[str, str], int]) -> Iterator[str]:
    """What the pod shows now but cannot have shown. ``restarts``: the counts seen so far, which this updates."""
    now = world.header.epoch_s * SECOND + world.now_ms
    status: Json = document["status"]
    yield from _conditions(status, row, now)
    yield from _phase(status, row, now)
    yield from _readiness(status, row, now)
    stated = {item["name"]: item for name in _STATUSES for item in status.get(name) or ()}
    for held in (*row.status.init_containers, *row.status.containers, *row.status.ephemeral_containers):
        key = (row.name, held.name)
        if held.restart_count < restarts.get(key, 0):
            yield f"{held.name} has restarted {held.restart_count} times after {restarts[key]}"
        restarts[key] = held.restart_count
        yield from (f"{held.name}: {problem}" for problem in _to_come(held, now, world.header.epoch_s * SECOND))
        yield from (f"{held.name}: {problem}" for problem in _container(stated.get(held.name) or {}, held, now))


_ENDED = ("PodFailed", "PodCompleted")
_STATUSES = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")


def at_of(value: Any) -> Ms | None:
    """A moment of a document, in milliseconds since the Unix epoch; None if it has none."""
    return parse_time(value) if isinstance(value, str) and value else None


def _conditions(status: Json, row: PodRow, now: Ms) -> Iterator[str]:
    for item in status.get("conditions") or ():
        changed = at_of(item.get("lastTransitionTime"))
        held = row.status.condition(item["type"])
        if changed is None or now < changed + SECOND:
            continue
        if held is None or held.status != item["status"]:
            yield f"{item['type']} is not {item['status']} after its last change"


def _phase(status: Json, row: PodRow, now: Ms) -> Iterator[str]:
    """A pod ends when all its containers have ended, unless it was ended from outside."""
    if row.status.phase not in TERMINAL_PHASES or status.get("reason"):
        return
    if status.get("phase") not in TERMINAL_PHASES:
        yield f"{row.status.phase} though it has not ended"
    for item in status.get("containerStatuses") or ():
        ended = at_of(((item.get("state") or {}).get("terminated") or {}).get("finishedAt"))
        if ended is not None and now < ended:
            yield f"{row.status.phase} before the end of {item['name']}"


def _readiness(status: Json, row: PodRow, now: Ms) -> Iterator[str]:
    """The containers agree with the last change of ContainersReady."""
    stated: Json = next((item for item in status.get("conditions") or () if item["type"] == "ContainersReady"), {})
    changed = at_of(stated.get("lastTransitionTime"))
    if changed is None or now < changed + SECOND or not row.status.containers or stated.get("reason") in _ENDED:
        return
    is_ready = all(item.ready for item in row.status.containers)
    if stated["status"] == "True" and not is_ready:
        yield "a container is not ready after the last change of ContainersReady to True"
    is_whole = len(row.status.containers) == len(status["containerStatuses"])
    if stated["status"] == "False" and is_whole and is_ready and all(item.ready for item in row.status.init_containers):
        yield "all containers are ready after the last change of ContainersReady to False"


def _to_come(held: ContainerStatus, now: Ms, epoch_ms: Ms) -> Iterator[str]:
    """Moments in a status that are in its future."""
    for name, state in (("state", held.state), ("lastState", held.last_state)):
        moments = (state.started_ms, state.finished_ms) if isinstance(state, Terminated) else ()
        if isinstance(state, Running):
            moments = (state.started_ms, None)
        if any(item is not None and item + epoch_ms >= now + SECOND for item in moments):
            yield f"{name} tells of a moment that is still to come"


def _container(stated: Json, held: ContainerStatus, now: Ms) -> Iterator[str]:
    """The newest instance agrees with the state that the text dates."""
    state = stated.get("state") or {}
    count = int(stated.get("restartCount") or 0)
    if held.restart_count > count:
        yield f"it has restarted {held.restart_count} times, the text says {count}"
    started = at_of((state.get("running") or {}).get("startedAt"))
    if started is not None and now >= started + SECOND and not (isinstance(held.state, Running) and held.restart_count == count):
        yield "it does not run after it was started for the last time"
    ended = at_of((state.get("terminated") or {}).get("finishedAt"))
    if ended is not None and now < ended and isinstance(held.state, Terminated) and held.restart_count == count:
        yield "it has ended before its end"
    if ended is not None and now >= ended + SECOND and isinstance(held.state, Running):
        yield "it runs after its end"
