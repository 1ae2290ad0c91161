"""A PATCH as it comes in."""

import pytest

from simulator.engine.api.answer import ApiError
from simulator.engine.api.patch_request import patched, undecodable

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


@pytest.mark.parametrize(("patch", "kind"), [("{", "strategic"), ("{}", "json"), ("[]", "merge"), ("{}", "yaml")])
def test_text_that_is_no_patch_of_its_kind_is_a_bad_request(patch: str, kind: str) -> None:
    assert refusal(patch, kind)[0] == 400


def test_value_of_the_wrong_type_is_said_of_the_patch() -> None:
    answer = undecodable({"a": 1}, "why").answer
    assert answer.message == ' "" is invalid: patch: Invalid value: "{\\"a\\":1}": why'
    assert [cause.field for cause in answer.causes] == ["patch"]
