"""Writes by clients that name themselves: what they leave in an object's managedFields."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.apiserver.managed.managers import (
    after_apply,
    after_update,
    managers_in,
    named_fields,
    remember,
    with_managed_fields,
)
from simulator.engine.apiserver.store.edits import Edit
from simulator.engine.kernel.json_text import Json
from simulator.engine.world.effects import Effects
from simulator.engine.world.managed import APPLY, UPDATE, Manager
from simulator.engine.world.world import World

Names = tuple[str, str, str]


class Writer(Struct, frozen=True, kw_only=True):
    """Who writes which objects: ``applied`` is the configuration if the client applies one; ``edit`` computes the changed object, if it may
    change managedFields directly."""

    manager: str
    places: tuple[Names, ...]
    subresource: str = ""
    applied: Json | None = None
    edit: Edit | None = None


def writer_of(manager: str, names: Names, *, subresource: str = "", edit: Edit | None = None, text: str = "") -> Writer | None:
    """The writer of one object; None for a write that names nobody. ``edit`` counts if the text of the request mentions managedFields."""
    if not manager:
        return None
    return Writer(manager=manager, places=(names,), subresource=subresource, edit=edit if "managedFields" in text else None)


def shown_object(world: World, names: Names) -> Json | None:
    """The object as it is shown; None if there is none."""
    try:
        return object_document(world, *names)
    except KeyError:
        return None


def with_managed(fx: Effects, edit: Edit, text: str) -> Edit:
    """The same edit, applied to an object that shows its managedFields, if the text of the request mentions them."""
    if "managedFields" not in text:
        return edit

    def managed(document: Json) -> Json:
        found = edit(with_managed_fields(fx.world, document))
        metadata = found.get("metadata")
        if not isinstance(metadata, dict):
            return found
        return {**found, "metadata": {key: value for key, value in metadata.items() if key != "managedFields"}}

    return managed


@contextmanager
def written_by(fx: Effects, writer: Writer | None) -> Iterator[None]:
    """While the block runs, write in the name of that manager."""
    if writer is None:
        yield
        return
    world = fx.world
    before = [(names, shown_object(world, names)) for names in writer.places]
    own = [_own_managers(world, document, writer) for _, document in before]
    yield
    for (names, old), said in zip(before, own, strict=True):
        new = shown_object(world, names)
        if new is None:
            continue
        is_new = old is None or old["metadata"].get("uid") != new["metadata"].get("uid")
        if is_new or said is not None or old != new or writer.applied is not None:
            remember(world, new, _managers(world, None if is_new else old, new, writer, said))


def _own_managers(world: World, document: Json | None, writer: Writer) -> tuple[Manager, ...] | None:
    """The managers that the write itself states; None if it does not mention them."""
    if writer.edit is None or document is None:
        return None
    held = with_managed_fields(world, document)
    wanted = writer.edit(copy.deepcopy(held))["metadata"].get("managedFields")
    return None if wanted is None or wanted == held["metadata"].get("managedFields") else managers_in(wanted)


def _managers(world: World, old: Json | None, new: Json, writer: Writer, said: tuple[Manager, ...] | None) -> tuple[Manager, ...]:
    if said == ():  # an empty entry: the client wants nobody to own anything
        return ()
    time, version = timestamp(world.now_ms, world.header.epoch_s), str(new["apiVersion"])
    manager = Manager(
        name=writer.manager, operation=UPDATE, subresource=writer.subresource, api_version=version, time=time, fields=frozenset()
    )
    if writer.applied is None:
        return after_update(world, old, new, manager, said)
    fields = named_fields(world, {**writer.applied, "apiVersion": version}, subresource=writer.subresource)
    return after_apply(world, old, new, replace(manager, operation=APPLY, fields=fields))
