"""Requests to the store of a small world, and their effects."""

import json
from typing import Any

from simulator.engine import Record, World, advance, apply, new_world
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.objects.replace import ReplaceObject
from tests.engine.worlds import container, header, pod

Document = dict[str, Any]


def config(name: str = "app", **more: Any) -> Document:
    """A ConfigMap."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **more.pop("metadata", {})}, "data": {"a": "1"}, **more}


def budget(name: str = "two", labels: Document | None = None, **spec: Any) -> Document:
    """A PodDisruptionBudget for pods with the label app=web."""
    selector = {"matchLabels": labels or {"app": "web"}}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": {"selector": selector, **spec}}


def web(name: str, **spec: Any) -> Document:
    """A pod with the label app=web."""
    document = pod(container(), name=name, **spec)
    return {**document, "metadata": {"name": name, "labels": {"app": "web"}}}


def world_of(*documents: Document, at: float = 5, **more: Any) -> World:
    """A world that has run for a while."""
    world = new_world(header(*documents, **more))
    advance(world, until_ms=round(at * 1000))
    return world


def apply_yaml(*documents: Document, **more: Any) -> ApplyManifest:
    """``kubectl apply`` of these documents."""
    return ApplyManifest(documents=tuple(json.dumps(document) for document in documents), **more)


def patch(kind: str, name: str, body: Any, *, how: str = "merge", **more: Any) -> PatchObject:
    """``kubectl patch``."""
    return PatchObject(kind=kind, namespace=more.pop("namespace", "default"), name=name, patch=json.dumps(body), patch_kind=how, **more)


def put(document: Document, **more: Any) -> ReplaceObject:
    """``kubectl replace``."""
    return ReplaceObject(document=json.dumps(document), **more)


def delete(kind: str, name: str, **more: Any) -> DeleteObject:
    """DELETE."""
    return DeleteObject(kind=kind, namespace="default", name=name, **more)


def refused(world: World, command: AnyCommand) -> Record:
    """The record of a refused command."""
    records = apply(world, command)
    assert [record.target for record in records] == ["refused"]
    return records[0]


def accepted(world: World, command: AnyCommand) -> list[Record]:
    """What an accepted command wrote besides its own record."""
    records = apply(world, command)
    assert records[0].target == "accepted", records[0].data
    return records[1:]


def after(world: World, seconds: float) -> list[Record]:
    """Let time pass."""
    return advance(world, until_ms=world.now_ms + round(seconds * 1000)).records
