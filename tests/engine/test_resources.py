"""Resources in a running world: evictions, admission, the scheduler's retries. Stories are in golden/."""

import json

import pytest

from simulator.engine import ClusterSpec, ImageSpec, NodeSpec
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.pressure import SetNodePressure
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.gates import RemoveSchedulingGates
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.acts.pods.resize import ResizePod
from tests.engine.worlds import PRESENT, container, events, header, moment, pod, run, words

BLOCK = "podscope.dev/behaviour"


def user_of(memory: str, *, name: str = "p", **more):  # noqa: ANN003, ANN201 - a Pod document
    document = pod({"name": "app", "image": "busybox:1.28"}, name=name, **more)
    document["metadata"]["annotations"] = {BLOCK: json.dumps({"app": {"memory": [{"at": 0, "bytes": memory}]}})}
    return document


def cluster(**node) -> ClusterSpec:  # noqa: ANN003
    images = tuple(ImageSpec(name=name, present=True) for name in PRESENT)
    return ClusterSpec(nodes=(NodeSpec(name="node1", **node),), images=images, unlisted_images="missing")


def pressure(available: str | None, signal: str = "memory.available") -> SetNodePressure:
    return SetNodePressure(node="node1", signal=signal, available=available)


def test_idle_cluster_has_nothing_to_do_for_the_eviction_manager() -> None:
    world, _ = run(header(user_of("200Mi")), 30)
    assert world.tables.pressures == {}


def test_soft_threshold_waits_and_gives_the_pod_its_grace() -> None:
    soft = cluster(eviction_soft={"memory.available": "500Mi"}, eviction_soft_grace_s={"memory.available": 30}, eviction_max_pod_grace_s=8)
    ignoring = pod(container("trap '' TERM; while true; do sleep 1; done"))
    _, records = run(header(ignoring, cluster=soft), 70, (5, pressure("300Mi")))
    began = moment(records, machine="stop", target="term")
    assert began == pytest.approx(45, abs=1)
    assert moment(records, machine="stop", target="killed") == began + 8


def test_soft_threshold_lets_the_pod_be_when_the_shortage_is_over_in_time() -> None:
    soft = cluster(eviction_soft={"memory.available": "500Mi"}, eviction_soft_grace_s={"memory.available": 30})
    _, records = run(header(user_of("100Mi"), cluster=soft), 90, (5, pressure("300Mi")), (20, pressure(None)))
    assert not any(text.startswith("Evicted") for text in events(records))


def test_critical_pod_is_never_evicted() -> None:
    _, records = run(header(user_of("200Mi", priorityClassName="system-cluster-critical")), 40, (5, pressure("50Mi")))
    assert words(records)[-1] == "Running"
    assert "EVICTION-CRITICAL" in {record.rule for record in records}


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        (pressure("50Mi", "pid.available"), "COMMAND-NO-THRESHOLD"),
        (pressure("much"), "COMMAND-BAD-VALUE"),
        (pressure("1Mi", "cpu"), "COMMAND-BAD-VALUE"),
        (pressure("-1"), "COMMAND-BAD-VALUE"),
        (SetNodePressure(node="none", signal="memory.available"), "COMMAND-NO-NODE"),
        (RemoveSchedulingGates(target="default/p"), "COMMAND-NO-GATE"),
        (ResizePod(target="default/p", requests={"cpu": "1"}), "COMMAND-NO-RESIZE"),
    ],
)
def test_senseless_command_is_refused(command: AnyCommand, rule: str) -> None:
    _, records = run(header(pod(container())), 2, (1, command))
    assert [record.rule for record in records if record.target == "refused"] == [rule]


def test_deleted_unscheduled_pod_is_mentioned_by_the_old_scheduler() -> None:
    document = pod(container(resources={"requests": {"cpu": "100"}}))
    _, records = run(header(document, kubernetes="1.20"), 5, (2, DeletePod(target="default/p")))
    assert [record.get("message") for record in records if record.rule == "SCHEDULE-DELETED"] == ["skip schedule deleting pod: default/p"]


def test_memory_limit_below_what_is_used_is_tried_again_until_it_fits() -> None:
    document = user_of("100Mi")
    document["spec"]["containers"][0]["resources"] = {"requests": {"memory": "50Mi"}, "limits": {"memory": "200Mi"}}
    _, records = run(header(document, kubernetes="1.35"), 40, (5, ResizePod(target="default/p", limits={"memory": "60Mi"})))
    assert {record.rule for record in records if record.machine == "resize"} == {"RESIZE-ASKED", "RESIZE-ALLOCATED", "RESIZE-ERROR"}
    assert len([record for record in records if record.rule == "RESIZE-ERROR" and record.machine == "condition"]) == 1


def test_container_over_its_storage_limit_is_evicted_at_the_next_look() -> None:
    greedy = container("dd if=/dev/zero of=/tmp/x bs=1M count=5; sleep 3600", resources={"limits": {"ephemeral-storage": "2Mi"}})
    _, records = run(header(pod(greedy)), 30)
    assert [text for text in events(records) if text.startswith("Evicted")] == [
        "Evicted: Pod ephemeral local storage usage exceeds the total limit of containers 2Mi. "
    ]


def test_running_pod_keeps_its_place_when_a_deadline_is_added_later() -> None:
    patch = PatchPod(target="default/p", patch='{"spec": {"activeDeadlineSeconds": 20}}')
    _, records = run(header(pod(container())), 30, (5, patch))
    assert moment(records, machine="phase", target="Failed") == pytest.approx(20, abs=1.5)


@pytest.mark.parametrize(("kubernetes", "attempts"), [("1.20", 2), ("1.30", 1)])
def test_old_scheduler_tries_twice_at_once(kubernetes: str, attempts: int) -> None:
    _, records = run(header(pod(container(resources={"requests": {"cpu": "100"}})), kubernetes=kubernetes), 5)
    assert len([text for text in events(records) if text.startswith("FailedScheduling")]) == attempts


def test_unschedulable_pod_is_tried_again_after_minutes_of_nothing() -> None:
    world, _ = run(header(pod(container(resources={"requests": {"cpu": "100"}}))), 400)
    assert world.tables.tries["default/p"] == (2, 330_000)


def test_toleration_added_later_lets_the_pod_go_at_once() -> None:
    tainted = cluster(taints=("k=v:NoSchedule",))
    patch = PatchPod(target="default/p", patch='{"spec": {"tolerations": [{"key": "k", "operator": "Exists"}]}}')
    _, records = run(header(pod(container()), cluster=tainted), 10, (5, patch))
    assert moment(records, machine="scheduling", target="node1") == pytest.approx(5, abs=0.1)


def test_extended_resource_is_counted() -> None:
    wanting = {"resources": {"limits": {"example.com/gpu": "1"}}}
    two = cluster(allocatable={"example.com/gpu": "1"})
    documents = (pod(container(**wanting), name="one"), pod(container(**wanting), name="two"))
    world, _ = run(header(*documents, cluster=two), 5, (2, DeletePod(target="default/none")))
    assert [world.tables.pods[key].node for key in ("default/one", "default/two")] == ["node1", ""]


def test_pod_takes_the_priority_of_its_class_and_of_the_default_class() -> None:
    classes = [
        {"kind": "PriorityClass", "metadata": {"name": "usual"}, "value": 5, "globalDefault": True},
        {"kind": "PriorityClass", "metadata": {"name": "never"}, "value": 9, "preemptionPolicy": "Never"},
    ]
    documents = (pod(container(), name="a"), pod(container(), name="b", priorityClassName="never"))
    world, _ = run(header(*classes, *documents), 1)
    specs = [world.tables.pods[key].pod.spec for key in ("default/a", "default/b")]
    assert [(spec.priority, spec.preemption_policy) for spec in specs] == [(5, "PreemptLowerPriority"), (9, "Never")]


@pytest.mark.parametrize(
    ("kubernetes", "prefix"), [("1.20", "Pod Node didn't have enough"), ("1.30", "Pod was rejected: Node didn't have enough")]
)
def test_rejected_pod_says_so_in_the_words_of_its_version(kubernetes: str, prefix: str) -> None:
    wanting = pod(container(resources={"requests": {"memory": "1Ti"}}), nodeName="node1")
    world, records = run(header(wanting, kubernetes=kubernetes), 5)
    assert world.tables.pods["default/p"].status.message.startswith(prefix)
    assert words(records)[-1] == "OutOfmemory"


def test_rejected_pod_stays_rejected_when_it_is_changed() -> None:
    wanting = pod(container(), nodeName="node1", nodeSelector={"disk": "ssd"})
    patch = PatchPod(target="default/p", patch='{"metadata": {"labels": {"a": "b"}}}')
    world, _ = run(header(wanting), 10, (5, patch))
    assert world.tables.workers == {}


def test_negative_priority_makes_a_pod_a_victim_of_ordinary_ones() -> None:
    three = {"resources": {"requests": {"cpu": "3"}}}
    humble = {"kind": "PriorityClass", "metadata": {"name": "humble"}, "value": -5}
    documents = (humble, pod(container(**three), name="humble", priorityClassName="humble"), pod(container(**three), name="plain"))
    world, _ = run(header(*documents), 30)
    assert world.tables.pods["default/plain"].node == "node1"
    assert world.tables.pods["default/humble"].gone_ms is not None


def test_pod_of_a_missing_priority_class_is_forbidden() -> None:
    world, records = run(header(pod(container(), priorityClassName="nope")), 1)
    assert [record.get("message") for record in records if record.rule == "PRIORITY-CLASS"] == [
        'pods "p" is forbidden: no PriorityClass with name nope was found'
    ]
    assert world.tables.pods == {}
