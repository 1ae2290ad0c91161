"""Disruption budgets, evictions against them, and drains that wait for them."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from simulator.engine import apply
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.drain import DrainNode
from simulator.engine.acts.pods.evict import EvictPod
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.apiserver.documents.objects import object_document
from tests.engine.apiserver.store.requests import accepted, after, apply_yaml, budget, delete, patch, refused, web, world_of
from tests.engine.worlds import container, events

VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget."


def cause(record) -> str:  # noqa: ANN001
    return json.loads(str(record.get("causes")))[0]["message"]


def evict(name: str, **more) -> EvictPod:  # noqa: ANN003
    return EvictPod(target=f"default/{name}", **more)


def test_eviction_takes_a_disruption_and_the_next_is_refused() -> None:
    world = world_of(web("a"), web("b"), budget(minAvailable=1))
    assert "EVICT-COUNTED" in [record.rule for record in accepted(world, evict("a"))]
    record = refused(world, evict("b"))
    assert (record.rule, record.get("code"), record.get("message")) == ("EVICT-REFUSED", 429, VIOLATED)


@pytest.mark.parametrize(
    ("kubernetes", "text"),
    [
        ("1.30", "The disruption budget two needs 1 healthy pods and has 2 currently"),
        ("1.31", "The disruption budget two does not allow evicting pods currently"),
    ],
)
def test_refusal_says_what_the_version_says(kubernetes: str, text: str) -> None:
    world = world_of(web("a"), web("b"), budget(minAvailable=1), kubernetes=kubernetes)
    accepted(world, evict("a"))
    assert cause(refused(world, evict("b"))) == text


def test_refusal_names_a_budget_that_is_short_of_pods() -> None:
    world = world_of(web("a"), budget(minAvailable=3), kubernetes="1.34")
    assert cause(refused(world, evict("a"))) == "The disruption budget two needs 3 healthy pods and has 1 currently"


def test_budget_that_was_not_computed_yet_asks_to_come_again() -> None:
    world = world_of(web("a"))
    apply(world, apply_yaml(budget(minAvailable=1)))
    record = refused(world, evict("a"))
    assert cause(record) == "The disruption budget two is still being processed by the server."
    assert record.get("retry_after_s") == 10


def test_two_budgets_for_one_pod_are_too_many() -> None:
    world = world_of(web("a"), budget(minAvailable=0), budget("other", minAvailable=0))
    record = refused(world, evict("a"))
    assert (record.get("code"), record.get("message")) == (
        500,
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    )


def test_pending_pod_is_evicted_whatever_the_budget_says() -> None:
    world = world_of(web("a", nodeSelector={"no": "where"}), budget(minAvailable=1))
    assert "EVICT-BYPASS" in [record.rule for record in accepted(world, evict("a"))]


def test_pod_that_is_not_ready_goes_where_the_budget_is_met_without_it() -> None:
    unready = web("b", readinessGates=[{"conditionType": "a.b/c"}])
    world = world_of(web("a"), unready, budget(minAvailable=1))
    rules = [record.rule for record in accepted(world, evict("b"))]
    assert "EVICT-SPARED" in rules and "BUDGET-TAKEN" not in rules


@pytest.mark.parametrize(("kubernetes", "target"), [("1.26", "refused"), ("1.27", "accepted")])
def test_always_allow_lets_pods_go_that_are_not_ready(kubernetes: str, target: str) -> None:
    unready = web("b", readinessGates=[{"conditionType": "a.b/c"}])
    world = world_of(web("a"), unready, budget(minAvailable=2, unhealthyPodEvictionPolicy="AlwaysAllow"), kubernetes=kubernetes)
    assert apply(world, evict("b"))[0].target == target


def test_pod_that_no_budget_means_is_just_deleted() -> None:
    world = world_of(web("a"), budget(minAvailable=1, labels={"app": "db"}))
    assert "EVICT-NO-BUDGET" in [record.rule for record in accepted(world, evict("a"))]


@pytest.mark.parametrize(("kubernetes", "marked"), [("1.25", False), ("1.26", True)])
def test_evicted_pod_is_marked_where_the_version_does(kubernetes: str, marked: bool) -> None:
    world = world_of(web("a"), kubernetes=kubernetes)
    accepted(world, evict("a"))
    assert (world.tables.pods["default/a"].status.condition("DisruptionTarget") is not None) is marked


def test_direct_delete_asks_no_budget() -> None:
    world = world_of(web("a"), budget(minAvailable=1))
    assert "DELETE-GRACEFUL" in [record.rule for record in accepted(world, delete("Pod", "a"))]


def test_pods_without_a_controller_fail_the_scale_in_1_20() -> None:
    world = world_of(web("a"), {**budget(maxUnavailable=1), "apiVersion": "policy/v1beta1"}, kubernetes="1.20")
    assert world.tables.budgets[("default", "two")].health.problem == 'found no controller ref for pod "a"'
    record = refused(world, evict("a"))
    assert record.get("retry_after_s") is None


def of_job(name: str) -> dict[str, Any]:
    """A pod of a Job, which has no scale."""
    document = web(name)
    document["metadata"]["ownerReferences"] = [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u", "controller": True}]
    return document


def test_failed_computation_is_reported_in_the_refusal() -> None:
    world = world_of(budget(maxUnavailable=1), kubernetes="1.34")
    accepted(world, apply_yaml(of_job("a")))
    after(world, 5)
    assert world.tables.budgets[("default", "two")].reason == "SyncFailed"
    text = "does not allow evicting pods currently because it failed sync"
    assert text in cause(refused(world, evict("a")))


@pytest.mark.parametrize("kubernetes", ["1.27", "1.34"])
def test_budget_that_was_never_computed_is_still_being_processed(kubernetes: str) -> None:
    """A computation that fails sets no observedGeneration: evictions are told to retry, forever."""
    world = world_of(of_job("a"), budget(maxUnavailable=1), kubernetes=kubernetes, at=60)
    status = object_document(world, "PodDisruptionBudget", "default", "two")["status"]
    assert "observedGeneration" not in status and status["disruptionsAllowed"] == 0
    record = refused(world, evict("a"))
    assert cause(record) == "The disruption budget two is still being processed by the server."
    assert (record.get("code"), record.get("retry_after_s")) == (429, 10)


def test_budget_without_pods_says_so_in_an_event() -> None:
    world = world_of()
    apply(world, apply_yaml(budget(minAvailable=1)))
    records = after(world, 1)
    assert "NoPods: No matching pods found" in events(records)
    assert {"BUDGET-STATUS", "BUDGET-NO-PODS"} <= {record.rule for record in records}


def test_failing_budget_warns_in_an_event() -> None:
    document = web("a")
    document["metadata"]["ownerReferences"] = [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u", "controller": True}]
    world = world_of(document)
    apply(world, apply_yaml(budget(maxUnavailable=1)))
    records = after(world, 1)
    assert "BUDGET-FAILED" in {record.rule for record in records}
    assert any(text.startswith("CalculateExpectedPodCountFailed: Failed to calculate") for text in events(records))


def test_disruption_that_no_deletion_follows_counts_again_after_two_minutes() -> None:
    document = web("a")
    world = world_of(document, web("b"), budget(minAvailable=1))
    accepted(world, evict("a"))
    after(world, 150)
    assert world.tables.budgets[("default", "two")].health.disrupted == ()


def test_drain_asks_again_until_the_budget_allows_it() -> None:
    world = world_of(web("a"), budget(minAvailable=1))
    records = apply(world, DrainNode(node="node1", force=True))
    assert "DRAIN-RETRY" in {record.rule for record in records}
    accepted(world, patch("PodDisruptionBudget", "two", {"spec": {"minAvailable": 0}}))
    rules = {record.rule for record in after(world, 6)}
    assert "DRAIN-EVICT" in rules and "EVICT-COUNTED" in rules


def test_drain_gives_up_when_its_time_is_over() -> None:
    world = world_of(web("a"), budget(minAvailable=1))
    apply(world, DrainNode(node="node1", force=True, timeout_s=7))
    failed = [record for record in after(world, 30) if record.rule == "DRAIN-FAILED"]
    text = 'error when evicting pods/"a" -n "default": global timeout reached: 7s'
    assert [record.get("message") for record in failed] == [text]


def stubborn() -> dict[str, Any]:
    """A pod that takes five minutes to terminate."""
    document = web("a", terminationGracePeriodSeconds=300)
    document["spec"]["containers"] = [container("trap '' TERM; while true; do sleep 1; done")]
    return document


@pytest.mark.parametrize(
    ("kubernetes", "text"),
    [
        ("1.25", 'error when waiting for pod "a" terminating: global timeout reached: 1m10s'),
        ("1.26", 'error when waiting for pod "a" in namespace "default" to terminate: global timeout reached: 1m10s'),
    ],
)
def test_drain_gives_up_a_pod_that_takes_too_long_to_end(kubernetes: str, text: str) -> None:
    world = world_of(stubborn(), kubernetes=kubernetes)
    begin = world.now_ms
    apply(world, DrainNode(node="node1", force=True, timeout_s=70))
    records = after(world, 400)
    failed = [(record.at_ms - begin, record.get("message")) for record in records if record.rule == "DRAIN-FAILED"]
    assert (failed, "DRAIN-DONE" in {record.rule for record in records}) == ([(70_000, text)], False)


def test_drain_that_is_done_in_time_gives_nothing_up() -> None:
    world = world_of(web("a"))
    apply(world, DrainNode(node="node1", force=True, timeout_s=70))
    rules = [record.rule for record in after(world, 100) if record.machine == "drain"]
    assert rules == ["DRAIN-DONE"]


def test_next_drain_forgets_the_time_of_the_one_before() -> None:
    world = world_of(stubborn())
    apply(world, DrainNode(node="node1", force=True, timeout_s=20))
    apply(world, DrainNode(node="node1", force=True))
    assert "DRAIN-FAILED" not in {record.rule for record in after(world, 100)}


def test_drain_without_evictions_asks_no_budget() -> None:
    world = world_of(web("a"), budget(minAvailable=1))
    rules = [record.rule for record in apply(world, DrainNode(node="node1", force=True, disable_eviction=True))]
    assert "DRAIN-DELETE" in rules and "DELETE-GRACEFUL" in rules


@pytest.mark.parametrize(("version", "expected"), [("policy/v1", 1), ("policy/v1beta1", 0)])
def test_empty_selector_means_every_pod_since_policy_v1(version: str, expected: int) -> None:
    document = {**budget(minAvailable=1), "apiVersion": version}
    document["spec"]["selector"] = {}
    world = world_of(web("a"), document, kubernetes="1.24")
    assert world.tables.budgets[("default", "two")].health.expected == expected


@pytest.mark.parametrize(
    ("kubernetes", "text"),
    [("1.20", 'found no controllers for pod "a"'), ("1.30", "daemonsets.apps does not implement the scale subresource")],
)
def test_pods_of_a_daemon_set_have_no_scale(kubernetes: str, text: str) -> None:
    document = web("a")
    document["metadata"]["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "u", "controller": True}]
    version = "policy/v1beta1" if kubernetes == "1.20" else "policy/v1"
    world = world_of({**budget(maxUnavailable=1), "apiVersion": version}, document, kubernetes=kubernetes)
    assert world.tables.budgets[("default", "two")].health.problem == text


def _to_be_disrupted(**sent: str) -> AnyCommand:
    told = {"status": {"conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "Mine", **sent}]}}
    return patch("Pod", "a", told, how="strategic", subresource="status")


def test_disruption_without_a_time_is_older_than_any() -> None:
    world = world_of(web("a"))
    accepted(world, _to_be_disrupted())
    after(world, 1)
    assert world.tables.pods["default/a"].status.condition("DisruptionTarget").status == "False"


@pytest.mark.parametrize(("kubernetes", "status"), [("1.25", "True"), ("1.30", "False")])
def test_disruption_that_nobody_carries_out_is_undone(kubernetes: str, status: str) -> None:
    world = world_of(web("a"), kubernetes=kubernetes)
    accepted(world, _to_be_disrupted(lastTransitionTime=timestamp(world.now_ms, world.header.epoch_s)))
    after(world, 119)
    assert world.tables.pods["default/a"].status.condition("DisruptionTarget").status == "True"
    after(world, 2)
    assert world.tables.pods["default/a"].status.condition("DisruptionTarget").status == status


def test_eviction_of_another_name_than_the_addressed_pod_is_a_bad_request() -> None:
    world = world_of(web("a"), web("b"))
    record = refused(world, evict("a", eviction="b"))
    assert (record.get("code"), record.get("message")) == (400, "name in URL does not match name in Eviction object")
    accepted(world, evict("a", eviction="a"))


@pytest.mark.parametrize(("kubernetes", "told"), [("1.26", False), ("1.27", True)])
def test_unmanaged_pods_are_reported_in_an_event_since_1_27(kubernetes: str, told: bool) -> None:
    document = budget(maxUnavailable=1)
    document["spec"]["selector"]["matchExpressions"] = [{"key": "app", "operator": "In", "values": ["web", "x"]}]
    world = world_of(web("a"), kubernetes=kubernetes)
    apply(world, apply_yaml(document))
    found = [text for text in events(after(world, 1)) if text.startswith("UnmanagedPods")]
    assert len(found) == told
    selector = (
        "&LabelSelector{MatchLabels:map[string]string{app: web,},"
        "MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:app,Operator:In,Values:[web x],},},}"
    )
    assert all(f"(selector: {selector})" in text for text in found)


def test_pod_of_two_budgets_is_warned_of() -> None:
    world = world_of(budget(minAvailable=0), budget("other", minAvailable=0))
    apply(world, apply_yaml(web("a")))
    told = [text for text in events(after(world, 5)) if text.startswith("MultiplePod")]
    text = 'MultiplePodDisruptionBudgets: Pod "default"/"a" matches multiple PodDisruptionBudgets.  Chose "other" arbitrarily.'
    assert set(told) == {text}


def test_pod_of_one_budget_is_not() -> None:
    other = budget("other", minAvailable=0)
    other["spec"]["selector"] = {"matchLabels": {"app": "nobody"}}
    world = world_of(budget(minAvailable=0), other)
    apply(world, apply_yaml(web("a")))
    assert not any(text.startswith("MultiplePod") for text in events(after(world, 5)))


def test_evicted_pod_that_nobody_deletes_is_reported_after_two_minutes() -> None:
    world = world_of(web("a"), web("b"), budget(minAvailable=1))
    key = ("default", "two")
    row = world.tables.budgets[key]  # an evicted pod is deleted at once, so only a lost deletion leaves this behind
    world.tables.budgets[key] = replace(row, health=replace(row.health, disrupted=(("a", world.now_ms),)))
    apply(world, patch("PodDisruptionBudget", "two", {"spec": {"minAvailable": 2}}))
    found = [(record.at_ms, record.get("message")) for record in after(world, 200) if record.target == "NotDeleted"]
    assert [text for _, text in found] == ["Pod was expected by PDB default/default to be deleted but it wasn't"]


@pytest.mark.parametrize(("kubernetes", "reason"), [("1.25", "Maintenance"), ("1.26", "")])
def test_stale_disruption_is_undone_with_its_reason(kubernetes: str, reason: str) -> None:
    world = world_of(web("a"), kubernetes=kubernetes, gates={"PodDisruptionConditions": True})
    apply(world, marked("Maintenance"))
    after(world, 150)
    found = world.tables.pods["default/a"].status.condition("DisruptionTarget")
    assert found is not None and (found.status, found.reason) == ("False", reason)


def test_disruption_by_the_kubelet_is_never_stale() -> None:
    world = world_of(web("a"))
    apply(world, marked("TerminationByKubelet"))
    after(world, 150)
    found = world.tables.pods["default/a"].status.condition("DisruptionTarget")
    assert found is not None and found.status == "True"


def marked(reason: str) -> PatchPod:
    condition = {"type": "DisruptionTarget", "status": "True", "reason": reason}
    return PatchPod(target="default/a", patch=json.dumps({"status": {"conditions": [condition]}}), subresource="status")
