"""Numbers and texts of the profile as a run shows them: probes, termination messages, events, thresholds, quotas."""

import json
from typing import Any

import pytest

from simulator.engine import ClusterSpec, ImageSpec, NodeSpec, advance, new_world
from simulator.engine.acts.nodes.pressure import SetNodePressure
from simulator.engine.api.container import Container, ContainerPort
from simulator.engine.controllers.kubelet.ports import resolve_port
from simulator.engine.views.document import pod_document
from simulator.engine.views.event_document import event_documents
from tests.engine.worlds import container, events, header, moment, pod, run

SLEEPS = "sleep 9999"
SERVER = ClusterSpec(nodes=(NodeSpec(name="node1"),), images=(ImageSpec(name="server:1", present=True),))


def server(listens: dict[str, Any], probe: dict[str, Any]) -> dict[str, Any]:
    """A pod that answers on port 80 as declared, with a readiness probe."""
    document = pod({"name": "app", "image": "server:1", "readinessProbe": probe})
    block = {"app": {"listens": [{"port": 80, **listens}]}}
    document["metadata"]["annotations"] = {"podscope.dev/behaviour": json.dumps(block)}
    return document


def said(document: dict[str, Any], reason: str, *, version: str = "1.30", seconds: float = 8, cluster: ClusterSpec = SERVER) -> str:
    """The text of the first Event of a reason."""
    records = run(header(document, kubernetes=version, cluster=cluster), seconds)[1]
    return next(text.removeprefix(f"{reason}: ") for text in events(records) if text.startswith(f"{reason}: "))


def test_grpc_service_that_the_server_does_not_know_is_a_failure() -> None:
    document = server({"grpc": {"": "SERVING"}}, {"grpc": {"port": 80, "service": "db"}, "periodSeconds": 3})
    problem = "error: health rpc probe failed: rpc error: code = NotFound desc = unknown service"
    assert said(document, "Unhealthy") == f"Readiness probe failed: {problem}"


@pytest.mark.parametrize(("version", "text"), [("1.21", ""), ("1.22", "Probe terminated redirects, Response body: ")])
def test_redirect_to_nowhere_is_a_warning_that_says_so_from_1_22(version: str, text: str) -> None:
    document = server({"paths": {"/": 302}}, {"httpGet": {"port": 80, "path": "/"}})
    assert said(document, "ProbeWarning", version=version, seconds=12) == f"Readiness probe warning: {text}"


@pytest.mark.parametrize(("version", "text"), [("1.23", ""), ("1.24", 'command "sleep 9" timed out')])
def test_exec_probe_that_takes_too_long_is_named_from_1_24(version: str, text: str) -> None:
    probe = {"exec": {"command": ["sleep", "9"]}, "periodSeconds": 5, "timeoutSeconds": 1}
    document = pod({**container(SLEEPS, readinessProbe=probe), "image": "server:1"})
    assert said(document, "Unhealthy", version=version) == f"Readiness probe failed: {text}"


@pytest.mark.parametrize(
    ("version", "text"),
    [
        ("1.23", "1 node(s) had taint {a: b}, that the pod didn't tolerate."),
        ("1.24", "1 node(s) had untolerated taint {a: b}."),
        ("1.35", "1 node(s) had untolerated taint(s)."),
    ],
)
def test_scheduler_names_the_taint_in_the_words_of_its_version(version: str, text: str) -> None:
    tainted = ClusterSpec(nodes=(NodeSpec(name="node1", taints=("a=b:NoSchedule",)),))
    assert said(pod(container()), "FailedScheduling", version=version, cluster=tainted).startswith(f"0/1 nodes are available: {text}")


@pytest.mark.parametrize(("port", "number"), [(8080, 8080), ("web", 80), ("8080", 8080), ("80a", None), ("none", None)])
def test_port_is_a_number_a_name_or_digits(port: int | str, number: int | None) -> None:
    assert resolve_port(Container(name="app", ports=(ContainerPort(container_port=80, name="web"),)), port) == number


def test_last_state_keeps_when_the_instance_started_and_when_it_ended() -> None:
    world, _ = run(header(pod(container("sleep 5; exit 1"))), 9)
    last = pod_document(world, "default/p")["status"]["containerStatuses"][0]["lastState"]["terminated"]
    assert (last["startedAt"], last["finishedAt"]) == ("2026-01-01T00:00:00Z", "2026-01-01T00:00:05Z")


def ended(*containers: dict[str, Any]) -> list[str]:
    """The termination messages of a pod whose containers end with an error."""
    world, _ = run(header(pod(*containers, restartPolicy="Never")), 5)
    return [item.state.message for item in world.tables.pods["default/p"].status.containers]


@pytest.mark.parametrize(("count", "length"), [(1, 4096), (4, 3072)])
def test_termination_messages_are_cut_and_share_12_kib(count: int, length: int) -> None:
    script = "head -c 5000 /dev/zero | tr '\\0' x > /dev/termination-log; exit 1"
    assert [len(text) for text in ended(*(container(script, name=f"c{n}") for n in range(count)))] == [length] * count


@pytest.mark.parametrize(("line", "kept"), [("line", (80, 641)), ("x" * 60, (32, 2048))])
def test_log_that_stands_in_for_a_message_is_cut_to_80_lines_and_2_kib(line: str, kept: tuple[int, int]) -> None:
    script = f"for i in $(seq 1 100); do echo {line} $i; done; exit 1"
    (text,) = ended(container(script, terminationMessagePolicy="FallbackToLogsOnError"))
    assert (text.count("\n"), len(text)) == kept


@pytest.mark.parametrize(("volumes", "second"), [([], 6.6), ([{"name": "d", "emptyDir": {}}], 6.8)])
def test_volumes_are_unmounted_before_a_worker_is_finished(volumes: list[Any], second: float) -> None:
    records = run(header(pod(container("sleep 5"), volumes=volumes, restartPolicy="Never")), 20)[1]
    assert moment(records, machine="pod_worker", target="finished") == second


def test_http_hook_takes_the_time_of_a_request() -> None:
    hooked = container("httpd -f -p 80", lifecycle={"postStart": {"httpGet": {"port": 80, "path": "/"}}})
    records = run(header(pod(hooked)), 5)[1]
    assert [record.at_ms for record in records if record.machine == "hook"] == [427, 429]


def test_event_about_one_thing_is_written_25_times_and_then_every_five_minutes() -> None:
    probe = {"exec": {"command": ["false"]}, "periodSeconds": 1}
    records = run(header(pod(container(SLEEPS, readinessProbe=probe))), 700)[1]
    written = [record.at_ms // 1000 for record in records if record.machine == "k8s_event" and record.target == "Unhealthy"]
    assert written[-3:] == [20, 301, 601]


@pytest.mark.parametrize(("minutes", "is_there"), [(59, True), (61, False)])
def test_event_is_kept_for_an_hour(minutes: int, is_there: bool) -> None:
    world = new_world(header(pod(container(SLEEPS))))
    advance(world, until_ms=minutes * 60_000)
    assert bool(event_documents(world, world.now_ms)) is is_there


def refused(*pods: dict[str, Any]) -> str:
    """What a quota of one cpu says to the first of the pods that it refuses."""
    quota = {"kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": {"cpu": "1"}}}
    records = run(header(quota, *pods), 1)[1]
    return next((str(record.get("message")) for record in records if record.rule == "QUOTA"), "")


def sized(name: str, request: str, limit: str) -> dict[str, Any]:
    return pod(container(resources={"requests": {"cpu": request}, "limits": {"cpu": limit}}), name=name)


def test_quota_of_cpu_counts_requests() -> None:
    text = refused(sized("a", "300m", "800m"), sized("b", "300m", "800m"), sized("c", "600m", "600m"))
    assert text.endswith('pods "c" is forbidden: exceeded quota: few, requested: cpu=600m, used: cpu=600m, limited: cpu=1')


@pytest.mark.parametrize(
    ("version", "signal", "available", "is_pressed"),
    [
        ("1.30", "imagefs.available", "16Gi", False),
        ("1.30", "imagefs.available", "14Gi", True),
        ("1.30", "nodefs.inodesFree", "330000", False),  # of 6,553,600
        ("1.30", "nodefs.inodesFree", "300000", True),
        ("1.29", "imagefs.inodesFree", "300000", False),
        ("1.30", "imagefs.inodesFree", "330000", False),
        ("1.30", "imagefs.inodesFree", "300000", True),
    ],
)
def test_node_is_under_disk_pressure_below_its_default_thresholds(version: str, signal: str, available: str, is_pressed: bool) -> None:
    size = {"cpu": "4", "memory": "16Gi", "ephemeral-storage": "100Gi"}
    cluster = ClusterSpec(nodes=(NodeSpec(name="node1", capacity=size, allocatable=size),), images=SERVER.images)
    pressure = (5, SetNodePressure(node="node1", signal=signal, available=available))
    records = run(header(pod({"name": "app", "image": "server:1"}), cluster=cluster, kubernetes=version), 30, pressure)[1]
    assert any(record.get("condition") == "DiskPressure" and record.target == "True" for record in records) is is_pressed
