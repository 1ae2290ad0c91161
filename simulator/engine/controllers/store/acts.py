"""Commands that are requests about objects of any kind: each is checked first, and what it does comes back as an act."""

import json
from collections.abc import Callable
from typing import Any

from simulator.engine.api.answer import ApiError, bad_request
from simulator.engine.commands import BindPod, DeleteObject, EvictPod, PatchObject, ReplaceObject
from simulator.engine.controllers.api_server import delete_pod
from simulator.engine.controllers.pod_updates import Rejected, check_update, patched, update_pod
from simulator.engine.controllers.refusal import Act, Refusal, live_pod, refusal_of
from simulator.engine.controllers.store.binding import bind_to, binding_problem
from simulator.engine.controllers.store.evictions import evict
from simulator.engine.controllers.store.objects import delete_object, update_object, without_managed
from simulator.engine.controllers.store.resources import info_of, missing
from simulator.engine.effects import Effects
from simulator.engine.rows import PodRow
from simulator.engine.world import ApiObject


def _nothing() -> None:
    """What a dry run does."""


def find_object(fx: Effects, kind: str, namespace: str, name: str) -> ApiObject:
    """The stored object; raises ApiError (404)."""
    row = fx.tables.objects.get((kind, namespace if info_of(kind).namespaced else "", name))
    if row is None:
        raise missing(kind, name)
    return row


def find_pod(fx: Effects, namespace: str, name: str) -> PodRow:
    """The pod of that name; raises ApiError (404)."""
    row = fx.world.live_pod(namespace, name)
    if row is None:
        raise missing("Pod", name)
    return row


def _evict(fx: Effects, command: EvictPod) -> Act:
    row = live_pod(fx, command.target)
    return _nothing if command.dry_run else lambda: evict(fx, row, command.grace_s)


def _bind(fx: Effects, command: BindPod) -> Act:
    row = live_pod(fx, command.target)
    problem = binding_problem(fx, row)
    if problem is not None:
        raise refusal_of(problem)
    return lambda: bind_to(fx, row, command.node)


def _patch(fx: Effects, command: PatchObject) -> Act:
    try:
        if command.kind == "Pod":
            return _changed_pod(fx, command.namespace, command.name, lambda old: patched(old, command.patch, command.patch_kind))
        row = find_object(fx, command.kind, command.namespace, command.name)
        document = patched(json.loads(row.document), command.patch, command.patch_kind)
    except Rejected as error:
        raise refusal_of(bad_request(str(error))) from None
    except ApiError as error:
        raise refusal_of(error) from None
    return lambda: _ignore(update_object(fx, row, without_managed(document)))


def _ignore(_: object) -> None:
    """An act gives nothing back."""


def _changed_pod(fx: Effects, namespace: str, name: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Act:
    row = find_pod(fx, namespace, name)
    try:
        document = change(json.loads(row.document))
        pod = check_update(row.pod, document, row.namespace)
    except Rejected as error:
        raise Refusal("COMMAND-REJECTED", (("message", str(error)),)) from None
    return lambda: update_pod(fx, row, document, pod)


def _replace(fx: Effects, command: ReplaceObject) -> Act:
    try:
        document = json.loads(command.document)
        kind, metadata = str(document.get("kind")), document.get("metadata") or {}
        namespace, name = str(metadata.get("namespace") or command.namespace), str(metadata.get("name"))
        if kind == "Pod":
            return _changed_pod(fx, namespace, name, lambda _: without_managed(document))
        row = find_object(fx, kind, namespace, name)
    except ApiError as error:
        raise refusal_of(error) from None
    return lambda: _ignore(update_object(fx, row, without_managed(document)))


def _delete(fx: Effects, command: DeleteObject) -> Act:
    try:
        if command.kind == "Pod":
            pod = find_pod(fx, command.namespace, command.name)
            return _nothing if command.dry_run else lambda: delete_pod(fx, pod, command.grace_s)
        row = find_object(fx, command.kind, command.namespace, command.name)
    except ApiError as error:
        raise refusal_of(error) from None
    return _nothing if command.dry_run else lambda: delete_object(fx, row)


STORE_ACTS: dict[type, Callable[[Effects, Any], Act]] = {
    EvictPod: _evict,
    BindPod: _bind,
    PatchObject: _patch,
    ReplaceObject: _replace,
    DeleteObject: _delete,
}
