"""Sets of fields: those of an object, the difference of two, and how they are merged and written."""

import pytest

from simulator.engine.apiserver.answer import ApiError
from simulator.engine.apiserver.managed.sets import difference, fields_in, from_fields_v1, merged, path_text, to_fields_v1, without
from simulator.engine.apiserver.managed.topology import Part
from simulator.engine.apiserver.wire.catalog import catalog

DEPLOYMENT = Part(catalog(30).schema("apps/v1", "Deployment") or {})
POD = Part(catalog(30).schema("v1", "Pod") or {})


def pod(*containers: dict, **spec: object) -> dict:
    return {"spec": {"containers": list(containers), **spec}}


def test_items_of_a_keyed_list_have_owners_of_their_own() -> None:
    found = to_fields_v1(fields_in(pod({"name": "a", "image": "x"}), POD))
    assert found == {"f:spec": {"f:containers": {'k:{"name":"a"}': {".": {}, "f:image": {}, "f:name": {}}}}}


def test_a_key_that_is_not_said_counts_as_its_default() -> None:
    text = str(fields_in(pod({"name": "a", "ports": [{"containerPort": 80}]}), POD))
    assert 'k:{"containerPort":80,"protocol":"TCP"}' in text


def test_a_map_with_one_owner_is_one_field() -> None:
    found = fields_in({"spec": {"selector": {"matchLabels": {"a": "b"}}}}, DEPLOYMENT)
    assert found == {("f:spec", "f:selector")}


def test_a_list_without_keys_is_one_field() -> None:
    assert fields_in(pod(tolerations=[{"key": "a"}]), POD) == {("f:spec", "f:tolerations")}


def test_values_of_a_set_have_owners_of_their_own() -> None:
    assert fields_in({"metadata": {"finalizers": ["a"]}}, POD) == {("f:metadata", "f:finalizers", 'v:"a"')}


def test_two_items_of_one_key_are_refused() -> None:
    with pytest.raises(ApiError) as caught:
        fields_in(pod({"name": "a"}, {"name": "a"}), POD)
    assert caught.value.answer.code == 500


def test_a_difference_names_what_is_new_changed_and_gone() -> None:
    found = difference(pod({"name": "a", "image": "x", "tty": True}), pod({"name": "a", "image": "y", "stdin": True}), POD)
    item = ("f:spec", "f:containers", 'k:{"name":"a"}')
    assert (found.added, found.modified, found.removed) == ({(*item, "f:stdin")}, {(*item, "f:image")}, {(*item, "f:tty")})


def test_a_merge_keeps_what_is_not_named_and_where_it_stands() -> None:
    live = pod({"name": "a"}, {"name": "side"}, {"name": "b", "image": "x"})
    found = merged(live, pod({"name": "b", "image": "y"}, {"name": "a"}, {"name": "new"}), POD)
    assert [(item["name"], item.get("image")) for item in found["spec"]["containers"]] == [
        ("side", None), ("b", "y"), ("a", None), ("new", None),
    ]  # fmt: skip


def test_an_item_that_goes_takes_what_is_in_it() -> None:
    live = pod({"name": "a"}, {"name": "b", "image": "x"})
    assert without(live, POD, {("f:spec", "f:containers", 'k:{"name":"b"}')}) == pod({"name": "a"})


def test_a_set_is_read_as_it_was_written() -> None:
    found = frozenset(fields_in(pod({"name": "a", "image": "x"}), POD))
    assert from_fields_v1(to_fields_v1(found)) == found


def test_paths_are_written_as_in_messages() -> None:
    path = ("f:spec", "f:containers", 'k:{"containerPort":80,"protocol":"TCP"}', "f:image")
    assert path_text(path) == '.spec.containers[containerPort=80,protocol="TCP"].image'
    assert path_text(("f:metadata", "f:finalizers", 'v:"x"')) == '.metadata.finalizers[="x"]'
