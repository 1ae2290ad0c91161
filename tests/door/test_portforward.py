"""The answers of a pod's port to a client that forwards it."""

import json

import pytest

from simulator.door.paths import ApiPath
from simulator.door.portforward import NO_HTTP, REQUEST_MAX, pod_answer, pod_port
from simulator.door.scene import DoorScene
from simulator.engine import RunHeader, advance, new_world
from simulator.engine.apiserver.answer import ApiError
from tests.factories import pod_json

PLACE = ApiPath(version="v1", namespace="default", plural="pods", name="a", subresource="portforward")


@pytest.fixture(scope="module")
def scene() -> DoorScene:
    pod = json.loads(pod_json("a"))
    pod["spec"]["containers"] = [{"name": "app", "image": "nginx:1.27"}]
    world = new_world(RunHeader(kubernetes="1.30", manifests=(json.dumps(pod), pod_json("b", nodeName="nowhere"))))
    advance(world, until_ms=30_000)
    return DoorScene(world=world, now_ms=30_000, wall_ms=0)


def test_a_get_is_answered_by_the_server_in_the_pod(scene):
    answer = pod_answer(PLACE, scene, 80, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").answer
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n") and b"Welcome to nginx" in body
    assert f"Content-Length: {len(body)}".encode() in head


def test_a_head_has_no_body_and_other_methods_are_refused(scene):
    assert pod_answer(PLACE, scene, 80, b"HEAD / HTTP/1.1\r\n\r\n").answer.endswith(b"\r\n\r\n")
    assert pod_answer(PLACE, scene, 80, b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab").answer.startswith(b"HTTP/1.1 405 ")


@pytest.mark.parametrize("request_", [b"", b"GE", b"GET / HTTP/1.1\r\nHost: x\r\n", b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nab"])
def test_a_request_that_goes_on_is_waited_for(scene, request_):
    answer = pod_answer(PLACE, scene, 80, request_)
    assert not answer.answer and not answer.error


@pytest.mark.parametrize("request_", [b"\x16\x03\x01", b"hello\n", b"GET / HTTP/1.1\r\n" + b"x" * REQUEST_MAX])
def test_what_is_not_http_or_too_large_is_refused_with_a_sentence(scene, request_):
    assert pod_answer(PLACE, scene, 80, request_).error


def test_a_port_without_a_listener_is_reported_with_the_kubelets_message(scene):
    assert "connection refused" in pod_answer(PLACE, scene, 81, b"GET / HTTP/1.1\r\n\r\n").error


def test_a_pod_that_is_not_there_has_no_ports(scene):
    with pytest.raises(ApiError):
        pod_answer(ApiPath(namespace="default", name="z"), scene, 80, b"")


@pytest.mark.parametrize("port", [0, 65_535])
def test_a_port_is_a_number_of_16_bits(scene, port):
    assert pod_port(PLACE, scene, port).name == "a"


@pytest.mark.parametrize("port", [-1, 65_536])
def test_a_port_beyond_16_bits_is_refused(scene, port):
    with pytest.raises(ApiError, match=f"{port} is not a valid port"):
        pod_port(PLACE, scene, port)


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (b"G" * 8_099, ""),
        (b"G" * 8_100, NO_HTTP),
        (b"GET / HTTP/1.1\r\n".ljust(REQUEST_MAX - 1, b"x"), ""),
        (b"GET / HTTP/1.1\r\n".ljust(REQUEST_MAX, b"x"), "the request is too large"),
        (b"lower", NO_HTTP),
    ],
)
def test_a_request_is_waited_for_up_to_a_length(scene, request_, error):
    found = pod_answer(PLACE, scene, 80, request_)
    assert (found.answer, found.error) == (b"", error)


def test_a_pod_without_a_node_has_no_ports(scene):
    world = new_world(RunHeader(kubernetes="1.30", manifests=(pod_json("a", nodeSelector={"no": "such"}),)))
    with pytest.raises(ApiError) as caught:
        pod_port(PLACE, DoorScene(world=world, now_ms=0, wall_ms=0), 80)
    assert caught.value.answer.message == "pod a does not have a host assigned"
