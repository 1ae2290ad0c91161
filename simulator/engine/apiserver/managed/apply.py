"""Server-side apply: how a configuration changes an object, and the conflicts with other managers.

Source: structured-merge-diff v4 merge/update.go Apply, prune; apimachinery pkg/util/managedfields/internal/conflict.go and
lastappliedmanager.go; apiserver pkg/endpoints/handlers/patch.go applyPatcher.
"""

import json

from msgspec import Struct

from simulator.engine.apiserver.answer import Answer, ApiError, Cause, bad_request
from simulator.engine.apiserver.managed.managers import manageable, managers_now, named_fields, part_of
from simulator.engine.apiserver.managed.sets import Fields, Path, difference, merged, path_text, undeclared, with_parents, without
from simulator.engine.kernel.json_text import Json, decode
from simulator.engine.model.meta import LAST_APPLIED, MANAGED
from simulator.engine.world.managed import APPLY, UPDATE, Manager
from simulator.engine.world.world import World

KUBECTL = "kubectl"
"""The manager that takes over the fields that client-side apply wrote."""
FIELDS_MAX = 100_000
"""Fields of all managers together: managedFields are part of the object, whose size etcd limits."""
_KEPT = frozenset((("f:metadata",), ("f:spec",), ("f:status",)))


class Applying(Struct, frozen=True, kw_only=True):
    """A configuration, the manager that applies it, and whether it takes over fields that others own."""

    document: Json
    manager: str
    force: bool = False
    subresource: str = ""

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """The parts that identify the manager."""
        return self.manager, APPLY, self.subresource, ""


def configuration(document: Json) -> Json:
    """The configuration as it is merged: without what the server itself writes. Raises ApiError (400)."""
    metadata = document.get("metadata") or {}
    if metadata.get("managedFields"):
        raise bad_request("metadata.managedFields must be nil")
    return {**document, "metadata": {key: value for key, value in metadata.items() if key not in (*MANAGED, "managedFields")}}


def check_declared(world: World, document: Json, namespace: str) -> None:
    """Refuse fields that the kind does not have: an apply is always strict. Raises ApiError (500, like the API server)."""
    found = undeclared(document, part_of(world, document))
    if found is None:
        return
    kind, name = f"{document.get('apiVersion')}, Kind={document.get('kind')}", document["metadata"].get("name", "")
    why = f"{path_text(found)}: field not declared in schema"
    raise ApiError(Answer(code=500, reason="", message=f"failed to create typed patch object ({namespace}/{name}; {kind}): {why}"))


def applied(world: World, live: Json, asked: Applying) -> Json:
    """The live object as the configuration changes it. Raises ApiError: 409 if others own what it would change."""
    part, wanted = part_of(world, live), configuration(asked.document)
    named = named_fields(world, wanted, subresource=asked.subresource)
    managers = managers_now(world, live)
    if len(named) + sum(len(each.fields) for each in managers) > FIELDS_MAX:
        raise ApiError(Answer(code=500, reason="", message="etcdserver: request is too large"))
    last = next((each.fields for each in managers if each.identity == asked.identity), frozenset[Path]())
    others = [each for each in managers if each.identity != asked.identity]
    kept = with_parents([*named, *(path for each in others for path in each.fields)])
    gone = with_parents(last) - kept - _KEPT
    found: Json = without(merged(live, {**wanted, "metadata": {**wanted["metadata"]}}, part), part, gone)
    differing = difference(live, found, part).changed
    changed = manageable(differing, subresource=asked.subresource) | (differing & named)
    conflicts = [(each, path) for each in others for path in sorted(each.fields & changed)]
    if asked.manager == KUBECTL and conflicts:
        own = _client_side(world, live)
        conflicts = [(each, path) for each, path in conflicts if path not in own]
    if conflicts and not asked.force:
        raise conflict(conflicts)
    return _synced(live, found, asked)


def _client_side(world: World, live: Json) -> Fields:
    """The fields that client-side apply has written, according to its annotation."""
    try:
        before = decode((live["metadata"].get("annotations") or {}).get(LAST_APPLIED) or "{}")
    except ValueError:
        return frozenset()
    return named_fields(world, before) if isinstance(before, dict) else frozenset()


def _synced(live: Json, found: Json, asked: Applying) -> Json:
    """The object with the annotation of client-side apply brought up to date, if there is one and kubectl applies."""
    if asked.manager != KUBECTL or LAST_APPLIED not in (live["metadata"].get("annotations") or {}):
        return found
    text = json.dumps(asked.document, separators=(",", ":"), ensure_ascii=False, sort_keys=True) + "\n"
    metadata = found["metadata"]
    return {**found, "metadata": {**metadata, "annotations": {**(metadata.get("annotations") or {}), LAST_APPLIED: text}}}


# ---- conflicts -------------------------------------------------------------------------------------------------------
def conflict(found: list[tuple[Manager, Path]]) -> ApiError:
    """409: others own what would change."""
    causes = tuple(
        Cause(reason="FieldManagerConflict", message=f"conflict with {_called(each)}", field=path_text(path)) for each, path in found
    )
    return ApiError(Answer(code=409, reason="Conflict", message=_message(found), causes=causes))


def _message(found: list[tuple[Manager, Path]]) -> str:
    if len(found) == 1:
        manager, path = found[0]
        return f"Apply failed with 1 conflict: conflict with {_called(manager)}: {path_text(path)}"
    by_name: dict[str, list[str]] = {}
    for each, path in found:
        by_name.setdefault(_called(each), []).append(f"- {path_text(path)}")
    lines = [line for name in sorted(by_name) for line in (f"conflicts with {name}:", *by_name[name])]
    return f"Apply failed with {len(found)} conflicts: " + "\n".join(lines)


def _called(manager: Manager) -> str:
    text = f'"{manager.name}"'
    if manager.subresource:
        text += f' with subresource "{manager.subresource}"'
    return f"{text} using {manager.api_version}" if manager.operation == UPDATE else text
