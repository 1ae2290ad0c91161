"""What the decoder of an API server says of a body."""

import json

from simulator.manifests.body import NOWHERE, Order
from simulator.manifests.decoding import first_problem


def pod(count: int) -> dict:
    containers = [{"name": f"c{n}", "nme": "x", "image": "nginx"} for n in range(count)]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": containers}}


def test_order_follows_the_text_not_the_alphabet():
    order = Order('{"b": [1, {"z": 1, "y": 2}], "a": 3}')
    places = [order.place(steps) for steps in ((), ("b",), ("b", "1", "z"), ("b", "1", "y"), ("a",), ("c",))]
    assert places == sorted(places) and places[-1] == NOWHERE


def test_order_knows_no_place_when_text_is_no_json():
    assert Order("{").place(("a",)) == NOWHERE


def test_first_problem_names_a_hundred_unknown_fields_at_most():
    said = first_problem(pod(3000), json.dumps(pod(3000)), minor=33, strict=True)
    assert said.count("unknown field") == 100
    assert said.startswith('strict decoding error: unknown field "spec.containers[0].nme", unknown field "spec.containers[1].nme"')
