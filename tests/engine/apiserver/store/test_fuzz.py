"""Requests with arbitrary content: the only exceptions are refusals, and whatever is accepted can be shown, sent back and played on."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator.engine import apply
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.objects.replace import ReplaceObject
from simulator.engine.apiserver.documents.objects import list_objects, object_document
from simulator.engine.versions.usual import COMPARED
from tests.engine.apiserver.store.requests import accepted, after, apply_yaml, budget, config, put, web, world_of
from tests.engine.worlds import container, pod

OWNED = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"a": "Yg=="}}
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "v"}, "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}}
DOCUMENTS = (web("p"), config(), OWNED, SERVICE, budget("b", minAvailable=1))
PLACES = st.sampled_from(
    [("Pod", "p"), ("ConfigMap", "app"), ("Secret", "s"), ("Service", "v"), ("PodDisruptionBudget", "b"), ("Node", "node1")]
)
KEYS = st.sampled_from(
    [
        "metadata",
        "labels",
        "annotations",
        "finalizers",
        "ownerReferences",
        "name",
        "uid",
        "spec",
        "status",
        "conditions",
        "type",
        "containers",
    ]
    + ["image", "tolerations", "key", "operator", "selector", "matchLabels", "matchExpressions", "minAvailable", "maxUnavailable", "ports"]
    + [
        "data",
        "taints",
        "effect",
        "unschedulable",
        "volumes",
        "schedulingGates",
        "activeDeadlineSeconds",
        "ephemeralContainers",
        "resources",
    ]
)
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 1 << 33), st.sampled_from(["", "a", "A b", "a/b", "NoSchedule", "50%", "busybox:1.28"])
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner.filter(lambda item: item is not None), max_size=2), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)
BODIES = st.one_of(
    VALUES,
    st.fixed_dictionaries(
        {}, optional={"metadata": st.dictionaries(KEYS, VALUES, max_size=2), "spec": st.dictionaries(KEYS, VALUES, max_size=2)}
    ),
    st.fixed_dictionaries({"status": st.dictionaries(KEYS, VALUES, max_size=2)}),
)
OPERATIONS = st.lists(
    st.fixed_dictionaries(
        {
            "op": st.sampled_from(["add", "remove", "replace", "test"]),
            "path": st.lists(KEYS, max_size=4).map(lambda keys: "/".join(["", *keys])),
        },
        optional={"value": VALUES},
    ),
    max_size=2,
)
many = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)


def requests() -> st.SearchStrategy[AnyCommand]:
    """A PATCH of any type, or a PUT, of an existing object."""
    subresources = st.sampled_from(["", "", "status", "ephemeralcontainers", "resize"])
    merges = st.builds(
        lambda place, body, how, part: _patch(place, body, how, part), PLACES, BODIES, st.sampled_from(["merge", "strategic"]), subresources
    )
    operations = st.builds(lambda place, body, part: _patch(place, body, "json", part), PLACES, OPERATIONS, subresources)
    puts = st.builds(lambda place, body: _put(place, body), PLACES, st.dictionaries(KEYS, VALUES, max_size=3))
    return st.one_of(merges, operations, puts)


def _patch(place: tuple[str, str], body: Any, how: str, subresource: str) -> PatchObject:
    kind, name = place
    return PatchObject(kind=kind, namespace="default", name=name, patch=json.dumps(body), patch_kind=how, subresource=subresource)


def _put(place: tuple[str, str], body: dict[str, Any]) -> ReplaceObject:
    kind, name = place
    metadata = {**body["metadata"], "name": name} if isinstance(body.get("metadata"), dict) else {"name": name}
    return put({**body, "kind": kind, "metadata": metadata})


@many
@given(st.sampled_from(COMPARED), requests())
def test_any_change_is_accepted_or_refused(kubernetes: str, command: AnyCommand) -> None:
    world = world_of(*DOCUMENTS, at=2, kubernetes=kubernetes)
    answer = apply(world, command)[0]
    assert answer.target in ("accepted", "refused")
    assert answer.target == "accepted" or answer.get("message")
    after(world, 3)
    for kind in ("Pod", "ConfigMap", "Secret", "Service", "PodDisruptionBudget", "Node"):
        list_objects(world, kind)


@many
@given(
    st.dictionaries(KEYS, VALUES, max_size=3), st.sampled_from(["Pod", "ConfigMap", "Service", "PodDisruptionBudget", "Deployment", "Job"])
)
def test_any_new_object_is_accepted_or_refused_and_what_is_accepted_round_trips(body: dict[str, Any], kind: str) -> None:
    spec = {**pod(container())["spec"], **(body.get("spec") if isinstance(body.get("spec"), dict) else {})} if kind == "Pod" else None
    document = {**body, "kind": kind, "metadata": {"name": "n"}, **({"spec": spec} if spec else {})}
    world = world_of(at=1)
    if apply(world, apply_yaml(document))[0].target == "accepted":
        shown = object_document(world, kind, "default", "n")
        assert accepted(world, put(shown)) == []
        assert object_document(world, kind, "default", "n") == shown
    after(world, 2)
