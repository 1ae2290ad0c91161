"""Commands that are requests about objects of any kind: each is checked first, and what it does comes back as an act."""

from collections.abc import Callable
from typing import Any

from simulator.engine.api.answer import bad_request
from simulator.engine.commands import ApplyManifest, BindPod, DeleteObject, EvictPod, PatchObject, ReplaceObject
from simulator.engine.controllers.refusal import Act, live_pod
from simulator.engine.controllers.store.apply import applying
from simulator.engine.controllers.store.binding import bind_to, binding_problem
from simulator.engine.controllers.store.creation import place_of, read_document
from simulator.engine.controllers.store.deletes import deleting
from simulator.engine.controllers.store.edits import Edit, by_patch, by_put, minor_of_run
from simulator.engine.controllers.store.evictions import evicting
from simulator.engine.controllers.store.nodes import change_node, is_machine
from simulator.engine.controllers.store.pods import change_pod, nothing
from simulator.engine.controllers.store.resources import find_object, find_pod
from simulator.engine.controllers.store.updates import change_object
from simulator.engine.effects import Effects


def _evict(fx: Effects, command: EvictPod) -> Act:
    if command.eviction and command.eviction != command.target.rpartition("/")[2].partition("#")[0]:
        raise bad_request("name in URL does not match name in Eviction object")
    row = live_pod(fx, command.target)
    act = evicting(fx, row, command.grace_s)
    return nothing if command.dry_run else act


def _bind(fx: Effects, command: BindPod) -> Act:
    row = live_pod(fx, command.target)
    problem = binding_problem(fx, row)
    if problem is not None:
        raise problem
    return lambda: bind_to(fx, row, command.node)


def _changing(fx: Effects, names: tuple[str, str, str], edit: Edit, *, subresource: str, is_patch: bool) -> Act:
    kind, namespace, name = names
    if kind == "Node" and is_machine(fx, name):
        return change_node(fx, name, edit, is_patch=is_patch)
    if kind == "Pod":
        row = find_pod(fx, namespace, name)
        return change_pod(fx, row, edit, subresource=subresource, is_patch=is_patch)
    return change_object(fx, find_object(fx, kind, namespace, name), edit, subresource=subresource, is_patch=is_patch)


def _patch(fx: Effects, command: PatchObject) -> Act:
    names = (command.kind, command.namespace, command.name)
    edit = by_patch(command.patch, command.patch_kind, minor=minor_of_run(fx))
    act = _changing(fx, names, edit, subresource=command.subresource, is_patch=True)
    return nothing if command.dry_run else act


def _replace(fx: Effects, command: ReplaceObject) -> Act:
    document = read_document(command.document)
    names = place_of(document, command.namespace)
    act = _changing(fx, names, by_put(document), subresource=command.subresource, is_patch=False)
    return nothing if command.dry_run else act


STORE_ACTS: dict[type, Callable[[Effects, Any], Act]] = {
    ApplyManifest: applying,
    EvictPod: _evict,
    BindPod: _bind,
    PatchObject: _patch,
    ReplaceObject: _replace,
    DeleteObject: deleting,
}
