"""Recorded answers of an API server, compared with ours: small recordings of our own."""

import json
from pathlib import Path
from typing import Any

from simulator.conformance import api_defaults, api_update
from simulator.conformance.api_outcome import masked


def recording(tmp_path: Path, content: Any) -> Path:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def put(case: str, code: int, **more: Any) -> dict[str, Any]:
    return {"case": case, "method": "PUT (replace)", "code": code, **more}


RAISED = "spec.activeDeadlineSeconds: Invalid value: 450: must be less than or equal to previous value"


def test_changes_are_judged_one_after_the_other(tmp_path: Path) -> None:
    cause = {"reason": "FieldValueInvalid", "field": "spec.activeDeadlineSeconds"}
    refused = put("activeDeadlineSeconds higher", 422, reason="Invalid", message=f'Pod "upd" is invalid: {RAISED}', causes=[cause])
    outcomes = api_update.measure(recording(tmp_path, [put("activeDeadlineSeconds lower", 200), refused]))
    assert [(outcome.agrees, outcome.message) for outcome in outcomes] == [(True, True), (True, True)]


def test_answer_with_another_text_agrees_in_all_but_the_message(tmp_path: Path) -> None:
    (outcome,) = api_update.measure(recording(tmp_path, [put("remove all containers", 422, reason="Invalid", message="no", causes=[])]))
    assert (outcome.code, outcome.reason, outcome.causes, outcome.message) == (True, True, False, False)


def test_change_whose_body_nobody_knows_is_left_out(tmp_path: Path) -> None:
    assert api_update.measure(recording(tmp_path, [put("some other change", 200)])) == []


def test_patch_is_applied_and_judged(tmp_path: Path) -> None:
    patch = {
        "case": "p",
        "method": "PATCH application/strategic-merge-patch+json",
        "code": 200,
        "body": {"metadata": {"labels": {"a": "b"}}},
    }
    broken = {"case": "q", "method": "PATCH application/merge-patch+json", "code": 500, "body": "{", "message": "Invalid JSON Patch"}
    assert [outcome.message for outcome in api_update.measure(recording(tmp_path, [patch, broken]))] == [True, True]


def test_defaults_are_compared_field_by_field(tmp_path: Path) -> None:
    sent = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "c:1"}]}}
    stored = api_defaults.stored(sent)
    other = {**stored, "spec": {**stored["spec"], "dnsPolicy": "Default"}}
    content = {"same": {"sent": sent, "stored": stored}, "other": {"sent": sent, "stored": other}}
    outcomes = api_defaults.measure(recording(tmp_path, content))
    assert [outcome.differing for outcome in outcomes] == [(), ("spec.dnsPolicy",)]


def test_names_a_server_draws_are_masked() -> None:
    assert masked("default-token-qw4nf") == masked("default-token-abcde")
