"""Objects that nothing in the simulation acts on are noted when they are stored: kinds without a controller."""

import json

from simulator.engine import apply
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.projection.project import unacted_objects
from tests.engine.worlds import container, header, run

CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "c"},
    "spec": {"storageClassName": "fast", "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}
TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container("sleep 3600")]}}
REPLICAS = {
    "apiVersion": "v1",
    "kind": "ReplicationController",
    "metadata": {"name": "r"},
    "spec": {"selector": {"a": "b"}, "template": TEMPLATE},
}


def notes(records):
    return [(record.subject, record.rule) for record in records if record.target == "not-simulated"]


def begun(*documents):
    world, records = run(header(*documents), 1)
    return world, notes([*world.first_records, *records])


def test_kind_with_a_controller_is_not_reported():
    assert begun(CLAIM)[1] == []


def test_kind_without_a_controller_is_told_when_a_run_begins_and_when_it_is_applied():
    told = [("replicationcontroller/default/r", "NO-CONTROLLER")]
    assert set(begun(REPLICAS)[1]) == set(told)
    world, _ = run(header(), 1)
    assert notes(apply(world, ApplyManifest(documents=(json.dumps(REPLICAS),)))) == told


def test_objects_of_one_manifest_are_reported_one_by_one():
    documents = [{**REPLICAS, "metadata": {"name": name}} for name in ("a", "b")]
    assert set(begun(*documents)[1]) == {(f"replicationcontroller/default/{name}", "NO-CONTROLLER") for name in ("a", "b")}


def test_refused_object_is_not_reported():
    world, _ = run(header(), 1)
    wrong = {**CLAIM, "spec": {**CLAIM["spec"], "accessModes": ["Sometimes"]}}
    assert notes(apply(world, ApplyManifest(documents=(json.dumps(wrong),)))) == []


def test_pages_know_what_nothing_acts_on():
    world, _ = begun(REPLICAS, CLAIM)
    assert {key: [item.rule for item in items] for key, items in unacted_objects(world).items()} == {
        ("ReplicationController", "default", "r"): ["NO-CONTROLLER"]
    }
