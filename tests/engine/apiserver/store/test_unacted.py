"""What nothing in the simulation acts on is told when it is stored: nothing at present, or a kind whose controller is missing."""

import json

import pytest

from simulator.engine import apply
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.apiserver.store import unacted as store
from simulator.engine.projection import project
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
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "r"},
    "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE},
}


@pytest.fixture
def missing(monkeypatch):
    """A simulation that has no controller of Deployments."""
    for module in (store, project):
        monkeypatch.setattr(module, "WITHOUT_CONTROLLER", frozenset({"Deployment"}))


def notes(records):
    return [(record.subject, record.rule) for record in records if record.target == "not-simulated"]


def begun(*documents):
    world, records = run(header(*documents), 1)
    return world, notes([*world.first_records, *records])


@pytest.mark.parametrize("document", [REPLICAS, CLAIM], ids=lambda document: document["kind"])
def test_every_kind_is_acted_on(document):
    assert begun(document)[1] == []


@pytest.mark.usefixtures("missing")
def test_kind_without_a_controller_is_told_when_a_run_begins_and_when_it_is_applied():
    told = [("deployment/default/r", "NO-CONTROLLER")]
    assert set(begun(REPLICAS)[1]) == set(told)
    world, _ = run(header(), 1)
    assert notes(apply(world, ApplyManifest(documents=(json.dumps(REPLICAS),)))) == told


@pytest.mark.usefixtures("missing")
def test_objects_of_one_manifest_are_told_of_one_by_one():
    documents = [{**REPLICAS, "metadata": {"name": name}} for name in ("a", "b")]
    assert set(begun(*documents)[1]) == {(f"deployment/default/{name}", "NO-CONTROLLER") for name in ("a", "b")}


@pytest.mark.usefixtures("missing")
def test_refused_object_is_not_told_of():
    world, _ = run(header(), 1)
    wrong = {**REPLICAS, "spec": {**REPLICAS["spec"], "replicas": -1}}
    assert notes(apply(world, ApplyManifest(documents=(json.dumps(wrong),)))) == []


@pytest.mark.usefixtures("missing")
def test_pages_know_what_nothing_acts_on():
    world, _ = begun(REPLICAS, CLAIM)
    assert {key: [item.rule for item in items] for key, items in unacted_objects(world).items()} == {
        ("Deployment", "default", "r"): ["NO-CONTROLLER"]
    }
