"""A PATCH as it arrives."""

import pytest

from simulator.engine.apiserver.answer import ApiError
from simulator.engine.apiserver.patch.request import patched, undecodable

POD = {"metadata": {"name": "p"}}


def refusal(patch: str, kind: str, *, minor: int = 30) -> tuple[int, str, str]:
    with pytest.raises(ApiError) as caught:
        patched(POD, patch, kind, minor=minor)
    return caught.value.answer.code, caught.value.answer.reason, caught.value.answer.message


@pytest.mark.parametrize(
    ("kind", "patch"),
    [
        ("merge", '{"metadata": {"labels": {"a": "b"}}}'),
        ("strategic", '{"metadata": {"labels": {"a": "b"}}}'),
        ("json", '[{"op": "add", "path": "/metadata/labels", "value": {"a": "b"}}]'),
    ],
)
def test_patch_of_each_kind_is_applied(kind: str, patch: str) -> None:
    assert patched(POD, patch, kind, minor=30) == {"metadata": {"name": "p", "labels": {"a": "b"}}}


def test_failing_test_of_a_json_patch_is_refused_without_a_reason_anybody_could_use() -> None:
    failing = '[{"op": "test", "path": "/metadata/name", "value": "q"}]'
    assert refusal(failing, "json") == (422, "Invalid", "the server rejected our request due to an error in our request")


@pytest.mark.parametrize(("minor", "answer"), [(20, (500, "")), (30, (400, "BadRequest"))])
def test_malformed_merge_patch_is_the_client_s_mistake_since_1_21(minor: int, answer: tuple[int, str]) -> None:
    assert refusal("{bad", "merge", minor=minor) == (*answer, "Invalid JSON Patch")


@pytest.mark.parametrize(("patch", "kind"), [("{", "strategic"), ("{}", "json"), ("5", "merge"), ("{}", "yaml")])
def test_text_that_is_not_a_patch_of_its_kind_is_a_bad_request(patch: str, kind: str) -> None:
    assert refusal(patch, kind)[0] == 400


def test_value_of_the_wrong_type_is_said_of_the_patch() -> None:
    answer = undecodable({"a": 1}, "why").answer
    assert answer.message == ' "" is invalid: patch: Invalid value: "{\\"a\\":1}": why'
    assert [cause.field for cause in answer.causes] == ["patch"]


KINDLY = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"restartPolicy": "Always"}}


@pytest.mark.parametrize(
    ("patch", "shown", "problem"),
    [
        ('{"spec":{"activeDeadlineSeconds":"x"}}', "map[spec:map[activeDeadlineSeconds:x]]", "unrecognized type: int64"),
        ('{"spec":{"restartPolicy":5}}', "map[spec:map[restartPolicy:5]]", "cannot convert int64 to v1.RestartPolicy"),
        ('{"spec":{"hostname":5}}', "map[spec:map[hostname:5]]", "cannot convert int64 to string"),
        ('{"spec":{"hostNetwork":"x"}}', "map[spec:map[hostNetwork:x]]", "unrecognized type: bool"),
        ('{"spec":{"containers":"x"}}', "map[spec:map[containers:x]]", "cannot restore slice from string"),
        ('{"metadata":{"labels":[]}}', "map[metadata:map[labels:[]]]", "cannot restore map from slice"),
        ('{"spec":{"affinity":"x"}}', "map[spec:map[affinity:x]]", "cannot restore struct from: string"),
    ],
)
def test_value_of_the_wrong_type_in_a_strategic_patch_is_told_with_the_patch(patch: str, shown: str, problem: str) -> None:
    with pytest.raises(ApiError) as caught:
        patched(KINDLY, patch, "strategic", minor=20)
    assert caught.value.answer.message == f' "" is invalid: patch: Invalid value: "{shown}": {problem}'


@pytest.mark.parametrize(
    ("patch", "kind", "problem"),
    [
        ("{bad", "json", "invalid character 'b' looking for beginning of object key string"),
        ("{}", "json", "json: cannot unmarshal object into Go value of type jsonpatch.Patch"),
        ("[1]", "json", "json: cannot unmarshal number into Go value of type jsonpatch.Operation"),
        ("[", "json", "unexpected end of JSON input"),
        ("{", "strategic", "unexpected EOF"),
        ("[]", "strategic", "json: cannot unmarshal array into Go value of type map[string]interface {}"),
    ],
)
def test_text_that_is_not_a_patch_is_reported_with_the_decoders_message(patch: str, kind: str, problem: str) -> None:
    assert refusal(patch, kind) == (400, "BadRequest", problem)


@pytest.mark.parametrize(
    ("patch", "problem"),
    [
        ('{"kind": "Service"}', "converting (v1.Service) to (core.Pod): unknown conversion"),
        (
            '{"apiVersion": "v2"}',
            'no kind "Pod" is registered for version "v2" in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"',
        ),
        ('{"kind": null}', "Object 'Kind' is missing in "),
    ],
)
def test_object_of_another_kind_is_what_no_patch_makes(patch: str, problem: str) -> None:
    with pytest.raises(ApiError) as caught:
        patched(KINDLY, patch, "merge", minor=20)
    assert problem in caught.value.answer.causes[0].message


def test_server_fails_at_a_strategic_patch_whose_items_have_no_name() -> None:
    with pytest.raises(ApiError) as caught:
        patched({"spec": {"containers": [{"name": "a"}]}}, '{"spec": {"containers": [{"image": "x"}]}}', "strategic", minor=20)
    assert (caught.value.answer.code, caught.value.answer.reason) == (500, "")
