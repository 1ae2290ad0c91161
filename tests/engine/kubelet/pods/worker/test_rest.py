"""The syncs of a quiet pod are computed arithmetically; playing each as an event would give the same."""

from typing import Any

import pytest
from msgspec.structs import replace

from simulator.bench.random_runs import random_run
from simulator.engine import Course, Record, RunHeader, Stamped, World
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.containers.probe import SetProbe
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.drain import DrainNode
from simulator.engine.acts.nodes.static_pod import PlaceStaticPod
from simulator.engine.acts.nodes.taint import TaintNode
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.sandbox import KillSandbox
from simulator.engine.kernel.rng import jitter_ms, jitters_ms
from simulator.engine.kubelet.pods.worker import sync_timing as workers
from simulator.engine.projection.pod import pod_view
from simulator.engine.world.rest import up_to_now
from tests.engine.worlds import container, header, pod, run, stamped

TICKS = {"exec": {"command": ["true"]}, "periodSeconds": 1}
PODS = (
    pod(container("sleep 3600"), name="p"),
    pod(container("sleep 3600"), name="q", tolerations=[{"operator": "Exists"}]),
    pod(container("sleep 3600", readinessProbe=TICKS), name="probed"),
    pod(container("sleep 20; exit 1"), name="crash"),
    pod(container(volumeMounts=[{"name": "v", "mountPath": "/v"}]), name="mount", volumes=[{"name": "v", "configMap": {"name": "c"}}]),
)
CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "b"}}
STATIC = '{"kind": "Pod", "metadata": {"name": "stat"}, "spec": {"containers": [{"name": "app", "image": "busybox:1.28"}]}}'
LABELS = PatchObject(kind="Pod", namespace="default", name="p", patch='{"metadata": {"labels": {"a": "b"}}}', patch_kind="merge")
AWAKENERS: dict[str, list[tuple[float, AnyCommand]]] = {
    "nothing": [],
    "deletion": [(400.2, DeletePod(target="default/p")), (533, DeletePod(target="default/q", grace_s=0, force=True))],
    "labels": [(400, LABELS), (401.5, replace(LABELS, patch='{"metadata": {"labels": {"a": "c"}}}'))],
    "exit": [(390, ExitContainer(target="default/p", container="app", exit_code=3))],
    "probe": [(300, SetProbe(target="default/probed", container="app", probe="readiness", outcome="failure")),
              (420, SetProbe(target="default/probed", container="app", probe="readiness", outcome=None))],
    "sandbox": [(450, KillSandbox(target="default/p"))],
    "drain": [(350, DrainNode(node="node1", force=True))],
    "taint": [(350, TaintNode(node="node1", add=("k=v:NoExecute",)))],
    "static pod": [(350, PlaceStaticPod(node="node1", document=STATIC)), (500, PlaceStaticPod(node="node1", remove="stat"))],
    "kubelet": [(350, NodeControl(node="node1", kubelet="stop")), (420, NodeControl(node="node1", kubelet="start"))],
    "kubelet for long": [(350, NodeControl(node="node1", kubelet="stop")), (700, NodeControl(node="node1", kubelet="start"))],
    "runtime": [(350, NodeControl(node="node1", runtime="stop")), (480, NodeControl(node="node1", runtime="start"))],
    "network": [(350, NodeControl(node="node1", network_plugin="missing")), (480, NodeControl(node="node1", network_plugin="present"))],
}  # fmt: skip
Heard = list[tuple[list[Record], list[tuple[Any, ...]]]]


def heard(head: RunHeader, commands: list[Stamped], *, until_ms: int, step_ms: int = 11_000) -> Heard:
    """What is written from look to look, and the state of the kubelet's workers."""
    course = Course(head, commands)
    return [(course.drive(at_ms).records, shown(course.world)) for at_ms in range(step_ms, until_ms + 1, step_ms)]


def shown(world: World) -> list[tuple[Any, ...]]:
    rows = (up_to_now(world, row) for row in world.tables.workers.values())
    return [(row.pod, row.state, row.step, row.syncs, row.busy_until_ms, row.sync_due_ms, row.pending, row.failed) for row in rows]


def each_an_event(monkeypatch: pytest.MonkeyPatch, head: RunHeader, commands: list[Stamped], *, until_ms: int) -> Heard:
    with monkeypatch.context() as patched:
        patched.setattr(workers, "may_rest", lambda *_: False)
        return heard(head, commands, until_ms=until_ms)


@pytest.mark.parametrize(("version", "jitter"), [("1.20", True), ("1.33", False)])
@pytest.mark.parametrize("awakener", AWAKENERS)
def test_an_awakened_pod_is_as_if_each_sync_had_been_an_event(
    monkeypatch: pytest.MonkeyPatch, version: str, awakener: str, jitter: bool
) -> None:
    """Each version and each random phase with every trigger: a version does not affect how a pause is drawn."""
    head = header(*PODS, CONFIG, kubernetes=version, jitter=jitter, nodes=2)
    commands = stamped(*AWAKENERS[awakener])
    assert heard(head, commands, until_ms=900_000) == each_an_event(monkeypatch, head, commands, until_ms=900_000)


@pytest.mark.parametrize("number", range(24))
def test_random_runs_are_the_same_with_each_sync_as_an_event(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    head, given = random_run(number)
    commands = [replace(item, at_ms=item.at_ms * (1 + number % 4)) for item in given]
    assert heard(head, commands, until_ms=800_000) == each_an_event(monkeypatch, head, commands, until_ms=800_000)


@pytest.mark.parametrize("lane_ms", [-1, 0, 1])
def test_a_change_in_the_very_millisecond_of_a_sync_comes_before_or_after_it_as_ever(monkeypatch: pytest.MonkeyPatch, lane_ms: int) -> None:
    head = header(PODS[0])
    course = Course(head)
    course.drive(300_000)
    due_ms = up_to_now(course.world, course.world.tables.workers["default/p"]).sync_due_ms
    assert due_ms is not None
    bare = replace(LABELS, patch='{"metadata": {"labels": null}}')
    commands = [Stamped(due_ms + lane_ms - 10, 1, LABELS), Stamped(due_ms + lane_ms, 2, bare)]
    assert heard(head, commands, until_ms=600_000) == each_an_event(monkeypatch, head, commands, until_ms=600_000)


def test_a_calm_pod_queues_nothing_and_its_next_sync_is_known_all_the_same() -> None:
    world, _ = run(header(PODS[0]), 3_000)
    assert len(world.queue) == 1  # the end of its sleep
    view = pod_view(world, "default/p")
    assert view is not None
    (sync,) = (item for item in view.next if item.name == "sync")
    assert 3_000_000 < sync.at_ms < 3_091_000


def test_a_fork_of_a_pod_at_rest_goes_on_as_the_original() -> None:
    course = Course(header(*PODS, CONFIG, jitter=True))
    course.drive(500_000)
    twin = course.fork()
    for one in (course, twin):
        one.give(Stamped(500_000, 1, DeletePod(target="default/p")))
        one.drive(700_000)
    assert course.world.digest() == twin.world.digest()
    assert shown(course.world) == shown(twin.world)


@pytest.mark.parametrize("jitter", [True, False])
def test_draws_in_a_row_are_the_draws_one_by_one(jitter: bool) -> None:
    row = jitters_ms(7, "resync/default/p", 3, 60_000, 50, jitter=jitter)
    assert [next(row) for _ in range(20)] == [jitter_ms(7, "resync/default/p", n, 60_000, 50, jitter=jitter) for n in range(3, 23)]


def test_pods_that_find_nothing_to_do_are_at_rest() -> None:
    world, _ = run(header(*PODS, CONFIG), 300)
    at_rest = {row.pod for row in world.tables.workers.values() if row.rests}
    assert at_rest >= {"default/p", "default/q", "default/probed"}
    assert "default/mount" not in at_rest  # its ConfigMap may have changed by the next sync
