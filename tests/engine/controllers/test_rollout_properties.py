"""Invariants of every rollout, whatever is requested in between: its limits, that it comes to rest, and that it replays."""

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator.engine import RunHeader, Stamped, World, advance, apply, new_world, replay
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.workloads.image import SetWorkloadImage
from simulator.engine.acts.workloads.rollout import PauseRollout, RestartRollout, UndoRollout
from simulator.engine.acts.workloads.scale import ScaleWorkload
from simulator.engine.controllers.deployment.arithmetic import Bounds, bounds_of
from simulator.engine.controllers.deployment.deployment import deployment_sync
from simulator.engine.controllers.deployment.replica_sets import number_of, replicas_of
from simulator.engine.controllers.replica_set import replica_set_sync
from simulator.engine.workloads.objects import spec_of
from simulator.engine.world.effects import REVISIONS, Effects
from simulator.engine.world.events import DeploymentSync, ReplicaSetSync
from simulator.engine.world.lookups import objects_of
from simulator.engine.world.world import ApiObject
from tests.engine.test_properties import live
from tests.engine.worlds import header

NAMES: dict[str, Any] = {"kind": "Deployment", "namespace": "default", "name": "web"}
GOOD, BAD = "busybox:1.29", "nowhere/app:1"
END_MS = 60_000
few = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)


def deployment(replicas: int, surge: int | str, missing: int | str, strategy: str = "RollingUpdate") -> dict[str, Any]:
    """A Deployment with these limits."""
    containers = [{"name": "app", "image": "busybox:1.28", "command": ["sleep", "3600"]}]
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"terminationGracePeriodSeconds": 2, "containers": containers}}
    how: dict[str, Any] = {"type": strategy}
    if strategy == "RollingUpdate":
        how["rollingUpdate"] = {"maxSurge": surge, "maxUnavailable": missing}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "strategy": how, "progressDeadlineSeconds": 15}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {**spec, "template": template}}


def heads(*strategies: str) -> st.SearchStrategy[RunHeader]:
    """Runs of one Deployment; the API server rejects 0 and 0."""
    amount = st.sampled_from([0, 1, 2, "25%", "50%", "100%"])
    return st.builds(
        lambda replicas, surge, missing, strategy, version: header(
            deployment(replicas, surge if (surge, missing) != (0, 0) else 1, missing, strategy), kubernetes=version, images=(GOOD,), nodes=2
        ),
        st.integers(0, 7), amount, amount, st.sampled_from(strategies), st.sampled_from(["1.20", "1.30", "1.37"]),
    )  # fmt: skip


def commands() -> st.SearchStrategy[AnyCommand]:
    """Requests about the Deployment."""
    return st.one_of(
        st.builds(lambda n: ScaleWorkload(**NAMES, replicas=n), st.integers(0, 8)),
        st.builds(lambda image: SetWorkloadImage(**NAMES, container="app", image=image), st.sampled_from([GOOD, BAD, "busybox:1.28"])),
        st.just(RestartRollout(**NAMES)),
        st.builds(lambda n: UndoRollout(**NAMES, to_revision=n), st.integers(0, 2)),
        st.builds(lambda paused: PauseRollout(**NAMES, paused=paused), st.booleans()),
        st.just(DeletePod(target="default/none")),
    )


def stamped() -> st.SearchStrategy[list[Stamped]]:
    """Commands at moments of the run."""
    moments = st.lists(st.tuples(st.integers(0, 40_000), commands()), max_size=5)
    return moments.map(lambda items: [Stamped(at, n, command) for n, (at, command) in enumerate(sorted(items, key=lambda item: item[0]))])


def instants(head: RunHeader, given_commands: list[Stamped]) -> Iterator[tuple[World, list[ApiObject], bool]]:
    """The world after each event, with the ReplicaSets before it; True if a command was given then."""
    world = new_world(head)
    for command in [*given_commands, None]:
        until_ms = command.at_ms if command is not None else END_MS
        while True:
            before = list(objects_of(world.tables, "ReplicaSet"))
            is_over = advance(world, until_ms=until_ms, limit=1).exhausted
            yield world, before, False
            if is_over:
                break
        if command is not None:
            before = list(objects_of(world.tables, "ReplicaSet"))
            apply(world, command.command)
            yield world, before, True


def bounds(world: World) -> Bounds:
    """The Deployment's current desired state."""
    return bounds_of(spec_of(world.tables.objects[("Deployment", "default", "web")]))


def asked(rows: list[ApiObject]) -> int:
    return sum(map(replicas_of, rows))


def kept(rows: list[ApiObject], available: dict[str, int]) -> int:
    """How many of the available pods the ReplicaSets still want."""
    return sum(min(replicas_of(row), available.get(row.uid, 0)) for row in rows)


@few
@given(heads("RollingUpdate"), stamped())
def test_controller_never_asks_for_more_than_wanted_and_surge(head: RunHeader, given_commands: list[Stamped]) -> None:
    for world, before, is_asked in instants(head, given_commands):
        after = list(objects_of(world.tables, "ReplicaSet"))
        if not is_asked and asked(after) > asked(before):
            assert asked(after) <= bounds(world).most


@few
@given(heads("RollingUpdate"), stamped())
def test_controller_never_takes_more_than_may_be_missing(head: RunHeader, given_commands: list[Stamped]) -> None:
    wanted_before = -1
    for world, before, is_asked in instants(head, given_commands):
        found = bounds(world)
        is_scaled = is_asked or found.wanted != wanted_before
        wanted_before = found.wanted
        after = list(objects_of(world.tables, "ReplicaSet"))
        available = {row.uid: number_of(row, "availableReplicas") for row in before}
        was, now = kept(before, available), kept(after, available)
        if not is_scaled and now < was and asked(before) <= found.most and not spec_of(_web(world)).get("paused"):
            assert now >= found.least


def _web(world: World) -> ApiObject:
    return world.tables.objects[("Deployment", "default", "web")]


@few
@given(heads("RollingUpdate", "Recreate"), stamped())
def test_second_round_of_an_unchanged_world_writes_nothing(head: RunHeader, given_commands: list[Stamped]) -> None:
    world = replay(head, given_commands, until_ms=END_MS)
    revision, records = world.counters[REVISIONS], []
    for _ in range(2):
        deployment_sync(Effects(world, records), DeploymentSync("default", "web"))
        for row in list(objects_of(world.tables, "ReplicaSet")):
            replica_set_sync(Effects(world, records), ReplicaSetSync(row.namespace, row.name))
    assert (records, world.counters[REVISIONS]) == ([], revision)


@few
@given(heads("RollingUpdate", "Recreate"), stamped(), st.integers(1, 40))
def test_rollout_is_the_same_however_it_is_sliced(head: RunHeader, given_commands: list[Stamped], limit: int) -> None:
    assert live(head, given_commands, limit=limit).digest() == replay(head, given_commands, until_ms=90_000).digest()


def test_template_of_a_run_is_json() -> None:
    """A check of the strategies above: the API server accepts the Deployments they produce."""
    world = new_world(header(deployment(2, 1, 0)))
    advance(world, until_ms=1000)
    assert json.loads(_web(world).document)["status"]["replicas"] == 2
