"""The entry points for a stranger's text: one function for each parser or way into a run.

Each takes any text and must return, quickly and without an exception that a page would not expect. The return value is only compared: the
same text has to give the same answer a second time.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from simulator.engine import ImageSpec, RunHeader, World, advance, apply, new_world
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.exec import ExecInContainer
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.objects.replace import ReplaceObject
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.apiserver.create import CreateRequest, create_answer
from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.apiserver.list_selectors import field_test, label_selector
from simulator.engine.containers import BadBehaviour, parse_block, parse_reference
from simulator.engine.kubelet.pods.start.launch import behaviour_blocks
from simulator.engine.model.quantity import BadQuantity, canonical, parse
from simulator.engine.versions.release import Release
from simulator.engine.world.cluster import ClusterSpec, NodeSpec
from simulator.imports.build import import_text
from simulator.kubectl.kubectl import kubectl
from simulator.kubectl.pods import describe
from simulator.kubectl.yaml import to_yaml
from simulator.manifests.check.check import check_text
from simulator.manifests.editor.diagnostics import diagnose
from simulator.manifests.editor.preview.preview import preview
from simulator.manifests.read.loader import load
from simulator.manifests.script.cluster import read_cluster
from simulator.manifests.script.durations import duration_ms
from simulator.manifests.script.script import read_script

VERSION = "1.33"
UNTIL_MS = 30_000
"""How far a text's run is played: its pods are scheduled, pulled and started by then."""
SHOWN = ("get pods -o wide", "get pods -o yaml", "describe pods", "describe deployments,rs", "get all", "get pdb", "events")
_POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "namespace": "default", "labels": {"app": "web"}},
    "spec": {"containers": [{"name": "app", "image": "busybox:1.36", "command": ["sleep", "3600"]}]},
}
_CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "default"}, "data": {"a": "1"}}


def _header(*manifests: str, kubernetes: str = VERSION) -> RunHeader:
    images = (ImageSpec(name="busybox:1.36", present=True),)
    cluster = ClusterSpec(nodes=(NodeSpec(name="node1"),), images=images)
    return RunHeader(kubernetes=kubernetes, jitter=False, seed=1, cluster=cluster, manifests=manifests)


@cache
def _world() -> World:
    world = new_world(_header(json.dumps(_POD), json.dumps(_CONFIG)))
    advance(world, until_ms=UNTIL_MS)
    return world


def _load(text: str) -> Any:
    loaded = load(text)
    return len(loaded.documents), loaded.problems


def _check(text: str) -> Any:
    checked = check_text(text, kubernetes=VERSION)
    return [item.name for item in checked.documents], checked.problems


def _diagnose(text: str) -> Any:
    return diagnose(text, kubernetes=VERSION)


def _create(text: str) -> Any:
    """The API server's answer to a POST, in a new and an old version."""
    documents = [raw.value for raw in load(text).documents if isinstance(raw.value, dict)]
    return [create_answer(document, CreateRequest(release=Release(minor))) for document in documents for minor in (20, 33)]


def _run(text: str) -> Any:
    """The outcome of a run of the objects, and kubectl's output about it."""
    checked = check_text(text, kubernetes=VERSION, strict=False)
    if not checked.ok or not checked.documents:
        return checked.problems
    world = new_world(_header(*(item.json for item in checked.documents)))
    advance(world, until_ms=UNTIL_MS, limit=20_000)
    shown = [kubectl(world, line) for line in SHOWN]
    return shown, [describe(world, key) for key in world.tables.pods]


def _preview(text: str) -> Any:
    return preview(_world().fork(), check_text(text, kubernetes=VERSION))


def _commanded(command: AnyCommand) -> Any:
    world = _world().fork()
    records = apply(world, command)
    advance(world, until_ms=world.now_ms + UNTIL_MS, limit=20_000)
    return records, to_yaml(object_document(world, "Pod", "default", "web"))


def _patch(kind: str, patch_kind: str) -> Callable[[str], Any]:
    name = "web" if kind == "Pod" else "c"
    return lambda text: _commanded(PatchObject(kind=kind, namespace="default", name=name, patch=text, patch_kind=patch_kind))


def _selected(text: str) -> Any:
    """Both kinds of selectors of a list request."""
    found: list[Any] = []
    for read in (label_selector, lambda given: field_test("Pod", given, minor=33)({})):
        try:
            found.append(read(text))
        except ApiError as error:
            found.append(error.answer)
    return found


def _quantity(text: str) -> Any:
    try:
        return canonical(parse(text))
    except BadQuantity as error:
        return str(error)


def _behaviour(text: str) -> Any:
    """A behaviour block, and the same text as the blocks of a pod."""
    try:
        return parse_block(text), behaviour_blocks(text)
    except BadBehaviour as error:
        return str(error), behaviour_blocks(text)


def _line(text: str) -> Any:
    return kubectl(_world(), text)


def _words(text: str) -> Any:
    """A text where one word is expected: as an image reference, a duration, and a command of ``kubectl exec``."""
    return parse_reference(text), duration_ms(text), _commanded(ExecInContainer(target="default/web", command=("sh", "-c", text)))[1]


def _import(text: str) -> Any:
    found = import_text(text)
    return found.problems, found.kubernetes, found.title


DOORS: Mapping[str, Callable[[str], Any]] = {
    "load": _load,
    "check": _check,
    "diagnose": _diagnose,
    "create": _create,
    "run": _run,
    "preview": _preview,
    "replace": lambda text: _commanded(ReplaceObject(document=text)),
    "patch": _patch("Pod", "strategic"),
    "patch-merge": _patch("Pod", "merge"),
    "patch-json": _patch("ConfigMap", "json"),
    "script": lambda text: read_script(text, kubernetes=VERSION),
    "cluster": read_cluster,
    "import": _import,
    "kubectl": _line,
    "selector": _selected,
    "quantity": _quantity,
    "behaviour": _behaviour,
    "words": _words,
}
