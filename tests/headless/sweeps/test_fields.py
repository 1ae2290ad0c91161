"""The fields of a sweep: which exist, which one a text means, and a manifest with another value."""

import json

import pytest

from simulator.headless.sweeps.fields import ABSENT, DEFAULT, WRITTEN, BadSweptField, field_of, numeric_fields, text_with_value, with_value
from tests.engine.worlds import container, header, pod

PROBE = {"exec": {"command": ["true"]}, "periodSeconds": 7}
WEB = header(pod(container(readinessProbe=PROBE)))
PERIOD = "spec.containers[0].readinessProbe.periodSeconds"


def two(kinds: tuple[str, str] = ("Pod", "Pod"), names: tuple[str, str] = ("a", "b")) -> object:
    """Two pods, or a pod and a budget, in one header."""
    documents = []
    for kind, name in zip(kinds, names, strict=True):
        spec = {"minAvailable": 1} if kind == "PodDisruptionBudget" else pod(container())["spec"]
        version = "policy/v1" if kind == "PodDisruptionBudget" else "v1"
        documents.append({"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec})
    return header(*documents)


@pytest.mark.parametrize(
    ("path", "state", "value"),
    [
        (PERIOD, WRITTEN, 7),
        ("spec.containers[0].readinessProbe.failureThreshold", DEFAULT, 3),
        ("spec.terminationGracePeriodSeconds", DEFAULT, 30),
        ("spec.activeDeadlineSeconds", ABSENT, None),
        ("spec.containers[0].lifecycle.preStop.sleep.seconds", ABSENT, None),
    ],
)
def test_numeric_fields_are_listed_with_what_they_hold(path: str, state: str, value: int | None) -> None:
    (found,) = [field for field in numeric_fields(WEB) if field.path == path]
    assert (found.state, found.value) == (state, value)


@pytest.mark.parametrize(("policy", "is_listed"), [({}, False), ({"restartPolicy": "Always"}, True)])
def test_sleep_of_a_hook_is_listed_of_sidecars_and_of_no_other_init_container(policy: dict[str, str], is_listed: bool) -> None:
    init = container(name="init") | policy
    paths = [field.path for field in numeric_fields(header(pod(container(), initContainers=[init])))]
    assert ("spec.initContainers[0].lifecycle.preStop.sleep.seconds" in paths) == is_listed


def test_listed_field_is_the_field_that_its_text_means() -> None:
    both = two(("Pod", "PodDisruptionBudget"))
    assert [field_of(both, field.text) for field in numeric_fields(both)] == list(numeric_fields(both))


def test_field_of_one_of_several_manifests_is_named_by_its_object() -> None:
    assert field_of(two(), "b: spec.terminationGracePeriodSeconds").document == 1


def test_field_that_only_one_manifest_has_needs_no_name() -> None:
    assert field_of(two(("Pod", "PodDisruptionBudget")), "spec.minAvailable").text == "b: spec.minAvailable"


def test_objects_of_one_name_are_distinguished_by_kind() -> None:
    found = field_of(two(("Pod", "PodDisruptionBudget"), ("a", "a")), "PodDisruptionBudget/a: spec.minAvailable")
    assert found.text == "PodDisruptionBudget/a: spec.minAvailable"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("spec.nothing", "Pod has no field spec.nothing."),
        ("spec.containers[0].image", "spec.containers[0].image is not a number."),
        ("spec.containers[4].readinessProbe.periodSeconds", "spec.containers[4] is not in the manifest: the list is too short."),
        ("x: spec.priority", "There is no object named “x”; available: p."),
        ("spec..x", "is not a valid field path"),
        ("", "is not a valid field path"),
    ],
)
def test_field_that_cannot_be_swept_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(BadSweptField, match=r"^.*$") as refused:
        field_of(WEB, text)
    assert said in str(refused.value)


def test_field_of_several_manifests_is_refused_with_the_choices() -> None:
    with pytest.raises(BadSweptField, match="a: spec.terminationGracePeriodSeconds, b: spec.terminationGracePeriodSeconds"):
        field_of(two(), "spec.terminationGracePeriodSeconds")


def test_unknown_field_is_answered_with_those_that_look_like_it() -> None:
    with pytest.raises(BadSweptField, match=r"Did you mean: spec\.containers\[0\]\.readinessProbe\.periodSeconds"):
        field_of(WEB, "spec.readinessProbe.periodSeconds")


def test_value_is_put_where_the_field_is_or_would_be() -> None:
    (text,) = with_value(WEB, field_of(WEB, "spec.containers[0].lifecycle.preStop.sleep.seconds"), 5)
    assert json.loads(text)["spec"]["containers"][0]["lifecycle"] == {"preStop": {"sleep": {"seconds": 5}}}
    (text,) = with_value(WEB, field_of(WEB, PERIOD), 3)
    assert json.loads(text)["spec"]["containers"][0]["readinessProbe"]["periodSeconds"] == 3


@pytest.mark.parametrize(("path", "line"), [(PERIOD, "periodSeconds: 2  # often"), ("spec.priority", "  priority: 2")])
def test_value_is_written_into_the_authors_text(path: str, line: str) -> None:
    text = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  restartPolicy: Never\n  containers:\n"
        "  - name: c\n    readinessProbe:\n      periodSeconds: 7  # often\n"
    )
    changed = text_with_value(text, field_of(WEB, path), 2, minor=30)
    assert changed is not None and line in changed.splitlines()[-1] + "\n" + changed
    assert changed.count("\n") in (text.count("\n"), text.count("\n") + 1)


def test_unknown_field_that_looks_like_none_is_answered_without_a_hint() -> None:
    with pytest.raises(BadSweptField) as caught:
        field_of(WEB, "zzz.qqq")
    assert "Did you mean" not in str(caught.value)
