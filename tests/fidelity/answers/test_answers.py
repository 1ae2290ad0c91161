"""Recorded answers of an API server, compared with ours, using small recordings made for the tests."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from simulator.fidelity.answers import create as api_create
from simulator.fidelity.answers import defaults as api_defaults
from simulator.fidelity.answers import update as api_update
from simulator.fidelity.answers.outcome import ApiOutcome, masked


def recording(tmp_path: Path, content: Any) -> Path:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def patched(case: str, code: int, body: Any, kind: str = "strategic-merge", **more: Any) -> dict[str, Any]:
    return {"case": case, "method": f"PATCH application/{kind}-patch+json", "code": code, "body": body, **more}


RAISED = "spec.activeDeadlineSeconds: Invalid value: 450: must be less than or equal to previous value"


def measured(tmp_path: Path, *content: dict[str, Any]) -> list[ApiOutcome]:
    return api_update.measure(recording(tmp_path, list(content))).outcomes


def test_changes_are_judged_in_turn(tmp_path: Path) -> None:
    cause = {"reason": "FieldValueInvalid", "field": "spec.activeDeadlineSeconds"}
    lower, higher = ({"spec": {"activeDeadlineSeconds": seconds}} for seconds in (400, 450))
    refused = patched("up", 422, higher, reason="Invalid", message=f'Pod "upd" is invalid: {RAISED}', causes=[cause])
    outcomes = measured(tmp_path, patched("down", 200, lower), refused)
    assert [(outcome.agrees, outcome.message) for outcome in outcomes] == [(True, True), (True, True)]


def test_answer_with_another_text_agrees_in_all_but_the_message(tmp_path: Path) -> None:
    body = {"spec": {"activeDeadlineSeconds": 0}}
    cause = {"reason": "FieldValueInvalid", "field": "spec.activeDeadlineSeconds"}
    (outcome,) = measured(tmp_path, patched("zero", 422, body, reason="Invalid", message="no", causes=[cause]))
    assert (outcome.code, outcome.reason, outcome.causes, outcome.message) == (True, True, True, False)


def test_change_whose_request_the_recording_does_not_hold_is_left_out(tmp_path: Path) -> None:
    found = api_update.measure(recording(tmp_path, [{"case": "some change", "method": "PUT (replace)", "code": 200}]))
    assert (found.outcomes, found.left_out) == ([], ["some change"])


def test_change_of_another_pod_is_not_found(tmp_path: Path) -> None:
    missing = patched("x", 404, {}, reason="NotFound", message='pods "updx" not found')
    (outcome,) = measured(tmp_path, {**missing, "method": missing["method"] + "x"})
    assert (outcome.agrees, outcome.message) == (True, True)


def test_change_is_put_when_the_recording_says_so(tmp_path: Path) -> None:
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "other"}, "spec": {}}
    (outcome,) = measured(
        tmp_path,
        {"case": "o", "method": "PUT (replace)", "code": 404, "reason": "NotFound", "message": 'pods "other" not found', "body": body},
    )
    assert (outcome.agrees, outcome.message) == (True, True)


def test_patch_is_applied_and_judged(tmp_path: Path) -> None:
    label = patched("p", 200, {"metadata": {"labels": {"a": "b"}}})
    broken = patched("q", 500, "{", "merge", message="Invalid JSON Patch")
    assert [outcome.message for outcome in measured(tmp_path, label, broken)] == [True, True]


def test_defaults_are_compared_field_by_field(tmp_path: Path) -> None:
    sent = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "c:1"}]}}
    stored = api_defaults.stored(sent)
    other = {**stored, "spec": {**stored["spec"], "dnsPolicy": "Default"}}
    content = {"same": {"sent": sent, "stored": stored}, "other": {"sent": sent, "stored": other}}
    outcomes = api_defaults.measure(recording(tmp_path, content))
    assert [outcome.differing for outcome in outcomes] == [(), ("spec.dnsPolicy",)]


def test_names_a_server_draws_are_masked() -> None:
    assert masked("default-token-qw4nf") == masked("default-token-abcde")


def created(case: str, spec: dict[str, Any], code: int, **more: Any) -> dict[str, Any]:
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}
    return {"case": case, "manifest": manifest, "code": code, **more}


PLAIN = {"containers": [{"name": "app", "image": "busybox:1.28"}]}
NONE = {"reason": "FieldValueRequired", "message": "Required value", "field": "spec.containers"}
NO_CONTAINERS = created("none", {}, 422, reason="Invalid", message='Pod "p" is invalid: spec.containers: Required value', causes=[NONE])


def test_creates_are_compared_one_by_one(tmp_path: Path) -> None:
    wrong = {**NO_CONTAINERS, "case": "wrong", "message": "no"}
    outcomes = api_create.measure(recording(tmp_path, [created("plain", PLAIN, 201), NO_CONTAINERS, wrong]))
    assert [(outcome.agrees, outcome.message) for outcome in outcomes] == [(True, True), (True, True), (True, False)]


ACCOUNT = 'pods "p" is forbidden: error looking up service account rej/robot: serviceaccount "robot" not found'
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": PLAIN}
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "p"}, "spec": {"ports": [{"port": 80}]}}


@pytest.mark.parametrize(
    ("manifest", "code", "reason", "message"),
    [
        (POD | {"metadata": {"name": "p", "namespace": "rej"}}, 201, "", ""),
        (
            POD | {"metadata": {"name": "p", "namespace": "other"}}, 400, "BadRequest",
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            SERVICE, 400, "BadRequest",
            'Service in version "v1" cannot be handled as a Pod: converting (v1.Service) to (core.Pod): unknown conversion',
        ),
        (POD | {"spec": {**PLAIN, "serviceAccountName": "robot"}}, 403, "Forbidden", ACCOUNT),
    ],
)  # fmt: skip
def test_what_the_address_of_a_request_or_its_namespace_refuses_is_refused(
    tmp_path: Path, manifest: Any, code: int, reason: str, message: str
) -> None:
    sent = {"case": "x", "manifest": manifest, "code": code, "reason": reason, "message": message}
    (outcome,) = api_create.measure(recording(tmp_path, [sent]))
    assert (outcome.agrees, outcome.message) == (True, True), outcome.got


def test_addresses_in_memory_are_masked() -> None:
    assert masked("(*core.ExecAction)(0xc0116ebbd8)") == masked("(*core.ExecAction)(0xc000000000)")


def test_command_prints_counts_and_what_disagrees(tmp_path: Path) -> None:
    path = recording(tmp_path, [NO_CONTAINERS, {**created("other", PLAIN, 201), "code": 422, "reason": "Invalid", "causes": [NONE]}])
    out = StringIO()
    call_command("api_answers", str(path.rename(tmp_path / "create.json")), stdout=out)
    assert "  refused: code 1/2 (50.0 %)" in out.getvalue()
    assert "  other: other code, reason, causes, message: " in out.getvalue()


def test_command_takes_the_files_of_a_directory(tmp_path: Path) -> None:
    (tmp_path / "defaults.json").write_text("{}", encoding="utf-8")
    out = StringIO()
    call_command("api_answers", str(tmp_path), stdout=out)
    assert out.getvalue() == "defaults.json\n  same in every field 0/0\n"


def test_command_refuses_a_directory_without_recordings(tmp_path: Path) -> None:
    with pytest.raises(CommandError):
        call_command("api_answers", str(tmp_path))
