"""The heart of the product: a run is a pure function of its header and commands."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from simulator.engine import Checkpoints, Course, RunHeader, Stamped, World, replay, verify
from simulator.engine.acts.all_acts import ACTS, AnyCommand
from simulator.engine.acts.containers.exec import ExecInContainer, WriteToExec
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.containers.hang import HangContainer
from simulator.engine.acts.containers.image import SetImage
from simulator.engine.acts.containers.oom import OomContainer
from simulator.engine.acts.containers.probe import SetProbe
from simulator.engine.acts.containers.signal import SignalContainer
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.nodes.delete import DeleteNode
from simulator.engine.acts.nodes.drain import DrainNode
from simulator.engine.acts.nodes.join import JoinNode
from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.nodes.network import CutNetwork
from simulator.engine.acts.nodes.pressure import SetNodePressure
from simulator.engine.acts.nodes.shutdown import ShutdownNode
from simulator.engine.acts.nodes.static_pod import PlaceStaticPod
from simulator.engine.acts.nodes.taint import TaintNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.objects.load import SetLoad
from simulator.engine.acts.objects.namespace import DeleteNamespace
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.objects.replace import ReplaceObject
from simulator.engine.acts.objects.server_side_apply import ApplyServerSide
from simulator.engine.acts.pods.bind import BindPod
from simulator.engine.acts.pods.debug import DebugPod
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.delete_all import DeletePods
from simulator.engine.acts.pods.evict import EvictPod
from simulator.engine.acts.pods.gates import RemoveSchedulingGates
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.acts.pods.resize import ResizePod
from simulator.engine.acts.pods.sandbox import KillSandbox
from simulator.engine.acts.pods.set_image import SetPodImage
from simulator.engine.course.replay import SPARED_WORK, STRIDE_WORK, OutOfWork, Purse, rows_of
from simulator.engine.kernel.records import digest_of
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.policies.room import EMPTY, with_pod
from simulator.engine.versions.usual import COMPARED
from simulator.engine.world.rows import Room
from tests.engine.worlds import container, header, pod

PROBE = {"exec": {"command": ["cat", "/tmp/ok"]}, "periodSeconds": 3}
PODS = (
    pod(container("touch /tmp/ok; sleep 12; rm /tmp/ok; sleep 600", livenessProbe=PROBE), name="live"),
    pod(container("sleep 2; exit 1"), name="crash"),
    pod(container(readinessProbe=PROBE), container("sleep 5; exit 0", name="side"), name="two", restartPolicy="OnFailure"),
    pod(container(image="nosuch/app:1"), name="image"),
    pod(container(volumeMounts=[{"name": "v", "mountPath": "/v"}]), name="mount", volumes=[{"name": "v", "secret": {"secretName": "x"}}]),
)
SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "annotations": {"podscope.dev/load": "rate=30 duration=400ms"}},
    "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
}
for one in (PODS[0], PODS[2]):
    one["metadata"]["labels"] = {"app": "web"}
END_MS = 90_000


def commands() -> st.SearchStrategy[AnyCommand]:
    """Any command, for a pod that may or may not exist."""
    target = st.sampled_from(["default/live", "default/crash", "default/two", "default/image", "default/mount", "default/none"])
    name = st.sampled_from(["app", "side"])
    kind = st.sampled_from(["liveness", "readiness", "startup"])
    return st.one_of(
        st.builds(DeletePod, target=target, grace_s=st.sampled_from([None, 0, 1, 5]), force=st.booleans()),
        st.builds(ExitContainer, target=target, container=name, exit_code=st.integers(0, 255)),
        st.builds(SignalContainer, target=target, container=name, signal=st.sampled_from([9, 15])),
        st.builds(OomContainer, target=target, container=name),
        st.builds(HangContainer, target=target, container=name, hang=st.booleans()),
        st.builds(SetProbe, target=target, container=name, probe=kind, outcome=st.sampled_from([None, "success", "failure", "timeout"])),
        st.builds(SetImage, image=st.just("nosuch/app:1"), available=st.booleans()),
        *node_commands(),
        *store_commands(),
        st.builds(
            SetNodePressure,
            node=st.sampled_from(["node1", "none"]),
            signal=st.sampled_from(["memory.available", "nodefs.available", "pid.available", "nonsense"]),
            available=st.sampled_from([None, "1Mi", "5%", "90%", "bad"]),
        ),
        st.builds(ResizePod, target=target, requests=st.just({"cpu": "1"}), limits=st.sampled_from([{}, {"memory": "64Mi"}])),
        st.builds(
            SetPodImage, target=target, container=st.sampled_from(["app", "*", "none"]), image=st.sampled_from(["busybox:1.36", "no such"])
        ),
        st.builds(RemoveSchedulingGates, target=target),
        st.builds(SetLoad, name=st.sampled_from(["web", "none"]), load=st.sampled_from(LOADS)),
        st.builds(LabelNode, node=st.sampled_from(["node1", "none"]), labels=st.just({"disk": "ssd"})),
    )


def node_commands() -> list[st.SearchStrategy[AnyCommand]]:
    """Commands about the node, which may or may not exist."""
    node = st.sampled_from(["node1", "node1", "node9"])
    words = st.sampled_from(["", "stop", "start", "kill"])
    plugin = st.sampled_from(["", "missing", "present"])
    taints = st.sampled_from([(), ("k=v:NoExecute",), ("k:NoSchedule",), ("nonsense",)])
    static = '{"kind": "Pod", "metadata": {"name": "stat"}, "spec": {"containers": [{"name": "app", "image": "busybox:1.28"}]}}'
    return [
        st.builds(NodeControl, node=node, kubelet=words, runtime=words, network_plugin=plugin),
        st.builds(TaintNode, node=node, add=taints, remove=st.sampled_from([(), ("k",)])),
        st.builds(CordonNode, node=node, unschedulable=st.booleans()),
        st.builds(DrainNode, node=node, force=st.booleans(), grace_s=st.sampled_from([None, 0, 5])),
        st.builds(DeleteNode, node=node),
        st.builds(JoinNode, node=st.sampled_from(("node3", "node1")), like=st.sampled_from(("", "node1"))),
        st.builds(PlaceStaticPod, node=node, document=st.just(static)),
        st.builds(PlaceStaticPod, node=node, remove=st.just("stat")),
        st.builds(ShutdownNode, node=node, grace_s=st.sampled_from([0, 20]), cancel=st.booleans()),
        st.builds(CutNetwork, node=node, restore=st.booleans()),
        st.builds(KillSandbox, target=st.sampled_from(["default/live", "default/none"])),
    ]


BUDGET = '{"kind": "PodDisruptionBudget", "metadata": {"name": "b"}, "spec": {"selector": {}, "minAvailable": 2}}'
LOADS = ["rate=50 duration=1s", "rate=7 connections=3 retries=1", "", "?"]
CONFIG = '{"kind": "ConfigMap", "metadata": {"name": "c", "finalizers": ["a.b/c"]}, "data": {"a": "1"}}'
LATE = '{"kind": "Pod", "metadata": {"name": "live"}, "spec": {"containers": [{"name": "app", "image": "busybox:1.28"}]}}'


def store_commands() -> list[st.SearchStrategy[AnyCommand]]:
    """Requests about objects, which may or may not exist."""
    target = st.sampled_from(["default/live", "default/image", "default/none"])
    kind, name = st.sampled_from(["Pod", "ConfigMap", "PodDisruptionBudget", "Secret"]), st.sampled_from(["live", "c", "b", "x"])
    bodies = st.sampled_from(['{"metadata": {"labels": {"a": "b"}, "finalizers": null}}', '{"spec": {"minAvailable": 1}}', "[]"])
    policy = st.sampled_from(["", "Foreground", "Orphan", "nonsense"])
    typed, managers = st.sampled_from(["ls\n", "exit 3\n", ""]), st.sampled_from(["a", "b"])
    return [
        st.builds(ApplyManifest, documents=st.lists(st.sampled_from([BUDGET, CONFIG, LATE]), max_size=3).map(tuple)),
        st.builds(PatchPod, target=target, patch=bodies, kind=st.sampled_from(["strategic", "merge", "json"])),
        st.builds(DeletePods, namespace=st.just("default"), selector=st.sampled_from([{}, {"app": "web"}]), collection=st.booleans()),
        st.builds(DeleteNamespace, name=st.sampled_from(["default", "team"])),
        st.builds(DebugPod, target=target, container=st.just("look"), image=st.just("busybox:1.28"), command=st.just(("ls", "/"))),
        st.builds(ExecInContainer, target=target, command=st.sampled_from([("ls", "/"), ("kill", "1"), ("sh",), ()]), stdin=st.booleans()),
        st.builds(WriteToExec, target=target, exec=st.sampled_from([-1, 0, 7]), text=typed, is_end=st.booleans()),
        st.builds(ApplyServerSide, document=st.sampled_from([CONFIG, LATE, BUDGET]), manager=managers, force=st.booleans()),
        st.builds(EvictPod, target=target, grace_s=st.sampled_from([None, 0, 5]), dry_run=st.booleans()),
        st.builds(BindPod, target=target, node=st.sampled_from(["node1", "none"])),
        st.builds(PatchObject, kind=kind, namespace=st.just("default"), name=name, patch=bodies, patch_kind=st.just("merge")),
        st.builds(DeleteObject, kind=kind, namespace=st.just("default"), name=name, propagation=policy),
        st.builds(ReplaceObject, document=st.sampled_from([CONFIG, LATE, BUDGET])),
    ]


DRAWN_ELSEWHERE = {"autoscale", "rollout_pause", "rollout_restart", "rollout_undo", "scale", "set_workload_image"}
"""Acts on workloads, which this world does not have. ``controllers/test_rollout_properties.py`` draws all of them except autoscale."""


def test_every_act_is_among_the_commands_that_are_drawn() -> None:
    """Every import of this module is used: ruff checks that."""
    assert {act.do for act in ACTS if act.command not in globals().values()} == DRAWN_ELSEWHERE


def runs() -> st.SearchStrategy[tuple[RunHeader, list[Stamped]]]:
    """A header and stamped commands."""
    moments = st.lists(st.tuples(st.integers(0, END_MS), commands()), max_size=4)
    heads = st.builds(
        lambda version, seed, jitter: header(*PODS, SERVICE, kubernetes=version, seed=seed, jitter=jitter),
        st.sampled_from(COMPARED),
        st.integers(0, 3),
        st.booleans(),
    )
    ordered = moments.map(lambda items: [Stamped(at, n, command) for n, (at, command) in enumerate(sorted(items, key=lambda i: i[0]))])
    return st.tuples(heads, ordered)


def live(head: RunHeader, given_commands: list[Stamped], *, limit: int, until_ms: int = END_MS) -> World:
    """Drive a run as its owner does: in slices, with each command given when the world has reached its moment."""
    course = Course(head)
    for stamped in given_commands:
        slices(course, stamped.at_ms, limit)
        course.give(stamped)
    slices(course, until_ms, limit)
    return course.world


def slices(course: Course, until_ms: int, limit: int) -> None:
    while not course.drive(until_ms, limit=limit).is_there:
        pass


few = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)


@few
@given(runs(), st.integers(1, 50))
def test_live_equals_replay_however_it_is_sliced(drawn: tuple[RunHeader, list[Stamped]], limit: int) -> None:
    head, given_commands = drawn
    assert live(head, given_commands, limit=limit).digest() == replay(head, given_commands, until_ms=END_MS).digest()


@few
@given(runs(), st.integers(0, END_MS))
def test_fork_with_the_same_commands_equals_the_original(drawn: tuple[RunHeader, list[Stamped]], at_ms: int) -> None:
    head, given_commands = drawn
    base = Course(head, [stamped for stamped in given_commands if stamped.at_ms <= at_ms])
    base.drive(at_ms)
    fork = base.fork(given_commands)
    base.drive(END_MS)
    fork.drive(END_MS)
    assert fork.world.digest() == replay(head, given_commands, until_ms=END_MS).digest()


@few
@given(runs(), st.lists(st.integers(0, END_MS), min_size=1, max_size=4))
def test_seek_equals_never_having_sought(drawn: tuple[RunHeader, list[Stamped]], moments: list[int]) -> None:
    head, given_commands = drawn
    checkpoints = Checkpoints(head, stride_ms=7_000, stride_work=100)
    for at_ms in moments:
        assert checkpoints.seek(given_commands, ms=at_ms).digest() == replay(head, given_commands, until_ms=at_ms).digest()


@few
@given(runs(), st.lists(st.integers(0, 10_000), min_size=1, max_size=4))
def test_seek_by_number_equals_having_stopped_at_that_step(drawn: tuple[RunHeader, list[Stamped]], draws: list[int]) -> None:
    head, given_commands = drawn
    records: list = []
    replay(head, given_commands, until_ms=END_MS, into=records)
    checkpoints = Checkpoints(head, stride_ms=7_000, stride_work=100)
    for draw in draws:
        seq = records[draw % len(records)].seq
        stopped = Course(head, given_commands)
        stopped.drive_to_seq(seq, until_ms=END_MS)
        assert checkpoints.seek_seq(given_commands, seq, end_ms=END_MS).digest() == stopped.world.digest()


@few
@given(runs(), st.lists(st.integers(0, END_MS), min_size=1, max_size=6))
def test_looks_at_a_run_that_grows_equal_having_stopped_there(drawn: tuple[RunHeader, list[Stamped]], moments: list[int]) -> None:
    head, given_commands = drawn
    checkpoints = Checkpoints(head, stride_ms=7_000, stride_work=100)
    for at_ms in sorted(moments):
        known = [stamped for stamped in given_commands if stamped.at_ms <= at_ms]
        seq = replay(head, known, until_ms=at_ms).seq
        stopped = Course(head, known)
        stopped.drive_to_seq(seq, until_ms=at_ms)
        looks = [checkpoints.seek_seq(known, seq, end_ms=at_ms), checkpoints.seek_seq(known, seq, end_ms=at_ms)]
        assert [world.digest() for world in looks] == [stopped.world.digest()] * 2
        assert checkpoints.seek(known, ms=at_ms).digest() == replay(head, known, until_ms=at_ms).digest()


def test_second_look_at_the_newest_record_plays_nothing() -> None:
    checkpoints, seq = Checkpoints(header(PODS[1])), replay(header(PODS[1]), until_ms=20_000).seq
    checkpoints.seek_seq((), seq, end_ms=20_000)
    purse = Purse(1000)
    checkpoints.seek_seq((), seq, end_ms=20_000, purse=purse)
    assert purse.left == 1000


def test_second_look_at_a_moment_plays_nothing() -> None:
    checkpoints = Checkpoints(header(PODS[1]))
    checkpoints.seek((), ms=20_000)
    purse = Purse(1000)
    assert checkpoints.seek((), ms=20_000, purse=purse).digest() == replay(header(PODS[1]), until_ms=20_000).digest()
    assert purse.left == 1000


def test_look_at_a_record_ends_with_its_purse_and_goes_on_there() -> None:
    checkpoints, seq = Checkpoints(header(PODS[1])), replay(header(PODS[1]), until_ms=20_000).seq
    tries = 0
    while True:
        tries += 1
        try:
            world = checkpoints.seek_seq((), seq, end_ms=20_000, purse=Purse(50))
            break
        except OutOfWork:
            continue
    stopped = Course(header(PODS[1]))
    stopped.drive_to_seq(seq, until_ms=20_000)
    assert (world.digest(), tries > 1) == (stopped.world.digest(), True)


def test_seek_in_a_busy_start_costs_a_stride_of_work_and_not_the_start() -> None:
    crowd = header(*(pod(container(readinessProbe=PROBE), name=f"web{n}") for n in range(40)))
    start = Purse(100_000)
    checkpoints = Checkpoints(crowd, stride_work=100)
    checkpoints.seek((), ms=20_000, purse=start)
    costs = []
    for at_ms in range(1_000, 20_000, 500):
        purse = Purse(100_000)
        checkpoints.seek((), ms=at_ms, purse=purse)
        costs.append(100_000 - purse.left)
    assert max(costs) * 5 < 100_000 - start.left


def test_seek_in_a_run_of_fifty_pods_costs_a_fine_stride_of_work() -> None:
    crowd = header(*(pod(container(readinessProbe=PROBE), name=f"web{n}") for n in range(50)))
    start, checkpoints = Purse(), Checkpoints(crowd)
    whole = start.left
    checkpoints.seek((), ms=30_000, purse=start)
    costs = []
    for at_ms in range(1_000, 30_000, 1_000):
        purse = Purse()
        checkpoints.seek((), ms=at_ms, purse=purse)
        costs.append(whole - purse.left)
    assert whole - start.left > 2 * SPARED_WORK
    assert max(costs) < 2 * STRIDE_WORK


def test_checkpoints_of_a_large_run_stand_further_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = header(*(pod(container(readinessProbe=PROBE), name=f"web{n}") for n in range(50)))
    fine, coarse = Checkpoints(crowd), Checkpoints(crowd)
    fine.seek((), ms=30_000)
    monkeypatch.setattr("simulator.engine.course.replay.ROWS_FINE", 0)
    coarse.seek((), ms=30_000)
    gaps = [after.done - before.done for before, after in pairwise(coarse.stops)]
    assert coarse.rows() * 2 < fine.rows()
    assert max(gaps) <= SPARED_WORK


def test_seek_forgets_the_checkpoints_that_a_later_command_lies_before() -> None:
    checkpoints = Checkpoints(header(PODS[1]), stride_ms=1000)
    checkpoints.seek((), ms=20_000)
    late = [Stamped(at_ms=5000, n=1, command=DeletePod(target="default/crash"))]
    assert checkpoints.seek(late, ms=20_000).digest() == replay(header(PODS[1]), late, until_ms=20_000).digest()


def test_checkpoints_thin_out_when_there_are_too_many() -> None:
    checkpoints = Checkpoints(header(PODS[1]), stride_ms=1000, size=5)
    checkpoints.seek((), ms=60_000)
    done = [stop.done for stop in checkpoints.stops]
    assert len(done) == 5
    assert max(after - before for before, after in pairwise(done)) * 2 < done[-1]


def test_checkpoints_do_not_count_the_rows_that_all_copies_share() -> None:
    checkpoints = Checkpoints(header(PODS[1]), stride_ms=1000)
    checkpoints.seek((), ms=60_000)
    first, *others = checkpoints.stops
    assert sum(stop.rows for stop in others) < sum(rows_of(stop.course.world) for stop in others)


@few
@given(runs())
def test_digest_of_records_is_that_of_the_world_they_lead_to(drawn: tuple[RunHeader, list[Stamped]]) -> None:
    head, given_commands = drawn
    records: list = []
    world = replay(head, given_commands, until_ms=END_MS, into=records)
    assert digest_of(records) == world.digest()


@few
@given(runs())
def test_verify_finds_nothing_in_a_true_log(drawn: tuple[RunHeader, list[Stamped]]) -> None:
    head, given_commands = drawn
    records: list = []
    replay(head, given_commands, until_ms=END_MS, into=records)
    assert verify(head, given_commands, records) is None


def test_verify_names_the_first_record_that_differs() -> None:
    records: list = []
    replay(header(PODS[1]), [], until_ms=20_000, into=records)
    divergence = verify(header(PODS[1], seed=2, jitter=True), [], records)
    assert divergence is not None
    assert (divergence.stored, divergence.at_ms) == (records[divergence.seq - 1], min(divergence.stored.at_ms, divergence.now.at_ms))


@pytest.fixture
def history() -> list:
    records: list = []
    replay(header(PODS[1]), [], until_ms=20_000, into=records)
    return records


def test_verify_names_the_record_that_is_no_longer_written(history: list) -> None:
    extra = replace(history[-1], seq=history[-1].seq + 1)
    divergence = verify(header(PODS[1]), [], [*history, extra])
    assert (divergence.stored, divergence.now) == (extra, None)


def test_verify_names_the_record_that_was_not_written_then(history: list) -> None:
    divergence = verify(header(PODS[1]), [], history[:-1], until_ms=20_000)
    assert (divergence.stored, divergence.now) == (None, history[-1])


@pytest.mark.parametrize("may_add", [True, False])
def test_verify_minds_values_that_were_added_only_where_told(history: list, may_add: bool) -> None:
    poorer = [replace(record, data=record.data[1:]) for record in history]
    assert (verify(header(PODS[1]), [], poorer, may_add=may_add) is None) == may_add


def test_verify_does_not_mind_how_early_records_say_they_look(history: list) -> None:
    """Records of revisions before 7 contain the tone of STATUS."""
    looking = [replace(record, data=(*record.data, ("tone", "ready"))) if record.machine == "status_word" else record for record in history]
    assert verify(header(PODS[1]), [], looking, may_add=True) is None
    assert verify(header(PODS[1]), [], looking) is not None


def test_verify_minds_values_that_are_other_ones(history: list) -> None:
    other = [*history[:-1], replace(history[-1], data=(("reason", "other"),))]
    assert verify(header(PODS[1]), [], other, may_add=True).seq == history[-1].seq


@few
@given(runs())
def test_room_is_the_sum_of_the_pods_that_scheduler_and_kubelet_count(drawn: tuple[RunHeader, list[Stamped]]) -> None:
    head, given_commands = drawn
    tables = replay(head, given_commands, until_ms=END_MS).tables
    there = [row for row in tables.pods.values() if row.node and row.gone_ms is None and row.status.phase not in TERMINAL_PHASES]
    assert sorted(tables.scheduled) == sorted(row.key for row in there)
    assert tables.admitted.keys() <= tables.workers.keys()
    for counted, rooms in ((tables.scheduled, tables.room_scheduled), (tables.admitted, tables.room_admitted)):
        sums: dict[str, Room] = {}
        for key, need in counted.items():
            node = tables.pods[key].node
            sums[node] = with_pod(sums.get(node, EMPTY), need)
        assert {node: room for node, room in rooms.items() if room != EMPTY} == sums


@few
@given(runs())
def test_records_count_without_gaps_and_point_backwards(drawn: tuple[RunHeader, list[Stamped]]) -> None:
    head, given_commands = drawn
    records: list = []
    replay(head, given_commands, until_ms=END_MS, into=records)
    assert [record.seq for record in records] == list(range(1, len(records) + 1))
    assert all(record.cause < record.seq for record in records)
    assert all(before.at_ms <= after.at_ms for before, after in zip(records, records[1:], strict=False))


@pytest.mark.parametrize("hash_seed", ["0", "1", "4711"])
def test_digest_is_the_same_under_any_hash_seed(hash_seed: str) -> None:
    code = (
        "from tests.engine.test_properties import PODS, END_MS\n"
        "from tests.engine.worlds import header\n"
        "from simulator.engine import replay\n"
        "print(replay(header(*PODS, jitter=True), [], until_ms=END_MS).digest().hex())"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == replay(header(*PODS, jitter=True), [], until_ms=END_MS).digest().hex()
