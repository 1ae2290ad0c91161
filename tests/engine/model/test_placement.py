"""Node affinity, tolerations, and which pods a kubelet evicts for a critical pod."""

import pytest

from simulator.engine.kubelet.node.kubelet_preemption import Victim, choose_victims
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.model.node_affinity import node_matches, preference
from simulator.engine.model.pod import Toleration
from simulator.engine.model.tolerations import tolerates

LABELS = {"disk": "ssd", "cores": "8"}


def spec(affinity=None, **more):  # noqa: ANN001, ANN201 - a small builder of documents
    body = {"containers": [{"name": "app", "image": "i"}], **more}
    if affinity is not None:
        body["affinity"] = {"nodeAffinity": affinity}
    return pod_from_document({"kind": "Pod", "metadata": {"name": "p"}, "spec": body}).spec


def required(*terms):  # noqa: ANN002, ANN201
    return spec({"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}})


def term(key: str, operator: str, *values: str) -> dict:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (term("disk", "In", "ssd", "nvme"), True),
        (term("disk", "In", "hdd"), False),
        (term("disk", "NotIn", "hdd"), True),
        (term("gpu", "NotIn", "none"), True),
        (term("disk", "Exists"), True),
        (term("gpu", "Exists"), False),
        (term("gpu", "DoesNotExist"), True),
        (term("cores", "Gt", "4"), True),
        (term("cores", "Lt", "4"), False),
        (term("disk", "Gt", "4"), False),
        ({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node1"]}]}, True),
        ({}, False),
    ],
)
def test_required_term_matches_as_its_operator_says(wanted: dict, expected: bool) -> None:
    assert node_matches(required(wanted), LABELS, "node1") is expected


def test_one_of_several_required_terms_is_enough() -> None:
    assert node_matches(required(term("disk", "In", "hdd"), term("cores", "Exists")), LABELS, "node1")


def test_node_selector_and_affinity_must_both_hold() -> None:
    given = spec(
        {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term("disk", "Exists")]}}, nodeSelector={"a": "b"}
    )
    assert not node_matches(given, LABELS, "node1")


def test_preference_adds_up_the_weights_of_terms_that_hold() -> None:
    items = [
        {"weight": 5, "preference": term("disk", "Exists")},
        {"weight": 2, "preference": term("gpu", "Exists")},
        {"weight": 3, "preference": term("cores", "In", "8")},
    ]
    assert preference(spec({"preferredDuringSchedulingIgnoredDuringExecution": items}), LABELS, "node1") == 8


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        (Toleration(key="k", value="v", effect="NoSchedule"), True),
        (Toleration(key="k", value="v"), True),
        (Toleration(key="k", value="other"), False),
        (Toleration(key="k", operator="Exists"), True),
        (Toleration(operator="Exists"), True),
        (Toleration(operator="Exists", effect="NoExecute"), False),
    ],
)
def test_toleration_matches_key_value_and_effect(toleration: Toleration, expected: bool) -> None:
    assert tolerates((toleration,), ("k", "v", "NoSchedule")) is expected


PODS = [
    Victim("best", "BestEffort", {"pods": 1}),
    Victim("small", "Burstable", {"pods": 1, "cpu": 200}),
    Victim("large", "Burstable", {"pods": 1, "cpu": 1000}),
    Victim("sure", "Guaranteed", {"pods": 1, "cpu": 500}),
]


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        ({"cpu": 150}, ["small"]),
        ({"cpu": 900}, ["large"]),
        ({"cpu": 1100}, ["large", "small"]),
        ({"cpu": 1500}, ["large", "sure"]),
        ({"pods": 1}, ["best"]),
    ],
)
def test_victims_are_those_that_matter_least(missing: dict, expected: list[str]) -> None:
    assert [item.name for item in choose_victims(PODS, missing) or ()] == expected


def test_no_victims_are_chosen_where_all_together_would_not_do() -> None:
    assert choose_victims(PODS, {"cpu": 5000}) is None
