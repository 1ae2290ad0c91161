"""Protobuf bodies: those sent by kubectl 1.37 (``protobuf_bodies.json``), and some that no client would send."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from simulator.door.exchange import DoorRequest
from simulator.door.protobuf import FIELDS_MAX, PROTOBUF, BadProtobuf, FieldBudget, document_in, field_table, in_json, message_fields
from simulator.engine.apiserver.answer import ApiError

BODIES = {line: base64.b64decode(text) for line, text in json.loads(Path(__file__).with_name("protobuf_bodies.json").read_text()).items()}


def body_of(words: str) -> Any:
    """The document that kubectl sent for the command that begins with these arguments."""
    return document_in(next(body for line, body in BODIES.items() if line.startswith(words)))


def field(number: int, value: bytes | int) -> bytes:
    """A field in wire format."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def unknown(api_version: str, kind: str, raw: bytes) -> bytes:
    """A body with that object."""
    return b"k8s\0" + field(1, field(1, api_version.encode()) + field(2, kind.encode())) + field(2, raw)


def refused(body: bytes) -> str:
    with pytest.raises(ApiError) as caught:
        document_in(body)
    assert caught.value.answer.code == 400
    return caught.value.answer.message


def test_a_deployment_is_read_with_the_zero_that_was_set_and_without_those_that_were_not() -> None:
    spec = body_of("create deployment")["spec"]
    assert (spec["replicas"], "minReadySeconds" in spec, "paused" in spec) == (0, False, False)
    assert spec["template"]["spec"]["containers"] == [{"name": "nginx", "image": "nginx", "resources": {}}]


@pytest.mark.parametrize(
    ("words", "path", "value"),
    [
        ("create secret", "data.p", "cQ=="),
        ("create service", "spec.ports.0.targetPort", "http"),
        ("create quota", "spec.hard", {"cpu": "1"}),
        ("create cronjob", "spec.jobTemplate.spec.template.spec.containers.0.command", ["date"]),
        ("create pdb", "spec.minAvailable", "50%"),
        ("autoscale", "spec.metrics.0.resource.target.averageUtilization", 80),
        ("auth can-i", "spec.resourceAttributes.verb", "delete"),
    ],
)
def test_what_a_body_says_is_what_json_would_say(words: str, path: str, value: object) -> None:
    found = body_of(words)
    for step in path.split("."):
        found = found[int(step)] if isinstance(found, list) else found[step]
    assert found == value


def test_moments_maps_and_negative_numbers() -> None:
    metadata = field(1, b"x") + field(11, field(1, b"a") + field(2, b"b")) + field(9, field(1, 1_800_000_000))
    raw = field(1, metadata) + field(2, field(4, (1 << 64) - 5))
    found = document_in(unknown("v1", "Pod", raw))
    assert found["metadata"] == {"name": "x", "labels": {"a": "b"}, "deletionTimestamp": "2027-01-15T08:00:00Z"}
    assert found["spec"] == {"terminationGracePeriodSeconds": -5}


def test_a_moment_that_says_nothing_is_none() -> None:
    found = document_in(unknown("v1", "Pod", field(1, field(1, b"x") + field(9, b""))))
    assert found["metadata"].get("deletionTimestamp") is None


def test_the_fields_of_a_struct_that_go_embeds_are_its_parents() -> None:
    volume = field(1, b"v") + field(2, field(2, b""))
    assert document_in(unknown("v1", "Pod", field(2, field(1, volume))))["spec"]["volumes"] == [{"name": "v", "emptyDir": {}}]


def test_options_of_a_delete_are_read_whatever_group_they_are_sent_to() -> None:
    assert document_in(unknown("apps/v1", "DeleteOptions", field(1, 0) + field(5, b"All")))["gracePeriodSeconds"] == 0


def test_fields_that_are_not_known_are_passed_over() -> None:
    raw = field(1, field(1, b"x")) + field(99, b"new") + varint(98 << 3 | 5) + b"1234" + varint(97 << 3 | 1) + b"12345678"
    assert document_in(unknown("v1", "ConfigMap", raw)) == {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}


def test_a_request_becomes_one_in_json_and_a_patch_stays() -> None:
    headers = {"content-type": PROTOBUF}
    asked = DoorRequest(method="POST", headers=headers, body=BODIES["create quota q --hard=cpu=1"])
    assert in_json(asked).headers["content-type"] == "application/json" and json.loads(in_json(asked).body)["kind"] == "ResourceQuota"
    patch = DoorRequest(method="PATCH", headers=headers, body=b"k8s\0")
    assert in_json(patch) is patch


def test_a_kind_that_is_not_known_is_refused_in_the_servers_words() -> None:
    assert refused(unknown("v1", "Nope", b"")).startswith('no kind "Nope" is registered for version "v1"')


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "unexpected EOF"),
        (b"\xff" * 11, "integer overflow"),
        (b"\x0a", "unexpected EOF"),
        (b"\x0b", "illegal wireType 3"),
        (b"\x00", "illegal tag 0"),
        (field(1, 7), "wrong wireType"),
        (field(1, field(9, field(1, 1 << 62))), "not a valid time"),
        (field(1, field(17, field(7, field(1, b"{")))), "contains invalid JSON"),
        (field(1, field(17, field(7, field(1, b"[" * 5000)))), "contains invalid JSON"),
        (b"\x12\x00" * (FIELDS_MAX + 1), f"more than {FIELDS_MAX} fields"),
    ],
)
def test_bytes_that_are_not_a_message_are_refused(raw: bytes, why: str) -> None:
    assert why in refused(unknown("v1", "ConfigMap", raw))


def test_no_type_holds_itself_so_the_table_bounds_the_depth() -> None:
    inner = {name: re.findall(r'\["", "([^"]+)"\]', json.dumps(fields)) for name, fields in field_table()["types"].items()}

    def depth(name: str, around: tuple[str, ...] = ()) -> int:
        assert name not in around
        return 1 + max((depth(each, (*around, name)) for each in set(inner[name])), default=0)

    assert max(map(depth, inner)) < 20


def test_a_body_without_the_mark_is_refused() -> None:
    assert "expected prefix" in refused(b"{}")


@pytest.mark.parametrize("value", [0, 127, 128, 255, 16_384, (1 << 64) - 1])
def test_a_number_is_read_up_to_its_last_byte(value: int) -> None:
    assert list(message_fields(field(1, value) + field(2, b"ab"), FieldBudget())) == [(1, value), (2, b"ab")]


def test_a_budget_may_be_spent_to_the_last_field() -> None:
    budget = FieldBudget(2)
    assert len(list(message_fields(field(1, 1) * 2, budget))) == 2
    with pytest.raises(BadProtobuf):
        budget.spend()
