"""Whether documents match the schema of their kind, in the words of Go's decoder."""

import pytest

from simulator.engine.apiserver.wire.shapes import shape_problem

CONTAINER = {"name": "app", "image": "busybox:1.28", "resources": {"limits": {"cpu": 1, "memory": "1Gi"}}}
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "d", "labels": {"a": "b"}},
    "spec": {"replicas": 1, "strategy": {"rollingUpdate": {"maxSurge": "25%"}}, "template": {"spec": {"containers": [CONTAINER]}}},
}
UNREADABLE = "json: cannot unmarshal"


@pytest.mark.parametrize("minor", [20, 30, 99])
def test_shape_is_right_when_every_value_has_its_type(minor):
    assert shape_problem(DEPLOYMENT, minor=minor) == ""


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        (5, "number into Go struct field Deployment.spec of type v1.DeploymentSpec"),
        ({"replicas": "1"}, "string into Go struct field DeploymentSpec.spec.replicas of type int32"),
        ({"replicas": True}, "bool into Go struct field DeploymentSpec.spec.replicas of type int32"),
        ({"replicas": 2**31}, "number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32"),
        ({"selector": []}, "array into Go struct field DeploymentSpec.spec.selector of type v1.LabelSelector"),
        (
            {"selector": {"matchLabels": {"a": 1}}},
            "number into Go struct field LabelSelector.spec.selector.matchLabels of type string",
        ),
        (
            {"template": {"spec": {"containers": {}}}},
            "object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container",
        ),
        (
            {"template": {"spec": {"containers": [{"command": "ls"}]}}},
            "string into Go struct field Container.spec.template.spec.containers.command of type []string",
        ),
    ],
)
def test_shape_is_wrong_when_a_value_has_another_type(spec, problem):
    assert shape_problem({**DEPLOYMENT, "spec": spec}, minor=30) == f"{UNREADABLE} {problem}"


def test_shape_is_wrong_when_a_quantity_is_none():
    limits = {"template": {"spec": {"containers": [{"resources": {"limits": {"cpu": "much"}}}]}}}
    assert shape_problem({**DEPLOYMENT, "spec": limits}, minor=30).startswith("quantities must match the regular expression")


@pytest.mark.parametrize(
    ("metadata", "problem"),
    [
        ({"creationTimestamp": "2020"}, 'parsing time "2020" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "-"'),
        ({"creationTimestamp": 5}, "json: cannot unmarshal number into Go value of type string"),
    ],
)
def test_shape_is_wrong_when_a_time_is_none(metadata, problem):
    assert shape_problem({**DEPLOYMENT, "metadata": metadata}, minor=30) == problem


@pytest.mark.parametrize("amount", ["1K", "1e", "--5"])
def test_shape_is_wrong_when_only_the_suffix_of_a_quantity_is_none(amount):
    limits = {"template": {"spec": {"containers": [{"resources": {"limits": {"cpu": amount}}}]}}}
    assert shape_problem({**DEPLOYMENT, "spec": limits}, minor=30) == "unable to parse quantity's suffix"


@pytest.mark.parametrize("amount", ["m", ".5", "1.", "1e3"])
def test_shape_is_right_when_a_quantity_is_written_in_a_strange_way(amount):
    limits = {"template": {"spec": {"containers": [{"resources": {"limits": {"memory": amount}}}]}}}
    assert shape_problem({**DEPLOYMENT, "spec": limits}, minor=30) == ""


def test_shape_is_right_when_a_field_is_unknown_or_null():
    assert shape_problem({**DEPLOYMENT, "spec": {"replicas": None, "mine": 5}}, minor=30) == ""


@pytest.mark.parametrize("document", [{}, {"kind": "Banana", "spec": 5}, {"kind": "RuntimeClass", "handler": 5}])
def test_shape_is_not_judged_when_the_kind_has_no_schema(document):
    assert shape_problem(document, minor=30) == ""
