"""Static pods whose mirror the API server refuses: rejected when they are placed, kept running when they lose it."""

import json
from typing import Any

import pytest

from simulator.engine import Record, World
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.static_pod import PlaceStaticPod
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.namespace import DeleteNamespace
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.patch import PatchPod
from tests.engine.worlds import container, header, pod, run, words

SPACE = "shop"
HELD = {
    **pod(container("sleep 900"), nodeSelector={"no": "where"}),
    "metadata": {"name": "held", "namespace": SPACE, "finalizers": ["a.b/c"]},
}
DELETE, STOP, START = DeleteNamespace(name=SPACE), NodeControl(node="node1", kubelet="stop"), NodeControl(node="node1", kubelet="start")
RELEASE = PatchPod(target=f"{SPACE}/held", patch='{"metadata": {"finalizers": null}}')


def placed(document: dict[str, Any] | None = None) -> PlaceStaticPod:
    return PlaceStaticPod(node="node1", namespace=SPACE, document=json.dumps(document or pod(container("sleep 900"), name="stat")))


def played(*commands: tuple[float, AnyCommand], seconds: float = 60, version: str = "1.33") -> tuple[World, list[Record]]:
    return run(header(HELD, kubernetes=version), seconds, *commands)


def refusals(records: list[Record]) -> list[tuple[str, Any]]:
    return [(record.rule, record.get("message")) for record in records if record.machine == "command" and record.target == "refused"]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.33", ("STATIC-UNSEEN", 'pods "stat-node1" is forbidden: a mirror pod may not reference secrets')),
        ("1.34", ("STATIC-REFERS", "secrets")),
    ],
)
def test_manifest_that_refers_to_a_secret_is_not_placed(version: str, expected: tuple[str, str]) -> None:
    document = pod(container("sleep 900", envFrom=[{"secretRef": {"name": "s"}}]), name="stat")
    world, records = played((1, placed(document)), version=version, seconds=5)
    assert refusals(records) == [expected] and not world.tables.static_pods


CONFIG = {"envFrom": [{"configMapRef": {"name": "s"}}]}
OF_CLAIM = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]}


@pytest.mark.parametrize(
    ("version", "document", "text"),
    [
        ("1.20", pod(container(**CONFIG), name="stat"), 'node "node1" can not create pods that reference configmaps'),
        ("1.33", pod(container(), name="stat", **OF_CLAIM), 'node "node1" can not create pods that reference persistentvolumeclaims'),
        ("1.33", pod(container(), name="stat", serviceAccountName="default"), "a mirror pod may not reference service accounts"),
    ],
)
def test_manifest_that_refers_to_what_a_node_may_not_use_is_not_placed(version: str, document: dict[str, Any], text: str) -> None:
    world, records = played((1, placed(document)), version=version, seconds=5)
    assert refusals(records) == [("STATIC-UNSEEN", f'pods "stat-node1" is forbidden: {text}')] and not world.tables.static_pods


def test_node_may_not_create_such_a_mirror_either_where_the_kubelet_does_not_look() -> None:
    document = pod(container(**CONFIG), name="stat")
    _, records = run(header(HELD, kubernetes="1.34", gates={"PreventStaticPodAPIReferences": False}), 5, (1, placed(document)))
    said = 'pods "stat-node1" is forbidden: node "node1" can not create pods that reference "configmaps"'
    assert refusals(records) == [("STATIC-UNSEEN", said)]


def test_manifest_for_which_a_quota_has_no_room_is_not_placed() -> None:
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": SPACE}, "spec": {"hard": {"pods": "1"}}}
    _, records = played((1, ApplyManifest(documents=(json.dumps(quota),), namespace=SPACE)), (2, placed()), seconds=5)
    assert [rule for rule, _ in refusals(records)] == ["STATIC-UNSEEN"]


def lost(*commands: tuple[float, AnyCommand], seconds: float = 60) -> tuple[World, list[Record]]:
    """A static pod whose namespace is being deleted, so that its mirror is gone and cannot be recreated."""
    return played((1, placed()), (6, DELETE), *commands, seconds=seconds)


def test_static_pod_runs_on_without_a_mirror_and_says_why_once() -> None:
    world, records = lost(seconds=200)
    noted = [record.get("text") for record in records if record.rule == "STATIC-MIRROR-REFUSED"]
    assert len(noted) == 1 and "because it is being terminated" in str(noted[0])
    assert words(records, machine="object", subject=f"pod/{SPACE}/stat-node1")[-1] == "gone"
    assert [item.state for item in world.tables.instances[f"{SPACE}/stat-node1"]] == ["running"]


def test_container_of_a_static_pod_without_a_mirror_is_started_again() -> None:
    world, records = played((1, placed(pod(container("sleep 20; exit 1"), name="stat"))), (6, DELETE), seconds=40)
    gone = next(record.at_ms for record in records if record.target == "gone" and "stat-node1" in record.subject)
    after = [record for record in records if record.at_ms > gone and "stat-node1" in record.subject]
    assert [record.rule for record in after if record.machine in ("sandbox", "phase", "condition")] == []
    assert [item.attempt for item in world.tables.instances[f"{SPACE}/stat-node1"] if item.runs] == [1]


def test_kubelet_that_comes_back_keeps_what_runs_without_a_mirror() -> None:
    world, records = lost((20, STOP), (25, START), seconds=100)
    assert not [record for record in records if record.machine == "container" and record.target == "exited"]
    assert world.tables.workers[f"{SPACE}/stat-node1"].state == "syncing"


def test_file_that_goes_ends_what_runs_without_a_mirror() -> None:
    world, records = lost((20, PlaceStaticPod(node="node1", remove="stat", namespace=SPACE)))
    assert words(records, machine="container", subject=f"container/{SPACE}/stat-node1/app")[-1] == "exited"
    assert not world.tables.static_pods


def test_file_that_came_and_went_while_the_kubelet_was_away_leaves_nothing() -> None:
    removal = PlaceStaticPod(node="node1", remove="stat", namespace=SPACE)
    world, _ = played((1, STOP), (2, placed()), (3, removal), (4, START))
    assert not world.tables.static_pods and f"{SPACE}/stat-node1" not in world.tables.pods


def test_file_whose_mirror_became_impossible_while_the_kubelet_was_away_waits() -> None:
    world, records = played((1, STOP), (2, placed()), (3, DELETE), (4, START))
    assert [record.rule for record in records if record.machine == "note" and record.subject == "node/node1"] == ["STATIC-MIRROR-REFUSED"]
    assert next(iter(world.tables.static_pods.values())).pod == ""


def seen(*commands: tuple[float, AnyCommand], seconds: float = 60) -> str:
    """When the kubelet saw the manifest in node1's mirror, as seconds and fraction of the first minute."""
    world, _ = run(header(epoch_s=0), seconds, *commands)
    row = world.live_pod(SPACE, "stat-node1")
    assert row is not None
    return row.pod.metadata.annotations["kubernetes.io/config.seen"].removeprefix("1970-01-01T00:00:")


@pytest.mark.parametrize(
    ("commands", "moment"),
    [
        (((5.25, placed()),), "05.25Z"),
        (((5, placed()), (10, DeletePod(target=f"{SPACE}/stat-node1"))), "05Z"),  # a new mirror of what was seen before
        (((1, STOP), (5, placed()), (10, START)), "15.7Z"),
        (((5, placed()), (10, STOP), (12, START), (30, DeletePod(target=f"{SPACE}/stat-node1"))), "17.7Z"),  # another kubelet
        (((5, placed()), (10, STOP), (12, START)), "05Z"),  # which does not touch a mirror that matches its pod
    ],
)
def test_mirror_says_when_the_kubelet_saw_the_manifest(commands: tuple[tuple[float, AnyCommand], ...], moment: str) -> None:
    assert seen(*commands) == moment
