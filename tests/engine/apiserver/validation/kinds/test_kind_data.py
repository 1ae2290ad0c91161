"""Rejected ConfigMaps and Secrets, with their messages."""

import pytest

CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"key": "value"}}
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"key": "value"}}
KEY_RULE = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
BIG = "x" * (1024 * 1024 + 1)
FROZEN = "Forbidden: field is immutable when `immutable` is set"


def test_config_map_is_accepted_when_it_is_plain(said):
    assert said(CONFIG, {"binaryData": {"b.bin": "AAEC"}}) == []


@pytest.mark.parametrize(("document", "which", "field"), [(CONFIG, "data", "data"), (SECRET, "stringData", "data")])
def test_key_is_invalid_when_it_is_not_a_file_name(said, document, which, field):
    (found,) = said(document, {which: {"a/b": ""}})
    assert found.startswith(f'{field}[a/b]: Invalid value: "a/b": {KEY_RULE}')


def test_key_is_invalid_when_it_stands_in_both_maps(said):
    expected = 'data[key]: Invalid value: "key": duplicate of key present in binaryData'
    assert said(CONFIG, {"binaryData": {"key": "AA=="}}) == [expected]


@pytest.mark.parametrize(
    ("minor", "words"),
    [(31, "must have at most 1048576 bytes"), (32, "may not be more than 1048576 bytes")],
)
def test_data_is_too_long_when_it_exceeds_a_mebibyte(said, minor, words):
    assert said(CONFIG, {"data": {"key": BIG}}, minor) == [f"[]: Too long: {words}"]
    assert said(SECRET, {"stringData": {"key": BIG}}, minor) == [f"data: Too long: {words}"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"type": "kubernetes.io/service-account-token"},
            ["metadata.annotations[kubernetes.io/service-account.name]: Required value"],
        ),
        ({"type": "kubernetes.io/dockercfg"}, ["data[.dockercfg]: Required value"]),
        (
            {"type": "kubernetes.io/dockerconfigjson", "stringData": {".dockerconfigjson": "hello"}},
            [
                'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": '
                "invalid character 'h' looking for beginning of value"
            ],
        ),
        (
            {"type": "kubernetes.io/dockerconfigjson", "stringData": {".dockerconfigjson": ""}},
            ['data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": unexpected end of JSON input'],
        ),
        ({"type": "kubernetes.io/basic-auth"}, ["data[username]: Required value", "data[password]: Required value"]),
        ({"type": "kubernetes.io/ssh-auth"}, ["data[ssh-privatekey]: Required value"]),
        ({"type": "kubernetes.io/tls", "data": {"tls.crt": ""}}, ["data[tls.key]: Required value"]),
    ],
)
def test_secret_is_rejected_when_its_type_needs_more(said, changes, expected):
    assert said(SECRET, changes) == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "example.com/own"},
        {"type": "kubernetes.io/basic-auth", "stringData": {"password": ""}},
        {"type": "kubernetes.io/dockerconfigjson", "data": {".dockerconfigjson": "e30="}},
    ],
)
def test_secret_is_accepted_when_its_type_has_all(said, changes):
    assert said(SECRET, changes) == []


def test_secret_keeps_its_type(refused):
    assert refused(SECRET, {}, {"type": "example.com/own"}) == ['type: Invalid value: "example.com/own": field is immutable']


def test_data_is_frozen_when_the_object_is_immutable(refused):
    assert refused(CONFIG, {"immutable": True}, {"data.key": "other"}) == [f"data: {FROZEN}"]
    assert refused(CONFIG, {"immutable": True}, {"immutable": False}) == [f"immutable: {FROZEN}"]


def test_data_changes_when_the_object_becomes_immutable(refused):
    assert refused(CONFIG, {}, {"data.key": "other", "immutable": True}) == []
