"""The act that a patch stands for.

kubectl carries out ``cordon``, ``label``, ``set image`` or ``rollout restart`` by patches of its own. A run treats
those as the acts that the page's buttons and its kubectl tab give, so that a script leaves the same records whichever
way it is run. Only patches exactly as kubectl sends them are recognized; anything else stays a patch.

Source: kubectl pkg/drain/cordon.go, pkg/cmd/{taint,label,annotate,set},
pkg/polymorphichelpers/{objectrestarter,objectpauser,objectresumer,rollback}.go.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.nodes.taint import TaintNode
from simulator.engine.acts.objects.load import SetLoad
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.acts.pods.set_image import SetPodImage
from simulator.engine.acts.workloads.earlier import UNDONE, earlier, earlier_number, has_returned, returned
from simulator.engine.acts.workloads.image import ROLLED, SetWorkloadImage
from simulator.engine.acts.workloads.rollout import PAUSED, RESTARTED, RESTARTED_AT, PauseRollout, RestartRollout, UndoRollout
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.apiserver.documents.pod import pod_document
from simulator.engine.apiserver.patch.request import patched
from simulator.engine.kernel.json_text import Json, decode
from simulator.engine.network.load.spec import ANNOTATION as LOAD
from simulator.engine.world.world import World
from simulator.kubectl.tables.model import at

_TEMPLATES = {"Pod": ("spec",), "CronJob": ("spec", "jobTemplate", "spec", "template", "spec")}
_LISTS = ("initContainers", "containers")
Meaning = Callable[[Any, PatchObject, World], "AnyCommand | None"]


def meant_by(command: AnyCommand, world: World) -> AnyCommand:
    """The act that a patch stands for; any other command is returned as it is."""
    if not isinstance(command, PatchObject | PatchPod) or command.subresource:
        return command
    body = decode(command.patch)
    if isinstance(command, PatchPod):
        return _of_pod(body, command, world)
    for meaning in _MEANINGS:
        found = meaning(body, command, world)
        if found is not None:
            return found
    return command


def _only(body: Any, *path: str) -> Any:
    """The value at the end of a path, if the path is all the body contains; None otherwise."""
    for key in path:
        if not isinstance(body, dict) or list(body) != [key]:
            return None
        body = body[key]
    return body


def _names(command: PatchObject) -> dict[str, str]:
    return {"kind": command.kind, "namespace": command.namespace, "name": command.name}


# ---- nodes -----------------------------------------------------------------------------------------------------------
def _cordon(body: Any, command: PatchObject, world: World) -> AnyCommand | None:
    spec = _only(body, "spec")
    if command.kind != "Node" or not isinstance(spec, dict) or list(spec) != ["unschedulable"]:
        return None
    wanted, node = spec["unschedulable"], world.tables.nodes.get(command.name)
    if wanted not in (True, False, None) or node is None or node.unschedulable == bool(wanted):
        return None  # kubectl sends nothing if the node already is as asked
    return CordonNode(node=command.name, unschedulable=bool(wanted))


def _taint(body: Any, command: PatchObject, world: World) -> AnyCommand | None:
    if command.kind != "Node" or not isinstance(_only(body, "spec"), dict) or "taints" not in body["spec"]:
        return None
    if any(key != "taints" and key.partition("/")[2] != "taints" for key in body["spec"]):
        return None
    before = object_document(world, "Node", "", command.name)
    try:
        after = patched(before, command.patch, command.patch_kind, minor=world.release.minor)
    except ApiError:
        return None
    held, wanted = _taints(before), _taints(after)
    add = tuple(_taint_text(*key, value) for key, value in wanted.items() if held.get(key) != value or key not in held)
    remove = tuple(_taint_text(*key, value) for key, value in held.items() if key not in wanted)
    return TaintNode(node=command.name, add=add, remove=remove) if add or remove else None


def _taints(node: Json) -> dict[tuple[str, str], str]:
    taints = (node.get("spec") or {}).get("taints") or []
    return {(each.get("key", ""), each.get("effect", "")): each.get("value", "") for each in taints}


def _taint_text(key: str, effect: str, value: str) -> str:
    return f"{key}={value}:{effect}" if value else f"{key}:{effect}"


def _label(body: Any, command: PatchObject, _world: World) -> AnyCommand | None:
    labels = _only(body, "metadata", "labels")
    return LabelNode(node=command.name, labels=labels) if command.kind == "Node" and _is_texts(labels) else None


def _is_texts(found: Any) -> bool:
    return isinstance(found, dict) and bool(found) and all(value is None or isinstance(value, str) for value in found.values())


def _load(body: Any, command: PatchObject, _world: World) -> AnyCommand | None:
    wanted = _only(body, "metadata", "annotations")
    if command.kind != "Service" or not _is_texts(wanted) or list(wanted) != [LOAD]:
        return None
    return SetLoad(namespace=command.namespace, name=command.name, load=wanted[LOAD] or "")


# ---- rollouts --------------------------------------------------------------------------------------------------------
def _restart(body: Any, command: PatchObject, world: World) -> AnyCommand | None:
    at = _only(body, "spec", "template", "metadata", "annotations", RESTARTED_AT)
    if command.kind not in RESTARTED or not isinstance(at, str) or _is_paused(command, world):
        return None
    return RestartRollout(**_names(command))


def _pause(body: Any, command: PatchObject, world: World) -> AnyCommand | None:
    spec = _only(body, "spec")
    if command.kind not in PAUSED or not isinstance(spec, dict) or list(spec) != ["paused"]:
        return None
    wanted = spec["paused"]
    is_change = wanted in (True, False, None) and bool(wanted) is not _is_paused(command, world)
    return PauseRollout(**_names(command), paused=bool(wanted)) if is_change else None


def _is_paused(command: PatchObject, world: World) -> bool:
    return bool((_document(command, world).get("spec") or {}).get("paused"))


def _document(command: PatchObject, world: World) -> Json:
    """The object that is patched; empty where there is none."""
    try:
        return object_document(world, command.kind, command.namespace, command.name)
    except KeyError:
        return {}


def _undo(body: Any, command: PatchObject, world: World) -> AnyCommand | None:
    row = world.tables.objects.get((command.kind, command.namespace, command.name))
    if command.kind not in UNDONE or row is None or _is_paused(command, world) or not _replaces_template(body):
        return None
    before = object_document(world, command.kind, command.namespace, command.name)
    try:
        after = patched(before, command.patch, command.patch_kind, minor=world.release.minor)
    except ApiError:
        return None
    for number in _revisions(world, row):
        to = earlier(world.tables, row, number)
        if to is not None and not has_returned(row, to) and _template(returned(before, to)) == _template(after):
            return UndoRollout(**_names(command), to_revision=number)
    return None


def _replaces_template(body: Any) -> bool:
    """Whether a patch replaces the whole template, as ``rollout undo`` does, and does nothing else."""
    if isinstance(body, list):
        paths = [each.get("path") for each in body if isinstance(each, dict) and each.get("op") == "replace"]
        return len(paths) == len(body) and "/spec/template" in paths and set(paths) <= {"/spec/template", "/metadata/annotations"}
    template = _only(body, "spec", "template")
    return isinstance(template, dict) and template.get("$patch") == "replace"


def _revisions(world: World, row: Any) -> Iterator[int]:
    """The previous revision, then each by its number, newest first."""
    yield 0
    newest = earlier(world.tables, row, 0)
    yield from range(earlier_number(newest) if newest is not None else 0, 0, -1)


def _template(document: Json) -> Any:
    return (document.get("spec") or {}).get("template")


# ---- containers ------------------------------------------------------------------------------------------------------
def _containers(body: Any, kind: str) -> dict[str, list[Json]] | None:
    """The containers of a patch that only changes images or variables, by list, as the kubectl tab writes them; None for other patches."""
    spec = _only(body, *_TEMPLATES.get(kind, ("spec", "template", "spec")))
    if not isinstance(spec, dict) or not any(key in spec for key in _LISTS):
        return None
    found: dict[str, list[Json]] = {}
    for key in spec:
        if key in _LISTS and isinstance(spec[key], list):
            entries = [_plain(entry) for entry in spec[key]]
            if None in entries:
                return None
        elif not key.startswith("$setElementOrder/"):
            return None
    for key in _LISTS:
        if spec.get(key):
            found[key] = [entry for entry in map(_plain, spec[key]) if entry is not None]
    return found


def _plain(entry: Any) -> Json | None:
    """A container with just a name and an image, or a name and variables, without the keys that only set an order; None for any other."""
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        return None
    kept = {key: value for key, value in entry.items() if not key.startswith("$setElementOrder/")}
    if set(kept) == {"name", "image"}:
        return {"name": kept["name"], "image": kept["image"]}
    if set(kept) == {"name", "env"} and isinstance(kept["env"], list):
        variables = [_variable(each) for each in kept["env"]]
        return None if None in variables else {"name": kept["name"], "env": variables}
    return None


def _variable(entry: Any) -> Json | None:
    if not isinstance(entry, dict) or "name" not in entry:
        return None
    other = next((key for key in entry if key != "name"), "")
    return {"name": entry["name"], other: entry[other]} if set(entry) in ({"name", "value"}, {"name", "$patch"}) else None


def _are_there(lists: dict[str, list[Json]], document: Json, kind: str) -> bool:
    """Whether the object has these containers: a patch that names another adds it, which ``set image`` does not."""
    spec = at(document, *_TEMPLATES.get(kind, ("spec", "template", "spec"))) or {}
    return all(entry["name"] in {each.get("name") for each in spec.get(key) or ()} for key, entries in lists.items() for entry in entries)


def _images(body: Any, command: PatchObject, world: World) -> AnyCommand | None:
    lists = _containers(body, command.kind) if command.patch_kind == "strategic" else None
    if lists is None or not _are_there(lists, _document(command, world), command.kind):
        return None
    one = [entry for entries in lists.values() for entry in entries]
    if len(one) == 1 and "image" in one[0] and command.kind in ROLLED:
        return SetWorkloadImage(**_names(command), container=one[0]["name"], image=one[0]["image"])
    return replace(command, patch=json.dumps(_nested(lists, command.kind)))


def _nested(lists: dict[str, list[Json]], kind: str) -> Json:
    body: Json = dict(lists)
    for key in reversed(_TEMPLATES.get(kind, ("spec", "template", "spec"))):
        body = {key: body}
    return body


def _of_pod(body: Any, command: PatchPod, world: World) -> AnyCommand:
    lists = _containers(body, "Pod") if command.kind == "strategic" else None
    row = world.tables.pods.get(command.target)
    if lists is None or (row is not None and not _are_there(lists, pod_document(world, row.key), "Pod")):
        return command
    one = [entry for entries in lists.values() for entry in entries]
    if len(one) == 1 and "image" in one[0]:
        return SetPodImage(target=command.target, container=one[0]["name"], image=one[0]["image"])
    return replace(command, patch=json.dumps(_nested(lists, "Pod")))


_MEANINGS: tuple[Meaning, ...] = (_cordon, _taint, _label, _load, _restart, _pause, _undo, _images)
