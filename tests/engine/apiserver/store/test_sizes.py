"""Requests of maximum size: answered in time, and stored within the limits."""

import json

from simulator.engine.apiserver.answer import CAUSES_MAX, WORDS_MAX
from simulator.engine.apiserver.patch.patch import beyond, in_order
from simulator.engine.apiserver.validation.go_diff import TOO_LARGE
from tests.engine.apiserver.store.requests import accepted, apply_yaml, config, put, refused, web, world_of

N = 20_000


def test_a_very_long_message_is_cut_in_the_record():
    record = refused(world_of(config()), put(config(data={f"not a key {n}": "x" for n in range(N)})))
    data = dict(record.data)
    assert len(data["message"]) == WORDS_MAX
    assert len(json.loads(data["causes"])) == CAUSES_MAX


def test_a_change_of_a_very_large_pod_is_refused_without_its_difference():
    small, large = web("a"), web("a")
    for document, value in ((small, "1"), (large, "2")):
        document["spec"]["containers"][0]["env"] = [{"name": f"E{n}", "value": value} for n in range(4000)]
    record = refused(world_of(small), apply_yaml(large))
    assert dict(record.data)["message"].endswith(TOO_LARGE)


def test_a_very_long_set_is_applied_twice():
    document = config(metadata={"finalizers": [f"example.com/f{n}" for n in range(N)]})
    world = world_of()
    accepted(world, apply_yaml(document))
    document["metadata"]["finalizers"].append("example.com/last")
    accepted(world, apply_yaml(document))


def test_in_order_follows_the_patch_when_lists_are_long():
    patch, stored = list(range(N, 0, -1)), list(range(1, N + 1))
    assert in_order(stored, patch, stored) == patch


def test_beyond_tells_numbers_from_truth():
    assert beyond([1, True, "1", {"a": 1}], [1, {"a": 1}]) == [True, "1"]
