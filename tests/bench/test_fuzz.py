"""Every document passes through the whole path of a manifest without an exception; an accepted one comes back unchanged."""

import pytest

from simulator.bench.fuzz import examine, fuzz, story_examples

DOCUMENTS = 600
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "a", "image": "i:1"}]}}


def test_no_document_escapes_and_each_accepted_one_comes_back():
    tally = fuzz(DOCUMENTS, story_examples())
    assert tally.documents >= DOCUMENTS
    assert tally.accepted > DOCUMENTS // 20


@pytest.mark.parametrize(
    ("kubernetes", "change"),
    [
        ("1.37", {"serviceAccount": "a b"}),
        ("1.33", {"volumes": [{"name": "v", "example.com/source": {}}]}),
        ("1.20", {"volumes": [None]}),
        ("1.29", {"overhead": {"cpu": None}}),
    ],
    ids=["old name of the service account", "volume of an unknown source", "null in a list", "null quantity"],
)
def test_odd_pods_take_the_whole_way(kubernetes, change):
    examine({**POD, "spec": {**POD["spec"], **change}}, kubernetes)


@pytest.mark.parametrize(
    "document",
    [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "web"}, "spec": {}},
        {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "web"}, "spec": {"limits": [None]}},
        {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "web"}, "spec": {"hard": {"app": None}}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "web"}},
    ],
    ids=lambda document: document["kind"],
)
def test_odd_objects_take_the_whole_way(document):
    examine(document, "1.30")
