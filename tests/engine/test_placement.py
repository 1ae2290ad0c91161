"""What decides, besides room, where a pod may go: node labels, host ports, LimitRanges."""

import json

import pytest

from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.delete import DeleteNode
from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.apiserver.create import CreateRequest, create_answer
from simulator.engine.model.pod import Toleration
from simulator.engine.model.tolerations import tolerates
from simulator.engine.versions.release import release_of
from tests.engine.worlds import container, events, header, pod, run

COMPARING = {"TaintTolerationComparisonOperators": True}
LIMITS = {
    "kind": "LimitRange",
    "metadata": {"name": "limits"},
    "spec": {"limits": [{"type": "Container", "max": {"cpu": "800m"}, "min": {"cpu": "200m"}}]},
}


def refusal(document: dict[str, object]) -> str:
    """Why a pod is refused in a namespace with limits; empty if it is not."""
    _, records = run(header(LIMITS), 2, (1, ApplyManifest(documents=(json.dumps(document),))))
    return next((str(record.get("message")) for record in records if record.target == "refused"), "")


@pytest.mark.parametrize(
    ("resources", "message"),
    [
        ({"limits": {"cpu": "1.5"}, "requests": {"cpu": "500m"}}, "maximum cpu usage per Container is 800m, but limit is 1500m"),
        ({"limits": {"cpu": "800m"}, "requests": {"cpu": "100m"}}, "minimum cpu usage per Container is 200m, but request is 100m"),
        ({}, ""),
    ],
)
def test_pod_is_refused_when_it_breaks_a_limit_range(resources, message):
    said = refusal(pod(container(resources=resources)))
    assert said == (f'pods "p" is forbidden: {message}' if message else "")


def test_pod_gets_the_defaults_of_a_limit_range():
    world, _ = run(header(LIMITS, pod(container())), 1)
    resources = world.tables.pods["default/p"].pod.spec.containers[0].resources
    assert (resources.limits, resources.requests) == ({"cpu": "800m"}, {"cpu": "800m"})


def test_annotation_names_what_a_limit_range_filled_in():
    world, _ = run(header(LIMITS, pod(container())), 1)
    annotations = json.loads(world.tables.pods["default/p"].document)["metadata"]["annotations"]
    assert annotations["kubernetes.io/limit-ranger"] == (
        "LimitRanger plugin set: cpu request for container app; cpu limit for container app"
    )


def test_pod_of_the_beginning_leaves_a_refusal_when_it_is_forbidden():
    world, records = run(header(LIMITS, pod(container(resources={"limits": {"cpu": "2"}}))), 1)
    assert not world.tables.pods
    assert [record.rule for record in records if record.target == "refused"] == ["LIMIT-RANGE"]


@pytest.mark.parametrize(
    ("hard", "message"),
    [
        ({"pods": "1"}, "exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1"),
        ({"requests.cpu": "1"}, "failed quota: few: must specify requests.cpu"),
        ({"pods": "2"}, ""),
    ],
)
def test_pod_is_refused_when_a_quota_has_no_room(hard, message):
    quota = {"kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": hard}}
    second = ApplyManifest(documents=(json.dumps(pod(container(), name="q")),))
    _, records = run(header(pod(container()), quota), 2, (1, second))
    said = next((str(record.get("message")) for record in records if record.target == "refused"), "")
    assert said == (f'pods "q" is forbidden: {message}' if message else "")


def test_quota_of_memory_is_shown_in_binary_units():
    quota = {"kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": {"limits.memory": "1Gi"}}}
    sized = pod(container(resources={"limits": {"memory": "768Mi"}}), name="q")
    _, records = run(header(quota, pod(container(resources={"limits": {"memory": "512Mi"}})), sized), 1)
    said = next(str(record.get("message")) for record in records if record.rule == "QUOTA")
    assert said.endswith("requested: limits.memory=768Mi, used: limits.memory=512Mi, limited: limits.memory=1Gi")


def test_waiting_pod_is_placed_when_a_node_gets_its_label():
    label = LabelNode(node="node1", labels={"disk": "ssd"})
    world, _ = run(header(pod(container(), nodeSelector={"disk": "ssd"})), 20, (5, label))
    assert world.tables.pods["default/p"].node == "node1"


def test_label_goes_when_its_text_is_none():
    world, _ = run(header(pod(container())), 3, (1, LabelNode(node="node1", labels={"kubernetes.io/os": None})))
    assert "kubernetes.io/os" not in world.tables.nodes["node1"].labels


@pytest.mark.parametrize(("protocol", "fits"), [("TCP", False), ("UDP", True)])
def test_host_port_is_taken_once_for_each_protocol(protocol, fits):
    first = pod(container(ports=[{"containerPort": 80, "hostPort": 8000}]))
    second = pod(container(ports=[{"containerPort": 80, "hostPort": 8000, "protocol": protocol}]), name="q")
    world, records = run(header(first, second), 5)
    assert (world.tables.pods["default/q"].node == "node1") is fits
    assert any("didn't have free ports" in line for line in events(records)) is not fits


@pytest.mark.parametrize(("kubernetes", "said"), [("1.20", "1 persistentvolumeclaim"), ("1.30", "persistentvolumeclaim")])
def test_missing_claim_is_reported_as_the_version_does(kubernetes, said):
    waiting = pod(container(), volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "nope"}}])
    _, records = run(header(waiting, kubernetes=kubernetes), 1)
    assert f'FailedScheduling: 0/1 nodes are available: {said} "nope" not found.' in events(records)[0]


@pytest.mark.parametrize(
    ("operator", "value", "taint", "tolerated"),
    [
        ("Gt", "950", "951", True),
        ("Gt", "950", "950", False),
        ("Lt", "950", "5", True),
        ("Lt", "950", "0950", False),  # not a number as people write it
        ("Lt", "950", "high", False),
        ("Gt", "1", "9" * 30, False),  # more than 64 bits
    ],
)
def test_toleration_compares_numbers_where_its_gate_is_on(operator: str, value: str, taint: str, tolerated: bool) -> None:
    tolerations = (Toleration(key="sla", operator=operator, value=value),)
    assert tolerates(tolerations, ("sla", taint, "NoSchedule")) is tolerated


@pytest.mark.parametrize(
    ("gates", "value", "message"),
    [
        ({}, "5", 'spec.tolerations[0].operator: Unsupported value: "Gt": supported values: "Equal", "Exists", "Lt", "Gt"'),
        (COMPARING, "5", ""),
        (COMPARING, "05", 'spec.tolerations[0].value: Invalid value: "05": must be a valid decimal integer in canonical form'),
        (COMPARING, "", 'spec.tolerations[0].value: Invalid value: "": must be non-empty'),
    ],
)
def test_comparing_toleration_is_refused_without_gate_or_number(gates: dict[str, bool], value: str, message: str) -> None:
    document = pod(container(), tolerations=[{"key": "sla", "operator": "Gt", "value": value}])
    answer = create_answer(document, CreateRequest(release=release_of(35, gates)))
    assert (answer.message if answer else "") == (f'Pod "p" is invalid: {message}' if message else "")


UNHELPFUL = "1 Preemption is not helpful for scheduling."
NO_VICTIM = "1 No preemption victims found for incoming pod."
GATE = "DynamicResourceAllocation"
NO_ROOM = container(resources={"requests": {"cpu": "1000"}})
MODEST = {"kind": "PriorityClass", "metadata": {"name": "modest"}, "value": 5, "preemptionPolicy": "Never"}
NO_VOLUME = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}


@pytest.mark.parametrize(
    ("kubernetes", "gates", "spec", "end"),
    [
        ("1.23", {}, {}, "Insufficient cpu."),
        ("1.33", {}, {}, "cpu. preemption: 0/1 nodes are available: {NO_VICTIM}"),
        ("1.33", {GATE: True}, {}, "no new claims to deallocate, preemption: 0/1 nodes are available: {NO_VICTIM}"),
        ("1.34", {}, {}, "no new claims to deallocate, preemption: 0/1 nodes are available: {UNHELPFUL}"),
        ("1.34", {GATE: False}, {}, "cpu. preemption: 0/1 nodes are available: {UNHELPFUL}"),
        ("1.33", {}, {"priorityClassName": "modest"}, "cpu. preemption: not eligible due to preemptionPolicy=Never."),
        ("1.34", {}, {"priorityClassName": "modest"}, "claims to deallocate, preemption: not eligible due to preemptionPolicy=Never."),
        ("1.33", {}, NO_VOLUME, 'claim "data" not found. preemption: 0/1 nodes are available: {UNHELPFUL}'),
        ("1.34", {}, NO_VOLUME, 'persistentvolumeclaim "data" not found. not found'),
    ],
)  # fmt: skip
def test_scheduler_says_what_was_asked_when_no_node_fits(kubernetes, gates, spec, end):
    _, records = run(header(MODEST, pod(NO_ROOM, **spec), kubernetes=kubernetes, gates=gates), 2)
    (message,) = {text for text in events(records) if text.startswith("FailedScheduling")}
    assert message.endswith(end.format(UNHELPFUL=UNHELPFUL, NO_VICTIM=NO_VICTIM))


def messages(*documents: dict[str, object], seconds: float = 1, nodes: object = 1, **more: object) -> list[str]:
    """The messages of FailedScheduling, each text once."""
    _, records = run(header(*documents, nodes=nodes, **more), seconds)
    return list(dict.fromkeys(str(record.get("message")) for record in records if record.target == "FailedScheduling"))


def test_node_that_joins_later_is_not_counted_before() -> None:
    huge = pod(container(resources={"requests": {"cpu": "500"}}))
    joining = [{"name": "node1"}, {"name": "node2", "joins_ms": 10_000}]
    assert messages(huge, nodes=joining, kubernetes="1.20") == ["0/1 nodes are available: 1 Insufficient cpu."]
    world, _ = run(header(huge, nodes=joining, kubernetes="1.20"), 30)
    said = world.tables.pods["default/p"].status.condition("PodScheduled")
    assert said is not None
    assert said.message == "0/2 nodes are available: 2 Insufficient cpu."


def test_cluster_whose_first_node_joins_later_has_none_before() -> None:
    world, records = run(header(pod(container()), nodes=[{"name": "node1", "joins_ms": 10_000}]), 20)
    assert "no nodes available to schedule pods" in [record.get("message") for record in records if record.target == "FailedScheduling"]
    assert world.tables.pods["default/p"].status.phase == "Running"


def test_node_object_without_a_machine_counts_as_any_node() -> None:
    bare = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "bare"}}
    huge = pod(container(resources={"requests": {"cpu": "500"}}))
    taint = "1 node(s) had taint {node.kubernetes.io/not-ready: }, that the pod didn't tolerate"
    assert messages(bare, huge, kubernetes="1.20") == [f"0/2 nodes are available: 1 Insufficient cpu, {taint}."]


def test_pod_goes_to_a_node_object_that_has_room_and_waits_there_for_a_kubelet() -> None:
    bare = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "bare", "labels": {"disk": "ssd"}},
        "status": {"allocatable": {"pods": "1"}},
    }
    open_pod = {"nodeSelector": {"disk": "ssd"}, "tolerations": [{"operator": "Exists"}]}
    first, second = pod(container(), name="a", **open_pod), pod(container(), name="b", **open_pod)
    world, _ = run(header(bare, first, second), 90)
    assert [(row.node, row.status.phase) for row in world.tables.pods.values()] == [("bare", "Pending"), ("", "Pending")]


def test_deleted_node_that_registers_again_takes_waiting_pods() -> None:
    stop, start = NodeControl(node="node1", kubelet="stop"), NodeControl(node="node1", kubelet="start")
    wants_room = pod(container(resources={"requests": {"cpu": "1"}}))
    world, _ = run(header(wants_room), 60, (0.0, DeleteNode(node="node1")), (10, stop), (11, start))
    assert world.tables.pods["default/p"].node == "node1"
