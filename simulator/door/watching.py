"""A watch: what has become of the objects that a client selects, from one moment of the cluster to a later one.

Where a watch stands is plain data (``Standing``), so that a process may go on where another one stopped. Going on compares what was sent
with what there is at each instant between. Objects of the store have a number of their own for each write, so only what was written is
looked at. Source: apiserver pkg/storage/cacher; pkg/endpoints/handlers/watch.go.
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
"""Kinds with objects, or parts of them, that follow from other things and so have no number of their own."""
_BACK_MS: Ms = 1000
"""So far back the first look for a position goes; each further one four times as far."""
ObjectPlace = tuple[str, str]
Known = dict[Hashable, Any]


ObjectMark = tuple[str, str]
"""The uid of an object, and a mark of what it was."""


class Standing(Struct, frozen=True, kw_only=True):
    """Where a watch stands: the moment and the record up to which it has told everything, and what it has told.

    ``sent`` is every object as it was then, ``unfit`` those that the selectors did not take. Watches that go on together share the former.
    """

    at_ms: Ms
    seq: int
    position: int
    sent: Mapping[ObjectPlace, ObjectMark]
    unfit: frozenset[ObjectPlace] = frozenset()


class ObjectChanges(Struct, frozen=True):
    """What became of objects between two looks: those that are gone, with their uid, and those that were written or are new."""

    of: Mapping[ObjectPlace, ObjectMark]
    gone: Mapping[ObjectPlace, str]
    written: tuple[ObjectPlace, ...]


class DoorWatch:
    """One watch of one resource. Raises ApiError where the query asks for what there is not."""

    def __init__(self, asked: DoorRequest, place: ApiPath, resource: Resource, scene: DoorScene) -> None:
        self._asked, self._place, self._resource = asked, place, resource
        self._kind, self._minor = resource.info.kind, scene.sight.minor
        self._fits = self._selection()
        media = chosen_media(asked.accept, transforms=(TABLE, PARTIAL))
        if media is None:
            raise not_acceptable()
        self._media: Media = media
        self._columns = definitions(resource, scene.sight) if media.transform == TABLE else []
        self._shift: Shift = shift_of(asked, scene)
        check_options(asked, knows_lists=scene.sight.facts.watch_list)

    @property
    def kind(self) -> str:
        """The kind that is watched."""
        return self._kind

    def _selection(self) -> Callable[[Json], bool]:
        fits = selection(self._asked, self._kind, self._minor)
        # A watch of one object is a list of one.
        name = self._place.name
        return (lambda item: item["metadata"]["name"] == name and fits(item)) if name else fits

    # ---- beginnings --------------------------------------------------------------------------------------------------
    def begun(self, scene: DoorScene) -> tuple[Standing, bytes] | None:
        """Where the watch stands and its first lines; None where it goes on from a position of the past (``wanted``)."""
        if not self.wanted or self._asked.has("sendInitialEvents"):
            return self.begin(scene)
        return (self.at(scene), b"") if self.wanted >= position_of(scene.world, self._kind) else None

    @property
    def wanted(self) -> int:
        """The position that the client comes back with, 0 for none."""
        return whole_number(self._asked.value("resourceVersion")) or 0

    def begin(self, scene: DoorScene) -> tuple[Standing, bytes]:
        """Everything that there is, as ADDED, and the bookmark after it where a client waits for one."""
        items = documents_in(self._resource, scene.sight, self._place.namespace)
        standing = self._standing_at(scene, items)
        lines = [self._line(ADDED, item, scene) for item in items if _place_of(item) not in standing.unfit]
        if self._asked.has("sendInitialEvents"):
            lines.append(self.bookmark(standing, is_initial=True))
        return standing, b"".join(lines)

    def at(self, scene: DoorScene) -> Standing:
        """The same without a word: what follows is told from here on."""
        return self._standing_at(scene, documents_in(self._resource, scene.sight, self._place.namespace))

    def _standing_at(self, scene: DoorScene, items: Sequence[Json]) -> Standing:
        sent = {_place_of(item): (item["metadata"].get("uid", ""), _mark_of(item, self._kind)) for item in items}
        return self._standing(scene, sent, frozenset(_place_of(item) for item in items if not self._fits(item)))

    # ---- going on ----------------------------------------------------------------------------------------------------
    def go_on(
        self, standing: Standing, scene: DoorScene, before: Callable[[], DoorScene], looked_up: Known | None = None
    ) -> tuple[Standing, bytes]:
        """What has happened between the standing and the scene, one event an object; ``before`` is the scene just before it.

        ``looked_up`` is what other watches of the same run have looked up in this scene, and is added to.
        """
        known: Known = {} if looked_up is None else looked_up
        position = position_of(scene.world, self._kind)
        if self._kind not in _COMPUTED and position == standing.position:  # nothing that is stored was written
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
        """The line of an object that is gone, as it was; what it is called where that cannot be had."""
        key = self._resource.group_version, self._kind, place, DELETED, before.world.seq, before.now_ms
        item = _kept(known, key, bound(document_at, self._resource, before.sight, *place))
        if item is not None and item["metadata"].get("uid", "") == uid:
            # Its row is that of a moment at which it was there.
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

    # ---- what is written ---------------------------------------------------------------------------------------------
    def bookmark(self, standing: Standing, *, is_initial: bool = False) -> bytes:
        """A line that says only how far the watch has come; empty for a client that reads none."""
        if not self._asked.has("allowWatchBookmarks"):
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
            row = row_of(self._kind, item, scene.sight, self._shift, self._asked.value("includeObject") or "Metadata")
            version = {"resourceVersion": item["metadata"].get("resourceVersion", "")}
            body = table_of(self._columns, [row], version, self._media.version)
        else:
            moved = shifted(listed_managed(self._asked, scene.world, [item])[0], self._shift)
            body = partial(moved, self._media.version) if self._media.transform == PARTIAL else moved
        return json_bytes({"type": word, "object": body})

    # ---- what is compared --------------------------------------------------------------------------------------------
    @property
    def _view(self) -> Hashable:
        """Equal for watches that write a line alike of the same object in the same scene."""
        include = self._asked.value("includeObject") if self._media.transform == TABLE else ""
        return self._media.transform, self._media.version, include, self._shift, managed_view(self._asked)

    def _standing(self, scene: DoorScene, sent: Mapping[ObjectPlace, ObjectMark], unfit: frozenset[ObjectPlace]) -> Standing:
        position = position_of(scene.world, self._kind)
        return Standing(at_ms=scene.world.now_ms, seq=scene.world.seq, position=position, sent=sent, unfit=unfit)

    def _marks(self, scene: DoorScene, known: Known) -> dict[ObjectPlace, ObjectMark]:
        """Uid and mark of every object, which differ where it has changed. O(objects), without their documents where they are stored."""
        if self._kind in _COMPUTED:
            items = documents_in(self._resource, scene.sight, self._place.namespace)
            known.update(((self._resource.group_version, self._kind, _place_of(item)), item) for item in items)
            return {_place_of(item): (item["metadata"].get("uid", ""), _mark_of(item, self._kind)) for item in items}
        found = _stored(scene.world, self._kind)
        namespace = self._place.namespace
        return {place: mark for place, mark in found if not namespace or place[0] == namespace}


def _kept(known: Known, key: Hashable, look: Callable[[], Any]) -> Any:
    """What was looked up before, or is now."""
    if key not in known:
        known[key] = look()
    return known[key]


def _changes(known: Known, of: Hashable, sent: Mapping[ObjectPlace, ObjectMark], marks: Mapping[ObjectPlace, ObjectMark]) -> ObjectChanges:
    """What has changed since that was sent: found once for all who were sent the very same."""
    key = "changes", of, id(sent)
    found: ObjectChanges | None = known.get(key)
    if found is None:
        # An object that has another uid is another object: the one before it is gone.
        gone = {place: old[0] for place, old in sent.items() if place not in marks or marks[place][0] != old[0]}
        written = tuple(place for place, mark in marks.items() if sent.get(place) != mark)
        found = known[key] = ObjectChanges(sent, gone, written)  # which holds on to what it is of, so that its id stays its own
    return found


def _without(
    marks: Mapping[ObjectPlace, ObjectMark], unread: Sequence[ObjectPlace], sent: Mapping[ObjectPlace, ObjectMark]
) -> dict[ObjectPlace, ObjectMark]:  # fmt: skip
    """The marks without objects that could not be read, which are as they were."""
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
    """What a client is told: an object that the selectors take no more is gone for it, one that they take now is new."""
    if fits:
        return MODIFIED if fitted else ADDED
    return DELETED if fitted else ""


def check_options(asked: DoorRequest, *, knows_lists: bool) -> None:
    """Refuse what this version refuses of a watch. Raises ApiError."""
    text = asked.value("resourceVersion")
    if text and whole_number(text) is None:
        raise bad_request(f'resourceVersion: Invalid value: "{text}"')
    match, initial = asked.value("resourceVersionMatch"), asked.has("sendInitialEvents")
    if not knows_lists and match:
        raise _forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden for watch")
    if knows_lists and initial and match != "NotOlderThan":
        raise _forbidden("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
    if knows_lists and match and not asked.value("sendInitialEvents"):
        raise _forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")


def _forbidden(field: str, why: str) -> ApiError:
    message = f"Forbidden: {why}"
    cause = Cause(reason="FieldValueForbidden", message=message, field=field)
    text = f'ListOptions.meta.k8s.io "" is invalid: {field}: {message}'
    return ApiError(Answer(code=422, reason="Invalid", message=text, kind="ListOptions", group="meta.k8s.io", causes=(cause,)))


def error_line(error: ApiError) -> bytes:
    """The last line of a watch that cannot go on."""
    return json_bytes({"type": ERROR, "object": error.answer.document()})


def failure_line(error: Exception) -> bytes:
    """The same of one that failed: in the words of an API server, or without a word of what nobody foresaw."""
    if not isinstance(error, ApiError):
        error = ApiError(Answer(code=500, reason="InternalError", message="this watch failed and ends here"))
    return error_line(error)


def back_to(wanted: int, *, from_ms: Ms, position_at: Callable[[Ms], int]) -> Ms:
    """A moment at which the position was no further than that, looked for further and further back. Raises ApiError (410)."""
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
    """410 for a position from which nothing can be told any more."""
    return expired(f"too old resource version: {wanted} ({oldest})")
