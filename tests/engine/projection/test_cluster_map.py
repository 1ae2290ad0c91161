"""The map: nodes with their pods by topmost owner, controllers and budgets; unhealthy pods are never hidden."""

import json

from simulator.engine.acts.nodes.drain import DrainNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.projection import cluster_map as module
from simulator.engine.projection.cluster_map import WELL, cluster_map
from simulator.engine.projection.drains import drained_pods, refused_drains
from simulator.engine.projection.objects import budget_sum, object_at, object_view
from simulator.engine.projection.project import objects
from tests.engine.worlds import container, header, pod, run

BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "web"},
    "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
}
LOST = pod(container("sleep 3600"), name="lost", nodeSelector={"no": "where"})


def replica_set(name, replicas, script="sleep 3600"):
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container(script)]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name}, "spec": spec}


def seen(*documents, seconds=10, nodes=1, **more):
    world, _ = run(header(*documents, nodes=nodes, **more), seconds)
    return world, cluster_map(world, now_ms=world.now_ms)


def test_pods_stand_on_their_node_by_owner():
    _, found = seen(replica_set("web", 2), pod(container("sleep 3600"), name="alone"))
    (node,) = found.nodes
    groups = {group.name: [tile.name.rpartition("-")[0] or tile.name for tile in group.tiles] for group in node.groups}
    assert groups == {"": ["alone"], "web": ["web", "web"]}
    assert (node.pods, node.troubled, node.word) == (3, 0, "Ready")


def test_pod_of_a_deleted_owner_stands_apart_from_those_of_a_new_one_of_its_name():
    deleted = (5.0, DeleteObject(kind="ReplicaSet", namespace="default", name="web"))
    again = (7.0, ApplyManifest(documents=(json.dumps(replica_set("web", 2)),)))
    world, _ = run(header(replica_set("web", 1, "trap '' TERM; sleep 3600")), 15, deleted, again)
    (node,) = cluster_map(world, now_ms=15_000).nodes
    assert {group.owner: len(group.tiles) for group in node.groups} == {"": 1, "replicaset/default/web": 2}


def test_pod_without_a_node_waits_next_to_the_nodes():
    _, found = seen(LOST)
    assert [tile.name for group in found.waiting.groups for tile in group.tiles] == ["lost"]
    assert found.troubled == 1


def test_pod_that_only_begins_is_not_unwell():
    for seconds in (0, 0.3):
        _, found = seen(pod(container("sleep 3600"), name="young"), seconds=seconds)
        assert (found.starting, found.unwell) == (1, 0)
    _, found = seen(LOST)
    assert (found.starting, found.unwell) == (0, 1)


def test_controllers_tell_what_is_wanted_and_what_is_there():
    _, found = seen(replica_set("web", 2), replica_set("bad", 1, "exit 1"))
    told = [(item.name, item.there, item.wanted, item.tone) for item in found.controllers]
    assert told == [("web", 2, 2, "ready"), ("bad", 0, 1, "starting")]


def test_budget_is_a_gauge():
    _, found = seen(replica_set("web", 2), BUDGET)
    (gauge,) = found.budgets
    assert (gauge.current, gauge.desired, gauge.expected, gauge.allowed, gauge.tone) == (2, 1, 2, 1, "ready")


def test_budget_that_nobody_may_take_from_is_not_well():
    _, found = seen(replica_set("web", 1), BUDGET)
    assert (found.budgets[0].allowed, found.budgets[0].tone) == (0, "notready")


def test_crowd_is_drawn_together_but_never_a_pod_that_is_not_well(monkeypatch):
    monkeypatch.setattr(module, "TILES_MAX", 5)
    _, found = seen(replica_set("web", 6), replica_set("bad", 2, "exit 1"), LOST)
    (node,) = found.nodes
    assert {group.name: len(group.tiles) for group in node.groups} == {"bad": 2}
    assert [(crowd.word, crowd.count) for crowd in node.crowds] == [("Running", 6)]
    assert found.troubled == 3


def test_pods_that_are_not_well_are_tiles_and_the_others_are_counted(monkeypatch):
    """For any pods, nodes and controllers: every pod is a tile or counted in a crowd, and every unhealthy one is a tile."""
    for name, most in (("TILES_MAX", 20), ("NODES_MAX", 2), ("CONTROLLERS_MAX", 2)):
        monkeypatch.setattr(module, name, most)
    failing = [replica_set(f"bad-{number}", 2, "exit 1") for number in range(2)]
    world, found = seen(*[replica_set(f"web-{number}", 20) for number in range(2)], *failing, LOST, seconds=30, nodes=9)
    boxes = [*found.nodes, found.waiting]
    tiles = [tile.key for box in boxes for group in box.groups for tile in group.tiles]
    unwell = {row.key for row in objects(world) if row.tone not in WELL}
    assert len(unwell) == 5 and sorted(tiles) == sorted(unwell) and len(tiles) == found.troubled
    assert len(tiles) + sum(crowd.count for box in boxes for crowd in box.crowds) == found.pods == len(world.tables.pods) == 45
    assert any(box.is_brief for box in found.nodes) and not any(box.troubled and box.is_brief for box in found.nodes)


def test_controllers_that_are_well_stand_apart_where_there_are_many(monkeypatch):
    monkeypatch.setattr(module, "CONTROLLERS_MAX", 1)
    _, found = seen(replica_set("web", 2), replica_set("bad", 1, "exit 1"))
    assert ([item.name for item in found.controllers], [item.name for item in found.well]) == (["bad"], ["web"])


def test_drain_that_a_budget_refuses_names_it_and_the_next_try():
    world, _ = run(header(replica_set("web", 1), BUDGET), 20, (12, DrainNode(node="node1", force=True)))
    (pod,) = drained_pods(world, "node1")
    (budget,) = pod.budgets
    assert (pod.next_ms, budget.current, budget.desired, budget.allowed) == (22_000, 1, 1, 0)
    assert refused_drains(world, "default", "web") == (pod,)
    assert refused_drains(world, "default", "other") == ()


def test_drain_of_a_pod_on_its_way_out_waits_for_no_budget():
    lone = pod(container("trap '' TERM; sleep 3600"), name="slow")
    world, _ = run(header(lone), 14, (12, DrainNode(node="node1", force=True)))
    assert [(item.name, item.next_ms, item.budgets) for item in drained_pods(world, "node1")] == [("slow", None, ())]


def test_node_on_which_all_is_well_is_small_among_many_and_comes_last(monkeypatch):
    monkeypatch.setattr(module, "NODES_MAX", 1)
    _, found = seen(replica_set("bad", 1, "exit 1"), nodes=3)
    assert [(node.is_brief, node.troubled) for node in found.nodes] == [(False, 1), (True, 0), (True, 0)]


def test_pod_whose_object_is_gone_is_not_on_the_map():
    world, _ = run(header(pod(container("sleep 3600"))), 60, (5, DeletePod(target="default/p", grace_s=1)))
    assert cluster_map(world, now_ms=world.now_ms).pods == 0


def test_object_is_shown_with_its_pods_and_conditions():
    world, _ = run(header(replica_set("web", 2)), 10)
    view = object_view(world, object_at(world, "replicaset/default/web"))
    assert (view.wanted, view.there, len(view.pods), view.tone) == (2, 2, 2, "ready")
    assert view.counts == (("current", 2), ("ready", 2), ("available", 2))


def test_subject_of_a_pod_or_of_nothing_is_not_an_object():
    world, _ = run(header(pod(container("sleep 3600"))), 1)
    assert [object_at(world, subject) for subject in ("pod/default/p", "node/node1", "replicaset/default/x", "nonsense", "")] == [None] * 5


def test_budget_shows_how_each_pod_counts():
    lone = pod(container("sleep 3600"), name="gone", terminationGracePeriodSeconds=600)
    other = pod(container("exit 1"), name="bad")
    for document in (lone, other):
        document["metadata"]["labels"] = {"app": "web"}
    budget = {**BUDGET, "spec": {"maxUnavailable": "50%", "selector": {"matchLabels": {"app": "web"}}}}
    commands = ((5, DeletePod(target="default/gone")),)
    world, _ = run(header(lone, other, budget), 10, *commands)
    found = budget_sum(world, "default", "web")
    assert [(item.name, item.word, item.counts) for item in found.pods] == [("gone", "deleting", False), ("bad", "unready", False)]
    assert (found.field, found.amount) == ("maxUnavailable", "50%")


def test_budget_and_autoscaler_are_shown_with_the_tone_of_their_numbers():
    scaler = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web"},
        "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"}, "minReplicas": 2, "maxReplicas": 5},
    }
    world, found = seen(replica_set("web", 1), BUDGET, scaler, seconds=40)
    assert object_view(world, object_at(world, "poddisruptionbudget/default/web")).tone == found.budgets[0].tone
    view = found.controllers[-1]
    assert (view.kind, view.wanted, view.there, view.counts) == ("HorizontalPodAutoscaler", 2, 2, (("min", 2), ("max", 5)))


def test_there_is_no_sum_of_a_budget_that_is_not_there():
    world, _ = run(header(pod(container("sleep 3600"))), 1)
    assert budget_sum(world, "default", "web") is None
