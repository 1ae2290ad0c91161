"""Docker's messages where they differ from containerd's."""

import json
from typing import Any

import pytest

from simulator.engine import Record, World
from simulator.engine.acts.containers.image import SetImage
from simulator.engine.apiserver.documents.node import node_document
from simulator.engine.apiserver.documents.pod import pod_document
from simulator.engine.containers.docker import familiar
from tests.engine.worlds import container, header, pod, run

RUNC = 'container_linux.go:380: starting container process caused: exec: "{name}": {reason}: unknown'
NOT_FOUND = "executable file not found in $PATH"
NOTHING = {"name": "app", "image": "busybox:1.28", "command": ["nothing"]}


def played(*containers: dict[str, Any], seconds: float = 20, version: str = "1.23", **spec: Any) -> tuple[World, list[Record]]:
    return run(header(pod(*containers, **spec), kubernetes=version, runtime="docker"), seconds)


def status(world: World) -> dict[str, Any]:
    found: dict[str, Any] = pod_document(world, "default/p")["status"]["containerStatuses"][0]
    return found


@pytest.mark.parametrize(
    ("image", "expected"),
    [("nginx", "nginx:latest"), ("docker.io/library/nginx:1.25", "nginx:1.25"), ("quay.io/a/b:1", "quay.io/a/b:1"), ("a/b", "a/b:latest")],
)
def test_image_has_its_short_name(image: str, expected: str) -> None:
    assert familiar(image) == expected


def test_status_and_node_name_docker() -> None:
    world, _ = played(container("sleep 900"))
    shown = status(world)
    assert shown["containerID"].startswith("docker://") and shown["image"] == "busybox:1.28"
    assert shown["imageID"].startswith("docker-pullable://busybox@sha256:")
    assert node_document(world, "node1")["status"]["nodeInfo"]["containerRuntimeVersion"] == "docker://20.10.8"


def test_version_without_a_dockershim_has_containerd() -> None:
    world, _ = played(container("sleep 900"), version="1.24")
    assert status(world)["containerID"].startswith("containerd://")
    assert node_document(world, "node1")["status"]["nodeInfo"]["containerRuntimeVersion"] == "containerd"


@pytest.mark.parametrize(
    ("name", "reason", "code"), [("nothing", NOT_FOUND, 127), ("/etc/passwd", "permission denied", 126), ("/no", "", 127)]
)
def test_program_that_cannot_be_started(name: str, reason: str, code: int) -> None:
    world, _ = played({**NOTHING, "command": [name]}, restartPolicy="Never")
    ended = status(world)["state"]["terminated"]
    assert (ended["reason"], ended["exitCode"]) == ("ContainerCannotRun", code) and ended["startedAt"] == ended["finishedAt"]
    assert ended["message"].startswith("OCI runtime create failed: " + RUNC.format(name=name, reason=reason)[: -len(": unknown")])


def test_start_that_fails_names_the_container_in_the_event_and_the_id_in_the_status() -> None:
    world, records = played(NOTHING, seconds=1.4)
    problem = f"Error response from daemon: OCI runtime create failed: {RUNC.format(name='nothing', reason=NOT_FOUND)}"
    assert [record.get("message") for record in records if record.rule == "START-ERROR" and record.machine == "k8s_event"][0] == (
        f'Error: failed to start container "app": {problem}'
    )
    waiting = status(world)["state"]["waiting"]
    assert waiting["reason"] == "RunContainerError" and waiting["message"].endswith(f'": {problem}') and '"app"' not in waiting["message"]


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("nginx:none", "manifest for nginx:none not found: manifest unknown: manifest unknown"),
        (
            "mine",
            "pull access denied for mine, repository does not exist or may require 'docker login': "
            "denied: requested access to the resource is denied",
        ),
    ],
)
def test_pull_of_what_the_registry_does_not_have(image: str, expected: str) -> None:
    world, _ = played({"name": "app", "image": image}, seconds=3)
    assert status(world)["state"]["waiting"]["message"] == f"rpc error: code = Unknown desc = Error response from daemon: {expected}"


def test_image_of_another_system_has_no_manifest() -> None:
    image = SetImage(image="mcr.microsoft.com/windows/nanoserver:ltsc2022", available=True)
    head = header(pod({"name": "app", "image": image.image}), kubernetes="1.23", runtime="docker")
    world, _ = run(head, 20, (0, image))
    assert "no matching manifest for linux/amd64 in the manifest list entries" in json.dumps(events_of(world))


def events_of(world: World) -> list[str]:
    return [row.message for row in world.tables.k8s_events.values()]


def test_hook_that_cannot_be_run_says_the_same_each_time_and_so_counts() -> None:
    hook = {"postStart": {"exec": {"command": ["badcommand"]}}}
    world, _ = played({"name": "app", "image": "nginx:1.16.1", "lifecycle": hook}, version="1.20")
    (told,) = [row for row in world.tables.k8s_events.values() if row.reason == "FailedPostStartHook"]
    text = f"OCI runtime exec failed: exec failed: {RUNC.format(name='badcommand', reason=NOT_FOUND)}".replace('"', '\\"')
    assert told.count >= 2
    assert told.message.endswith(f"failed - error: command 'badcommand' exited with 126: , message: \"{text}\\r\\n\"")


def test_probe_that_cannot_be_run_fails_instead_of_erring() -> None:
    probe = {"exec": {"command": ["nothing"]}, "periodSeconds": 1, "failureThreshold": 1}
    _, records = played(container("sleep 900", readinessProbe=probe))
    told = [record.get("message") for record in records if record.machine == "k8s_event" and record.target == "Unhealthy"]
    assert told and str(told[0]).startswith("Readiness probe failed: OCI runtime exec failed: exec failed: ")
