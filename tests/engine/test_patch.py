"""The three kinds of patches."""

import pytest

from simulator.engine.apiserver.patch.patch import BadPatch, PatchFault, json_patch, merge_patch, strategic_patch

POD = {
    "metadata": {"labels": {"a": "1"}, "finalizers": ["x"]},
    "spec": {"containers": [{"name": "app", "image": "one"}, {"name": "side", "image": "two"}]},
}


def test_merge_patch_removes_null_and_replaces_lists() -> None:
    patched = merge_patch(POD, {"metadata": {"labels": None}, "spec": {"containers": [{"name": "only"}]}})
    assert patched == {"metadata": {"finalizers": ["x"]}, "spec": {"containers": [{"name": "only"}]}}


def test_strategic_patch_merges_containers_by_name() -> None:
    patched = strategic_patch(POD, {"spec": {"containers": [{"name": "side", "image": "three"}]}})
    assert [item["image"] for item in patched["spec"]["containers"]] == ["one", "three"]


def test_strategic_patch_adds_to_sets_and_deletes_by_directive() -> None:
    patched = strategic_patch(POD, {"metadata": {"finalizers": ["y"]}, "spec": {"containers": [{"name": "app", "$patch": "delete"}]}})
    assert patched["metadata"]["finalizers"] == ["y", "x"]
    assert [item["name"] for item in patched["spec"]["containers"]] == ["side"]


def containers(patch: dict) -> list[str]:
    return [item["name"] for item in strategic_patch(POD, {"spec": patch})["spec"]["containers"]]


def test_strategic_patch_puts_what_is_new_first() -> None:
    assert containers({"containers": [{"name": "new"}]}) == ["new", "app", "side"]
    assert containers({"containers": [{"name": "side"}, {"name": "app"}]}) == ["side", "app"]


def test_strategic_patch_orders_a_list_as_it_is_told() -> None:
    order = [{"name": "side"}, {"name": "app"}, {"name": "new"}]
    assert containers({"$setElementOrder/containers": order, "containers": [{"name": "new"}]}) == ["side", "app", "new"]


def test_strategic_patch_replaces_a_list_when_one_item_says_so() -> None:
    assert containers({"containers": [{"$patch": "replace"}, {"name": "only"}]}) == ["only"]


def test_strategic_patch_empties_a_map_and_takes_texts_from_a_list() -> None:
    patch = {"metadata": {"labels": {"$patch": "delete"}, "$deleteFromPrimitiveList/finalizers": ["x"]}}
    assert strategic_patch(POD, patch)["metadata"] == {"labels": {}, "finalizers": []}


def test_strategic_patch_keeps_only_the_fields_it_names() -> None:
    stored = {"volumes": [{"name": "v", "emptyDir": {}}]}
    patch = {"volumes": [{"name": "v", "$retainKeys": ["name", "secret"], "secret": {"secretName": "s"}}]}
    assert strategic_patch(stored, patch) == {"volumes": [{"name": "v", "secret": {"secretName": "s"}}]}


@pytest.mark.parametrize(
    ("patch", "problem"),
    [
        ({"containers": [{"image": "x"}]}, "map: map[image:x] does not contain declared merge key: name"),
        ({"$patch": "melt", "a": [1, True, None]}, "unknown patch type: melt in map: map[$patch:melt a:[1 true <nil>]]"),
    ],
)
def test_strategic_patch_fails_with_the_servers_message(patch: dict, problem: str) -> None:
    with pytest.raises(PatchFault, match="map") as caught:
        strategic_patch(POD, {"spec": patch})
    assert str(caught.value) == problem


def test_json_patch_moves_and_copies() -> None:
    moved = json_patch(POD, [{"op": "move", "from": "/metadata/labels/a", "path": "/metadata/labels/b"}])
    assert moved["metadata"]["labels"] == {"b": "1"}
    copied = json_patch(POD, [{"op": "copy", "from": "/metadata/finalizers/0", "path": "/metadata/finalizers/-"}])
    assert copied["metadata"]["finalizers"] == ["x", "x"]


def test_patches_leave_the_original_alone() -> None:
    before = repr(POD)
    json_patch(POD, [{"op": "replace", "path": "/spec/containers/0/image", "value": "new"}])
    strategic_patch(POD, {"metadata": {"labels": {"b": "2"}}})
    assert repr(POD) == before


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ({"op": "add", "path": "/metadata/labels/b", "value": "2"}, {"a": "1", "b": "2"}),
        ({"op": "remove", "path": "/metadata/labels/a"}, {}),
        ({"op": "replace", "path": "/metadata/labels/a", "value": "9"}, {"a": "9"}),
    ],
)
def test_json_patch_carries_out_its_operations(operation: dict, expected: dict) -> None:
    assert json_patch(POD, [operation])["metadata"]["labels"] == expected


@pytest.mark.parametrize(
    "operations",
    [
        {},
        [{"op": "move", "path": "/a"}],
        [{"op": "move", "from": "/nothing", "path": "/a"}],
        [{"op": "turn", "path": "/metadata"}],
        [{"op": "remove", "path": "/nothing"}],
        [{"op": "test", "path": "/metadata/labels/a", "value": "2"}],
        [{}],
    ],
)
def test_json_patch_refuses_what_cannot_be_done(operations: object) -> None:
    with pytest.raises(BadPatch):
        json_patch(POD, operations)


def test_json_patch_counts_negative_places_from_the_end() -> None:
    patched = json_patch(POD, [{"op": "remove", "path": "/spec/containers/-1"}])
    assert [item["name"] for item in patched["spec"]["containers"]] == ["app"]


def test_json_patch_takes_no_number_for_a_truth() -> None:
    with pytest.raises(BadPatch):
        json_patch({"a": {"b": True}}, [{"op": "test", "path": "/a/b", "value": 1}])


def test_strategic_patch_deletes_the_first_of_two_items_with_one_name() -> None:
    spec = {"containers": [{"name": "a", "image": "1"}, {"name": "a", "image": "2"}]}
    once = strategic_patch(spec, {"containers": [{"name": "a", "$patch": "delete"}]})
    twice = strategic_patch(spec, {"containers": [{"name": "a", "$patch": "delete"}] * 2 + [{"name": "a", "image": "3"}]})
    assert once == {"containers": [{"name": "a", "image": "2"}]}
    assert twice == {"containers": [{"name": "a", "image": "3"}]}


def test_long_lists_of_a_strategic_patch_are_matched_once() -> None:
    """With a mistake this takes minutes."""
    names = [{"name": f"c{n}", "image": "x"} for n in range(40_000)]
    found = strategic_patch({"containers": names}, {"containers": [{**item, "image": "y"} for item in names]})
    assert {item["image"] for item in found["containers"]} == {"y"}
    texts = [f"a/{n}" for n in range(40_000)]
    assert strategic_patch({"finalizers": texts}, {"$deleteFromPrimitiveList/finalizers": texts}) == {"finalizers": []}
    assert strategic_patch(dict.fromkeys(texts, "x"), {"$retainKeys": texts}) == dict.fromkeys(texts, "x")
    assert strategic_patch({}, {"args": [{"$patch": "replace"}, *names]}) == {"args": names}
