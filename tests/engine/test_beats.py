"""When the kubelet relists, syncs and retries, and the order of things due in the same millisecond."""

import pytest

from simulator.engine import ClusterSpec, ImageSpec, NodeSpec, World
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.projection.pod import pod_view
from simulator.engine.rules.rulebook import RULEBOOK
from simulator.engine.world.events import Relist
from simulator.engine.world.queue import EventQueue, Lane
from tests.engine.worlds import container, header, moment, pod, run

NO_CONFIG = {"env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "none", "key": "a"}}}]}


def due(world: World, name: str) -> tuple[float, str]:
    """Seconds until the next thing of that name, and its rule."""
    view = pod_view(world, "default/p")
    assert view is not None
    thing = next(item for item in view.next if item.name == name)
    return (thing.at_ms - world.now_ms) / 1000, thing.rule


@pytest.mark.parametrize("exits", [5.6, 6.0, 6.4])
def test_end_of_a_container_becomes_known_with_the_next_look_at_the_runtime(exits: float) -> None:
    _, records = run(header(pod(container())), 9, (exits, ExitContainer(target="default/p", container="app", exit_code=1)))
    assert moment(records, machine="container_status", target="terminated") == 6.5


def test_inspector_shows_when_the_kubelet_looks_again() -> None:
    world, _ = run(header(pod(container())), 5.6, (5.6, ExitContainer(target="default/p", container="app", exit_code=1)))
    assert due(world, "relist") == (0.9, "RELIST")


def test_healthy_pod_is_synced_again_after_a_minute_or_a_little_more() -> None:
    world, _ = run(header(pod(container())), 5)
    wait, rule = due(world, "sync")
    assert 55 <= wait <= 86
    assert rule == "SYNC-RESYNC"


def test_pod_that_could_not_start_is_synced_again_after_ten_to_fifteen_seconds() -> None:
    world, _ = run(header(pod(container(**NO_CONFIG))), 2)
    wait, rule = due(world, "sync")
    assert 10 <= wait + 1.5 <= 16
    assert rule == "SYNC-RETRY"


def test_change_during_a_sync_waits_for_the_next_look_at_the_containers() -> None:
    busy = pod(container(lifecycle={"postStart": {"exec": {"command": ["sleep", "2"]}}}))
    label = PatchPod(target="default/p", patch='{"metadata": {"labels": {"a": "b"}}}')
    world, _ = run(header(busy), 2.45, (1, label))
    assert due(world, "sync") == (0.05, "SYNC-AFTER-RELIST")


def test_equal_times_go_by_lane_whatever_was_queued_first() -> None:
    queue = EventQueue()
    for lane in reversed(Lane):
        queue.push(1000, lane, Relist("node1"), 0)
    order = [Lane(queue.pop(1000).lane).name.lower() for _ in Lane]
    assert order == ["runtime", "api", "relist", "kubelet", "probe", "controller", "housekeeping", "script"]
    told = RULEBOOK["EQUAL-TIME-ORDER"].sentence
    places = [told.index(word) for word in ("runtime", "API server", "kubelet", "probes", "controllers", "housekeeping", "script")]
    assert places == sorted(places)


@pytest.mark.parametrize("names", [("b", "a"), ("a", "b")])
def test_equal_nodes_are_taken_in_the_order_of_the_cluster(names: tuple[str, str]) -> None:
    cluster = ClusterSpec(nodes=tuple(NodeSpec(name=name) for name in names), images=(ImageSpec(name="busybox:1.28", present=True),))
    world, _ = run(header(pod(container()), pod(container(), name="q"), cluster=cluster), 1)
    assert (world.tables.pods["default/p"].node, world.tables.pods["default/q"].node) == names
    assert RULEBOOK["SCHEDULE-TIE"].sure == "assumed"


def test_phase_that_has_ended_is_kept_whatever_the_containers_say() -> None:
    late = pod(container(), activeDeadlineSeconds=5, restartPolicy="Never")
    world, _ = run(header(late), 20)
    view = pod_view(world, "default/p")
    assert view is not None
    assert (view.phase, view.phase_rule) == ("Failed", "PHASE-KEPT")


def test_object_of_an_ended_pod_goes_with_the_middle_of_all_beats_without_chance() -> None:
    _, records = run(header(pod(container()), kubernetes="1.20"), 40, (20, DeletePod(target="default/p")))
    assert moment(records, machine="object", target="gone") == 20.5 + 2 + 5


def test_objects_of_pods_that_end_later_go_with_the_same_beat() -> None:
    pods = header(pod(container()), pod(container(), name="q"), pod(container(), name="r"), kubernetes="1.20")
    _, records = run(pods, 60, *((at, DeletePod(target=f"default/{name}")) for at, name in ((20, "p"), (24, "q"), (30, "r"))))
    assert [record.at_ms for record in records if record.machine == "object" and record.target == "gone"] == [27_500, 27_500, 37_500]


def test_nothing_is_taken_back_that_has_come_already() -> None:
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 1}
    lengths = []
    for seconds in (120, 300):
        world, _ = run(header(pod(container(readinessProbe=probe))), seconds)
        lengths.append(len(world.queue))
    assert lengths[0] == lengths[1] > 0


@pytest.mark.parametrize("at", [20, 20.5, 21])
def test_what_is_left_of_a_pod_waits_for_half_a_round_of_housekeeping_without_chance(at: float) -> None:
    held = pod(container(**NO_CONFIG))
    world, records = run(header(held, kubernetes="1.20"), 40, (at, DeletePod(target="default/p")))
    stopped = moment(records, machine="sandbox", target="stopped")
    assert stopped - at == pytest.approx(world.profile.housekeeping_ms / 2000, abs=0.05)


def test_rounds_of_housekeeping_keep_their_distance() -> None:
    pods = header(*(pod(container(**NO_CONFIG), name=name) for name in "pqr"), kubernetes="1.20")
    _, records = run(pods, 60, *((at, DeletePod(target=f"default/{name}")) for at, name in ((20, "p"), (21.5, "q"), (26, "r"))))
    stopped = [record.at_ms for record in records if record.machine == "sandbox" and record.target == "stopped"]
    assert stopped == [stopped[0], stopped[0] + 2000, stopped[0] + 6000]
