"""A node that is cut off: its kubelet keeps running, the API keeps the last state it received, and finally both are reconciled."""

import json
from typing import Any

import pytest

from simulator.engine import Record, World, advance, apply, new_world
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.exec import ExecInContainer
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.delete import DeleteNode
from simulator.engine.acts.nodes.network import CutNetwork
from simulator.engine.acts.nodes.shutdown import ShutdownNode
from simulator.engine.acts.nodes.static_pod import PlaceStaticPod
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.network.metrics import pod_use
from simulator.engine.projection.pod import pod_view
from simulator.kubectl.unreachable import unreachable
from tests.engine.worlds import container, header, moment, pod, run, words

CUT, RESTORE = CutNetwork(node="node1"), CutNetwork(node="node1", restore=True)
APP = "container/default/p/app"
ON_NODE = {"kubernetes.io/hostname": "node1"}


def lived(
    *commands: tuple[float, AnyCommand], seconds: float, script: str = "sleep 3600", version: str = "1.34", **spec: Any
) -> tuple[World, list[Record]]:
    """A pod on node1 of two nodes, with these acts."""
    document = pod(container(script), nodeSelector=ON_NODE, terminationGracePeriodSeconds=5, **spec)
    return run(header(document, kubernetes=version, nodes=2), seconds, *commands)


def exits(at: float, code: int = 3) -> tuple[float, AnyCommand]:
    return at, ExitContainer(target="default/p", container="app", exit_code=code)


def of(records: list[Record], machine: str, subject: str, after: float = 0) -> list[str]:
    return [record.target for record in records if record.machine == machine and record.subject == subject and record.at_ms > after * 1000]


def test_kubelet_restarts_a_container_while_the_api_shows_the_old_status() -> None:
    world, records = lived((10, CUT), exits(15), seconds=40)
    assert of(records, "container", APP, 10) == ["exited", "creating", "running"]
    assert of(records, "container_status", APP, 10) == of(records, "status_word", "pod/default/p", 10) == []
    assert world.tables.pods["default/p"].status.containers[0].restart_count == 0
    assert [record for record in records if record.machine == "k8s_event" and record.at_ms > 10_000] == []


def test_probes_go_on() -> None:
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 1}
    document = pod(container("sleep 3600", livenessProbe=probe), nodeSelector=ON_NODE)
    _, records = run(header(document, nodes=2), 30, (10, CUT))
    assert len([record for record in records if record.kind == "attempt" and record.at_ms > 12_000]) >= 15


def test_status_and_events_arrive_once_the_network_is_back() -> None:
    world, records = lived((10, CUT), exits(15), (40, RESTORE), seconds=60)
    assert world.tables.pods["default/p"].status.containers[0].restart_count == 1
    back = moment(records, machine="uplink", target="connected")
    assert 40 < back <= 50
    assert moment(records, machine="status_report", target="") == back
    told = [record for record in records if record.machine == "k8s_event" and record.at_ms == back * 1000]
    assert [record.target for record in told if record.subject == APP] == ["Pulled", "Created", "Started"]
    (started,) = [row for key, row in world.tables.k8s_events.items() if row.reason == "Started" and row.count == 2]
    assert started.last_ms < 30_000  # it was created then


def test_what_is_held_back_is_told_with_both_truths() -> None:
    _, records = lived((10, CUT), exits(15), seconds=40)
    held = [record for record in records if record.machine == "status_report"]
    assert held[0].target == "held"
    assert (held[-1].get("holds"), held[-1].get("shows")) == ("Running 1/1, restarts 1", "Running 1/1, restarts 0")


def test_inspector_has_both_truths() -> None:
    world, _ = lived((10, CUT), exits(15), seconds=40)
    shown = pod_view(world, "default/p")
    assert shown is not None
    assert (shown.is_stale, shown.holds, f"{shown.status_word} {shown.ready} {shown.restarts}") == (
        True,
        "Running 1/1, restarts 1",
        "Running 1/1 0",
    )


def test_inspector_of_a_pod_on_another_node_knows_of_no_cut() -> None:
    world, _ = lived((10, CutNetwork(node="node2")), seconds=20)
    shown = pod_view(world, "default/p")
    assert shown is not None
    assert (shown.is_stale, shown.holds) == (False, "")


@pytest.mark.parametrize(("version", "unknown"), [("1.31", 47.5), ("1.34", 57.5)])
def test_node_is_unknown_after_its_grace_and_its_pods_are_evicted(version: str, unknown: float) -> None:
    _, records = lived((10, CUT), seconds=400, version=version)
    assert moment(records, machine="node_condition", target="Unknown") == pytest.approx(unknown, abs=5)
    assert of(records, "condition", "condition/default/p/Ready", 10) == ["False"]
    assert any(record.target == "present" and "unreachable" in str(record.get("taint")) for record in records if record.machine == "taint")
    assert words(records, machine="object")[-1] == "terminating"
    assert of(records, "container", APP, 10) == []  # the node has not received any of it


def test_deletion_waits_and_is_carried_out_once_the_network_is_back() -> None:
    world, records = lived((10, CUT), (20, DeletePod(target="default/p")), (60, RESTORE), seconds=90)
    assert of(records, "object", "pod/default/p") == ["terminating", "gone"]
    back = moment(records, machine="uplink", target="connected")
    assert moment(records, machine="container", target="stopping") == pytest.approx(back, abs=0.1)
    assert world.tables.workers == {}


def test_termination_that_the_kubelet_had_begun_is_finished_on_the_node_and_reported_later() -> None:
    world, records = lived((10, DeletePod(target="default/p")), (11, CUT), (40, RESTORE), seconds=60)
    assert moment(records, machine="container", target="exited") < 20
    gone = moment(records, machine="object", target="gone")
    assert gone == moment(records, machine="uplink", target="connected")
    assert world.tables.workers == {}


def test_object_that_was_removed_by_force_leaves_a_process_until_the_network_is_back() -> None:
    _, records = lived((10, CUT), (20, DeletePod(target="default/p", force=True)), (60, RESTORE), seconds=90)
    assert moment(records, machine="object", target="gone") == 20
    assert moment(records, machine="container", target="exited") > 60


def test_pod_that_was_bound_meanwhile_starts_when_the_kubelet_hears_of_it() -> None:
    document = {**pod(container("sleep 999"), nodeName="node1"), "metadata": {"name": "late"}}
    late = ApplyManifest(documents=(json.dumps(document),))
    world, records = lived((10, CUT), (15, late), (40, RESTORE), seconds=60)
    started = [record for record in records if record.subject == "container/default/late/app" and record.target == "running"]
    assert started[0].at_ms >= 40_000
    assert world.tables.pods["default/late"].status.phase == "Running"


def test_short_cut_is_never_noticed() -> None:
    _, records = lived((10, CUT), (20, RESTORE), seconds=120)
    later = [
        record for record in records if record.at_ms > 10_000 and record.machine in ("node_condition", "condition", "status_word", "taint")
    ]
    assert later == []


def test_node_is_ready_again_and_loses_its_taints() -> None:
    world, records = lived((10, CUT), (100, RESTORE), seconds=130)
    assert world.tables.node_life["node1"].condition("Ready").status == "True"
    assert world.tables.nodes["node1"].taints == ()
    assert of(records, "condition", "condition/default/p/Ready", 10) == ["False", "True"]


def test_status_of_a_kubelet_that_stops_while_it_is_cut_off_is_computed_again() -> None:
    stop, start = NodeControl(node="node1", kubelet="stop"), NodeControl(node="node1", kubelet="start")
    world, records = lived((10, CUT), exits(12), (20, stop), (25, start), (60, RESTORE), seconds=90)
    assert of(records, "status_word", "pod/default/p", 10)[-1] == "Running"
    assert world.tables.pods["default/p"].status.containers[0].restart_count == 1
    assert world.tables.held_pods == world.tables.held_objects == world.tables.held_events == {}


def test_node_that_was_deleted_meanwhile_stays_away() -> None:
    world, _ = lived((10, CUT), (20, DeleteNode(node="node1")), (30, RESTORE), seconds=60)
    assert world.tables.nodes["node1"].is_deleted


def test_kubelet_that_starts_cut_off_registers_a_deleted_node_later() -> None:
    stop, start = NodeControl(node="node1", kubelet="stop"), NodeControl(node="node1", kubelet="start")
    _, records = lived((5, stop), (6, DeleteNode(node="node1")), (10, CUT), (12, start), (40, RESTORE), seconds=60)
    assert moment(records, machine="object", target="present", nth=1) == moment(records, machine="uplink", target="connected")


def test_machine_without_power_while_it_is_cut_off_comes_back() -> None:
    off, on = ShutdownNode(node="node1", grace_s=0), NodeControl(node="node1", kubelet="start")
    world, _ = lived((10, CUT), (20, off), (30, RESTORE), (45, on), seconds=120)
    assert world.tables.pods["default/p"].status.phase == "Running"
    assert world.tables.pods["default/p"].status.containers[0].restart_count == 1


def test_cut_again_before_the_kubelet_tried_goes_on() -> None:
    world, records = lived((10, CUT), exits(12), (20, RESTORE), (20.1, CUT), seconds=40)
    assert of(records, "uplink", "node/node1") == ["cut", "back", "cut"]
    assert world.tables.pods["default/p"].status.containers[0].restart_count == 0


def test_events_are_given_up_one_after_the_other() -> None:
    _, records = lived((10, CUT), exits(15), (200, RESTORE), seconds=220)
    (lost,) = [record for record in records if record.rule == "EVENTS-LOST"]
    assert lost.get("count") == 1


def test_kubectl_does_not_reach_the_kubelet() -> None:
    world, _ = lived((10, CUT), seconds=20)
    assert "i/o timeout" in unreachable(world, "node1")
    assert unreachable(world, "node2") == ""


@pytest.mark.parametrize("act", [CUT, NodeControl(node="node1", kubelet="stop")])
def test_metrics_server_reports_nothing_of_pods_whose_kubelet_it_does_not_reach(act: AnyCommand) -> None:
    world, _ = lived((60, act), seconds=80)
    before, _ = lived((60, act), seconds=59)
    used, then = (pod_use(each, each.tables.pods["default/p"], each.now_ms) for each in (before, world))
    assert used is not None
    assert then is None


@pytest.mark.parametrize("act", [CUT, NodeControl(node="node1", kubelet="stop")])
def test_command_cannot_be_run_where_the_api_server_does_not_reach_the_kubelet(act: AnyCommand) -> None:
    command = ExecInContainer(target="default/p", container="app", command=("true",))
    _, records = lived((10, act), (12, command), seconds=20)
    assert [record.rule for record in records if record.machine == "command"][-1] == "EXEC-UNREACHABLE"
    _, records = lived((12, command), seconds=20)
    assert [record.target for record in records if record.machine == "command"] == ["accepted"]


@pytest.mark.parametrize(("command", "rule"), [(RESTORE, "COMMAND-ALREADY"), (CutNetwork(node="x"), "COMMAND-NO-NODE")])
def test_refusals(command: CutNetwork, rule: str) -> None:
    world = new_world(header())
    assert apply(world, command)[-1].rule == rule


def test_second_cut_and_a_new_static_pod_are_refused() -> None:
    world = new_world(header())
    apply(world, CUT)
    static = PlaceStaticPod(node="node1", document=json.dumps(pod(container())))
    assert [apply(world, command)[-1].rule for command in (CUT, static)] == ["COMMAND-ALREADY", "STATIC-UNSEEN"]


def test_fork_within_a_cut_goes_its_own_way() -> None:
    world, _ = lived((10, CUT), exits(12), seconds=20)
    twin = world.fork()
    apply(twin, RESTORE)
    advance(twin, until_ms=60_000)
    advance(world, until_ms=60_000)
    assert twin.tables.pods["default/p"].status.containers[0].restart_count == 1
    assert world.tables.pods["default/p"].status.containers[0].restart_count == 0
