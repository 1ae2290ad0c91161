"""The effect of a version switch on a run, on both sides of its version."""

from typing import Any

import pytest

from simulator.engine import ClusterSpec, ImageSpec, NodeSpec, Record, World
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.pressure import SetNodePressure
from simulator.engine.acts.nodes.taint import TaintNode
from simulator.engine.acts.pods.debug import DebugPod
from simulator.engine.apiserver.documents.event import event_documents
from simulator.engine.apiserver.documents.pod import pod_document
from simulator.engine.course.options import options_of
from simulator.engine.kubelet.pods.containers.runtime_records import RuntimeContainer
from simulator.engine.kubelet.pods.probes.probe_step import after
from simulator.engine.kubelet.pods.sandbox.sandbox_change import SandboxStatus
from simulator.engine.kubelet.pods.sync.pod_actions import compute_pod_actions
from simulator.engine.model.container import Container
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.probe import Probe
from simulator.engine.model.status import Waiting
from simulator.engine.versions import resolve
from simulator.engine.world.rows import ProbeWorker
from tests.engine.worlds import container, events, header, moment, pod, run

SLEEPS = "sleep 3600"


def told(document: dict[str, Any], version: str, seconds: float, *commands: tuple[float, AnyCommand], **more: Any) -> list[Record]:
    return run(header(document, kubernetes=version, **more), seconds, *commands)[1]


def waiting(world: World) -> Waiting:
    """The waiting reason of the first container of the only pod."""
    (row,) = world.tables.pods.values()
    state = row.status.containers[0].state
    assert isinstance(state, Waiting)
    return state


def hooked(**hook: Any) -> dict[str, Any]:
    """A pod whose postStart hook fails and whose container then dies at once."""
    return pod(container(lifecycle={"postStart": hook}), terminationGracePeriodSeconds=1)


@pytest.mark.parametrize(
    ("version", "reason"), [("1.21", "PostStartHookError: command 'false' exited with 1: "), ("1.22", "PostStartHookError")]
)
def test_reason_names_the_error_of_a_post_start_hook_until_1_21(version: str, reason: str) -> None:
    world, _ = run(header(hooked(exec={"command": ["false"]}), kubernetes=version), 2)
    assert waiting(world).reason == reason


@pytest.mark.parametrize(("version", "url"), [("1.25", "http://10.244.0.3:99//x"), ("1.26", "https://10.244.0.3:99/x")])
def test_http_hook_asks_by_its_scheme_from_1_26(version: str, url: str) -> None:
    hook = hooked(httpGet={"path": "/x", "port": 99, "scheme": "HTTPS"})
    world, _ = run(header(hook, kubernetes=version), 2)
    assert f'Get "{url}"' in waiting(world).message


@pytest.mark.parametrize(("version", "text"), [("1.31", ""), ("1.32", ": ErrImagePull: ")])
def test_image_back_off_shows_the_error_of_the_last_pull_from_1_32(version: str, text: str) -> None:
    world, _ = run(header(pod(container(image="no-such:1")), kubernetes=version), 17)
    assert waiting(world).reason == "ImagePullBackOff"
    assert waiting(world).message.partition('Back-off pulling image "no-such:1"')[2][: len(": ErrImagePull: ")] == text


@pytest.mark.parametrize(("version", "component"), [("1.28", "taint-controller"), ("1.29", "taint-eviction-controller")])
def test_taint_eviction_is_a_controller_of_its_own_from_1_29(version: str, component: str) -> None:
    records = told(pod(container(SLEEPS)), version, 10, (5, TaintNode(node="node1", add=("k=v:NoExecute",))))
    assert [record.get("component") for record in records if record.target == "TaintManagerEviction"] == [component]


@pytest.mark.parametrize(("version", "grace_s"), [("1.24", 20), ("1.25", 3)])
def test_probe_has_a_grace_period_of_its_own_from_1_25(version: str, grace_s: int) -> None:
    probe = {"exec": {"command": ["false"]}, "periodSeconds": 1, "failureThreshold": 1, "terminationGracePeriodSeconds": 3}
    stubborn = container("trap '' TERM; sleep 3600", livenessProbe=probe)
    records = told(pod(stubborn, terminationGracePeriodSeconds=20), version, 40)
    began = moment(records, machine="container", target="stopping")
    assert moment(records, machine="container", target="exited") - began == grace_s


@pytest.mark.parametrize(("gates", "said"), [({}, True), ({"ExecProbeTimeout": False}, False)])
def test_exec_probe_may_take_longer_than_its_timeout_when_the_gate_is_off(gates: dict[str, bool], said: bool) -> None:
    probe = {"exec": {"command": ["sleep", "3"]}, "periodSeconds": 5, "timeoutSeconds": 1}
    records = told(pod(container(SLEEPS, readinessProbe=probe)), "1.30", 20, gates=gates)
    assert any(event.startswith("Unhealthy") for event in events(records)) is said


@pytest.mark.parametrize(("gates", "signal"), [({}, "TERM"), ({"ContainerStopSignals": True}, "USR1")])
def test_container_has_a_stop_signal_of_its_own_when_the_gate_is_on(gates: dict[str, bool], signal: str) -> None:
    dies = {"exec": {"command": ["false"]}, "periodSeconds": 1, "failureThreshold": 1}
    given = container("trap 'exit 0' TERM USR1; while true; do sleep 1 & wait $!; done", lifecycle={"stopSignal": "SIGUSR1"})
    records = told(pod({**given, "livenessProbe": dies}, os={"name": "linux"}), "1.35", 5, gates=gates)
    assert next(record.get("signal") for record in records if record.machine == "stop" and record.target == "term") == signal


@pytest.mark.parametrize(("version", "grace_s"), [("1.21", 20), ("1.22", 6)])
def test_soft_eviction_is_capped_by_the_grace_of_the_pod_from_1_22(version: str, grace_s: int) -> None:
    soft = {"memory.available": "500Mi"}
    spec = NodeSpec(name="node1", eviction_soft=soft, eviction_soft_grace_s={"memory.available": 1}, eviction_max_pod_grace_s=20)
    cluster = ClusterSpec(nodes=(spec,), images=(ImageSpec(name="busybox:1.28", present=True),))
    stubborn = pod(container("trap '' TERM; sleep 3600"), terminationGracePeriodSeconds=6)
    pressed = (5, SetNodePressure(node="node1", signal="memory.available", available="300Mi"))
    records = told(stubborn, version, 80, pressed, cluster=cluster)
    began = moment(records, machine="container", target="stopping")
    assert moment(records, machine="container", target="exited") - began == grace_s


@pytest.mark.parametrize(("version", "reason"), [("1.23", ""), ("1.24", "PodOSNotSupported")])
def test_kubelet_rejects_a_pod_for_another_system_from_1_24(version: str, reason: str) -> None:
    world, _ = run(header(pod(container(SLEEPS), os={"name": "windows"}), kubernetes=version), 5)
    assert [row.status.reason for row in world.tables.pods.values()] == [reason]


@pytest.mark.parametrize(("version", "policy"), [("1.34", None), ("1.35", "Always")])
def test_image_volume_gets_a_pull_policy_from_1_35(version: str, policy: str | None) -> None:
    volume = {"name": "data", "image": {"reference": "busybox:latest"}}
    shown = pod_document(run(header(pod(container(SLEEPS), volumes=[volume]), kubernetes=version), 1)[0], "default/p")
    assert next(item for item in shown["spec"]["volumes"] if item["name"] == "data").get("image", {}).get("pullPolicy") == policy


@pytest.mark.parametrize(
    ("version", "gates", "target"),
    [
        ("1.22", {}, "accepted"),  # like the recorded 1.20 cluster, which had the alpha gate on
        ("1.22", {"EphemeralContainers": False}, "refused"),
        ("1.23", {}, "accepted"),
        ("1.23", {"EphemeralContainers": False}, "refused"),
    ],
)
def test_debug_container_is_refused_where_its_gate_is_switched_off(version: str, gates: dict[str, bool], target: str) -> None:
    debug = DebugPod(target="default/p", container="debug", image="busybox:1.28")
    records = told(pod(container(SLEEPS)), version, 5, (4, debug), gates=gates)
    assert [record.target for record in records if record.machine == "command"] == [target]


@pytest.mark.parametrize(("version", "reporter"), [("1.26", ("", "")), ("1.27", ("kubelet", "node1"))])
def test_event_names_who_reports_it_from_1_27(version: str, reporter: tuple[str, str]) -> None:
    world, _ = run(header(pod(container(SLEEPS)), kubernetes=version), 2)
    shown = next(event for event in event_documents(world, world.now_ms) if event["reason"] == "Started")
    assert (shown["reportingComponent"], shown["reportingInstance"]) == reporter


@pytest.mark.parametrize(("version", "seconds"), [("1.34", [0.5, 4.015, 8.015]), ("1.35", [0.5, 4.5, 8.5])])
def test_readiness_probe_that_is_run_at_once_starts_its_period_again_from_1_35(version: str, seconds: list[float]) -> None:
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 4}
    records = told(pod(container(SLEEPS, readinessProbe=probe)), version, 10)
    assert [record.at_ms / 1000 for record in records if record.machine == "probe_attempt"] == seconds


INIT_AND_APP = PodSpec(init_containers=(Container(name="init"),), containers=(Container(name="app"),), restart_policy="OnFailure")


@pytest.mark.parametrize(("version", "starts"), [("1.21", ("init",)), ("1.22", ())])
def test_init_container_without_a_record_is_run_again_next_to_a_running_app_until_1_21(version: str, starts: tuple[str, ...]) -> None:
    records = {"app": RuntimeContainer(name="app", state="running")}
    found = compute_pod_actions(INIT_AND_APP, (SandboxStatus(ip="10.0.0.1"),), records, rules=options_of(resolve(version)).actions)
    assert found.init_to_start == starts


@pytest.mark.parametrize(("version", "is_over"), [("1.28", False), ("1.29", True)])
def test_dead_sandbox_stays_dead_when_all_apps_have_succeeded_and_no_init_record_is_left_from_1_29(version: str, is_over: bool) -> None:
    dead = SandboxStatus(ip="10.0.0.1", state="NOTREADY")
    records = {"app": RuntimeContainer(name="app", state="exited", exit_code=0)}
    found = compute_pod_actions(INIT_AND_APP, (dead,), records, rules=options_of(resolve(version)).actions)
    assert found.create_sandbox is not is_over


@pytest.mark.parametrize(("version", "rests"), [("1.28", False), ("1.29", True)])
def test_startup_probe_rests_after_its_success_from_1_29(version: str, rests: bool) -> None:
    probe = Probe(success_threshold=1, failure_threshold=3)
    step = after(ProbeWorker("startup"), probe, "success", options=options_of(resolve(version)).probes)
    assert step.worker.on_hold is rests
