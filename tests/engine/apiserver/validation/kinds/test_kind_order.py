"""The order in which errors are listed."""

import pytest

from simulator.engine.apiserver.validation.kinds import KIND_RULES
from simulator.engine.apiserver.validation.kinds.order import ORDER, TEMPLATE, kind_rank_of

BROKEN = {"replicas": -1, "minReadySeconds": -1, "selector": {"matchLabels": {"a": "b"}}}
POD = {"template": {"metadata": {"labels": {"a": "c"}}, "spec": {"containers": [{"name": "c"}], "restartPolicy": "Never"}}}


def fields_of(said, kind: str, spec: dict) -> list[str]:
    document = {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "w"}, "spec": {**BROKEN, **POD, **spec}}
    return [text.split(":")[0].removeprefix("spec.") for text in said(document, {})]


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        (
            "Deployment",
            {"strategy": {"type": "x"}},
            ["replicas", "template.metadata.labels", "template.spec.containers[0].image", "template.spec.restartPolicy", "strategy"]
            + ["minReadySeconds"],
        ),
        (
            "ReplicaSet",
            {},
            ["replicas", "minReadySeconds", "template.metadata.labels", "template.spec.containers[0].image"]
            + ["template.spec.restartPolicy"],
        ),
        (
            "DaemonSet",
            {"updateStrategy": {"type": "x"}},
            ["template.metadata.labels", "template.spec.containers[0].image", "template.spec.restartPolicy", "minReadySeconds"]
            + ["updateStrategy"],
        ),
    ],
)
def test_errors_of_the_template_stand_among_the_others(said, kind, spec, expected):
    assert fields_of(said, kind, spec) == expected


def test_restart_policy_of_a_job_comes_after_its_pod_and_before_history_limits(said):
    job = {"parallelism": -1, "template": {"spec": {"containers": []}}}
    document = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "c"}, "spec": {"jobTemplate": {"spec": job}}}
    found = said(document, {"spec.failedJobsHistoryLimit": -1})
    assert [text.split(":")[0].removeprefix("spec.") for text in found] == [
        "schedule",
        "jobTemplate.spec.parallelism",
        "jobTemplate.spec.template.spec.containers",
        "jobTemplate.spec.template.spec.restartPolicy",
        "failedJobsHistoryLimit",
    ]


@pytest.mark.parametrize("kind", ORDER)
def test_every_rule_of_a_kind_has_a_place_when_the_kind_has_an_order(kind):
    scopes = {kind, *({"JobSpec"} if kind in ("Job", "CronJob") else ())}
    rules = [rule.id for rule in KIND_RULES if scopes & set(rule.scopes)]
    assert [rule for rule in rules if kind_rank_of(kind, rule, of_template=False) < 0] == []


def test_every_place_is_that_of_a_rule():
    known = {rule.id for rule in KIND_RULES}
    names = {name for order in ORDER.values() for name in order} - {TEMPLATE, "CLAIM"}
    assert names <= known
