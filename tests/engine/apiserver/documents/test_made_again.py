"""Objects that every cluster has, and that are recreated when they are deleted."""

import pytest

from simulator.engine import advance, apply
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.apiserver.documents.implied import implied
from simulator.engine.world.effects import REVISIONS
from tests.engine.worlds import container, header, pod, run

AGAIN = {
    "ConfigMap": "kube-root-ca.crt", "ServiceAccount": "default", "Service": "kubernetes", "EndpointSlice": "kubernetes",
    "Endpoints": "kubernetes",
}  # fmt: skip


def metadata(world, kind):
    return next(item["metadata"] for item in implied(world, kind) if item["metadata"]["namespace"] == "default")


def deleted(world, kind, **more):
    command = DeleteObject(kind=kind, namespace="default", name=AGAIN[kind], **more)
    return next(record for record in apply(world, command) if record.kind == "command")


@pytest.fixture
def world():
    return run(header(pod(container())), 5)[0]


@pytest.mark.parametrize("kind", AGAIN)
def test_it_is_another_object_each_time(world, kind):
    found = [metadata(world, kind)]
    for _ in range(2):
        advance(world, until_ms=world.now_ms + 5000)
        assert deleted(world, kind).target == "accepted"
        found.append(metadata(world, kind))
    assert len({each["uid"] for each in found}) == 3
    assert [each["creationTimestamp"][-3:] for each in found] == ["00Z", "10Z", "15Z"]


def test_a_precondition_is_about_the_object_that_is_there(world):
    old = metadata(world, "ConfigMap")["uid"]
    assert deleted(world, "ConfigMap", uid=old).target == "accepted"
    assert deleted(world, "ConfigMap", uid=old).target == "refused"


def test_the_write_counts(world):
    before = world.counters.get(REVISIONS, 0)
    deleted(world, "ConfigMap")
    assert world.counters[REVISIONS] == before + 1


def test_others_stay_as_they_are(world):
    before = [metadata(world, kind)["uid"] for kind in AGAIN if kind != "ConfigMap"]
    deleted(world, "ConfigMap")
    assert [metadata(world, kind)["uid"] for kind in AGAIN if kind != "ConfigMap"] == before


def test_what_nobody_makes_again_is_refused(world):
    command = DeleteObject(kind="StorageClass", name="standard")
    assert next(record for record in apply(world, command) if record.kind == "command").target == "refused"
