"""The messages of the API server's decoder about a body."""

import json

from simulator.engine.apiserver.wire.decoding import first_problem


def pod(count: int) -> dict:
    containers = [{"name": f"c{n}", "nme": "x", "image": "nginx"} for n in range(count)]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": containers}}


def test_first_problem_names_a_hundred_unknown_fields_at_most():
    said = first_problem(pod(3000), json.dumps(pod(3000)), minor=33, strict=True)
    assert said.count("unknown field") == 100
    assert said.startswith('strict decoding error: unknown field "spec.containers[0].nme", unknown field "spec.containers[1].nme"')
