"""A scheduling decision that is recomputed equals the recorded one, and names the obstacles."""

from typing import Any

import pytest

from simulator.engine import Checkpoints
from simulator.engine.kernel.records import Record
from simulator.engine.projection.scheduling import REFUSED, SchedulingDecision, attempt_before, explain_scheduling
from tests.engine.scheduler.placing import Json, labelled, on, web
from tests.engine.scheduler.test_shortlist import SECONDS, cluster
from tests.engine.worlds import header, run

HIGH = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}
BUDGET = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"},
          "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}}  # fmt: skip


def before(head: Any, commands: Any, record: Record) -> SchedulingDecision:
    """The state found by replaying to just before the attempt."""
    world = Checkpoints(head).seek_seq(commands, record.seq - 1, end_ms=record.at_ms)
    return explain_scheduling(world, record.subject.removeprefix("pod/"))


def decided(*documents: Json, pod: str = "default/p", nodes: Any = 2, seconds: float = 2, **more: Any) -> SchedulingDecision:
    """The last decision about a pod in a run without commands."""
    head = header(*documents, nodes=nodes, **more)
    _, records = run(head, seconds)
    record = attempt_before(records, pod, round(seconds * 1000))
    assert record is not None
    return before(head, [], record)


@pytest.mark.parametrize("seed", range(6))
def test_every_attempt_is_explained_as_it_went(seed: int) -> None:
    head, commands = cluster(seed)
    _, records = run(head, SECONDS, *((each.at_ms / 1000, each.command) for each in commands))
    attempts = [record for record in records if record.machine == "scheduling"]
    preempted = {record.cause: record for record in records if record.machine == "preemption"}
    for record in attempts[:: max(len(attempts) // 6, 1)]:
        found = before(head, commands, record)
        assert found.chosen == ("" if record.target == "unschedulable" else record.target)
        if not found.rejection:
            reasons: dict[str, int] = {}
            for refusal in (node.refusal for node in found.nodes):
                for reason in refusal.reasons if refusal is not None else ():
                    reasons[reason] = reasons.get(reason, 0) + 1
            assert reasons == {key: count for key, count in record.data if key != "node"}
        if record.seq in preempted:
            assert found.preemption is not None
            (chosen,) = (each for each in found.preemption.candidates if each.is_chosen)
            assert chosen.node == preempted[record.seq].target


def test_label_that_no_node_has_is_summed_up() -> None:
    found = decided(labelled("p", {}, nodeSelector={"kubernetes.io/arch": "arm64"}), nodes=2)
    assert found.sums == (("kubernetes.io/arch=arm64", (("kubernetes.io/arch=amd64", 2),)),)


def test_refusal_names_taint_and_numbers_and_filters_behind_it_were_not_asked() -> None:
    nodes = [{"name": "node1", "taints": ["k=v:NoSchedule"]}, {"name": "node2"}]
    found = decided(labelled("full", {}, cpu="3", **on("node2")), labelled("p", {}, cpu="2"), nodes=nodes)
    tainted, full = (node.refusal for node in found.nodes)
    assert tainted is not None and full is not None
    assert (tainted.plugin, tainted.facts) == ("TaintToleration", (("taint", "k=v:NoSchedule"),))
    assert full.facts == (("cpu", "requested 2000, used 3000 of 4000 milli"),)
    assert [each.verdict for each in found.nodes[0].filters][-1] == "not asked"
    assert REFUSED in [each.verdict for each in found.nodes[1].filters]


def test_scores_have_plugin_and_weight_and_the_winner_has_most() -> None:
    found = decided(labelled("busy", {}, cpu="2", **on("node1")), labelled("p", {}, cpu="1"), nodes=2)
    totals = {node.node: node.total for node in found.nodes}
    assert found.chosen == "node2" == max(totals, key=lambda name: totals[name])
    assert {each.plugin: each.weight for each in found.nodes[0].scores} == {"NodeResourcesFit": 1, "NodeResourcesBalancedAllocation": 1}


def test_preemption_shows_candidates_victims_budgets_and_where_nothing_helps() -> None:
    there = web("guarded", cpu="3", **on("node1")), labelled("plain", {}, cpu="3", **on("node2"))
    huge = labelled("only", {}, cpu="4", priorityClassName="high", **on("node3"))
    found = decided(HIGH, BUDGET, *there, huge, labelled("p", {}, cpu="3", priorityClassName="high"), nodes=3, seconds=0.1)
    assert found.preemption is not None
    shown = [(each.node, each.victims, each.violations, each.is_chosen) for each in found.preemption.candidates]
    assert shown == [("node1", (("default/guarded", 0),), 1, False), ("node2", (("default/plain", 0),), 0, True)]
    assert found.preemption.bare == ("node3",)


def test_node_that_refuses_even_without_its_less_important_pods_is_hopeless() -> None:
    there = labelled("a", {}, cpu="1"), labelled("b", {}, cpu="3", priorityClassName="high")
    found = decided(HIGH, *there, labelled("p", {}, cpu="2", priorityClassName="high"), nodes=1)
    assert found.preemption is not None
    assert found.preemption.hopeless == (("node1", ("Insufficient cpu",)),)


def test_missing_claim_lets_it_on_no_node() -> None:
    found = decided(labelled("p", {}, volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "nope"}}]), nodes=2)
    assert (found.rejected_by, found.rejection) == ("VolumeBinding", 'persistentvolumeclaim "nope" not found')


def test_attempt_before_is_the_last_one_by_then() -> None:
    _, records = run(header(labelled("p", {}, cpu="99")), 700)
    moments = [record.at_ms for record in records if record.machine == "scheduling"]
    assert len(moments) > 1
    found = attempt_before(records, "default/p", moments[1] - 1)
    assert found is not None and found.at_ms == moments[0]
    assert attempt_before(records, "default/q", 700_000) is None
