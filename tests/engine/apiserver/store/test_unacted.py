"""What the store accepts and nothing acts on is told when it is stored."""

import json

import pytest

from simulator.engine import advance, apply
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.apiserver.store.unacted import WITHOUT_CONTROLLER, unacted
from simulator.engine.projection.project import unacted_objects
from tests.engine.worlds import container, header, run

CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "c"},
    "spec": {"storageClassName": "fast", "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}
VOLUME = {
    "apiVersion": "v1",
    "kind": "PersistentVolume",
    "metadata": {"name": "v"},
    "spec": {"storageClassName": "fast", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/v"}},
}
TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container("sleep 3600")]}}
REPLICAS = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "r"},
    "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE},
}


def notes(records):
    return [(record.subject, record.rule) for record in records if record.target == "not-simulated"]


def begun(*documents):
    world, records = run(header(*documents), 1)
    return world, notes([*world.first_records, *records])


@pytest.mark.parametrize(
    ("document", "told"),
    [
        (REPLICAS, [("deployment/default/r", "NO-CONTROLLER")]),
        (CLAIM, [("persistentvolumeclaim/default/c", "CLASS-IGNORED")]),
        ({**CLAIM, "spec": {**CLAIM["spec"], "storageClassName": ""}}, []),
        ({**CLAIM, "spec": {**CLAIM["spec"], "volumeName": "v"}}, []),
        ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}, []),
    ],
    ids=str,
)
def test_what_nothing_acts_on_is_told_when_a_run_begins_and_when_it_is_applied(document, told):
    assert set(begun(document)[1]) == set(told)
    world, _ = run(header(), 1)
    records = apply(world, ApplyManifest(documents=(json.dumps(document),)))
    assert notes(records) == told


def test_claim_for_which_there_is_a_volume_of_its_class_is_not_told_of():
    assert begun(VOLUME, CLAIM)[1] == []


def test_objects_of_one_manifest_are_told_of_one_by_one():
    documents = [{**CLAIM, "metadata": {"name": name}} for name in ("a", "b")]
    told = {(f"persistentvolumeclaim/default/{name}", "CLASS-IGNORED") for name in ("a", "b")}
    assert set(begun(*documents)[1]) == told


def test_refused_object_is_not_told_of():
    world, _ = run(header(), 1)
    wrong = {**REPLICAS, "spec": {**REPLICAS["spec"], "replicas": -1}}
    assert notes(apply(world, ApplyManifest(documents=(json.dumps(wrong),)))) == []


@pytest.mark.parametrize("kind", sorted(WITHOUT_CONTROLLER))
def test_every_kind_without_a_controller_is_named(kind):
    (item,) = unacted({"kind": kind})
    assert item.text.startswith(f"Nothing acts on this {kind}:")


def test_pages_know_what_nothing_acts_on():
    world, _ = begun(REPLICAS, CLAIM, VOLUME)
    assert {key: [item.rule for item in items] for key, items in unacted_objects(world).items()} == {
        ("Deployment", "default", "r"): ["NO-CONTROLLER"]
    }
    advance(world, until_ms=2_000)
