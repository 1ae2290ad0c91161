"""Fields unknown to the version are not stored, however they arrive."""

from typing import Any

import pytest

from simulator.engine import apply
from simulator.engine.apiserver.documents.objects import object_document
from tests.engine.apiserver.store.requests import patch, web, world_of

BODY = {"spec": {"nope": 1, "containers": [{"name": "app", "image": "nginx:1.16.1", "foo": "bar"}]}}


@pytest.mark.parametrize("how", ["strategic", "merge"])
def test_patch_stores_no_unknown_field(how: str) -> None:
    world = world_of(web("p"))
    (record, *_) = apply(world, patch("Pod", "p", BODY if how == "strategic" else {"spec": {"nope": 1}}, how=how))
    assert record.target == "accepted"
    assert "nope" not in shown(world) and "foo" not in shown(world)["containers"][0]


def test_patch_of_nothing_but_an_unknown_field_is_not_a_new_generation() -> None:
    world = world_of(web("p"), kubernetes="1.34")
    before = object_document(world, "Pod", "default", "p")["metadata"]
    apply(world, patch("Pod", "p", {"spec": {"nope": 1}}))
    assert object_document(world, "Pod", "default", "p")["metadata"] == before


def shown(world: Any) -> dict[str, Any]:
    """The spec as shown by the API server."""
    return object_document(world, "Pod", "default", "p")["spec"]
