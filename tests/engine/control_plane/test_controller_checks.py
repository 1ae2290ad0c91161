"""The controllers of every supported version, observed in whole runs: one behaviour per test."""

from typing import Any

import pytest

from simulator.engine import World, advance, apply, new_world
from simulator.engine.acts.containers.probe import SetProbe
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.delete import DeleteNode
from simulator.engine.acts.nodes.pressure import SetNodePressure
from simulator.engine.acts.nodes.taint import TaintNode
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.workloads.scale import ScaleWorkload
from simulator.engine.apiserver.documents.objects import list_objects, object_document
from simulator.engine.kernel.units import Ms
from simulator.kubectl.get import get_pods
from tests.engine.apiserver.store.requests import accepted, after, budget, patch, world_of
from tests.engine.worlds import TRAP, container, header, moment, pod, run

STUBBORN = "trap '' TERM; while true; do sleep 1; done"
LABELS = {"app": "web"}
NEW_IMAGE = {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "nginx:1.16.1"}]}}}}


def template(script: str = TRAP, **spec: Any) -> dict[str, Any]:
    labels = spec.pop("labels", LABELS)
    containers = spec.pop("containers", [container(script)])
    return {"metadata": {"labels": labels}, "spec": {"containers": containers, **spec}}


def workload(kind: str, replicas: int, made: dict[str, Any], **spec: Any) -> dict[str, Any]:
    wanted = {"replicas": replicas, "selector": {"matchLabels": made["metadata"]["labels"]}, "template": made, **spec}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web"}, "spec": wanted}


def job(script: str, **spec: Any) -> dict[str, Any]:
    made = {"spec": {"restartPolicy": "Never", "containers": [container(script)]}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "web"}, "spec": {"template": made, **spec}}


def pods(world: World) -> list[dict[str, Any]]:
    return list_objects(world, "Pod", "default")


def is_deleted(document: dict[str, Any]) -> bool:
    return "deletionTimestamp" in document["metadata"]


def is_ready(document: dict[str, Any]) -> bool:
    return any(item["type"] == "Ready" and item["status"] == "True" for item in document["status"].get("conditions", ()))


def names(documents: list[dict[str, Any]]) -> list[str]:
    return [document["metadata"]["name"] for document in documents]


def watched(world: World, until_ms: Ms, step_ms: Ms = 100) -> list[list[dict[str, Any]]]:
    """The pods at every tenth of a second until a moment."""
    seen = []
    while world.now_ms < until_ms:
        advance(world, until_ms=world.now_ms + step_ms)
        seen.append(pods(world))
    return seen


@pytest.mark.parametrize(("spec", "desired"), [({"maxUnavailable": "50%"}, 3), ({"minAvailable": "50%"}, 4)])
def test_half_of_seven_is_rounded_up_whichever_way_it_is_asked(spec: dict[str, Any], desired: int) -> None:
    world = world_of(workload("ReplicaSet", 7, template()), budget(**spec), at=10)
    assert object_document(world, "PodDisruptionBudget", "default", "two")["status"]["desiredHealthy"] == desired


def test_silent_node_takes_readiness_at_the_same_tick_and_its_pods_300_s_later() -> None:
    document = pod(container(), nodeSelector={"kubernetes.io/hostname": "node1"})
    _, records = run(header(document, kubernetes="1.34", nodes=2), 420, (20, NodeControl(node="node1", kubelet="stop")))
    unknown = moment(records, machine="node_condition", target="Unknown")
    (unready,) = [record.at_ms / 1000 for record in records if record.rule == "PODS-NOT-READY" and record.subject == "pod/default/p"]
    tainted = next(record.at_ms / 1000 for record in records if record.rule == "NODE-TAINT-EXECUTE")
    evicted = next(record.at_ms / 1000 for record in records if record.rule == "TAINT-EVICT")
    assert (unready - unknown, round(evicted - tainted)) == (0, 300)


def test_nothing_is_evicted_while_every_node_is_silent() -> None:
    documents = [pod(container(), name=name, nodeName=f"node{number}") for number, name in enumerate("abc", 1)]
    stops = [(20.0, NodeControl(node=f"node{number}", kubelet="stop")) for number in (1, 2, 3)]
    world, _ = run(header(*documents, nodes=3), 900, *stops)
    assert [is_deleted(document) for document in pods(world)] == [False] * 3


def test_toleration_of_no_seconds_evicts_at_once_and_one_without_never() -> None:
    def tolerant(name: str, **more: Any) -> dict[str, Any]:
        toleration = {"key": "k", "operator": "Exists", "effect": "NoExecute", **more}
        return pod(container(STUBBORN), name=name, tolerations=[toleration])

    world = world_of(tolerant("short", tolerationSeconds=0), tolerant("long"))
    accepted(world, TaintNode(node="node1", add=("k=v:NoExecute",)))
    after(world, 1)
    assert {document["metadata"]["name"]: is_deleted(document) for document in pods(world)} == {"short": True, "long": False}
    after(world, 3600)
    assert names(pods(world)) == ["long"]


def test_pods_of_a_deleted_node_fail_and_are_collected_after_40_to_60_s() -> None:
    held = pod(container())
    held["metadata"]["finalizers"] = ["example.com/hold"]
    world = world_of(held, pod(container(), name="free"), kubernetes="1.34")
    apply(world, NodeControl(node="node1", kubelet="stop"))
    asked_ms = world.now_ms
    accepted(world, DeleteNode(node="node1"))
    records = after(world, 70)
    (document,) = pods(world)
    assert (document["metadata"]["name"], document["status"]["phase"]) == ("p", "Failed")
    reasons = {item["type"]: item.get("reason") for item in document["status"]["conditions"]}
    assert reasons["DisruptionTarget"] == "DeletionByPodGC"
    gone = [record.at_ms - asked_ms for record in records if record.subject == "pod/default/free" and record.target == "gone"]
    assert gone and all(40_000 <= waited <= 60_000 for waited in gone)


@pytest.mark.parametrize(("kind", "is_early"), [("ReplicaSet", True), ("StatefulSet", False)])
def test_replica_set_replaces_a_pod_that_ends_and_stateful_set_one_that_is_gone(kind: str, is_early: bool) -> None:
    document = workload(kind, 1, template(STUBBORN, terminationGracePeriodSeconds=20))
    if kind == "StatefulSet":
        document["spec"]["serviceName"] = "web"
    world = world_of(document, at=10)
    (first,) = pods(world)
    accepted(world, DeletePod(target=f"default/{first['metadata']['name']}"))
    after(world, 5)
    assert len([item for item in pods(world) if not is_deleted(item)]) == is_early
    after(world, 25)
    assert [(is_deleted(item), item["metadata"]["uid"] == first["metadata"]["uid"]) for item in pods(world)] == [(False, False)]


def test_replica_set_takes_pending_pods_then_unready_then_cheap_ones() -> None:
    """Four pods: one is unschedulable, one is not ready, one of the others has a low deletion cost."""
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 1}
    made = template(containers=[container(TRAP, resources={"requests": {"cpu": "1"}}, readinessProbe=probe)])
    nodes = [{"name": "node1", "capacity": {"cpu": "3"}}]
    world = world_of(workload("ReplicaSet", 4, made), at=10, nodes=nodes)
    (pending,) = names([item for item in pods(world) if item["status"]["phase"] == "Pending"])
    unready, cheap, _last = names([item for item in pods(world) if item["status"]["phase"] == "Running"])
    accepted(world, SetProbe(target=f"default/{unready}", container="app", probe="readiness", outcome="failure"))
    cost = {"metadata": {"annotations": {"controller.kubernetes.io/pod-deletion-cost": "-1"}}}
    accepted(world, patch("Pod", cheap, cost))
    after(world, 10)
    gone = []
    for replicas in (3, 2, 1):
        before = set(names(pods(world)))
        accepted(world, ScaleWorkload(kind="ReplicaSet", namespace="default", name="web", replicas=replicas))
        after(world, 5)
        gone.append(before - set(names(pods(world))))
    assert gone == [{pending}, {unready}, {cheap}]


def test_rollout_of_ten_stays_between_eight_available_and_thirteen_asked_for() -> None:
    made = template(terminationGracePeriodSeconds=1)
    world = world_of(workload("Deployment", 10, made), at=20)
    accepted(world, patch("Deployment", "web", NEW_IMAGE))
    asked, available = [], []
    while world.now_ms < 60_000:
        advance(world, until_ms=world.now_ms + 50)
        asked.append(sum(item["spec"]["replicas"] for item in list_objects(world, "ReplicaSet", "default")))
        available.append(sum(is_ready(item) and not is_deleted(item) for item in pods(world)))
    status = object_document(world, "Deployment", "default", "web")["status"]
    assert status["updatedReplicas"] == status["availableReplicas"] == 10
    assert (max(asked), min(available)) == (13, 8)


def test_recreate_waits_for_the_last_old_pod_to_be_gone() -> None:
    made = template(STUBBORN, terminationGracePeriodSeconds=10)
    world = world_of(workload("Deployment", 2, made, strategy={"type": "Recreate"}), at=10)
    old = set(names(pods(world)))
    accepted(world, patch("Deployment", "web", NEW_IMAGE))
    seen = [set(names(found)) for found in watched(world, 40_000)]
    assert not any(found & old and found - old for found in seen)
    assert any(found == old for found in seen) and len(seen[-1] - old) == 2


def test_job_waits_10_20_40_s_and_the_seventh_failure_is_one_too_many() -> None:
    world, records = run(header(job("exit 1", backoffLimit=6), kubernetes="1.34"), 900)
    made = [record.at_ms / 1000 for record in records if record.machine == "k8s_event" and record.target == "SuccessfulCreate"]
    waits = [round(second - first, -1) for first, second in zip(made, made[1:], strict=False)]
    assert waits == [10, 20, 40, 80, 160, 320]
    status = object_document(world, "Job", "default", "web")["status"]
    assert status["failed"] == 7
    assert [item["reason"] for item in status["conditions"] if item["type"] == "Failed"] == ["BackoffLimitExceeded"]


def test_endpoint_of_a_ready_pod_that_ends_serves_and_is_not_ready() -> None:
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"selector": LABELS, "ports": [{"port": 80}]}}
    member = {**pod(container(STUBBORN)), "metadata": {"name": "p", "labels": LABELS}}
    world = world_of(service, member)
    accepted(world, DeletePod(target="default/p"))
    after(world, 2)
    ((endpoint,),) = [item["endpoints"] for item in list_objects(world, "EndpointSlice", "default")]
    assert endpoint["conditions"] == {"ready": False, "serving": True, "terminating": True}


def statuses(seconds: int, document: dict[str, Any], **more: Any) -> list[str]:
    """The STATUS that kubectl shows for a pod, in order of appearance, at every tenth of a second."""
    world = new_world(header(document, **more))
    found: list[str] = []
    while world.now_ms < seconds * 1000:
        if world.now_ms == 8000 and "gone" in document["metadata"].get("labels", {}):
            apply(world, DeletePod(target="default/p"))
        lines = get_pods(world).splitlines()[1:]
        found += [word for word in (line.split()[2] for line in lines) if word not in found]
        advance(world, until_ms=world.now_ms + 100)
    return found


def labelled(document: dict[str, Any], **labels: str) -> dict[str, Any]:
    return {**document, "metadata": {**document["metadata"], "labels": labels}}


INIT = [container("sleep 2", name="first"), container("sleep 2", name="second")]


@pytest.mark.parametrize(
    ("document", "shown"),
    [
        (pod(container(), initContainers=INIT), ["Init:0/2", "Init:1/2", "PodInitializing", "Running"]),
        (pod(container(), initContainers=[container("sleep 1; exit 1", name="first")]), ["Init:Error", "Init:CrashLoopBackOff"]),
        (pod(container("sleep 1; exit 1")), ["Error", "CrashLoopBackOff"]),
        (pod(container("sleep 2"), restartPolicy="Never"), ["Running", "Completed"]),
        (pod(container(), container("sleep 2", name="other"), restartPolicy="Never"), ["Running", "NotReady"]),
        (labelled(pod(container(STUBBORN)), gone="soon"), ["Running", "Terminating"]),
        (pod(container(), schedulingGates=[{"name": "example.com/a"}]), ["SchedulingGated"]),
    ],
)
def test_status_has_the_words_of_kubectl(document: dict[str, Any], shown: list[str]) -> None:
    found = statuses(30, document)
    assert [word for word in found if word in shown] == shown


def test_status_of_an_evicted_pod_is_its_reason() -> None:
    """One kubelet omits the containers' end states; a later one includes them, and STATUS is the container's reason."""
    world = world_of(pod(container()), at=20, kubernetes="1.20")
    apply(world, SetNodePressure(node="node1", signal="memory.available", available="50Mi"))
    after(world, 30)
    assert get_pods(world).splitlines()[1].split()[2] == "Evicted"


@pytest.mark.parametrize(
    ("seconds", "age"),
    [
        (119, "119s"), (120, "2m"), (599, "9m59s"), (600, "10m"), (179 * 60, "179m"), (180 * 60, "3h"), (7 * 3600 + 59 * 60, "7h59m"),
        (8 * 3600, "8h"), (47 * 3600, "47h"), (48 * 3600, "2d"), (7 * 86400 + 23 * 3600, "7d23h"), (8 * 86400, "8d"),
    ],
)  # fmt: skip
def test_age_changes_its_units_where_kubectl_does(seconds: int, age: str) -> None:
    world = new_world(header(pod(container(), nodeSelector={"no": "where"})))
    assert get_pods(world, now_ms=seconds * 1000).splitlines()[1].split()[-1] == age
