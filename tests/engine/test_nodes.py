"""Nodes: kubelets that stop, runtimes that fail, taints, drains, static pods and shutdowns."""

import json
from typing import Any

import pytest

from simulator.engine import ClusterSpec, ImageSpec, NodeSpec, Record, World, advance, new_world
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.nodes.delete import DeleteNode
from simulator.engine.acts.nodes.drain import DrainNode
from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.nodes.pressure import SetNodePressure
from simulator.engine.acts.nodes.shutdown import ShutdownNode
from simulator.engine.acts.nodes.static_pod import PlaceStaticPod
from simulator.engine.acts.nodes.taint import TaintNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.acts.pods.sandbox import KillSandbox
from simulator.engine.apiserver.documents.node import node_document
from simulator.engine.apiserver.documents.pod import pod_document
from tests.engine.worlds import container, events, header, moment, pod, run, words

STOP = NodeControl(node="node1", kubelet="stop")
START = NodeControl(node="node1", kubelet="start")


def told(*commands: tuple[float, AnyCommand], seconds: float, nodes: int = 1, version: str = "1.30", **spec: Any) -> list[Record]:
    """The records of one pod on node1 with these acts on the node."""
    spec.setdefault("nodeSelector", {"kubernetes.io/hostname": "node1"})
    script = spec.pop("script", "sleep 3600")
    return run(header(pod(container(script), **spec), kubernetes=version, nodes=nodes), seconds, *commands)[1]


def ready(records: list[Record]) -> list[str]:
    """The states of the node's Ready condition."""
    return [record.target for record in records if record.machine == "node_condition" and record.get("condition") == "Ready"]


def refusals(records: list[Record]) -> list[str]:
    """The rules of refused commands."""
    return [record.rule for record in records if record.machine == "command" and record.target == "refused"]


def test_idle_node_queues_nothing_of_its_own() -> None:
    world = new_world(header(nodes=3))
    advance(world, until_ms=3_600_000)
    assert len(world.queue) == 0
    assert world.seq == 12  # four conditions of each node


@pytest.mark.parametrize(("version", "second"), [("1.31", 57.5), ("1.32", 67.5)])
def test_node_becomes_unknown_when_its_kubelet_is_silent(version: str, second: float) -> None:
    records = told((20, STOP), seconds=100, version=version)
    assert moment(records, machine="node_condition", target="Unknown") == second


@pytest.mark.parametrize("version", ["1.20", "1.30", "1.35"])
def test_ordinary_pod_goes_on_running_when_its_node_was_silent_for_a_minute(version: str) -> None:
    records = told((20, STOP), (80, START), seconds=400, version=version)
    assert "Unknown" in ready(records)
    assert words(records)[-1] == "Running"
    assert not any(record.machine == "phase" and record.target == "Failed" for record in records)


def test_node_stays_ready_when_the_kubelet_is_back_in_time() -> None:
    assert ready(told((20, STOP), (40, START), seconds=200)) == ["True"]


def test_power_cut_takes_kubelet_and_runtime_with_it_and_nothing_is_said_to_run_on() -> None:
    records = told((10, ShutdownNode(node="node1", grace_s=0)), seconds=20)
    assert [(item.machine, item.target) for item in records if item.machine in {"kubelet", "runtime", "shutdown"}] == [
        ("shutdown", "off"),
        ("kubelet", "stopped"),
        ("runtime", "down"),
    ]
    assert "KUBELET-STOPPED" not in {item.rule for item in records}


@pytest.mark.parametrize("before", [(), ((5, NodeControl(node="node1", runtime="stop")),)], ids=["runtime-up", "runtime-stopped"])
def test_runtime_is_started_with_the_machine(before: tuple[tuple[float, AnyCommand], ...]) -> None:
    off, on = ShutdownNode(node="node1", grace_s=0), NodeControl(node="node1", kubelet="start")
    records = told(*before, (10, off), (20, on), seconds=40)
    assert [item.target for item in records if item.machine == "runtime"] == ["down", "up"]
    assert [item.target for item in records if item.machine == "container"][-1] == "running"


def test_container_that_was_being_stopped_ends_with_the_power_of_its_machine() -> None:
    off = ShutdownNode(node="node1", grace_s=0)
    records = told((5, DeletePod(target="default/p", grace_s=30)), (8, off), seconds=20)
    steps = [(item.machine, item.target) for item in records if item.at_ms >= 8000 and item.machine in {"container", "stop", "condition"}]
    assert (steps[0], "STOP-FORGOTTEN" in {item.rule for item in records}) == (("container", "exited"), False)


def test_runtime_of_a_machine_without_power_can_be_neither_started_nor_stopped() -> None:
    off = ShutdownNode(node="node1", grace_s=0)
    acts = [(12.0 + n, NodeControl(node="node1", runtime=what)) for n, what in enumerate(("start", "stop", "start"))]
    records = told((10, off), *acts, seconds=30)
    assert [item.target for item in records if item.machine == "runtime"] == ["down"]


def test_single_node_evicts_nobody_when_it_goes_silent() -> None:
    records = told((20, STOP), seconds=600)
    assert "TaintManagerEviction" not in "".join(events(records))


def test_pod_is_deleted_when_its_node_is_unreachable_for_five_minutes() -> None:
    records = told((20, STOP), seconds=600, nodes=2)
    assert moment(records, machine="object", target="terminating") == 57.5 + 5 + 300


def test_toleration_seconds_of_the_pod_replace_the_default() -> None:
    given = [{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 30}]
    records = told((20, STOP), seconds=600, nodes=2, tolerations=given)
    assert moment(records, machine="object", target="terminating") == 57.5 + 5 + 30


def test_container_is_not_restarted_when_the_kubelet_is_away() -> None:
    records = told((5, STOP), (100, START), seconds=110, script="sleep 20; exit 1")
    assert moment(records, machine="container", target="running", nth=1) == pytest.approx(105.7, abs=0.1)


def test_kill_waits_for_the_next_kubelet_when_this_one_dies() -> None:
    records = told((12, DeletePod(target="default/p")), (20, STOP), (28, START), seconds=70)
    assert moment(records, machine="container", target="exited") == 28 + 5.7 + 30


def test_events_count_again_when_the_kubelet_was_restarted() -> None:
    records = told((30, STOP), (36, START), seconds=50, script="sleep 1; exit 1")
    started = [record.get("count") for record in records if record.machine == "k8s_event" and record.target == "Started"]
    assert started == [1, 2, 3, 1]


@pytest.mark.parametrize(("version", "expected"), [("1.34", ["True", "False", "True"]), ("1.35", ["True"])])
def test_readiness_flips_when_the_version_forgets_it(version: str, expected: list[str]) -> None:
    probed = container(readinessProbe={"exec": {"command": ["true"]}, "periodSeconds": 10})
    _, records = run(header(pod(probed), kubernetes=version), 80, (30, STOP), (36, START))
    seen = words(records, machine="condition", subject="condition/default/p/Ready")
    assert seen[1:] == expected


def test_orphan_is_killed_when_its_object_went_in_the_kubelets_absence() -> None:
    records = told((10, STOP), (12, DeletePod(target="default/p", force=True)), (20, START), seconds=40)
    assert moment(records, machine="container", target="stopping") == pytest.approx(27.7)


@pytest.mark.parametrize("version", ["1.20", "1.30"])
def test_running_pod_is_rejected_by_a_new_kubelet_when_the_node_lost_its_label(version: str) -> None:
    label, unlabel = LabelNode(node="node1", labels={"disk": "ssd"}), LabelNode(node="node1", labels={"disk": None})
    selected = pod(container(), nodeSelector={"disk": "ssd"})
    _, records = run(header(selected, kubernetes=version), 120, (1, label), (20, unlabel), (21, STOP), (22, START))
    assert [record.get("reason") for record in records if record.machine == "phase" and record.target == "Failed"] == ["NodeAffinity"]
    assert moment(records, machine="container", target="exited") == pytest.approx(29.7, abs=0.1)


def test_sync_waits_when_the_runtime_is_down() -> None:
    down, up = NodeControl(node="node1", runtime="kill"), NodeControl(node="node1", runtime="start")
    records = told((15, down), (75, up), seconds=100, version="1.20", script="sleep 20; exit 1")
    assert moment(records, machine="container", target="running", nth=1) > 90


def test_kubelet_that_sees_its_runtime_again_syncs_twice_when_two_changes_waited() -> None:
    """The container started and ended while the sync loop was still paused; recorded on a 1.20.2 node: Error 96.7, back-off 97.5."""
    down, up = NodeControl(node="node1", runtime="kill"), NodeControl(node="node1", runtime="start")
    records = told((15, down), (75, up), seconds=105, version="1.20", script="sleep 5; exit 1")
    assert words(records, machine="status_word")[-2:] == ["Error", "CrashLoopBackOff"]
    last = [record.at_ms for record in records if record.machine == "status_word"][-2:]
    assert last[1] - last[0] <= 1000


def test_deletion_waits_when_the_runtime_is_down() -> None:
    down, up = NodeControl(node="node1", runtime="kill"), NodeControl(node="node1", runtime="start")
    records = told((15, down), (16, DeletePod(target="default/p", grace_s=5)), (30, up), seconds=120)
    assert words(records, machine="object") == ["present", "terminating", "gone"]
    assert moment(records, machine="container", target="exited") > 30


def test_running_pod_stays_ready_when_the_network_plugin_is_missing() -> None:
    records = told((15, NodeControl(node="node1", network_plugin="missing")), seconds=50)
    assert ready(records) == ["True", "False"]
    assert words(records, machine="condition", subject="condition/default/p/Ready")[-1] == "True"


def test_killed_sandbox_is_recreated_with_its_containers() -> None:
    records = told((12, KillSandbox(target="default/p")), seconds=60, script="trap 'exit 0' TERM; sleep 100 & wait")
    assert "SandboxChanged: Pod sandbox changed, it will be killed and re-created." in events(records)
    assert words(records, machine="sandbox")[-3:] == ["stopped", "creating", "ready"]


def test_cordoned_node_takes_no_new_pod_until_uncordoned() -> None:
    document = json.dumps(pod(container(), name="late"))
    late = ApplyManifest(documents=(document,))
    records = told((5, CordonNode(node="node1")), (6, late), (20, CordonNode(node="node1", unschedulable=False)), seconds=40)
    assert moment(records, machine="scheduling", target="unschedulable") == pytest.approx(6, abs=0.1)
    assert moment(records, machine="scheduling", target="node1", nth=1) > 20


def test_taint_evicts_at_once_what_does_not_tolerate_it() -> None:
    records = told((10, TaintNode(node="node1", add=("k=v:NoExecute",))), seconds=20)
    assert moment(records, machine="object", target="terminating") == 10


def test_second_taint_marks_a_pod_again_that_is_still_stopping() -> None:
    first, second = (TaintNode(node="node1", add=(f"{key}=v:NoExecute",)) for key in "kl")
    records = told((10, first), (15, second), seconds=20, script="trap '' TERM; sleep 3600")
    marked = [(record.at_ms, record.get("count")) for record in records if record.target == "TaintManagerEviction"]
    assert marked == [(10_000, 1), (15_000, 2)]


def test_drain_evicts_nothing_when_one_pod_forbids_it() -> None:
    records = told((10, DrainNode(node="node1")), seconds=20)
    assert [record.rule for record in records if record.machine == "drain"] == ["DRAIN-REFUSED"]
    assert words(records, machine="object") == ["present"]


def test_forced_drain_deletes_bare_pods_and_leaves_mirrors() -> None:
    static = PlaceStaticPod(node="node1", document=json.dumps(pod(container(), name="stat")))
    records = told((5, static), (10, DrainNode(node="node1", force=True)), seconds=60)
    assert words(records, machine="object")[-1] == "gone"
    assert words(records, machine="object", subject="pod/default/stat-node1") == ["present"]


def test_pods_of_a_deleted_node_are_collected() -> None:
    records = told((20, STOP), (22, DeleteNode(node="node1")), seconds=120, nodes=2)
    assert moment(records, machine="object", target="gone", nth=1) == pytest.approx(70)


@pytest.mark.parametrize(("version", "removed"), [("1.25", False), ("1.30", True)])
def test_terminating_pod_is_removed_when_its_silent_node_is_out_of_service(version: str, removed: bool) -> None:
    taint = TaintNode(node="node1", add=("node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",))
    records = told((20, STOP), (80, taint), seconds=120, nodes=2, version=version)
    assert ("gone" in words(records, machine="object")) is removed


def test_deleted_node_does_not_come_back_while_its_kubelet_runs_and_its_pods_are_collected() -> None:
    records = told((22, DeleteNode(node="node1")), seconds=300, nodes=2)
    assert words(records, machine="object", subject="node/node1") == ["gone"]
    assert words(records, machine="phase")[-1] == "Failed"
    (told_why,) = [record for record in records if record.subject == "condition/default/p/DisruptionTarget"]
    assert told_why.get("reason") == "DeletionByPodGC"
    assert words(records, machine="object")[-1] == "gone"
    assert words(records, machine="container", subject="container/default/p/app")[-1] == "exited"


def test_deleted_node_is_registered_by_a_kubelet_that_starts_and_keeps_its_pods() -> None:
    records = told((22, DeleteNode(node="node1")), (30, STOP), (32, START), seconds=120, nodes=2)
    assert words(records, machine="object", subject="node/node1") == ["gone", "present"]
    assert words(records, machine="object") == ["present"]


def test_kubelet_of_a_deleted_node_reports_nothing_of_it() -> None:
    plugin = NodeControl(node="node1", network_plugin="missing")
    pressure = SetNodePressure(node="node1", signal="memory.available", available="50Mi")
    records = told((22, DeleteNode(node="node1")), (25, plugin), (40, pressure), seconds=120, nodes=2)
    later = [record for record in records if record.at_ms > 22_000 and record.subject == "node/node1"]
    assert [record.machine for record in later if record.machine in ("node_condition", "object")] == []


def test_node_that_is_registered_again_shows_what_its_kubelet_finds_then() -> None:
    plugin = NodeControl(node="node1", network_plugin="missing")
    records = told((22, DeleteNode(node="node1")), (25, plugin), (30, STOP), (32, START), seconds=120, nodes=2)
    ready = [record for record in records if record.machine == "node_condition" and record.get("condition") == "Ready"]
    assert [record.target for record in ready if record.subject == "node/node1"] == ["True", "False"]


def test_static_pod_runs_on_when_its_mirror_is_deleted() -> None:
    static = PlaceStaticPod(node="node1", document=json.dumps(pod(container(), name="stat")))
    records = told((5, static), (10, DeletePod(target="default/stat-node1")), seconds=60)
    assert words(records, subject="pod/default/stat-node1#2")[-1] == "Running"
    assert [record for record in records if record.machine == "container" and record.target == "exited"] == []


def patched_mirror(patch: dict[str, Any], *, seconds: float, script: str = "sleep 600") -> tuple[World, list[Record]]:
    static = PlaceStaticPod(node="node1", document=json.dumps(pod(container(script), name="stat")))
    change = PatchPod(target="default/stat-node1", patch=json.dumps(patch))
    return run(header(), seconds, (5, static), (10, change))


def test_image_of_a_mirror_does_not_reach_its_container() -> None:
    world, _ = patched_mirror({"spec": {"containers": [{"name": "app", "image": "nginx:1.16.1"}]}}, seconds=60)
    shown = pod_document(world, "default/stat-node1")
    status = shown["status"]["containerStatuses"][0]
    assert shown["spec"]["containers"][0]["image"] == "nginx:1.16.1"
    assert (status["restartCount"], status["image"]) == (0, "docker.io/library/busybox:1.28")


def test_container_of_a_static_pod_starts_again_from_the_image_of_its_file() -> None:
    world, _ = patched_mirror({"spec": {"containers": [{"name": "app", "image": "nginx:1.16.1"}]}}, seconds=60, script="sleep 12; exit 1")
    assert [item.image for item in world.tables.instances["default/stat-node1"]][0] == "busybox:1.28"
    assert world.tables.pods["default/stat-node1"].status.containers[0].restart_count > 0


def test_deadline_of_a_mirror_does_not_end_the_static_pod() -> None:
    world, _ = patched_mirror({"spec": {"activeDeadlineSeconds": 5}}, seconds=60)
    assert world.tables.pods["default/stat-node1"].status.phase == "Running"


def test_deadline_of_the_file_ends_the_static_pod() -> None:
    static = PlaceStaticPod(node="node1", document=json.dumps(pod(container("sleep 600"), name="stat", activeDeadlineSeconds=5)))
    world, _ = run(header(), 60, (5, static))
    assert world.tables.pods["default/stat-node1"].status.reason == "DeadlineExceeded"


def test_static_pod_sees_labels_and_uid_of_its_file() -> None:
    env = [
        {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}
        for name, path in (("LABEL", "metadata.labels['x']"), ("UID", "metadata.uid"))
    ]
    document = pod(container("sleep 12; exit 1", env=env), name="stat")
    document["metadata"]["labels"] = {"x": "file"}
    change = PatchPod(target="default/stat-node1", patch='{"metadata": {"labels": {"x": "mirror"}}}')
    world, _ = run(header(), 60, (5, PlaceStaticPod(node="node1", document=json.dumps(document))), (10, change))
    row, newest = world.tables.pods["default/stat-node1"], world.tables.instances["default/stat-node1"][0]
    given = dict(newest.process.launch.env) if newest.process is not None else {}
    assert newest.attempt > 0 and given["LABEL"] == "file"
    assert given["UID"] == row.pod.metadata.annotations["kubernetes.io/config.hash"] != row.uid


def test_owner_of_a_mirror_is_the_node_object() -> None:
    world, _ = patched_mirror({}, seconds=12)
    owner = pod_document(world, "default/stat-node1")["metadata"]["ownerReferences"][0]
    assert owner == {
        "apiVersion": "v1",
        "kind": "Node",
        "name": "node1",
        "uid": node_document(world, "node1")["metadata"]["uid"],
        "controller": True,
    }


def test_static_pod_ends_with_its_file() -> None:
    static = PlaceStaticPod(node="node1", document=json.dumps(pod(container(), name="stat")))
    records = told((5, static), (20, PlaceStaticPod(node="node1", remove="stat")), seconds=60)
    assert words(records, machine="object", subject="pod/default/stat-node1")[-1] == "gone"
    assert moment(records, machine="container", target="exited") == 20


def test_shutdown_ends_critical_pods_last() -> None:
    plain, critical = pod(container("sleep 99"), name="plain"), pod(container(), name="critical", priorityClassName="system-node-critical")
    _, records = run(header(plain, critical), 60, (10, ShutdownNode(node="node1", grace_s=30, critical_s=10)))
    stopped = [record.subject for record in records if record.machine == "container" and record.target == "stopping"]
    assert stopped == ["container/default/plain/app", "container/default/critical/app"]


def test_shutdown_takes_the_groups_that_the_cluster_names() -> None:
    spec = NodeSpec(name="node1", shutdown_by_priority=((0, 5), (100, 7)))
    cluster = ClusterSpec(nodes=(spec,), images=(ImageSpec(name="busybox:1.28", present=True),))
    hundred = {"kind": "PriorityClass", "metadata": {"name": "hundred"}, "value": 100}
    plain, more = pod(container("sleep 99"), name="plain"), pod(container("sleep 99"), name="more", priorityClassName="hundred")
    _, records = run(header(hundred, plain, more, cluster=cluster), 60, (10, ShutdownNode(node="node1")))
    assert [record.at_ms for record in records if record.machine == "stop" and record.target == "killed"] == [15_000, 22_000]


def test_exec_probe_errs_when_the_runtime_is_down() -> None:
    probed = pod(container(readinessProbe={"exec": {"command": ["true"]}, "periodSeconds": 5}))
    _, records = run(header(probed), 24, (15, NodeControl(node="node1", runtime="stop")))
    assert [record.target for record in records if record.machine == "probe_attempt"][-1] == "error"


def test_machine_goes_off_when_the_kubelet_that_held_its_shutdown_back_dies() -> None:
    records = told((10, ShutdownNode(node="node1", grace_s=30)), (12, STOP), seconds=20)
    assert moment(records, machine="shutdown", target="off") == 12
    assert moment(records, machine="container", target="exited") == 12


def test_shutdown_without_grace_period_reports_nothing_to_the_api() -> None:
    records = told((10, ShutdownNode(node="node1", grace_s=0)), seconds=20)
    assert moment(records, machine="container", target="exited") == 10
    assert words(records)[-1] == "Running"


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        (NodeControl(node="node9", kubelet="stop"), "COMMAND-NO-NODE"),
        (NodeControl(node="node1", kubelet="dance"), "COMMAND-BAD-VALUE"),
        (TaintNode(node="node1", add=("nonsense",)), "COMMAND-BAD-VALUE"),
        (TaintNode(node="node1", remove=("k",)), "COMMAND-BAD-VALUE"),
        (CordonNode(node="node1", unschedulable=False), "COMMAND-ALREADY"),
        (PlaceStaticPod(node="node1", remove="none"), "COMMAND-NO-POD"),
        (PlaceStaticPod(node="node1", document=json.dumps(pod({"name": "NO", "image": "i"}))), "COMMAND-REJECTED"),
        (PlaceStaticPod(node="node1", document="{}"), "COMMAND-BAD-OBJECT"),
        (KillSandbox(target="default/none"), "COMMAND-NO-SANDBOX"),
        (ShutdownNode(node="node1", cancel=True), "COMMAND-ALREADY"),
    ],
)
def test_command_about_a_node_is_refused_when_it_cannot_be(command: AnyCommand, rule: str) -> None:
    assert refusals(told((5, command), seconds=6)) == [rule]


@pytest.mark.parametrize(
    ("version", "gates", "declared"),
    [
        ("1.34", {}, None),
        ("1.35", {"NodeDeclaredFeatures": True}, ["GuaranteedQoSPodCPUResize"]),
        ("1.36", {}, ["GuaranteedQoSPodCPUResize", "RestartAllContainersOnContainerExits"]),
    ],
)
def test_node_declares_its_features_where_the_gate_is_on(version: str, gates: dict[str, bool], declared: list[str] | None) -> None:
    world, _ = run(header(kubernetes=version, gates=gates), 1)
    assert node_document(world, "node1")["status"].get("declaredFeatures") == declared
