"""Numbers and texts of the profile as visible in a run: probes, termination messages, events, thresholds, quotas."""

import json
from typing import Any

import pytest

from simulator.engine import ClusterSpec, ImageSpec, NodeSpec, advance, new_world
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.nodes.pressure import SetNodePressure
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.namespace import DeleteNamespace
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.apiserver.documents.event import event_documents
from simulator.engine.apiserver.documents.pod import pod_document
from simulator.engine.kubelet.pods.containers.ports import resolve_port
from simulator.engine.model.container import Container, ContainerPort
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
    """The text of the first Event with a reason."""
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
    """The message of a quota of one cpu about the first pod that it refuses."""
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
        ("1.29", "nodefs.inodesFree", "300000", True),
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


@pytest.mark.parametrize(("version", "second"), [("1.26", 206.069), ("1.27", 202.208)])
def test_kubelet_looks_for_its_runtime_ever_more_rarely_up_to_two_minutes_or_three_seconds(version: str, second: float) -> None:
    stop, start = NodeControl(node="node1", runtime="stop"), NodeControl(node="node1", runtime="start")
    records = run(header(pod(container(SLEEPS)), kubernetes=version), 300, (10, stop), (200, start))[1]
    assert moment(records, machine="runtime", target="up") == second


@pytest.mark.parametrize(("killed_s", "states"), [(1, ["False", "True", "False", "True"]), (8, ["False", "True"])])
def test_container_keeps_ready_over_a_kubelet_restart_only_after_ten_seconds(killed_s: float, states: list[str]) -> None:
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 60}
    kill, start = NodeControl(node="node1", kubelet="kill"), NodeControl(node="node1", kubelet="start")
    records = run(header(pod(container(SLEEPS, readinessProbe=probe)), kubernetes="1.35"), 80, (killed_s, kill), (killed_s + 0.5, start))[1]
    assert [record.target for record in records if record.machine == "condition" and record.subject.endswith("/Ready")] == states


def test_sync_that_waits_for_volumes_looks_every_300_ms() -> None:
    source = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "b"}}
    mounted = container(SLEEPS, volumeMounts=[{"name": "v", "mountPath": "/v"}])
    create = (3, ApplyManifest(documents=(json.dumps(source),)))
    records = run(header(pod(mounted, volumes=[{"name": "v", "configMap": {"name": "c"}}])), 10, create)[1]
    assert (moment(records, machine="volumes", target="mounted"), moment(records, machine="sandbox", target="creating")) == (3.765, 3.915)


@pytest.mark.parametrize(("grace_s", "second"), [(60, 55.0), (3, 29.0)])
def test_next_pod_is_evicted_when_the_last_one_is_gone_or_after_thirty_seconds(grace_s: int, second: float) -> None:
    soft = {"memory.available": "500Mi"}
    spec = NodeSpec(name="node1", eviction_soft=soft, eviction_soft_grace_s={"memory.available": 1}, eviction_max_pod_grace_s=60)
    cluster = ClusterSpec(nodes=(spec,), images=(ImageSpec(name="busybox:1.28", present=True),))
    stubborn = [pod(container("trap '' TERM; sleep 9999"), name=name, terminationGracePeriodSeconds=grace_s) for name in "ab"]
    pressure = (5, SetNodePressure(node="node1", signal="memory.available", available="300Mi"))
    records = run(header(*stubborn, cluster=cluster), 90, pressure)[1]
    assert [record.at_ms / 1000 for record in records if record.target == "Evicted"] == [25.0, second]


def test_scheduler_holds_a_pod_back_for_ten_seconds_at_most() -> None:
    changes = [(second, LabelNode(node="node1", labels={"n": str(second)})) for second in range(1, 45)]
    helps = (45, LabelNode(node="node1", labels={"disk": "ssd"}))
    records = run(header(pod(container(SLEEPS), nodeSelector={"disk": "ssd"}), kubernetes="1.21"), 90, *changes, helps)[1]
    assert moment(records, machine="k8s_event", target="Scheduled") == 52.0


def test_failure_to_schedule_is_a_series_while_it_repeats_within_six_minutes() -> None:
    records = run(header(pod(container(SLEEPS), nodeSelector={"disk": "ssd"})), 1200)[1]
    assert [record.at_ms for record in records if record.target == "FailedScheduling"] == [5, 330_000]


def test_image_of_which_nothing_is_said_is_pulled_in_a_second() -> None:
    cluster = ClusterSpec(nodes=(NodeSpec(name="node1"),))
    records = run(header(pod(container(SLEEPS, image="any:1")), cluster=cluster), 5)[1]
    assert [record.at_ms for record in records if record.machine == "container"] == [385, 1385, 1427]


@pytest.mark.parametrize(("silent", "seconds"), [(3, [62.5, 72.5, 82.5]), (4, [])])
def test_nodes_of_a_zone_are_tainted_one_in_ten_seconds_and_none_when_most_are_down(silent: int, seconds: list[float]) -> None:
    stops = [(20, NodeControl(node=f"node{number}", kubelet="stop")) for number in range(1, silent + 1)]
    records = run(header(pod(container(SLEEPS)), nodes=7), 120, *stops)[1]
    tainted = [record.at_ms / 1000 for record in records if record.machine == "taint" and record.get("effect") == "NoExecute"]
    assert tainted == seconds


def test_pod_of_a_node_that_never_was_is_collected_in_the_round_after_the_quarantine() -> None:
    records = run(header(pod(container(SLEEPS), nodeName="nowhere")), 100)[1]
    assert moment(records, machine="object", target="gone") == 70.0


def test_namespace_that_a_finalizer_holds_is_checked_again_after_half_of_15_seconds() -> None:
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}}
    held = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "x", "finalizers": ["a.b/c"]}}
    release = PatchObject(kind="ConfigMap", namespace="x", name="c", patch='{"metadata":{"finalizers":null}}')
    records = run(header(space, held), 60, (5, DeleteNamespace(name="x")), (12, release))[1]
    assert [record.at_ms for record in records if record.machine == "api_object" and record.target == "gone"] == [12_000, 18_000]
