"""Deletions at awkward moments: while an image is pulled, of a whole namespace, of a sandbox."""

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
    """A pod whose image takes 30 seconds to come."""
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
    """A finished pod makes an old API server delete the others without grace, and the namespace goes before the kubelet acts."""
    done, runs = in_namespace("exit 0", "a", restartPolicy="Never"), in_namespace(STUBBORN, "p", terminationGracePeriodSeconds=10)
    _, records = run(header(done, runs, kubernetes="1.20"), 40, (5, DeleteNamespace(name="ns")))
    assert events([record for record in records if record.at_ms > 5000]) == []
