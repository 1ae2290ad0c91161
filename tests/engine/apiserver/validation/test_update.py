"""What may change in a pod, and the messages about what may not."""

from typing import Any

import pytest

from simulator.engine.apiserver.defaulting.pod import default_pod_document
from simulator.engine.apiserver.validation.change.update import validate_pod_update
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.meta import MIRROR
from simulator.engine.versions.release import Release

EXISTS = {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 10}
TERM = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}
GATED = {"schedulingGates": [{"name": "wait"}]}
NO_OTHERS = "pod updates may not change fields other than "


def pod(metadata: Json | None = None, *, minor: int = 30, **spec: Any) -> Json:
    container = {"name": "app", "image": "busybox:1.28", **spec.pop("app", {})}
    document = {"metadata": {"name": "p", "namespace": "ns", **(metadata or {})}, "spec": {"containers": [container], **spec}}
    return default_pod_document(document, release=Release(minor))


def texts(old: Json, new: Json, *, minor: int = 30) -> list[str]:
    found = validate_pod_update(old, new, release=Release(minor))
    return [f"{error.field}: {error.message}".split("\n")[0] for error in found]


def affinity(*terms: Json) -> Json:
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({}, {"app": {"image": "busybox:1.29"}}),
        ({}, {"activeDeadlineSeconds": 30}),
        ({"activeDeadlineSeconds": 30}, {"activeDeadlineSeconds": 20}),
        ({"tolerations": [EXISTS]}, {"tolerations": [{**EXISTS, "tolerationSeconds": 5}, {"key": "b", "operator": "Exists"}]}),
        ({"terminationGracePeriodSeconds": -1}, {"terminationGracePeriodSeconds": 1}),
        (GATED, {}),
        (GATED, {"nodeSelector": {"disk": "ssd"}}),
        (
            {**GATED, "affinity": affinity(TERM)},
            {**GATED, "affinity": affinity({**TERM, "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]})},
        ),
        (GATED, {**GATED, "affinity": affinity(TERM)}),
        ({"app": {"resources": {"limits": {"cpu": "1000m"}}}}, {"app": {"resources": {"limits": {"cpu": "1"}}}}),
        ({"nodeName": ""}, {}),
    ],
)
def test_change_is_accepted(old: Json, new: Json) -> None:
    assert texts(pod(**old), pod(**new)) == []


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ({}, {"containers": []}, "spec.containers: Forbidden: pod updates may not add or remove containers"),
        (
            {},
            {"initContainers": [{"name": "i", "image": "x:1"}]},
            "spec.initContainers: Forbidden: pod updates may not add or remove containers",
        ),
        (
            {"activeDeadlineSeconds": 20},
            {"activeDeadlineSeconds": 30},
            "spec.activeDeadlineSeconds: Invalid value: 30: must be less than or equal to previous value",
        ),
        (
            {"activeDeadlineSeconds": 20},
            {},
            'spec.activeDeadlineSeconds: Invalid value: "null": must not update from a positive integer to nil value',
        ),
        (
            {"tolerations": [EXISTS]},
            {"tolerations": [{**EXISTS, "key": "b"}]},
            "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds",
        ),
        (
            GATED,
            {"schedulingGates": [{"name": "wait"}, {"name": "more"}]},
            "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'more'",
        ),
        (
            {**GATED, "nodeSelector": {"disk": "ssd"}},
            {**GATED, "nodeSelector": {"disk": "hdd"}},
            'spec.nodeSelector: Invalid value: map[string]string{"disk":"hdd"}: '
            "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
        ),
        ({"terminationGracePeriodSeconds": 30}, {"terminationGracePeriodSeconds": 1}, f"spec: Forbidden: {NO_OTHERS}"),
        ({}, {"hostname": "x"}, f"spec: Forbidden: {NO_OTHERS}"),
        ({}, {"nodeName": "n"}, f"spec: Forbidden: {NO_OTHERS}"),
    ],
)
def test_change_is_refused_with_the_official_words(old: Json, new: Json, text: str) -> None:
    assert any(found.startswith(text) for found in texts(pod(**old), pod(**new)))


def test_term_of_required_affinity_may_not_come_or_go_while_gated() -> None:
    before, after = pod(**GATED, affinity=affinity(TERM)), pod(**GATED, affinity=affinity(TERM, TERM))
    (text,) = texts(before, after, minor=34)
    assert text.endswith('"Values":["a"]}],"MatchFields":null}]: no additions/deletions to non-empty NodeSelectorTerms list are allowed')


def test_selector_is_like_any_other_field_when_the_pod_is_not_gated() -> None:
    (text,) = texts(pod(), pod(nodeSelector={"disk": "ssd"}))
    assert text.startswith(f"spec: Forbidden: {NO_OTHERS}")


def test_selector_is_like_any_other_field_before_1_27() -> None:
    (text,) = texts(pod(**GATED, minor=26), pod(**GATED, nodeSelector={"disk": "ssd"}, minor=26), minor=26)
    assert text.startswith(f"spec: Forbidden: {NO_OTHERS}")


@pytest.mark.parametrize(
    ("minor", "end"),
    [
        (20, "`spec.activeDeadlineSeconds` or `spec.tolerations` (only additions to existing tolerations)"),
        (22, ") or `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"),
        (27, "),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"),
    ],
)
def test_words_about_other_fields_are_those_of_the_version(minor: int, end: str) -> None:
    (text,) = texts(pod(minor=minor), pod(minor=minor, hostname="x"), minor=minor)
    assert text.endswith(end)


def test_grace_below_zero_stays_as_it_is_before_1_22() -> None:
    old, new = pod(terminationGracePeriodSeconds=-1, minor=21), pod(terminationGracePeriodSeconds=1, minor=21)
    assert len(texts(old, new, minor=21)) == 1


def test_nothing_else_is_said_when_a_container_was_added() -> None:
    added = [{"name": "app", "image": "busybox:1.28"}, {"name": "b", "image": "b:1"}]
    assert texts(pod(), pod(containers=added, hostname="x")) == [
        "spec.containers: Forbidden: pod updates may not add or remove containers"
    ]  # fmt: skip


def test_new_pod_is_judged_as_a_whole_before_its_changes() -> None:
    found = texts(pod(activeDeadlineSeconds=9), pod(activeDeadlineSeconds=-1))
    assert [text.rpartition(": ")[2] for text in found] == [
        "must be between 1 and 2147483647, inclusive",
        "must be between 0 and 2147483647, inclusive",
    ]


def test_ephemeral_containers_stay_when_the_pod_has_them() -> None:
    debugger = [{"name": "d", "image": "busybox:1.28"}]
    assert texts(pod(ephemeralContainers=debugger), pod(ephemeralContainers=debugger, app={"image": "x:1"})) == []


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [({}, {MIRROR: "1"}, "add"), ({MIRROR: "1"}, {}, "remove or update"), ({MIRROR: "1"}, {MIRROR: "2"}, "remove or update")],
)
def test_mirror_annotation_stays(old: Json, new: Json, word: str) -> None:
    before, after = (pod({"annotations": found}, nodeName="n") for found in (old, new))
    assert f"metadata.annotations[{MIRROR}]: Forbidden: may not {word} mirror pod annotation" in texts(before, after)


def test_field_that_no_version_knows_changes_nothing() -> None:
    assert texts(pod(), pod(unheardOf=1)) == []


def test_field_of_a_later_version_changes_nothing() -> None:
    gates = [{"name": "wait"}]
    assert texts(pod(minor=20), pod(minor=20, schedulingGates=gates), minor=20) == []
    assert texts(pod(), pod(schedulingGates=gates)) != []
