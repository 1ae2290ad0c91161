"""Which objects go with their owners."""

import json

from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from tests.engine.worlds import container, header, pod, run


def config(name):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


def create(document):
    return ApplyManifest(documents=(json.dumps(document),))


def owner(world, name):
    return {"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": world.tables.objects[("ConfigMap", "default", name)].uid}


def test_another_object_of_an_owners_name_is_no_owner():
    first, _ = run(header(config("a"), config("c")), 1)
    owned = pod(container(), name="p")
    owned["metadata"]["ownerReferences"] = [owner(first, "a"), owner(first, "c")]
    gone = [DeleteObject(kind="ConfigMap", namespace="default", name=name) for name in ("c", "a")]
    acts = ((1, gone[0]), (2, create(config("c"))), (3, create(owned)), (20, gone[1]))
    _, records = run(header(config("a"), config("c")), 80, *acts)
    assert [record.subject for record in records if record.rule == "GARBAGE-COLLECTED"] == ["pod/default/p"]
