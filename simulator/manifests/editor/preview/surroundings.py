"""What a run provides for the check of a text: the objects it has, and which changes to them the API server would refuse."""

import json
import re
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

from simulator.engine import apply
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.apiserver.store.surroundings import cluster_of
from simulator.engine.apiserver.wire.field_paths import child
from simulator.engine.model.manifest import without_nulls
from simulator.engine.versions.minors import minor_number
from simulator.engine.world.world import World
from simulator.kubectl.yaml import to_yaml
from simulator.manifests.check.check import Checked, Document
from simulator.manifests.check.findings import Finding
from simulator.manifests.editor.advice import ObjectPlace
from simulator.manifests.editor.diagnostics import TextSurroundings
from simulator.manifests.editor.preview.live import editable, known_names, live_object
from simulator.manifests.editor.preview.preview import refusal_of
from simulator.manifests.editor.reference.mutable import NEVER, RESIZE, YES, mutable_paths
from simulator.manifests.problems import ERROR

_AROUND = ("Service", "PodDisruptionBudget", "PriorityClass")
_AROUND_MAX = 200
_CHANGES_MAX = 20
"""The most objects of a text that are tried; a text with more of them is not an edit of a single one."""
_PLACES_MAX = 5
_ELSEWHERE = -1
_POSITIONS = re.compile(r"\[[^\]]*\]")


def surroundings_of(world: World) -> TextSurroundings:
    """The cluster of a world. O(objects); for a report, each change to an existing object is tried on a fork."""
    around, changes = partial(_places_around, world), partial(_refused, world)
    return TextSurroundings(known=known_names(world), around=around, changes=changes, admission=cluster_of(world))


def _places_around(world: World) -> tuple[ObjectPlace, ...]:
    return tuple(ObjectPlace(document=_ELSEWHERE, kind=kind, namespace=space, value=value) for kind, space, value in _around(world))


def _around(world: World) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Kind, namespace and document (as it was sent) of the objects that advice looks at."""
    pods = (row for row in world.tables.pods.values() if row.gone_ms is None)
    yield from (("Pod", row.namespace, json.loads(row.document)) for row in islice(pods, _AROUND_MAX))
    others = (row for row in world.tables.objects.values() if row.kind in _AROUND)
    yield from ((row.kind, row.namespace, json.loads(row.document)) for row in islice(others, _AROUND_MAX))


def _refused(world: World, checked: Checked) -> Iterator[tuple[int, Finding]]:
    """The official messages about changes to existing objects, at the fields that may not change."""
    broken = {problem.document for problem in checked.problems if problem.severity == ERROR}
    known = known_names(world)
    there = [item for item in checked.documents if (item.kind, item.namespace, item.name) in known and item.index not in broken]
    for document in there[:_CHANGES_MAX]:
        command = ApplyManifest(documents=(document.json,), namespace=document.namespace or "default", dry_run=True)
        # Each change is tried by itself, on a world without the others.
        answer = refusal_of(apply(world.fork(), command), document)
        for cause in answer.causes if answer is not None else ():
            message = cause.message.split("\n", 1)[0]
            for path, old in _places(world, document, cause.field):
                yield document.index, Finding(path=path, message=message, code="update-refused", hint=old)


def _places(world: World, document: Document, field: str) -> list[tuple[str, str]]:
    """(path, current value) of the fields below ``field`` that differ and may not change; ``field`` itself if none can be identified."""
    live = live_object(world, document.kind, document.namespace, document.name)
    if live is None:
        return [(field, "")]
    mutable = mutable_paths(document.kind, minor_number(world.header.kubernetes))
    changed = _changed(live.editable, editable(without_nulls(document.doc)), "")
    found = [(path, old) for path, old in changed if _is_below(path, field) and _word(path, mutable) in (NEVER, RESIZE)]
    # The server names the spec as a whole; the table of mutable fields tells which parts are meant.
    return found[:_PLACES_MAX] or [(field, "")]


def _is_below(path: str, field: str) -> bool:
    return path == field or path.startswith((f"{field}.", f"{field}["))


def _word(path: str, mutable: dict[str, str]) -> str:
    """Whether and how a field may change: the longest prefix of its path in the table decides."""
    plain = _POSITIONS.sub("[]", path)
    while plain:
        if plain in mutable:
            return mutable[plain]
        plain = plain.removesuffix("[]") if plain.endswith("[]") else plain.rpartition(".")[0]
    return YES


def _changed(old: Any, new: Any, path: str) -> Iterator[tuple[str, str]]:
    """Paths where the text differs from the live object, with the current plain value; fields that the text leaves out stay unchanged."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in new.items():
            yield from _changed(old[key], value, child(path, key)) if key in old else ((child(path, key), ""),)
    elif isinstance(old, list) and isinstance(new, list):
        for index, item in enumerate(new):
            yield from _changed(old[index], item, child(path, index)) if index < len(old) else ((child(path, index), ""),)
        if len(new) < len(old):
            yield path, ""
    elif old != new:
        yield path, to_yaml(old).strip() if not isinstance(old, dict | list) else ""
