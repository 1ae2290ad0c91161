"""Read-only lines, answered as a command line next to the API."""

import json

import pytest

from simulator.door.typed import looked
from tests.engine.worlds import container, header, pod, run


@pytest.fixture(scope="module")
def world():
    """One pod."""
    return run(header(pod(container())), 5)[0]


def test_a_raw_path_is_a_request_to_the_api(world):
    assert json.loads(looked(world, "get --raw /version", now_ms=5_000).text)["gitVersion"] == "v1.30.0"
    names = [item["metadata"]["name"] for item in json.loads(looked(world, "get --raw /api/v1/pods?limit=5", now_ms=5_000).text)["items"]]
    assert names == ["p"] and looked(world, "get --raw /readyz", now_ms=5_000).text == "ok"


def test_a_raw_path_goes_through_the_pipe(world):
    assert looked(world, "get --raw /api/v1/namespaces/default/pods/p | wc -l", now_ms=5_000).text == "1\n"


def test_a_raw_path_of_nothing_is_refused_in_the_words_of_the_server(world):
    said = looked(world, "get --raw /api/v1/namespaces/default/pods/nope", now_ms=5_000).text
    assert said == 'Error from server (NotFound): pods "nope" not found\n'


def test_any_other_line_is_kubectls(world):
    assert looked(world, "get pods -o name", now_ms=5_000).text == "pod/p\n"


def test_a_raw_path_that_asks_wrongly_is_refused_in_the_words_of_the_server(world):
    said = looked(world, "get --raw /api/v1/pods?continue=x", now_ms=5_000).text
    assert said == "Error from server (BadRequest): continue key is not valid: it was not made by this server\n"


def test_a_refused_raw_path_ends_with_an_error(world):
    assert looked(world, "get --raw /version", now_ms=5_000).exit_code == 0
    assert looked(world, "get --raw /api/v1/namespaces/default/pods/nope", now_ms=5_000).exit_code == 1
    assert looked(world, "get --raw /nope", now_ms=5_000).exit_code == 1
