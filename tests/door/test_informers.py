"""Clients that keep a copy of what they watch: after a thousand writes each equals a list, without a gap or a duplicate."""

import json
from random import Random
from typing import Any

import pytest

from simulator.door.answering import answer, watched
from simulator.door.exchange import DoorRequest
from simulator.door.scene import DoorScene
from simulator.door.watching import DoorWatch, Standing, back_to
from simulator.engine import RunHeader, advance, apply, new_world
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.kernel.command import Command
from simulator.engine.world.world import World

WRITES = 1000
SECRETS = "/api/v1/namespaces/default/secrets"
PART = (("labelSelector", "half=odd"),)


def scene_of(world: World) -> DoorScene:
    return DoorScene(world=world, now_ms=world.now_ms, wall_ms=1_800_000_000_000)


def request(query: tuple[tuple[str, str], ...], *, watch: bool) -> DoorRequest:
    more = (("watch", "true"),) if watch else ()
    return DoorRequest(path=SECRETS, query=(*query, *more), headers={"accept": "application/json", "user-agent": "python"})


class Informer:
    """A copy built from a watch, and the errors found in its events."""

    def __init__(self, world: World, query: tuple[tuple[str, str], ...]) -> None:
        self._query, self._last = query, 0
        self.held: dict[str, str] = {}
        self.told = 0
        found = watched(request(query, watch=True), scene_of(world))
        assert found is not None
        self._watch: DoorWatch = found
        self._standing: Standing
        self._standing, text = found.begin(scene_of(world))
        self._hear(text, is_first=True)

    def go_on(self, world: World, before: World) -> None:
        """Process the events since."""
        self._standing, text = self._watch.go_on(self._standing, scene_of(world), lambda: scene_of(before))
        self._hear(text)

    def _hear(self, text: bytes, *, is_first: bool = False) -> None:
        for line in text.splitlines():
            event = json.loads(line)
            metadata = event["object"]["metadata"]
            name, version = metadata["name"], int(metadata["resourceVersion"])
            if not is_first:
                assert version > self._last, f"{event['type']} {name}: {version} after {self._last}"
                self._last = version
            self.told += 1
            if event["type"] == "DELETED":
                assert name in self.held, f"{name} went twice"
                del self.held[name]
            else:
                assert (event["type"] == "ADDED") == (name not in self.held), f"{event['type']} of {name}"
                self.held[name] = str(event["object"].get("data"))
        self._last = max(self._last, self._standing.position if is_first else 0)


def listed(world: World, query: tuple[tuple[str, str], ...]) -> dict[str, str]:
    items = json.loads(answer(request(query, watch=False), scene_of(world)).body)["items"]
    return {item["metadata"]["name"]: str(item.get("data")) for item in items}


def write(random: Random, held: list[str], number: int) -> Command:
    """A Secret that is created, changed, moved in or out of the selector, or deleted."""
    how = random.randrange(4) if held else 0
    if how == 0 or len(held) < 5:
        labels = {"half": random.choice(("odd", "even"))}
        document = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": f"s{number}", "labels": labels}, "data": {"n": "MQ=="}}
        return ApplyManifest(documents=(json.dumps(document),), namespace="default", create=True)
    name = random.choice(held)
    if how == 1:
        return DeleteObject(kind="Secret", namespace="default", name=name)
    body: Any = {"stringData": {"n": str(number)}} if how == 2 else {"metadata": {"labels": {"half": random.choice(("odd", "even"))}}}
    return PatchObject(kind="Secret", namespace="default", name=name, patch=json.dumps(body), patch_kind="merge")


@pytest.mark.parametrize("seed", [1, 2])
def test_a_thousand_writes_leave_three_informers_with_what_a_list_shows(seed: int) -> None:
    random = Random(seed)
    world = new_world(RunHeader(kubernetes="1.33"))
    queries: list[tuple[tuple[str, str], ...]] = [(), PART, (("fieldSelector", "type=Opaque"),)]
    informers = [Informer(world, query) for query in queries]
    for number in range(WRITES):
        advance(world, until_ms=world.now_ms + random.randrange(3))
        earlier = world.fork()
        own = next(record for record in apply(world, write(random, sorted(listed(world, ())), number)) if record.kind == "command")
        assert own.target == "accepted", own
        for informer in informers:
            informer.go_on(world, earlier)
    assert [informer.held for informer in informers] == [listed(world, query) for query in queries]
    assert informers[0].told > WRITES * 3 // 4


def test_a_watch_goes_on_at_once_from_the_position_of_the_store() -> None:
    world = new_world(RunHeader(kubernetes="1.30"))
    for name in ("a", "b"):
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}}
        apply(world, ApplyManifest(documents=(json.dumps(secret),), namespace="default"))
    position = int(json.loads(answer(request((), watch=False), scene_of(world)).body)["metadata"]["resourceVersion"])
    for wanted, is_there in ((position - 1, False), (position, True), (position + 1, True)):
        watch = watched(request((("resourceVersion", str(wanted)),), watch=True), scene_of(world))
        assert watch is not None and (watch.begun(scene_of(world)) is not None) is is_there


@pytest.mark.parametrize(("wanted", "moment_ms"), [(10_000, 9_000), (9_000, 9_000), (8_999, 5_000), (5_000, 5_000), (4_999, 0), (0, 0)])
def test_an_earlier_position_is_searched_further_and_further_back(wanted: int, moment_ms: int) -> None:
    """The position is the moment here, so each step back can be told."""
    assert back_to(wanted, from_ms=10_000, position_at=lambda ms: ms) == moment_ms


def test_a_position_before_the_first_moment_is_too_old() -> None:
    with pytest.raises(ApiError, match=r"too old resource version: 4 \(5\)"):
        back_to(4, from_ms=10_000, position_at=lambda ms: ms + 5)
