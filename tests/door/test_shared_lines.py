"""The shared work of many watches of one kind: each changed object is serialised once for all watches that receive the same event."""

import json
import pickle
from typing import Any

import pytest

from simulator.door import watching
from simulator.door.answering import watched
from simulator.door.exchange import DoorRequest
from simulator.door.scene import DoorScene
from simulator.door.watching import DoorWatch, Standing
from simulator.engine import RunHeader, apply, new_world
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.world.world import World

SECRETS = "/api/v1/namespaces/default/secrets"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
WATCHERS, CHANGED = 50, 3


def secret(name: str) -> str:
    labels = {"half": "odd" if name[-1] in "13579" else "even"}
    return json.dumps({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "labels": labels}, "data": {"n": "MQ=="}})


@pytest.fixture
def world() -> World:
    world = new_world(RunHeader(kubernetes="1.33"))
    apply(world, ApplyManifest(documents=tuple(secret(f"s{number}") for number in range(20)), namespace="default", create=True))
    return world


def scene_of(world: World) -> DoorScene:
    return DoorScene(world=world, now_ms=world.now_ms, wall_ms=1_800_000_000_000)


def begun(world: World, accept: str = "application/json", selector: str = "") -> tuple[DoorWatch, Standing]:
    query = (("watch", "true"), *([("labelSelector", selector)] if selector else []))
    request = DoorRequest(path=SECRETS, query=query, headers={"accept": accept, "user-agent": "python"})
    watch = watched(request, scene_of(world))
    assert watch is not None
    return watch, watch.begin(scene_of(world))[0]


def everybody(world: World) -> list[tuple[DoorWatch, Standing]]:
    """Watches with different selectors, half of which match one half of the objects, and some for the table."""
    plain = [begun(world, selector=f"half!=odd{number}") for number in range(WATCHERS // 2)]
    half = [begun(world, selector=f"half=odd,half!=x{number}") for number in range(WATCHERS // 2)]
    return [*plain, *half, begun(world, TABLE), begun(world, TABLE, "half=even")]


def changed(world: World, data: str = "Mg==") -> World:
    """Two that are written and one that is deleted; the world before."""
    before = world.fork()
    for name in ("s1", "s2"):
        patch = json.dumps({"data": {"n": data}})
        apply(world, PatchObject(kind="Secret", namespace="default", name=name, patch=patch, patch_kind="merge"))
    apply(world, DeleteObject(kind="Secret", namespace="default", name="s3"))
    return before


def gone_on(watches: list[tuple[DoorWatch, Standing]], world: World, before: World) -> list[tuple[Standing, bytes]]:
    known: dict[Any, Any] = {}
    earlier = scene_of(before)
    return [watch.go_on(standing, scene_of(world), lambda: earlier, known) for watch, standing in watches]


def test_an_object_is_written_once_for_all_who_see_it_alike(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    monkeypatch.setattr(watching, "json_bytes", lambda document: written.append(document) or str(len(written)).encode())
    watches = everybody(world)
    before = changed(world)
    written.clear()
    gone_on(watches, world, before)
    assert len(written) == 2 * CHANGED  # as JSON, and as rows of a table


def test_each_is_told_what_it_would_be_told_alone(world: World) -> None:
    watches = everybody(world)
    before = changed(world)
    together = [text for _, text in gone_on(watches, world, before)]
    assert together == [gone_on([each], world, before)[0][1] for each in watches]
    assert [text.count(b"\n") for text in (together[0], together[WATCHERS - 1], together[-1])] == [CHANGED, 2, 1]


def test_where_they_stand_takes_no_more_for_many_than_for_one(world: World) -> None:
    watches = everybody(world)
    standings = [standing for standing, _ in gone_on(watches, world, changed(world))]
    again = pickle.loads(pickle.dumps(standings))
    assert again == standings and all(each.sent is again[0].sent for each in again)
    watches = [(watch, standing) for (watch, _), standing in zip(watches, again, strict=True)]
    known: dict[Any, Any] = {}
    before = changed(world, "Mw==")
    for watch, standing in watches:
        watch.go_on(standing, scene_of(world), lambda: scene_of(before), known)
    assert len([key for key in known if key[0] == "changes"]) == 1


def test_one_that_the_selectors_take_no_more_is_gone_and_comes_back_as_new(world: World) -> None:
    watch, standing = begun(world, selector="half=odd")
    words = []
    for half in ("even", "even", "odd"):
        before = world.fork()
        body = json.dumps({"metadata": {"labels": {"half": half, "n": str(len(words))}}})
        apply(world, PatchObject(kind="Secret", namespace="default", name="s5", patch=body, patch_kind="merge"))
        ((standing, text),) = gone_on([(watch, standing)], world, before)
        words.append([json.loads(line)["type"] for line in text.splitlines()])
    assert words == [["DELETED"], [], ["ADDED"]]
