"""Deletions at awkward moments: during an image pull, of a whole namespace, of a sandbox."""

from typing import Any

import pytest

from simulator.engine import ClusterSpec, ImageSpec, NodeSpec, Record, World
from simulator.engine.acts.objects.namespace import DeleteNamespace
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.sandbox import KillSandbox
from simulator.engine.apiserver.documents.pod import pod_document
from tests.engine.worlds import container, events, header, moment, pod, run

STUBBORN = "trap '' TERM; while true; do sleep 1; done"


def pulling(*commands: Any, kubernetes: str, seconds: float = 80) -> tuple[World, list[Record]]:
    """A pod whose image takes 30 seconds to pull."""
    images = (ImageSpec(name="slow:1", pull_ms=30_000),)
    cluster = ClusterSpec(nodes=(NodeSpec(name="node1"),), images=images, unlisted_images="missing")
    return run(header(pod(container(image="slow:1")), kubernetes=kubernetes, cluster=cluster), seconds, *commands)


def test_old_kubelet_lets_a_pod_go_while_its_image_is_pulled() -> None:
    world, records = pulling((5, DeletePod(target="default/p")), kubernetes="1.21")
    assert moment(records, machine="sandbox", target="stopped") < 8
    assert moment(records, machine="object", target="gone") < 20
    assert not any(text.startswith(("Created", "Started", "Killing")) for text in events(records))
    assert (world.tables.workers, world.tables.instances, len(world.queue)) == ({}, {}, 0)


def test_newer_kubelet_waits_for_the_pull_and_stops_what_was_started() -> None:
    _, records = pulling((5, DeletePod(target="default/p")), kubernetes="1.22")
    assert moment(records, machine="object", target="gone") > 30
    assert "Killing: Stopping container app" in events(records)


@pytest.mark.parametrize(("kubernetes", "stopped_s"), [("1.21", 5.04), ("1.22", 30.53)])
def test_pod_that_is_lost_while_it_pulls_is_killed_at_once_by_an_old_kubelet(kubernetes: str, stopped_s: float) -> None:
    """The pod killer of 1.21 does not involve the worker; since 1.22 the worker kills, but its sync keeps pulling: cancelling it stops no
    pull."""
    world, records = pulling((5, DeletePod(target="default/p", force=True)), kubernetes=kubernetes)
    assert moment(records, machine="sandbox", target="stopped") == stopped_s
    assert (world.tables.workers, len(world.queue)) == ({}, 0)


def second_pulls(kubernetes: str, seconds: float, *commands: Any, script: str = STUBBORN, grace: int = 3) -> tuple[World, list[Record]]:
    """A pod whose first container runs while the image of its second takes 20 seconds to pull, so that no status mentions it yet."""
    images = (ImageSpec(name="busybox:1.28", present=True), ImageSpec(name="slow:1", pull_ms=20_000))
    cluster = ClusterSpec(nodes=(NodeSpec(name="node1"),), images=images, unlisted_images="missing")
    document = pod(container(script, name="first"), container(image="slow:1", name="second"), terminationGracePeriodSeconds=grace)
    return run(header(document, kubernetes=kubernetes, cluster=cluster), seconds, *commands)


def test_old_kubelet_kills_what_runs_unseen_before_the_sandbox_while_it_pulls() -> None:
    world, records = second_pulls("1.20", 60, (5, DeletePod(target="default/p")))
    assert moment(records, machine="container", target="exited") == 9.01  # housekeeping at 6 s, and the pod's own grace period
    assert moment(records, machine="sandbox", target="stopped") == 9.04
    assert not any(text.startswith("Killing") for text in events(records))  # housekeeping no longer knows the pod
    assert (world.tables.workers, len(world.queue)) == ({}, 0)


def test_old_kubelet_announces_the_kill_of_a_pod_that_was_deleted_by_force_while_it_pulls() -> None:
    _, records = second_pulls("1.20", 60, (5, DeletePod(target="default/p", force=True)))
    assert [text for text in events(records) if text.startswith("Killing")] == ["Killing: Stopping container first"]
    assert moment(records, machine="sandbox", target="stopped") == 7.04  # the minimum is two seconds


def test_pull_that_ends_before_the_container_next_to_it_leaves_nothing_behind() -> None:
    world, records = second_pulls("1.20", 120, (5, DeletePod(target="default/p")), grace=30)
    assert moment(records, machine="sandbox", target="stopped") > 36
    assert not any(item.runs for item in world.tables.instances["default/p"])
    assert (world.tables.workers, len(world.queue)) == ({}, 0)


@pytest.mark.parametrize(("kubernetes", "reason"), [("1.21", "ErrImagePull"), ("1.22", "ContainerCreating")])
def test_reason_of_waiting_is_forgotten_when_a_newer_kubelet_ends_the_pod(kubernetes: str, reason: str) -> None:
    """A deleted pod's containers are not to be restarted, so the reason cache is not used; an old kubelet writes no status at all."""
    document = pod(container(image="nosuch/app:1"))
    world, records = run(header(document, kubernetes=kubernetes), 10.02, (10, DeletePod(target="default/p")))
    waiting = pod_document(world, "default/p")["status"]["containerStatuses"][0]["state"]["waiting"]
    assert waiting["reason"] == reason
    assert not any(text.startswith("Killing") for text in events(records))


@pytest.mark.parametrize("kubernetes", ["1.20", "1.30"])
def test_container_is_not_created_in_a_sandbox_that_went_during_the_pull(kubernetes: str) -> None:
    world, records = pulling((5, KillSandbox(target="default/p")), kubernetes=kubernetes)
    assert any("Error: failed to get sandbox container task: no running task found: task " in text for text in events(records))
    assert "CreateContainerError" in [record.target for record in records if record.machine == "status_word"]
    assert (world.tables.pods["default/p"].status.phase, world.tables.sandboxes["default/p"].attempt) == ("Running", 1)


@pytest.mark.parametrize("kubernetes", ["1.20", "1.30"])
def test_init_container_that_runs_again_in_a_new_sandbox_has_no_last_state(kubernetes: str) -> None:
    """The records of init containers are purged before the new sandbox is made."""
    first, second = container("exit 0", name="first"), container("sleep 30", name="second")
    document = pod(container("sleep 600"), initContainers=[first, second])
    world, _ = run(header(document, kubernetes=kubernetes), 60, (10, KillSandbox(target="default/p")))
    status = pod_document(world, "default/p")["status"]["initContainerStatuses"][0]
    assert (status["restartCount"], status["lastState"]) == (1, {})


def in_namespace(script: str, name: str, **spec: Any) -> dict[str, Any]:
    document = pod(container(script), name=name, **spec)
    document["metadata"]["namespace"] = "ns"
    return document


def test_no_event_is_written_into_a_namespace_that_is_gone() -> None:
    """A finished pod makes an old API server delete the others with no grace period, and the namespace is gone before the kubelet acts."""
    done, runs = in_namespace("exit 0", "a", restartPolicy="Never"), in_namespace(STUBBORN, "p", terminationGracePeriodSeconds=10)
    _, records = run(header(done, runs, kubernetes="1.20"), 40, (5, DeleteNamespace(name="ns")))
    assert events([record for record in records if record.at_ms > 5000]) == []
