"""Generated manifests for fuzzing: documents drawn from the official schemas, and known manifests with random changes.

Hypothesis strategies; only tests and ``manage.py bench fuzz`` use them.
"""

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from simulator.engine.apiserver.wire.catalog import catalog

DEPTH_MAX = 7
FIELDS_MAX = 4

_WORDS = (
    "web", "app", "a", "", "-bad", "UPPER", "x" * 64, "busybox:1.36", "http", "default", "Always", "Never", "OnFailure", "TCP",
    "None", "/data", "../up", "100m", "64Mi", "50%", "0", "-1", "80", "metadata.name", "status.podIP", "limits.cpu", "cpu", "memory",
    "In", "Exists", "NoExecute", "ClusterFirst", "10.0.0.1", "example.com/gate", "example.com", "*/5 * * * *",
    "2026-01-01T00:00:00Z", "aGVsbG8=", "日本", "a b",
)  # fmt: skip
_LABELS = {"app": "web"}
_CONTAINER = {"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", "sleep 60"]}
_PLAUSIBLE: dict[str, tuple[Any, ...]] = {
    "name": ("web", "app", "side"),
    "image": ("busybox:1.36", "nginx:1.25"),
    "namespace": ("default",),
    "metadata": ({"name": "web", "labels": _LABELS}, {"name": "web-2", "labels": _LABELS, "annotations": {"a/b": "c"}}),
    "containers": ([_CONTAINER], [_CONTAINER, {"name": "side", "image": "nginx:1.25", "ports": [{"containerPort": 80}]}]),
    "template": ({"metadata": {"labels": _LABELS}, "spec": {"containers": [_CONTAINER]}},),
    "selector": ({"matchLabels": _LABELS}, _LABELS),
    "restartPolicy": ("Always", "Never", "OnFailure"),
    "resources": ({"requests": {"cpu": "100m"}}, {"limits": {"cpu": "1", "memory": "64Mi"}}, {}),
    "livenessProbe": ({"tcpSocket": {"port": 80}}, {"exec": {"command": ["true"]}, "periodSeconds": 5}),
    "readinessProbe": ({"httpGet": {"path": "/", "port": 80}},),
    "volumes": ([{"name": "data", "emptyDir": {}}], [{"name": "c", "configMap": {"name": "c", "optional": True}}]),
    "ports": ([{"port": 80}], [{"containerPort": 80, "name": "http"}]),
    "tolerations": ([{"operator": "Exists"}],),
    "terminationGracePeriodSeconds": (0, 5, 30),
    "schedule": ("*/5 * * * *",),
    "status": ({},),
}
"""Values that fields of these names often have, so that a good part of the documents is accepted."""
_NUMBERS = (0, 1, 2, 3, 5, 30, 80, 443, 65535, 65536, 2**31 - 1, 2**31, 2**63 - 1, -1, -(2**31))
_FORMATS = {
    "quantity": ("100m", "64Mi", "1", 1, 0.5, "1e3", "-5", "bad", ""),
    "int-or-string": (80, "http", "25%", 0, -1, "", 70000),
    "date-time": ("2026-01-01T00:00:00Z", "yesterday"),
    "byte": ("aGVsbG8=", "%%%"),
}
JUNK = st.recursive(
    st.none() | st.booleans() | st.sampled_from(_NUMBERS) | st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(_WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_WORDS) | st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
"""Any JSON value, small."""


@st.composite
def schema_documents(draw: st.DrawFn, *, minors: Sequence[int] = (20, 25, 29, 33, 37)) -> tuple[str, Any]:
    """(Kubernetes version, document) of a modelled kind, mostly with correct types."""
    minor = draw(st.sampled_from(minors))
    schemas = catalog(minor).schemas
    name = draw(st.sampled_from(sorted(schemas)) | st.just("v1 Pod"))
    api_version, kind = name.split(" ")
    document = draw(_values(schemas[name], DEPTH_MAX))
    document = document if isinstance(document, dict) else {}
    document.update({"apiVersion": api_version, "kind": kind})
    return f"1.{minor}", document


def _values(schema: Any, depth: int) -> st.SearchStrategy[Any]:
    """Values for a schema; one in thirty is arbitrary."""
    if depth <= 0 or not isinstance(schema, dict):
        return JUNK
    right = _right(schema, depth)
    return st.integers(0, 29).flatmap(lambda n: JUNK if n == 0 else right)


def _right(schema: dict[str, Any], depth: int) -> st.SearchStrategy[Any]:
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if schema.get("enum"):
        return st.sampled_from([item for item in schema["enum"] if item is not None])
    if schema.get("format") in _FORMATS:
        return st.sampled_from(_FORMATS[schema["format"]])
    if kind == "array":
        return st.lists(st.deferred(lambda: _values(schema.get("items", {}), depth - 1)), max_size=2)
    if kind == "object" or "properties" in schema:
        return _objects(schema, depth)
    return {"integer": st.sampled_from(_NUMBERS), "boolean": st.booleans(), "string": st.sampled_from(_WORDS)}.get(str(kind), JUNK)


@st.composite
def _objects(draw: st.DrawFn, schema: dict[str, Any], depth: int) -> Any:
    properties = schema.get("properties")
    if not properties:
        inner = schema.get("additionalProperties")
        return draw(st.dictionaries(st.sampled_from(_WORDS), _values(inner if isinstance(inner, dict) else {}, depth - 1), max_size=2))
    chosen = draw(st.lists(st.sampled_from(sorted(properties)), max_size=FIELDS_MAX, unique=True))
    always = ("metadata", "spec") if "apiVersion" in properties and "metadata" in properties else ()
    names = [*(name for name in (*always, *schema.get("required", ())) if name in properties), *chosen]
    return {name: draw(_field(name, properties[name], depth - 1)) for name in dict.fromkeys(names)}


def _field(name: str, schema: Any, depth: int) -> st.SearchStrategy[Any]:
    """Values of a field: for names with common values, mostly one of those."""
    drawn = st.deferred(lambda: _values(schema, depth))
    if name not in _PLAUSIBLE:
        return drawn
    return st.integers(0, 5).flatmap(lambda n: drawn if n == 0 else st.sampled_from(_PLAUSIBLE[name]).map(_copied))


def _copied(value: Any) -> Any:
    return json.loads(json.dumps(value))


@st.composite
def mutations(draw: st.DrawFn, examples: Sequence[Any]) -> Any:
    """A known document with one to three values replaced, removed or copied."""
    document = json.loads(json.dumps(draw(st.sampled_from(examples))))
    for _ in range(draw(st.sampled_from((1, 1, 1, 2, 3)))):
        places = list(_places(document))
        if places:
            _change(draw, *draw(st.sampled_from(places)))
    return document


def _places(value: Any) -> list[tuple[Any, Any]]:
    """(container, key) of everything inside."""
    found: list[tuple[Any, Any]] = []
    for key, item in list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []:
        found.append((value, key))
        found += _places(item)
    return found


def _change(draw: st.DrawFn, holder: Any, key: Any) -> None:
    act = draw(st.sampled_from(("word", "number", "junk", "drop", "twice", "rename")))
    if act == "drop":
        del holder[key]
    elif act == "twice" and isinstance(holder, list):
        holder.append(holder[key])
    elif act == "rename" and isinstance(holder, dict):
        holder[draw(st.sampled_from(_WORDS))] = holder.pop(key)
    else:
        values = {"word": st.sampled_from(_WORDS), "number": st.sampled_from(_NUMBERS)}
        holder[key] = draw(values.get(act, JUNK))
