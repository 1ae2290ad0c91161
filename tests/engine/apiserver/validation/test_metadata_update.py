"""Rules for the update of any object."""

from typing import Any

import pytest

from simulator.engine.apiserver.answer import ApiError
from simulator.engine.apiserver.store.preconditions import ChangeTarget, before_update
from simulator.engine.apiserver.validation.change.metadata import go_time, metadata_update_errors
from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.release import Release

POD = ChangeTarget(resource="pods", name="p", namespace="ns")
STORED = {"name": "p", "namespace": "ns", "uid": "u", "resourceVersion": "5", "creationTimestamp": "2024-01-01T00:00:00Z", "generation": 2}


def refusal(**sent: Any) -> ApiError:
    with pytest.raises(ApiError) as caught:
        before_update({"metadata": STORED}, {"metadata": {"name": "p", **sent}}, POD)
    return caught.value


def kept(sent: Json, **stored: Any) -> Json:
    metadata: Json = before_update({"metadata": {**STORED, **stored}}, {"metadata": {"name": "p", **sent}}, POD)["metadata"]
    return metadata


def texts(stored: Json, sent: Json, *, minor: int = 30) -> list[str]:
    documents = ({"metadata": {"name": "p", **part}} for part in (stored, sent))
    return [f"{error.field}: {error.message}" for error in metadata_update_errors(*documents, release=Release(minor))]


def test_other_uid_is_a_conflict_in_the_words_of_the_store() -> None:
    answer = refusal(uid="v").answer
    assert (answer.code, answer.message) == (
        409,
        'Operation cannot be fulfilled on pods "p": StorageError: invalid object, Code: 4, Key: /registry/pods/ns/p, ResourceVersion: 0, '
        "AdditionalErrorMsg: Precondition failed: UID in precondition: v, UID in object meta: u",
    )


def test_stale_resource_version_is_a_conflict() -> None:
    assert refusal(resourceVersion="4").answer.message.endswith("please apply your changes to the latest version and try again")


def test_put_without_a_name_is_a_bad_request() -> None:
    answer = refusal(name="").answer
    assert (answer.code, answer.message) == (400, "the name of the object (p based on URL) was undeterminable: name must be provided")


def test_patch_does_not_move_an_object_to_another_namespace() -> None:
    with pytest.raises(ApiError) as caught:
        before_update({"metadata": STORED}, {"metadata": {"name": "p", "namespace": "other"}}, POD, is_patch=True)
    answer = caught.value.answer
    assert (answer.code, answer.message) == (
        400,
        "the namespace of the provided object does not match the namespace sent on the request",
    )


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({"name": "q"}, "the name of the object (q) does not match the name on the URL (p)"),
        ({}, "the name of the object (p based on URL) was undeterminable: name must be provided"),
    ],
)
def test_patch_does_not_rename_an_object(sent: Json, message: str) -> None:
    with pytest.raises(ApiError) as caught:
        before_update({"metadata": STORED}, {"metadata": sent}, POD, is_patch=True)
    answer = caught.value.answer
    assert (answer.code, answer.reason, answer.message) == (400, "BadRequest", message)


def test_empty_resource_version_is_filled_in() -> None:
    assert kept({})["resourceVersion"] == "5"


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({"name": "q"}, "the name of the object (q) does not match the name on the URL (p)"),
        ({"namespace": "m"}, "the namespace of the object (m) does not match the namespace on the request (ns)"),
    ],
)
def test_body_names_what_the_url_names(sent: Json, message: str) -> None:
    answer = refusal(**sent).answer
    assert (answer.code, answer.reason, answer.message) == (400, "BadRequest", message)


def test_creation_time_and_generation_stay_as_they_are_stored() -> None:
    metadata = kept({"creationTimestamp": "2030-01-01T00:00:00Z", "generation": 9})
    assert (metadata["creationTimestamp"], metadata["generation"]) == ("2024-01-01T00:00:00Z", 2)


def test_end_of_a_terminating_object_is_not_the_client_s_to_move() -> None:
    metadata = kept({"deletionTimestamp": "2030-01-01T00:00:00Z"}, deletionTimestamp="2024-01-01T00:00:30Z", deletionGracePeriodSeconds=30)
    assert (metadata["deletionTimestamp"], metadata["deletionGracePeriodSeconds"]) == ("2024-01-01T00:00:30Z", 30)


def test_deletion_time_cannot_be_set() -> None:
    assert texts({}, {"deletionTimestamp": "2030-01-01T00:00:00Z"}) == [
        "metadata.deletionTimestamp: Invalid value: 2030-01-01 00:00:00 +0000 UTC: field is immutable"
    ]


def test_grace_period_of_a_deletion_cannot_be_changed() -> None:
    assert texts({"deletionGracePeriodSeconds": 31}, {"deletionGracePeriodSeconds": 30}) == [
        "metadata.deletionGracePeriodSeconds: Invalid value: 30: field is immutable"
    ]


def test_no_finalizer_comes_while_the_object_terminates() -> None:
    end = {"deletionTimestamp": "2030-01-01T00:00:00Z"}
    assert texts({**end, "finalizers": ["a/b"]}, {**end, "finalizers": ["a/c", "a/b"]}) == [
        "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, "
        'found new finalizers []string{"a/c"}'
    ]


def test_finalizer_may_come_before() -> None:
    assert texts({}, {"finalizers": ["a/b"]}) == []


def test_labels_are_validated_again() -> None:
    (text,) = texts({}, {"labels": {"b!": "x"}})
    assert text.startswith('metadata.labels: Invalid value: "b!": name part must consist of')


@pytest.mark.parametrize(("text", "shown"), [("2030-01-01T01:02:03Z", "2030-01-01 01:02:03 +0000 UTC"), ("soon", "soon")])
def test_time_prints_as_go_prints_it(text: str, shown: str) -> None:
    assert go_time(text) == shown
