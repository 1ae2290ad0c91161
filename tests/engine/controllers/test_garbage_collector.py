"""Which objects are deleted along with their owners."""

import json

from simulator.engine.acts.nodes.delete import DeleteNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from tests.engine.worlds import container, header, pod, run


def config(name):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


def create(document):
    return ApplyManifest(documents=(json.dumps(document),))


def owner(world, name):
    return {"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": world.tables.objects[("ConfigMap", "default", name)].uid}


def test_another_object_of_an_owners_name_is_not_an_owner():
    first, _ = run(header(config("a"), config("c")), 1)
    owned = pod(container(), name="p")
    owned["metadata"]["ownerReferences"] = [owner(first, "a"), owner(first, "c")]
    gone = [DeleteObject(kind="ConfigMap", namespace="default", name=name) for name in ("c", "a")]
    acts = ((1, gone[0]), (2, create(config("c"))), (3, create(owned)), (20, gone[1]))
    _, records = run(header(config("a"), config("c")), 80, *acts)
    assert [record.subject for record in records if record.rule == "GARBAGE-COLLECTED"] == ["pod/default/p"]


def test_owner_without_namespace_keeps_its_dependent_until_it_is_gone_too():
    """A ConfigMap is owned by another one and by a PersistentVolume: it goes with the last of the two."""
    volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": {
        "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/data"}}}  # fmt: skip
    owned = config("b")
    named = [{"apiVersion": "v1", "kind": kind, "name": name, "uid": ""} for kind, name in (("ConfigMap", "a"), ("PersistentVolume", "v"))]
    owned["metadata"]["ownerReferences"] = [{**owner, "uid": f"unknown-{owner['name']}"} for owner in named]
    gone = DeleteObject(kind="ConfigMap", namespace="default", name="a"), DeleteObject(kind="PersistentVolume", namespace="", name="v")
    _, records = run(header(config("a"), volume), 60, (1, create(owned)), (10, gone[0]), (20, gone[1]))
    told = [(record.at_ms // 1000, record.rule) for record in records if record.rule.startswith("GARBAGE")]
    assert told == [(10, "GARBAGE-ORPHANED"), (20, "GARBAGE-COLLECTED")]


def test_node_that_is_deleted_takes_along_what_it_owns():
    owned = config("b")
    owned["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "Node", "name": "node1", "uid": "unknown"}]
    silent = DeleteNode(node="node1")
    _, records = run(header(nodes=[{"name": "node1"}, {"name": "node2"}]), 30, (1, create(owned)), (10, silent))
    assert [record.subject for record in records if record.rule == "GARBAGE-COLLECTED"] == ["configmap/default/b"]
