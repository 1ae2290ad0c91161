"""The size of the queue is limited: one check is planned per subject, whatever happens to it, and pods that are gone leave nothing."""

import json
from typing import Any

import pytest

from simulator.engine import ClusterSpec, NodeSpec, ScriptStep, World, advance, apply, new_world
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.drain import DrainNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.namespace import DeleteNamespace
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.patch import PatchPod
from tests.engine.worlds import container, header, moment, pod, run, script

HUGE = {"requests": {"cpu": "900"}}


def longest(*documents: dict[str, Any], seconds: int, steps: tuple[ScriptStep, ...], **more: Any) -> tuple[World, int]:
    """The world at its end, and the largest queue at the end of any second; the script's own events do not count."""
    world = new_world(header(*documents, script=steps, **more))
    most = 0
    for second in range(1, seconds + 1):
        batch = advance(world, until_ms=second * 1000, limit=20_000)
        assert batch.exhausted, f"more than 20,000 events in second {second}"
        most = max(most, len(world.queue) - sum(step.at_ms > second * 1000 for step in steps))
    return world, most


def every(period: float, command: AnyCommand, *, first: float, times: int) -> list[tuple[float, AnyCommand]]:
    return [(first + period * n, command) for n in range(times)]


def test_half_of_the_nodes_lost_keeps_the_queue_short() -> None:
    stops = [(20.0, NodeControl(node=f"node{n}", kubelet="stop")) for n in range(1, 11)]
    world, most = longest(pod(container("sleep 3600")), seconds=200, steps=script(*stops), nodes=20)
    assert most < 25
    assert sum(life.condition("Ready").status == "Unknown" for life in world.tables.node_life.values()) == 10


def test_zone_taints_one_lost_node_after_the_other() -> None:
    stops = [(20.0, NodeControl(node=f"node{n}", kubelet="stop")) for n in range(1, 4)]
    _, records = run(header(pod(container("sleep 3600")), nodes=20, script=script(*stops)), 200)
    tainted = [record.at_ms for record in records if record.machine == "taint" and record.rule == "NODE-TAINT-EXECUTE"]
    assert [later - earlier for earlier, later in zip(tainted, tainted[1:], strict=False)] == [10_000, 10_000]


def test_many_changes_plan_one_attempt_for_a_pod_that_waits() -> None:
    pods = [pod(container(resources=HUGE), name=f"big{n}") for n in range(20)]
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"}, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}  # fmt: skip
    changes = [
        (1 + n / 100, ApplyManifest(documents=(json.dumps({**claim, "metadata": {"name": f"c{n}"}}),))) for n in range(200)
    ]  # fmt: skip
    _, most = longest(*pods, seconds=30, steps=script(*changes), kubernetes="1.30")
    assert most <= 2 * len(pods) + 2  # and what the last claim and its volume have planned


def test_repeated_drains_plan_one_question_a_pod() -> None:
    labelled = pod(container(), name="p")
    labelled["metadata"]["labels"] = {"app": "p"}
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}, "spec": {
        "minAvailable": 1, "selector": {"matchLabels": {"app": "p"}}}}  # fmt: skip
    drains = [(20 + n / 10, DrainNode(node="node1", force=True, timeout_s=600 + n)) for n in range(40)]
    _, most = longest(labelled, budget, seconds=60, steps=script(*drains))
    assert most < 12


def test_patches_of_a_pod_with_a_deadline_plan_one_deadline() -> None:
    patches = [(10 + n / 2, PatchPod(target="default/p", patch=json.dumps({"metadata": {"labels": {"n": str(n)}}}))) for n in range(60)]
    world, most = longest(pod(container(), activeDeadlineSeconds=3000), seconds=60, steps=script(*patches))
    assert most < 10
    assert len([key for key in world.tables.checks if type(key).__name__ == "DeadlineDue"]) == 1


def test_restarted_kubelet_measures_a_volume_once() -> None:
    limited = pod(container(volumeMounts=[{"name": "v", "mountPath": "/v"}]), volumes=[{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}])
    steps = [step for n in range(10) for step in ((20 + n * 10, NodeControl(node="node1", kubelet="stop")),
                                                  (21 + n * 10, NodeControl(node="node1", kubelet="start")))]  # fmt: skip
    world, _ = longest(limited, seconds=130, steps=script(*steps))
    assert len(world.queue) < 8


@pytest.mark.parametrize("version", ["1.20", "1.30", "1.35"])
def test_pods_that_are_gone_leave_nothing_to_go_through(version: str) -> None:
    mounted = container(name="b", volumeMounts=[{"name": "e", "mountPath": "/e"}], resources={"limits": {"ephemeral-storage": "1Gi"}})
    crashing = pod(container("sleep 3; exit 1"), mounted, volumes=[{"name": "e", "emptyDir": {}}], activeDeadlineSeconds=3000)
    unpulled, big = pod(container(image="nope:1"), name="unpulled"), pod(container(resources=HUGE), name="big")
    deletions = [(60, DeletePod(target=f"default/{name}")) for name in ("p", "unpulled", "big")]
    world, _ = run(header(crashing, unpulled, big, kubernetes=version), 300, *deletions)
    assert len(world.queue) == 0
    left = ("backoffs", "checks", "measured", "mounts", "probes", "resizes", "series", "tries", "unscheduled", "workers")
    assert [name for name in left if getattr(world.tables, name)] == []
    assert list(world.tables.volumes) == ["token/default"]  # shared by the namespace


def test_namespace_with_many_pods_is_swept_once_a_round() -> None:
    pods = [{**pod(container(), name=f"p{n}"), "metadata": {"name": f"p{n}", "namespace": "busy"}} for n in range(40)]
    cluster = ClusterSpec(nodes=(NodeSpec(name="node1"),))
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "busy"}}
    world = new_world(header(space, *pods, cluster=cluster))
    advance(world, until_ms=30_000)
    apply(world, DeleteNamespace(name="busy"))
    advance(world, until_ms=50_000)
    assert sum(type(key).__name__ == "NamespaceSweep" for key in world.tables.checks) <= 1


def test_runtime_that_fails_again_counts_as_down_after_thirty_seconds_of_its_own() -> None:
    flaps = [(20, NodeControl(node="node1", runtime="kill")), (25, NodeControl(node="node1", runtime="start")),
             (40, NodeControl(node="node1", runtime="kill"))]  # fmt: skip
    _, records = run(header(pod(container("sleep 3600"))), 100, *flaps)
    assert moment(records, machine="node_condition", target="False", nth=3) >= 40 + 25
