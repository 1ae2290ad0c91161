"""No update of a pod makes the rules raise: anything decodable as a pod gets a verdict."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from simulator.engine.apiserver.defaulting.pod import default_pod_document
from simulator.engine.apiserver.validation.change.prepare import prepare_pod_update
from simulator.engine.apiserver.validation.change.update import validate_pod_update
from simulator.engine.apiserver.wire.shapes import shape_problem
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.manifest import without_nulls
from simulator.engine.versions.release import Release

TERMS = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}]}
POD: Json = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "ns", "labels": {"a": "b"}, "annotations": {"c": "d"}, "finalizers": ["a/b"]},
    "spec": {
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": TERMS}},
        "containers": [
            {
                "name": "c",
                "image": "c:1",
                "command": ["sh", "-c"],
                "env": [{"name": "A", "value": "1"}],
                "ports": [{"containerPort": 80}],
                "resources": {"limits": {"cpu": "1", "memory": "1Gi"}},
                "livenessProbe": {"httpGet": {"port": 80}},
                "volumeMounts": [{"name": "v", "mountPath": "/v"}],
            }
        ],
        "ephemeralContainers": [{"name": "e", "image": "e:1"}],
        "hostNetwork": True,
        "nodeSelector": {"a": "b"},
        "schedulingGates": [{"name": "g"}],
        "tolerations": [{"key": "k", "operator": "Exists"}],
        "volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}],
    },
    "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}], "containerStatuses": [{"name": "c", "state": {}}]},
}
VALUES = (None, 0, -1, True, "", "x", "1Gi", [], {}, [None], [{}], ["a"], {"a": "b"}, "2030-01-01T00:00:00Z")
SUBRESOURCES = ("", "status", "ephemeralcontainers", "resize")


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """(container, key) of every value inside."""
    for key, item in list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()):
        yield value, key
        yield from places(item)


def changed(random: Random) -> Json:
    """The pod with a few values replaced or removed."""
    pod: Json = json.loads(json.dumps(POD))
    for _ in range(random.randint(1, 3)):
        parent, key = random.choice(list(places(pod)))
        if isinstance(parent, dict) and random.random() < 0.2:
            del parent[key]
        else:
            alike = [value for value in VALUES if isinstance(value, type(parent[key]))]
            parent[key] = json.loads(json.dumps(random.choice(alike if random.random() < 0.7 and alike else VALUES)))
    return {**pod, "kind": "Pod", "apiVersion": "v1"}


@pytest.mark.parametrize("minor", [20, 26, 30, 33, 37])
def test_every_change_gets_an_answer_that_names_a_field(minor: int) -> None:
    random = Random(minor)
    old = default_pod_document(POD, release=Release(minor))
    shaped = [pod for pod in (without_nulls(changed(random)) for _ in range(150)) if not shape_problem(pod, minor=37)]
    assert len(shaped) > 50
    for pod in shaped:
        subresource = random.choice(SUBRESOURCES)
        new = prepare_pod_update(old, default_pod_document(pod, release=Release(minor)), subresource=subresource)
        errors = validate_pod_update(old, new, release=Release(minor), subresource=subresource)
        assert all(error.message and (error.field or subresource) for error in errors)
