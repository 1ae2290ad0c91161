"""The three kinds of patches."""

import pytest

from simulator.engine.api.patch import BadPatch, json_patch, merge_patch, strategic_patch

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
    assert patched["metadata"]["finalizers"] == ["x", "y"]
    assert [item["name"] for item in patched["spec"]["containers"]] == ["side"]


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
        [{"op": "remove", "path": "/nothing"}],
        [{"op": "test", "path": "/metadata/labels/a", "value": "2"}],
        [{}],
    ],
)
def test_json_patch_refuses_what_cannot_be_done(operations: object) -> None:
    with pytest.raises(BadPatch):
        json_patch(POD, operations)
