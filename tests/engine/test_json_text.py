"""Deep texts are refused at the same depth from everywhere: no answer depends on how much of Python's stack is left."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from simulator.bench.hostile.doors import DOORS
from simulator.engine.apiserver.patch.patch import BadPatch, json_patch
from simulator.engine.apiserver.wire.go_json import syntax_problem
from simulator.engine.kernel.json_text import DEPTH_MAX, TOO_DEEP, TooDeep, decode, is_too_deep, is_too_deep_value
from simulator.engine.kubelet.pods.start.launch import behaviour_blocks

FRAMES = 300


def deeper(frames: int, act: Callable[[], Any]) -> Any:
    """The result of ``act``, called this many Python frames further down the stack."""
    return act() if not frames else deeper(frames - 1, act)


def lists(depth: int) -> str:
    return "[" * depth + "]" * depth


def maps(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


@pytest.mark.parametrize("deep", [lists, maps])
def test_text_is_read_to_its_limit_and_no_deeper(deep):
    assert decode(deep(DEPTH_MAX)) == json.loads(deep(DEPTH_MAX))
    with pytest.raises(TooDeep, match=TOO_DEEP):
        decode(deep(DEPTH_MAX + 1))


def test_brackets_in_strings_and_siblings_do_not_count_as_depth():
    assert not is_too_deep(json.dumps({"a": "[" * 500, 'b"': '\\"[' * 500, "c": [[]] * 500}))
    assert is_too_deep('"' + '\\"' * 3 + '"' + "[" * (DEPTH_MAX + 1))
    assert not is_too_deep('"' + "[" * 500)


def test_value_is_measured_like_its_text():
    assert not is_too_deep_value(json.loads(maps(DEPTH_MAX)))
    assert is_too_deep_value([json.loads(maps(DEPTH_MAX))])


def test_decoder_of_go_says_of_deep_text_what_go_says():
    assert syntax_problem(lists(DEPTH_MAX)) == ""
    assert syntax_problem("[" * (DEPTH_MAX + 1)) == TOO_DEEP


def test_annotation_that_is_too_deep_holds_no_behaviour():
    assert behaviour_blocks('{"app": ' + lists(DEPTH_MAX - 1) + "}") == {"app": lists(DEPTH_MAX - 1)}
    assert behaviour_blocks('{"app": ' + lists(DEPTH_MAX) + "}") == {}


DEEP = {
    "patch": ['{"spec":' + maps(99) + "}", '{"spec":' + maps(100) + "}", '{"metadata": {"annotations": ' + maps(98) + "}}"],
    "patch-merge": ['{"spec":' + maps(99) + "}", '{"metadata": {"labels": ' + lists(98) + "}}", "[" * 5000],
    "patch-json": [
        f'[{{"op": "add", "path": "/data", "value": {maps(98)}}}]',
        f'[{{"op": "test", "path": "/data", "value": {lists(98)}}}]',
    ],
    "replace": [
        f'{{"kind": "Pod", "apiVersion": "v1", "metadata": {{"name": "web"}}, "spec": {maps(99)}}}',
        f'{{"kind": "Pod", "apiVersion": "v1", "metadata": {{"name": "web"}}, "spec": {lists(300)}}}',
    ],
    "create": [f'{{"kind": "Pod", "apiVersion": "v1", "metadata": {{"name": "web"}}, "spec": {maps(62)}}}'],
    "diagnose": [f"a: {lists(63)}", f"a: {lists(64)}", f"a: {lists(65)}", "- " * 64 + "a", "a: " + "[" * 3000],
    "preview": [f'{{"kind": "Pod", "apiVersion": "v1", "metadata": {{"name": "web"}}, "spec": {{"containers": {maps(61)}}}}}'],
    "script": [f"- at: 1\n  patch: {lists(61)}"],
    "cluster": [f"images: {{stand-ins: {{a: {maps(60)}}}}}"],
    "import": ["{kind: List, items: [" * 31 + "]}" * 31, f"kind: Pod\nmetadata: {maps(62)}"],
}


@pytest.mark.parametrize(("door", "text"), [(door, text) for door, texts in DEEP.items() for text in texts])
def test_deep_text_is_answered_alike_at_any_depth_of_the_stack(door, text):
    assert deeper(FRAMES, lambda: DOORS[door](text)) == DOORS[door](text)


@pytest.mark.parametrize("text", ["[" * 2000, '{"a":' * 2000, lists(98), maps(99)])
def test_secret_with_deep_json_is_answered_alike_at_any_depth_of_the_stack(text):
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "type": "kubernetes.io/dockerconfigjson"}
    document = json.dumps({**secret, "stringData": {".dockerconfigjson": text}})
    assert deeper(FRAMES, lambda: DOORS["create"](document)) == DOORS["create"](document)


DEEPER = {
    "values": [{"op": "add", "path": "/data" + "/a" * n, "value": json.loads(maps(50))} for n in range(1, 80)],
    "paths": [{"op": "add", "path": "/data" + "/a" * n, "value": {}} for n in range(1, 700)],
    "moves": [{"op": "move", "from": f"/k{n}", "path": f"/k{n + 1}/a"} for n in range(300)],
    "copies": [{"op": "copy", "from": "/data", "path": f"/data/{n}"} for n in range(200)],
}
HOMES = [{"op": "add", "path": f"/k{n}", "value": {}} for n in range(301)]


@pytest.mark.parametrize("operations", DEEPER.values(), ids=DEEPER)
def test_patch_that_makes_an_object_deeper_and_deeper_is_refused_alike_at_any_depth_of_the_stack(operations):
    text = json.dumps([*HOMES, *operations])
    records, _ = DOORS["patch-json"](text)
    data = dict(records[0].data)
    assert records[0].target == "refused"
    assert data["message"] == TOO_DEEP or data["message"].startswith("Unable to complete the copy, the accumulated size increase")
    assert deeper(FRAMES, lambda: DOORS["patch-json"](text))[0] == records


def test_patch_of_too_many_operations_is_refused_as_the_api_server_does():
    records, _ = DOORS["patch-json"](json.dumps([{"op": "test", "path": "/data/a", "value": "1"}] * 10_001))
    assert dict(records[0].data)["message"] == (
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"
    )


def test_object_that_grows_beyond_what_the_store_takes_is_refused():
    records, _ = DOORS["patch-json"](json.dumps([{"op": "add", "path": "/data/a", "value": "x" * 1_600_000}]))
    assert dict(records[0].data)["message"] == "etcdserver: request is too large"


def test_test_of_a_json_patch_tells_numbers_and_booleans_apart():
    held = {"a": {"b": [1, "x"]}}
    assert json_patch(held, [{"op": "test", "path": "/a", "value": {"b": [1, "x"]}}]) == held
    for other in ({"b": [True, "x"]}, {"b": [1]}, {"b": [1, "x"], "c": 1}, [], {"c": [1, "x"]}):
        with pytest.raises(BadPatch):
            json_patch(held, [{"op": "test", "path": "/a", "value": other}])
