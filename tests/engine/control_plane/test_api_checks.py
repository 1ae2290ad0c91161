"""The API server's treatment of pods, budgets and evictions in every supported version, as seen by a run: one behaviour per test."""

import json
from typing import Any

import pytest

from simulator.engine import Record, World, apply
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.pods.bind import BindPod
from simulator.engine.acts.pods.debug import DebugPod
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.evict import EvictPod
from simulator.engine.acts.pods.gates import RemoveSchedulingGates
from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.apiserver.documents.objects import object_document
from simulator.headless.trace import TraceRecorder
from simulator.kubectl.acting.verbs import action_of
from simulator.kubectl.kubectl import kubectl
from tests.engine.apiserver.store.requests import accepted, after, apply_yaml, budget, delete, patch, put, refused, web, world_of
from tests.engine.worlds import container, header, pod, script

Cause = tuple[str, str]
UNREADY = {"readinessGates": [{"conditionType": "example.com/gate"}]}
NOWHERE = {"nodeSelector": {"no": "where"}}
TOLERATION = {"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}


def causes(record: Record) -> list[Cause]:
    """Reason and field of every cause of a refusal."""
    return [(cause["reason"], cause["field"]) for cause in json.loads(str(record.get("causes")))]


def causes_of_create(document: dict[str, Any]) -> list[Cause]:
    record = refused(world_of(), apply_yaml(document))
    assert record.get("code") == 422
    return causes(record)


def causes_of_change(world: World, command: AnyCommand) -> list[Cause]:
    record = refused(world, command)
    assert (record.get("code"), record.get("reason")) == (422, "Invalid")
    return causes(record)


def shown(world: World, name: str = "p") -> dict[str, Any]:
    return object_document(world, "Pod", "default", name)


def shown_metadata(world: World, name: str = "p") -> dict[str, Any]:
    return dict(shown(world, name)["metadata"])


def is_there(world: World, name: str = "p") -> bool:
    return not kubectl(world, f"kubectl get pod {name}", now_ms=world.now_ms).startswith("Error from server (NotFound)")


def test_pod_without_containers_is_refused() -> None:
    assert causes_of_create(pod()) == [("FieldValueRequired", "spec.containers")]


def test_two_containers_of_one_name_are_duplicates() -> None:
    assert causes_of_create(pod(container(), container())) == [("FieldValueDuplicate", "spec.containers[1].name")]


def test_init_container_named_like_a_container_is_a_duplicate() -> None:
    found = causes_of_create(pod(container(), initContainers=[container("exit 0")]))
    assert found == [("FieldValueDuplicate", "spec.initContainers[0].name")]


def test_status_of_a_new_pod_is_the_servers() -> None:
    world = world_of()
    accepted(world, apply_yaml({**pod(container()), "status": {"phase": "Running"}}))
    assert shown(world)["status"]["phase"] == "Pending"


def test_limits_alone_are_the_requests_and_guarantee_the_pod() -> None:
    limits = {"cpu": "100m", "memory": "64Mi"}
    document = shown(world_of(pod(container(resources={"limits": limits}))))
    assert document["spec"]["containers"][0]["resources"] == {"limits": limits, "requests": limits}
    assert document["status"]["qosClass"] == "Guaranteed"


@pytest.mark.parametrize(
    ("image", "policy"), [("nginx", "Always"), ("nginx:1.14.2", "IfNotPresent"), (f"nginx@sha256:{'a' * 64}", "IfNotPresent")]
)
def test_pull_policy_depends_on_the_tag(image: str, policy: str) -> None:
    assert shown(world_of(pod(container(image=image))))["spec"]["containers"][0]["imagePullPolicy"] == policy


def test_deleted_pod_without_a_node_is_modified_and_gone_at_once() -> None:
    tracer = TraceRecorder(header(pod(container(), **NOWHERE), script=script((5, DeletePod(target="default/p")))))
    tracer.run(10_000)
    timeline = tracer.trace(scenario="p")["pods"]["p"]["timeline"]
    seen = [(entry["type"], entry["t"], entry.get("deletionTimestamp"), entry.get("deletionGracePeriodSeconds")) for entry in timeline]
    assert seen[-2:] == [("MODIFIED", 5, 5, 0), ("DELETED", 5, 5, 0)]
    assert not is_there(tracer.world)


def test_deleted_pod_on_a_node_has_its_grace() -> None:
    world = world_of(pod(container()), kubernetes="1.35")
    accepted(world, delete("Pod", "p"))
    found = shown_metadata(world)
    assert found["deletionTimestamp"] == timestamp(world.now_ms + 30_000, world.header.epoch_s)
    assert (found["deletionGracePeriodSeconds"], found["generation"]) == (30, 2)


def test_second_deletion_with_more_grace_changes_nothing() -> None:
    world = world_of(pod(container("trap '' TERM; sleep 999")))
    accepted(world, delete("Pod", "p"))
    before = shown_metadata(world)
    after(world, 3)
    accepted(world, delete("Pod", "p", grace_s=60))
    keys = ("deletionTimestamp", "deletionGracePeriodSeconds")
    assert [shown_metadata(world)[key] for key in keys] == [before[key] for key in keys]


def test_second_deletion_with_less_grace_counts_from_the_first() -> None:
    world = world_of(pod(container("trap '' TERM; sleep 999")), kubernetes="1.35")
    accepted(world, delete("Pod", "p"))
    asked_ms = world.now_ms
    after(world, 3)
    accepted(world, delete("Pod", "p", grace_s=10))
    found = shown_metadata(world)
    assert found["deletionTimestamp"] == timestamp(asked_ms + 10_000, world.header.epoch_s)
    assert (found["deletionGracePeriodSeconds"], found["generation"]) == (10, 2)


def test_failed_pod_is_removed_at_once() -> None:
    world = world_of(pod(container("exit 1"), restartPolicy="Never"), at=10)
    assert shown(world)["status"]["phase"] == "Failed"
    accepted(world, delete("Pod", "p"))
    assert not is_there(world)


def test_pod_without_grace_is_removed_at_once_though_it_runs() -> None:
    world = world_of(pod(container(), terminationGracePeriodSeconds=0))
    assert shown(world)["status"]["phase"] == "Running"
    accepted(world, delete("Pod", "p"))
    assert not is_there(world)


def test_finalizer_holds_a_pod_without_grace_until_it_is_taken_away() -> None:
    held = pod(container())
    held["metadata"]["finalizers"] = ["example.com/hold"]
    world = world_of(held)
    accepted(world, delete("Pod", "p", grace_s=0))
    assert shown_metadata(world)["deletionGracePeriodSeconds"] == 0
    accepted(world, patch("Pod", "p", {"metadata": {"finalizers": []}}))
    assert not is_there(world)


def test_uid_of_another_pod_is_a_conflict() -> None:
    record = refused(world_of(pod(container())), delete("Pod", "p", uid="other"))
    assert (record.get("code"), record.get("reason")) == (409, "Conflict")


@pytest.mark.parametrize("flag", ["--now", "--grace-period=0"])
def test_kubectl_asks_for_one_second_where_it_does_not_force(flag: str) -> None:
    world = world_of(pod(container()))
    (step,) = action_of(world, f"kubectl delete pod p {flag}", now_ms=world.now_ms).steps
    accepted(world, step.command)
    assert shown_metadata(world)["deletionGracePeriodSeconds"] == 1


def test_node_of_a_pod_cannot_be_patched() -> None:
    world = world_of(pod(container(), **NOWHERE))
    assert causes_of_change(world, patch("Pod", "p", {"spec": {"nodeName": "node1"}})) == [("FieldValueForbidden", "spec")]


def test_new_image_is_a_new_generation() -> None:
    world = world_of(pod(container()), kubernetes="1.35")
    accepted(world, patch("Pod", "p", {"spec": {"containers": [{"name": "app", "image": "nginx:1.16.1"}]}}, how="strategic"))
    assert shown(world)["spec"]["containers"][0]["image"] == "nginx:1.16.1"
    assert shown_metadata(world)["generation"] == 2


def test_toleration_cannot_be_taken_away() -> None:
    world = world_of(pod(container(), tolerations=[TOLERATION]))
    (found,) = causes_of_change(world, patch("Pod", "p", {"spec": {"tolerations": []}}))
    assert found[0] == "FieldValueForbidden"


def test_seconds_of_a_toleration_may_change() -> None:
    world = world_of(pod(container(), tolerations=[TOLERATION]))
    tolerations = shown(world)["spec"]["tolerations"]
    changed = [{**item, "tolerationSeconds": 5} if item["key"] == "k" else item for item in tolerations]
    accepted(world, patch("Pod", "p", {"spec": {"tolerations": changed}}))
    assert 5 in [item.get("tolerationSeconds") for item in shown(world)["spec"]["tolerations"]]


def test_gates_of_scheduling_only_go_and_the_last_one_lets_the_pod_be_scheduled() -> None:
    world = world_of(pod(container(), schedulingGates=[{"name": "example.com/a"}]))
    more = [{"name": "example.com/a"}, {"name": "example.com/b"}]
    ((reason, _),) = causes_of_change(world, patch("Pod", "p", {"spec": {"schedulingGates": more}}))
    assert reason == "FieldValueForbidden"
    accepted(world, RemoveSchedulingGates(target="default/p"))
    after(world, 1)
    assert shown(world)["spec"]["nodeName"] == "node1"


def test_ephemeral_containers_come_by_their_subresource_alone() -> None:
    world = world_of(pod(container()))
    given = {"name": "look", "image": "busybox:1.28"}
    document = shown(world)
    whole = {**document, "spec": {**document["spec"], "ephemeralContainers": [given]}}
    assert causes_of_change(world, put(whole)) == [("FieldValueForbidden", "spec")]
    accepted(world, DebugPod(target="default/p", container="look", image="busybox:1.28"))
    named_alike = {"spec": {"ephemeralContainers": [{**given, "name": "app"}]}}
    again = patch("Pod", "p", named_alike, how="strategic", subresource="ephemeralcontainers")
    assert causes_of_change(world, again) == [("FieldValueDuplicate", "spec.ephemeralContainers[0].name")]
    with_ports = {"spec": {"ephemeralContainers": [{**given, "name": "port", "ports": [{"containerPort": 80}]}]}}
    ported = patch("Pod", "p", with_ports, how="strategic", subresource="ephemeralcontainers")
    assert causes_of_change(world, ported) == [("FieldValueForbidden", "spec.ephemeralContainers[0].ports")]


def test_second_binding_is_a_conflict() -> None:
    world = world_of(pod(container(), **NOWHERE), nodes=2)
    accepted(world, BindPod(target="default/p", node="node1"))
    record = refused(world, BindPod(target="default/p", node="node2"))
    assert (record.get("code"), record.get("reason")) == (409, "Conflict")


def evict(name: str) -> EvictPod:
    return EvictPod(target=f"default/{name}")


def test_budget_that_allows_nothing_refuses_without_a_time_to_come_back() -> None:
    record = refused(world_of(web("a"), budget(minAvailable=1)), evict("a"))
    assert record.get("code") == 429
    assert [cause["reason"] for cause in json.loads(str(record.get("causes")))] == ["DisruptionBudget"]
    assert not record.get("retry_after_s")


def test_budget_that_has_just_changed_asks_to_come_back_in_ten_seconds() -> None:
    world = world_of(web("a"), web("b"), budget(minAvailable=1))
    accepted(world, patch("PodDisruptionBudget", "two", {"spec": {"minAvailable": 0}}))
    record = refused(world, evict("a"))
    assert (record.get("code"), record.get("retry_after_s")) == (429, 10)


def test_two_budgets_of_one_pod_are_an_error_of_the_server() -> None:
    world = world_of(web("a"), budget(minAvailable=0), budget("other", minAvailable=0))
    assert refused(world, evict("a")).get("code") == 500


def test_pending_pod_is_evicted_under_a_budget_that_allows_nothing() -> None:
    world = world_of(web("a", **NOWHERE), budget(minAvailable=1))
    accepted(world, evict("a"))
    assert not is_there(world, "a")


@pytest.mark.parametrize(
    ("least", "policy", "target", "allowed"),
    [(1, "IfHealthyBudget", "accepted", 0), (2, "IfHealthyBudget", "refused", 0), (2, "AlwaysAllow", "accepted", 0)],
)
def test_pod_that_is_not_ready_is_evicted_as_the_policy_says(least: int, policy: str, target: str, allowed: int) -> None:
    world = world_of(web("a"), web("b", **UNREADY), budget(minAvailable=least, unhealthyPodEvictionPolicy=policy))
    (record, *_) = apply(world, evict("b"))
    assert (record.target, record.get("code")) == (target, 429 if target == "refused" else None)
    status = object_document(world, "PodDisruptionBudget", "default", "two")["status"]
    assert (status["disruptionsAllowed"], status.get("disruptedPods", {})) == (allowed, {})
