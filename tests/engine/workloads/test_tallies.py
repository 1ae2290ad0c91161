"""The counts of a ReplicaSet's pods equal those of a full scan, whatever was done to them."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.delete_all import DeletePods
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.workloads.refs import is_active
from simulator.engine.world.tallies import EMPTY
from tests.engine.worlds import container, header, pod, run

SCRIPTS = ("sleep 3600", "sleep 3; exit 1", "exit 0")


def replica_set(name, script):
    template = {"metadata": {"labels": {"app": name}}, "spec": {"terminationGracePeriodSeconds": 2, "containers": [container(script)]}}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name}, "spec": spec}


def recounted(world, uid):
    mine = [row for row in world.tables.pods.values() if any(owner.uid == uid for owner in row.pod.metadata.owner_references)]
    active = [row for row in mine if is_active(row)]
    ready = [row for row in active if (held := row.status.condition("Ready")) is not None and held.status == "True"]
    marked = [row for row in mine if row.gone_ms is None and row.deletion_ms is not None]
    leaving = [row for row in marked if row.status.phase not in ("Failed", "Succeeded")]
    return len(active), len(ready), len(leaving)


ACTS = st.sampled_from(
    [
        PatchObject(kind="ReplicaSet", namespace="default", name="a", patch=json.dumps({"spec": {"replicas": 4}})),
        PatchObject(kind="ReplicaSet", namespace="default", name="a", patch=json.dumps({"spec": {"replicas": 0}})),
        PatchPod(target="default/lone", patch=json.dumps({"metadata": {"labels": {"app": "a"}}})),
        PatchPod(target="default/lone", patch=json.dumps({"metadata": {"labels": {"app": "b"}}})),
        DeletePods(namespace="default", selector={"app": "b"}),
        NodeControl(node="node1", kubelet="stop"),
        NodeControl(node="node1", kubelet="start"),
    ]
)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 40), ACTS), max_size=6), st.sampled_from(SCRIPTS), st.sampled_from(("1.20", "1.30", "1.36")))
def test_tally_is_what_a_count_of_the_pods_gives(acts, script, minor):
    lone = pod(container("sleep 3600"), name="lone")
    commands = sorted(acts, key=lambda item: item[0])
    world, _ = run(header(replica_set("a", script), replica_set("b", "sleep 3600"), lone, nodes=2, kubernetes=minor), 45, *commands)
    for key, row in world.tables.objects.items():
        if key[0] == "ReplicaSet":
            tally = world.tables.tallies.get(row.uid, EMPTY)
            assert (tally.active, tally.ready, tally.terminating) == recounted(world, row.uid)
            assert sum(count for _, count in tally.labels) == tally.active


def test_second_reconcile_of_a_quiet_world_writes_nothing():
    _, records = run(header(replica_set("a", "sleep 3600"), nodes=2), 3600)
    assert max(record.at_ms for record in records if record.subject.startswith("replicaset/")) < 10_000
