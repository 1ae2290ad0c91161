"""Worlds with StatefulSets, DaemonSets and claims are as deterministic as any other: repeated, resumed in the middle, and forked."""

import json

import pytest

from simulator.engine import RunHeader, World, advance, apply
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.shutdown import ShutdownNode
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.controllers.daemon_set.daemon_set import daemon_set_sync
from simulator.engine.controllers.stateful_set.stateful_set import stateful_set_sync
from simulator.engine.controllers.volume_binder import claim_sync, volume_sync
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.records import Record
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import ClaimSync, DaemonSetSync, StatefulSetSync, VolumeSync
from simulator.engine.world.lookups import objects_of
from tests.engine.controllers.test_daemon_set import daemons
from tests.engine.controllers.test_stateful_set import NEW, claims
from tests.engine.controllers.test_volume_binder import storage_class
from tests.engine.worlds import header, run

COMMANDS: list[tuple[float, AnyCommand]] = [
    (8, PatchObject(kind="StatefulSet", namespace="default", name="web", patch=json.dumps({"spec": NEW}))),
    (9, PatchObject(kind="DaemonSet", namespace="default", name="ds", patch=json.dumps({"spec": NEW}))),
    (30, ShutdownNode(node="node2", grace_s=0)),
    (120, PatchObject(kind="StatefulSet", namespace="default", name="web", patch=json.dumps({"spec": {"replicas": 1}}))),
]
LATE: Json = storage_class("standard", default=True)


def world_header(version: str, *, jitter: bool) -> RunHeader:
    return header(LATE, claims(whenDeleted="Delete"), daemons(), kubernetes=version, nodes=3, jitter=jitter, seed=7)


@pytest.mark.parametrize("jitter", [False, True])
@pytest.mark.parametrize("version", ["1.20", "1.30", "1.37"])
def test_run_is_the_same_again_and_forked(version: str, jitter: bool) -> None:
    head = world_header(version, jitter=jitter)
    whole, records = run(head, 200, *COMMANDS)
    again, repeated = run(head, 200, *COMMANDS)
    assert (whole.digest(), records) == (again.digest(), repeated)
    middle, _ = run(head, 100, *COMMANDS[:3])
    twin = middle.fork()
    for world in (middle, twin):
        advance(world, until_ms=120_000)
        apply(world, COMMANDS[3][1])
        advance(world, until_ms=200_000)
    assert middle.digest() == twin.digest()


def second_round(world: World) -> list[Record]:
    """What the controllers write when they sync everything again."""
    out: list[Record] = []
    fx = Effects(world, out)
    stateful_set_sync(fx, StatefulSetSync("default", "web"))
    daemon_set_sync(fx, DaemonSetSync("default", "ds"))
    for row in list(objects_of(world.tables, "PersistentVolumeClaim")):
        claim_sync(fx, ClaimSync(row.namespace, row.name))
    for row in list(objects_of(world.tables, "PersistentVolume")):
        volume_sync(fx, VolumeSync(row.name))
    return out


@pytest.mark.parametrize("version", ["1.20", "1.30", "1.37"])
@pytest.mark.parametrize("seconds", [7, 28, 119])
def test_second_round_in_an_unchanged_world_writes_nothing(version: str, seconds: int) -> None:
    world, _ = run(world_header(version, jitter=False), seconds, *(item for item in COMMANDS if item[0] < seconds))
    assert second_round(world.fork()) == []
