"""A watch: what has happened to the objects that a client selects, from one moment of the cluster to a later one.

The position of a watch is plain data (``Standing``), so that one process may continue where another stopped. Continuing
compares what was sent with the objects at each instant in between. Stored objects get a new resourceVersion with each
write, so only those that were written are looked at. Source: apiserver pkg/storage/cacher;
pkg/endpoints/handlers/watch.go.
"""

import json
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial as bound
from typing import Any
from zlib import crc32

from msgspec import Struct
from msgspec.structs import replace

from simulator.door.exchange import DoorRequest, Media, chosen_media, json_bytes
from simulator.door.managers import listed_managed, managed_view
from simulator.door.paths import ApiPath
from simulator.door.reading import PARTIAL, TABLE, selection, shift_of
from simulator.door.resources import Resource
from simulator.door.rows import document_at, documents_in, position_of
from simulator.door.scene import DoorScene
from simulator.door.statuses import expired, not_acceptable
from simulator.door.tables import definitions, partial, row_of, table_of
from simulator.door.times import Shift, shifted
from simulator.engine.apiserver.answer import Answer, ApiError, Cause, bad_request
from simulator.engine.kernel.bounded import whole_number
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import Ms
from simulator.engine.world.lookups import objects_of
from simulator.engine.world.world import World

ADDED, MODIFIED, DELETED, BOOKMARK, ERROR = "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"
_INITIAL_END = "k8s.io/initial-events-end"
_COMPUTED = frozenset(
    (
        *(
            "Event",
            "Lease",
            "Node",
            "Namespace",
            "ServiceAccount",
            "ConfigMap",
            "PriorityClass",
            "StorageClass",
            "Service",
            "EndpointSlice",
        ),
        *("Endpoints", "PodDisruptionBudget", "ResourceQuota"),
    )
)
"""Kinds whose objects, or parts of them, are derived from something else and so have no resourceVersion of their own."""
_BACK_MS: Ms = 1000
"""How far back the first search for a position goes; each further step goes four times as far."""
ObjectPlace = tuple[str, str]
Known = dict[Hashable, Any]


ObjectMark = tuple[str, str]
"""The uid of an object, and a mark that changes with its content."""


class Standing(Struct, frozen=True, kw_only=True):
    """The position of a watch: the moment and record up to which everything has been sent, and what has been sent.

    ``sent`` is every object as it was then, ``unfit`` those that the selectors did not match. Watches that continue
    together share ``sent``.
    """

    at_ms: Ms
    seq: int
    position: int
    sent: Mapping[ObjectPlace, ObjectMark]
    unfit: frozenset[ObjectPlace] = frozenset()


class ObjectChanges(Struct, frozen=True):
    """What happened to objects between two looks: those that are gone, with their uid, and those that were written or are new."""

    of: Mapping[ObjectPlace, ObjectMark]
    gone: Mapping[ObjectPlace, str]
    written: tuple[ObjectPlace, ...]


class DoorWatch:
    """One watch of one resource. Raises ApiError if the query asks for something that does not exist."""

    def __init__(self, request: DoorRequest, place: ApiPath, resource: Resource, scene: DoorScene) -> None:
        self._request, self._place, self._resource = request, place, resource
        self._kind, self._minor = resource.info.kind, scene.sight.minor
        self._fits = self._selection()
        media = chosen_media(request.accept, transforms=(TABLE, PARTIAL))
        if media is None:
            raise not_acceptable()
        self._media: Media = media
        self._columns = definitions(resource, scene.sight) if media.transform == TABLE else []
        self._shift: Shift = shift_of(request, scene)
        check_options(request, knows_lists=scene.sight.facts.watch_list)

    @property
    def kind(self) -> str:
        """The kind that is watched."""
        return self._kind

    def _selection(self) -> Callable[[Json], bool]:
        fits = selection(self._request, self._kind, self._minor)
        # A watch of a single object is a list of one.
        name = self._place.name
        return (lambda item: item["metadata"]["name"] == name and fits(item)) if name else fits

    # ---- beginnings --------------------------------------------------------------------------------------------------
    def begun(self, scene: DoorScene) -> tuple[Standing, bytes] | None:
        """The position of the watch and its first lines; None if it continues from a position in the past (``wanted``)."""
        if not self.wanted or self._request.has("sendInitialEvents"):
            return self.begin(scene)
        return (self.at(scene), b"") if self.wanted >= position_of(scene.world, self._kind) else None

    @property
    def wanted(self) -> int:
        """The resourceVersion that the client continues from, 0 for none."""
        return whole_number(self._request.value("resourceVersion")) or 0

    def begin(self, scene: DoorScene) -> tuple[Standing, bytes]:
        """Every object as ADDED, followed by a bookmark if the client waits for one."""
        items = documents_in(self._resource, scene.sight, self._place.namespace)
        standing = self._standing_at(scene, items)
        lines = [self._line(ADDED, item, scene) for item in items if _place_of(item) not in standing.unfit]
        if self._request.has("sendInitialEvents"):
            lines.append(self.bookmark(standing, is_initial=True))
        return standing, b"".join(lines)

    def at(self, scene: DoorScene) -> Standing:
        """The position without any lines: only what follows is sent."""
        return self._standing_at(scene, documents_in(self._resource, scene.sight, self._place.namespace))

    def _standing_at(self, scene: DoorScene, items: Sequence[Json]) -> Standing:
        sent = {_place_of(item): (item["metadata"].get("uid", ""), _mark_of(item, self._kind)) for item in items}
        return self._standing(scene, sent, frozenset(_place_of(item) for item in items if not self._fits(item)))

    # ---- going on ----------------------------------------------------------------------------------------------------
    def go_on(
        self, standing: Standing, scene: DoorScene, before: Callable[[], DoorScene], looked_up: Known | None = None
    ) -> tuple[Standing, bytes]:
        """What has happened between the position and the scene, one event per object; ``before`` is the scene just before it.

        ``looked_up`` holds what other watches of the same run have looked up in this scene, and is added to.
        """
        known: Known = {} if looked_up is None else looked_up
        position = position_of(scene.world, self._kind)
        if self._kind not in _COMPUTED and position == standing.position:  # no stored object was written
            return replace(standing, at_ms=scene.world.now_ms, seq=scene.world.seq), b""
        of = self._resource.group_version, self._kind, self._place.namespace
        marks = _kept(known, ("marks", *of), lambda: self._marks(scene, known))
        changes = _changes(known, of, standing.sent, marks)
        events, unfit, unread = list[tuple[int, bytes]](), set(standing.unfit), list[ObjectPlace]()
        for place, uid in changes.gone.items():
            if place not in unfit:
                events.append((position, self._gone(place, uid, before(), position, known)))
            unfit.discard(place)
        for place in changes.written:
            item = _kept(known, (*of[:2], place), bound(document_at, self._resource, scene.sight, *place))
            if item is None:
                unread.append(place)
                continue
            fitted = place in standing.sent and place not in changes.gone and place not in unfit
            fits = self._fits(item)
            (unfit.discard if fits else unfit.add)(place)
            word = _word(fitted=fitted, fits=fits)
            if word:
                number = whole_number(str(item["metadata"].get("resourceVersion", ""))) or position
                line = _kept(known, (*of[:2], place, word, self._view), bound(self._line, word, item, scene, position=number))
                events.append((number, line))
        events.sort(key=lambda event: event[0])
        sent = _without(marks, unread, standing.sent) if unread else marks
        kept = standing.unfit if unfit == standing.unfit else frozenset(unfit)
        return self._standing(scene, sent, kept), b"".join(line for _, line in events)

    def _gone(self, place: ObjectPlace, uid: str, before: DoorScene, position: int, known: Known) -> bytes:
        """The line of an object that is gone, as it last was; only its name if that is not available."""
        key = self._resource.group_version, self._kind, place, DELETED, before.world.seq, before.now_ms
        item = _kept(known, key, bound(document_at, self._resource, before.sight, *place))
        if item is not None and item["metadata"].get("uid", "") == uid:
            # Its row belongs to a moment at which it still existed.
            line: bytes = _kept(known, (*key, self._view), bound(self._line, DELETED, item, before, position=position))
            return line
        metadata: Json = {"name": place[1], **({"namespace": place[0]} if place[0] else {}), "uid": uid}
        metadata["resourceVersion"] = str(position)
        body: Json = {"apiVersion": self._resource.group_version, "kind": self._kind, "metadata": metadata}
        if self._media.transform == TABLE:
            columns = self._columns
            row = {"cells": [place[1], *[""] * (len(columns) - 1)], "object": partial(body)}
            body = table_of(columns, [row], {"resourceVersion": str(position)}, self._media.version)
        elif self._media.transform == PARTIAL:
            body = partial(body, self._media.version)
        return json_bytes({"type": DELETED, "object": body})

    # ---- lines -------------------------------------------------------------------------------------------------------
    def bookmark(self, standing: Standing, *, is_initial: bool = False) -> bytes:
        """A line that only says how far the watch has come; empty for a client that does not accept bookmarks."""
        if not self._request.has("allowWatchBookmarks"):
            return b""
        metadata: Json = {"resourceVersion": str(standing.position), "creationTimestamp": None}
        if is_initial:
            metadata["annotations"] = {_INITIAL_END: "true"}
        body: Json = {"kind": self._kind, "apiVersion": self._resource.group_version, "metadata": metadata}
        if self._media.transform == TABLE:
            row = {"cells": [], "object": partial(body)}
            body = table_of(self._columns, [row], {"resourceVersion": metadata["resourceVersion"]})
        elif self._media.transform == PARTIAL:
            body = partial(body, self._media.version)
        return json_bytes({"type": BOOKMARK, "object": body})

    def _line(self, word: str, item: Json, scene: DoorScene, *, position: int | None = None) -> bytes:
        if position is None and "resourceVersion" not in item["metadata"]:
            position = position_of(scene.world, self._kind)
        if position is not None:
            item = {**item, "metadata": {**item["metadata"], "resourceVersion": str(position)}}
        if self._media.transform == TABLE:
            row = row_of(self._kind, item, scene.sight, self._shift, self._request.value("includeObject") or "Metadata")
            version = {"resourceVersion": item["metadata"].get("resourceVersion", "")}
            body = table_of(self._columns, [row], version, self._media.version)
        else:
            moved = shifted(listed_managed(self._request, scene.world, [item])[0], self._shift)
            body = partial(moved, self._media.version) if self._media.transform == PARTIAL else moved
        return json_bytes({"type": word, "object": body})

    # ---- comparing ---------------------------------------------------------------------------------------------------
    @property
    def _view(self) -> Hashable:
        """A key that is equal for watches that write the same line for the same object in the same scene."""
        include = self._request.value("includeObject") if self._media.transform == TABLE else ""
        return self._media.transform, self._media.version, include, self._shift, managed_view(self._request)

    def _standing(self, scene: DoorScene, sent: Mapping[ObjectPlace, ObjectMark], unfit: frozenset[ObjectPlace]) -> Standing:
        position = position_of(scene.world, self._kind)
        return Standing(at_ms=scene.world.now_ms, seq=scene.world.seq, position=position, sent=sent, unfit=unfit)

    def _marks(self, scene: DoorScene, known: Known) -> dict[ObjectPlace, ObjectMark]:
        """The uid and mark of every object; the mark differs if the object has changed. O(objects), without building
        documents of stored ones."""
        if self._kind in _COMPUTED:
            items = documents_in(self._resource, scene.sight, self._place.namespace)
            known.update(((self._resource.group_version, self._kind, _place_of(item)), item) for item in items)
            return {_place_of(item): (item["metadata"].get("uid", ""), _mark_of(item, self._kind)) for item in items}
        found = _stored(scene.world, self._kind)
        namespace = self._place.namespace
        return {place: mark for place, mark in found if not namespace or place[0] == namespace}


def _kept(known: Known, key: Hashable, look: Callable[[], Any]) -> Any:
    """The value looked up earlier, or looked up now."""
    if key not in known:
        known[key] = look()
    return known[key]


def _changes(known: Known, of: Hashable, sent: Mapping[ObjectPlace, ObjectMark], marks: Mapping[ObjectPlace, ObjectMark]) -> ObjectChanges:
    """What has changed since ``sent``; computed once for all watches that were sent the same mapping."""
    key = "changes", of, id(sent)
    found: ObjectChanges | None = known.get(key)
    if found is None:
        # An object with a different uid is a different object: the previous one is gone.
        gone = {place: old[0] for place, old in sent.items() if place not in marks or marks[place][0] != old[0]}
        written = tuple(place for place, mark in marks.items() if sent.get(place) != mark)
        found = known[key] = ObjectChanges(sent, gone, written)  # holds a reference to ``sent``, so that its id stays unique
    return found


def _without(
    marks: Mapping[ObjectPlace, ObjectMark], unread: Sequence[ObjectPlace], sent: Mapping[ObjectPlace, ObjectMark]
) -> dict[ObjectPlace, ObjectMark]:  # fmt: skip
    """The marks, with objects that could not be read left as they were."""
    kept = {place: mark for place, mark in marks.items() if place not in unread}
    return kept | {place: sent[place] for place in unread if place in sent}


def _stored(world: World, kind: str) -> Iterator[tuple[ObjectPlace, tuple[str, str]]]:
    if kind == "Pod":
        rows = (row for row in world.tables.pods.values() if row.gone_ms is None)
        yield from (((row.namespace, row.name), (row.uid, str(row.resource_version))) for row in rows)
    else:
        yield from (((row.namespace, row.name), (row.uid, str(row.resource_version))) for row in objects_of(world.tables, kind))


def _mark_of(item: Json, kind: str) -> str:
    if kind in _COMPUTED:
        return f"{crc32(json.dumps(item, sort_keys=True).encode()):x}"
    return str(item["metadata"].get("resourceVersion", ""))


def _place_of(item: Json) -> ObjectPlace:
    return item["metadata"].get("namespace", ""), item["metadata"]["name"]


def _word(*, fitted: bool, fits: bool) -> str:
    """The event type for a client: an object that no longer matches is deleted for it, one that now matches is added."""
    if fits:
        return MODIFIED if fitted else ADDED
    return DELETED if fitted else ""


def check_options(request: DoorRequest, *, knows_lists: bool) -> None:
    """Refuse watch options that this version refuses. Raises ApiError."""
    text = request.value("resourceVersion")
    if text and whole_number(text) is None:
        raise bad_request(f'resourceVersion: Invalid value: "{text}"')
    match, initial = request.value("resourceVersionMatch"), request.has("sendInitialEvents")
    if not knows_lists and match:
        raise _forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden for watch")
    if knows_lists and initial and match != "NotOlderThan":
        raise _forbidden("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
    if knows_lists and match and not request.value("sendInitialEvents"):
        raise _forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")


def _forbidden(field: str, why: str) -> ApiError:
    message = f"Forbidden: {why}"
    cause = Cause(reason="FieldValueForbidden", message=message, field=field)
    text = f'ListOptions.meta.k8s.io "" is invalid: {field}: {message}'
    return ApiError(Answer(code=422, reason="Invalid", message=text, kind="ListOptions", group="meta.k8s.io", causes=(cause,)))


def error_line(error: ApiError) -> bytes:
    """The last line of a watch that cannot continue."""
    return json_bytes({"type": ERROR, "object": error.answer.document()})


def failure_line(error: Exception) -> bytes:
    """The last line of a watch that failed: the API server's message, or a general one for an unexpected error."""
    if not isinstance(error, ApiError):
        error = ApiError(Answer(code=500, reason="InternalError", message="this watch failed and ends here"))
    return error_line(error)


def back_to(wanted: int, *, from_ms: Ms, position_at: Callable[[Ms], int]) -> Ms:
    """A moment at which the position was not beyond ``wanted``, searched further and further back. Raises ApiError (410)."""
    ms, back = from_ms, _BACK_MS
    while True:
        ms = max(0, ms - back)
        back *= 4
        position = position_at(ms)
        if position <= wanted:
            return ms
        if not ms:
            raise too_old(wanted, position)


def too_old(wanted: int, oldest: int) -> ApiError:
    """410 for a position from which nothing can be sent any more."""
    return expired(f"too old resource version: {wanted} ({oldest})")
