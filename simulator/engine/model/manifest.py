"""From a manifest (JSON-shaped document) to the Structs the engine works with.

Unknown fields are left out of the Structs (the original document stays with the object). ``null`` means "not set", as the
API server reads it. The status of a document is dropped: the engine computes it.
"""

import re
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from simulator.engine.kernel.errors import BadManifest
from simulator.engine.kernel.typed import Typed
from simulator.engine.model.pod import Pod, Volume
from simulator.engine.model.volume_sources import VOLUME_SOURCES

DEFAULT_GRACE_S = 30
"""terminationGracePeriodSeconds of a pod that names none, in seconds (pkg/apis/core/v1/defaults.go)."""

_T = TypeVar("_T")
_POD: Typed[Pod] = Typed(Pod)
_TEXT_MAPS = ("labels", "annotations", "nodeSelector", "matchLabels", "data", "stringData", "binaryData", "selector")
_QUANTITY_MAPS = ("requests", "limits", "hard", "overhead", "capacity", "allocatable")
_POD_PARTS = ("metadata", "spec")
_REFERENCE = re.compile(
    r"(?:(?:localhost|[a-zA-Z0-9.-]*[.:A-Z][a-zA-Z0-9.-]*(?::[0-9]+)?|localhost:[0-9]+|[a-zA-Z0-9-]+:[0-9]+)/)?"
    r"[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*)*"
    r"(?::(?P<tag>\w[\w.-]{0,127}))?(?P<digest>@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,})?",
    re.ASCII,
)
_REFERENCE_CHARS_MAX = 1000
"""Longer than any valid name; matching takes time quadratic in the length."""
_QUOTED = re.compile(r"`([^`]*)`")
_REPORTED = re.compile(r"(?s)(?P<what>.*?)(?: - at (?:`key` in )?`\$\.?(?P<path>.*?)(?:\[\.\.\.\])?`)?")
_WORDS = {
    "str": "a string",
    "int": "an integer",
    "bool": "a boolean",
    "float": "a number",
    "object": "an object",
    "array": "a list",
    "null": "null",
}


def pod_from_document(document: dict[str, Any], *, namespace: str = "") -> Pod:
    """Read a Pod document; ``namespace`` is used if the document names none.

    Raises BadManifest with the field path if a value has the wrong type or a required field is missing. Defaults are
    not applied (``apiserver.defaulting.pod``), but a volume without any source becomes an emptyDir here, because only the document shows
    sources that the Structs do not type.
    """
    # apiVersion, kind and status are not read.
    parts = {key: document[key] for key in _POD_PARTS if document.get(key) is not None}
    pod = convert(parts, _POD)
    if namespace and not pod.metadata.namespace:
        pod = replace(pod, metadata=replace(pod.metadata, namespace=namespace))
    return replace(pod, spec=replace(pod.spec, volumes=_sourced_volumes(pod.spec.volumes, parts)))


def check_plain_pod(document: dict[str, Any]) -> None:
    """Raise BadManifest if a Pod document without nulls cannot be read. Cost: O(document)."""
    try:
        _POD.from_plain({key: document[key] for key in _POD_PARTS if key in document})
    except msgspec.ValidationError as error:
        raise bad_manifest(str(error)) from None


def stored_pod(text: str) -> Pod:
    """The pod in a complete document's JSON text, without nulls and with a source in every volume. Raises BadManifest."""
    try:
        return _POD.from_json(text)
    except msgspec.ValidationError as error:
        raise bad_manifest(str(error)) from None


def convert(document: dict[str, Any], kind: Typed[_T]) -> _T:
    """Turn a document into a value of ``kind``; raises BadManifest with path and problem. Cost: O(document)."""
    try:
        return kind.from_plain(without_nulls(document))
    except msgspec.ValidationError as error:
        raise bad_manifest(str(error)) from None


def bad_manifest(report: str) -> BadManifest:
    """The error for a msgspec message: its ``$.spec…`` path becomes a field path as the API server writes it."""
    match = _REPORTED.fullmatch(report)
    if match is None:
        return BadManifest("", report)
    return BadManifest(match["path"] or "", _QUOTED.sub(_worded, match["what"].replace("Expected", "expected").replace("Object", "object")))


def _worded(quoted: re.Match[str]) -> str:
    words = [_WORDS.get(word, f'"{word}"') for word in quoted[1].split(" | ") if word != "null" or quoted[1] == "null"]
    return " or ".join(words)


def without_nulls(value: Any, key: str = "") -> Any:
    """A copy of ``value`` (of the field ``key``) without null fields; a null inside a list or map becomes its empty value, as in Go."""
    if isinstance(value, dict):
        found = {}
        for name, item in value.items():
            # In a map of strings a null is an empty string, not a missing field.
            if isinstance(item, dict) and name in NULLS:
                found[name] = _filled(item, NULLS[name])
            elif isinstance(item, dict | list | tuple):
                found[name] = without_nulls(item, name)
            elif item is not None:
                found[name] = item
        return found
    if isinstance(value, list | tuple):
        return [
            empty_item(value, key) if item is None else without_nulls(item) if isinstance(item, dict | list | tuple) else item
            for item in value
        ]
    return value


def empty_item(items: Sequence[Any], key: str) -> Any:
    """What a null among these items of the field ``key`` decodes to: an empty object, or "" among strings; otherwise it stays null."""
    others = [item for item in items if item is not None]
    if key in _TEXT_LISTS or (others and isinstance(others[0], str)):
        return ""
    if key == "supplementalGroups":
        return 0
    return {} if not others or isinstance(others[0], dict) else None


def _filled(values: dict[str, Any], nothing: str) -> dict[str, Any]:
    return {key: nothing if value is None else without_nulls(value) for key, value in values.items()}


_TEXT_LISTS = frozenset({"command", "args", "finalizers", "accessModes", "nameservers", "searches", "hostnames", "values", "add", "drop"})
"""Lists of strings."""
NULLS = {**dict.fromkeys(_TEXT_MAPS, ""), **dict.fromkeys(_QUANTITY_MAPS, "0")}
"""What a null in the maps under these fields decodes to."""


def _sourced_volumes(volumes: tuple[Volume, ...], document: dict[str, Any]) -> tuple[Volume, ...]:
    if not volumes:
        return volumes
    written = document["spec"]["volumes"]
    return tuple(
        volume if any(source.get(key) is not None for key in VOLUME_SOURCES) else replace(volume, empty_dir={})
        for volume, source in zip(volumes, written, strict=True)
    )


def default_pull_policy(image: str) -> str:
    """``Always`` for the tag latest, explicit or implied, otherwise ``IfNotPresent``; an unparsable name has no tag."""
    match = _REFERENCE.fullmatch(image) if len(image) <= _REFERENCE_CHARS_MAX else None
    if match is None:
        return "IfNotPresent"
    # ``latest`` is implied; a digest pins the image, with or without a tag.
    if match["tag"] is None and match["digest"] is None:
        return "Always"
    return "Always" if match["tag"] == "latest" else "IfNotPresent"
