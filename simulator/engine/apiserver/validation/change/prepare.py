"""The parts of a changed pod that an endpoint accepts; the rest stays as it is stored, whatever the request contains.

Source: pkg/registry/core/pod/strategy.go PrepareForUpdate of the pod, its status, its ephemeral
containers and its resize.
"""

from collections.abc import Callable
from typing import Any

from simulator.engine.apiserver.validation.pod_rules import Fields, fields, items, text

_OF_THE_REQUEST = ("name", "namespace", "resourceVersion", "uid")
_NOT_BY_STATUS = ("deletionTimestamp", "deletionGracePeriodSeconds", "ownerReferences")
_RESIZED = ("resources", "resizePolicy")


def prepare_pod_update(old: Fields, new: Fields, *, subresource: str = "") -> Fields:
    """The pod as it goes on to ``before_update`` and validation. Raises KeyError for an unknown subresource. Cost: O(fields)."""
    return _BY_SUBRESOURCE[subresource](old, new)


def _update(old: Fields, new: Fields) -> Fields:
    return _put(new, "status", old)


def _status(old: Fields, new: Fields) -> Fields:
    metadata = fields(new, "metadata")
    for key in _NOT_BY_STATUS:
        metadata = _put(metadata, key, fields(old, "metadata"))
    before, after = fields(old, "status"), fields(new, "status")
    kept = {key: before[key] for key in ("qosClass", "observedGeneration") if before.get(key) and not after.get(key)}
    return {**_put(new, "spec", old), "metadata": metadata, "status": {**after, **kept}}


def _ephemeral(old: Fields, new: Fields) -> Fields:
    spec = _put(fields(old, "spec"), "ephemeralContainers", fields(new, "spec"))
    return {**old, "metadata": _addressed(old, new), "spec": spec}


def _resize(old: Fields, new: Fields) -> Fields:
    """The resized pod; containers that were added, removed, renamed or reordered are left for validation to refuse."""
    before, after = fields(old, "spec"), fields(new, "spec")
    if any(_names(before, group) != _names(after, group) for group in ("containers", "initContainers")):
        return _put(new, "status", old)
    spec = dict(before)
    for group in ("containers", "initContainers"):
        if group in before:
            spec[group] = [_resized(group, was, now) for was, now in zip(before[group], after[group], strict=True)]
    return {**old, "metadata": _addressed(old, new), "spec": spec}


def _resized(group: str, was: Fields, now: Fields) -> Fields:
    if group == "initContainers" and text(was, "restartPolicy") != "Always":
        return was
    for key in _RESIZED:
        was = _put(was, key, now)
    return was


def _names(spec: Fields, group: str) -> list[str]:
    return [text(container, "name") for _, container in items(spec, group)]


def _addressed(old: Fields, new: Fields) -> Fields:
    """The stored metadata with the parts that say which object, and which state of it, the request refers to."""
    metadata = fields(old, "metadata")
    for key in _OF_THE_REQUEST:
        metadata = _put(metadata, key, fields(new, "metadata"))
    return metadata


def _put(target: Fields, key: str, source: Fields) -> Fields:
    """The map with one field as in the source, or without it if the source has none."""
    rest: dict[str, Any] = {name: value for name, value in target.items() if name != key}
    return {**rest, key: source[key]} if key in source else rest


_BY_SUBRESOURCE: dict[str, Callable[[Fields, Fields], Fields]] = {
    "": _update,
    "status": _status,
    "ephemeralcontainers": _ephemeral,
    "resize": _resize,
}
