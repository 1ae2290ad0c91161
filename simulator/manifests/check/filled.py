"""Fields that the server fills in, and fields that the simulation stores without using them: findings of severity info."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.defaulting.kinds import default_object
from simulator.engine.apiserver.defaulting.pod import default_pod_document
from simulator.engine.apiserver.store.unacted import unacted
from simulator.engine.apiserver.wire.catalog import catalog
from simulator.engine.apiserver.wire.field_paths import child
from simulator.engine.model.manifest import without_nulls
from simulator.engine.versions.release import Release
from simulator.manifests.check.findings import Finding
from simulator.manifests.check.modelled import is_modelled
from simulator.manifests.problems import INFO
from simulator.manifests.texts import _

_SHOWN_MAX = 40


class Filled(Struct, frozen=True, kw_only=True):
    """A value that the server fills in below ``parent``; ``name`` is the path from there."""

    parent: str
    name: str
    value: Any

    @property
    def path(self) -> str:
        """The path of the field."""
        return f"{self.parent}{'' if not self.parent or self.name.startswith('[') else '.'}{self.name}"


def filled_in(document: dict[str, Any], *, release: Release) -> Iterator[Filled]:
    """The plain values that the release adds, in the order of the document. Cost: O(document)."""
    plain = without_nulls(document)
    yield from _added(plain, defaulted(plain, release=release), "")


def defaulted(document: dict[str, Any], *, release: Release) -> dict[str, Any]:
    """A new document with the defaults of the version, but without what admission adds."""
    if document.get("kind") == "Pod":
        return default_pod_document(document, release=release)
    return default_object(document, release=release)


def _added(old: Any, new: Any, path: str) -> Iterator[Filled]:
    if isinstance(old, dict):  # what the text has is kept: a default never has another type
        for name, value in new.items():
            if name in old:
                yield from _added(old[name], value, child(path, name))
            # The parent stays the nearest map in the text, where the editor can show it.
            elif not isinstance(value, dict | list):
                yield Filled(parent=path, name=child("", name), value=value)
            elif value:
                yield from _leaves(value, path, child("", name))
    elif isinstance(old, list):
        for index, (before, after) in enumerate(zip(old, new, strict=False)):
            yield from _added(before, after, child(path, index))


def _leaves(value: Any, parent: str, name: str) -> Iterator[Filled]:
    """The plain values of a map or list that is entirely new; their parent stays the one that exists."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in entries:
        inner = child(name, key)
        if isinstance(item, dict | list):
            yield from _leaves(item, parent, inner)
        else:
            yield Filled(parent=parent, name=inner, value=item)


def default_findings(document: dict[str, Any], *, release: Release) -> Iterator[Finding]:
    """One finding for each part of the object that gets defaults."""
    parts: dict[str, list[Filled]] = {}
    for item in filled_in(document, release=release):
        parts.setdefault(item.parent, []).append(item)
    for parent, items in parts.items():
        words = ", ".join(f"{item.name}: {_shown(item.value)}" for item in items)
        yield Finding(
            path=parent,
            message=_("the server fills in %s") % words,
            code="default",
            severity=INFO,
            at_key=True,
            filled=tuple((item.path, item.value) for item in items),
        )


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = f'"{value}"' if value == "" else str(value)
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}…"


def unused_findings(document: dict[str, Any], *, minor: int) -> Iterator[Finding]:
    """Fields that are stored and shown but have no effect in the simulation, and kinds without a controller."""
    unused = list(unacted(document))
    for item in unused:
        message = _(item.sentence).format(**dict(item.data))
        yield Finding(path=item.path, message=message, code=item.rule.lower(), severity=INFO, at_key=item.path != "kind")
    schema = catalog(minor).schema(document["apiVersion"], document["kind"])
    if schema is not None:
        paths = {item.path for item in unused}
        yield from (finding for finding in _unused(document, schema, "") if finding.path not in paths)


def _unused(value: Any, schema: dict[str, Any], path: str) -> Iterator[Finding]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unused(item, schema.get("items", {}), child(path, index))
    if not isinstance(value, dict) or "properties" not in schema:
        return
    for name, item in value.items():
        field = schema["properties"].get(name)
        # The server itself handles all metadata, and status is not written for its effect.
        if field is None or name in ("status", "metadata"):
            continue
        if is_modelled(schema.get("title", ""), name):
            yield from _unused(item, field, child(path, name))
        else:
            message = _("%s is stored and shown, but has no effect in the simulation") % name
            yield Finding(path=child(path, name), message=message, code="not-modelled", severity=INFO, at_key=True)
