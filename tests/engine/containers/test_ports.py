"""A port that is in use: the servers' messages and exit codes."""

import pytest

from simulator.engine.containers import HttpAnswer, Launch
from simulator.engine.containers.kernel.ports import is_nginx
from tests.engine.containers.containers import Box


class Taken:
    """A network on which something else listens on port 80 until ``free``."""

    def __init__(self) -> None:
        self.free = False

    def resolve(self, name: str) -> str | None:
        return None

    def is_unlisted(self, name: str) -> bool:
        return False

    def get(self, host: str, port: int, path: str, meter) -> HttpAnswer:
        return HttpAnswer("refused")

    def is_taken(self, port: int) -> bool:
        return port == 80 and not self.free


@pytest.mark.parametrize(
    ("launch", "said"),
    [
        (Launch("nginx:1.25"), "nginx: [emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)"),
        (Launch("busybox", command=("httpd", "-f", "-p", "80")), "httpd: bind: Address already in use"),
        (Launch("python:3", command=("python3", "-m", "http.server", "80")), "OSError: [Errno 98] Address already in use"),
    ],
)
def test_server_exits_with_1_when_its_port_is_taken(launch, said):
    box = Box(launch, lookup=Taken())
    box.at(5_000)
    assert box.log[0].text == said
    assert box.exit_ms is not None


def test_nginx_tries_for_a_while_before_it_gives_up():
    box = Box(Launch("nginx:1.25"), lookup=Taken())
    box.at(5_000)
    assert box.exit_ms == 2_500


def test_server_runs_when_the_port_is_free_again():
    network = Taken()
    network.free = True
    box = Box(Launch("nginx:1.25"), lookup=network)
    box.at(5_000)
    assert box.exit_ms is None


def test_second_server_of_one_container_fails_too():
    script = "httpd -f -p 80 & sleep 1; httpd -f -p 80; echo ended $?; sleep 60"
    box = Box(Launch("busybox", command=("sh", "-c", script)))
    box.at(5_000)
    assert [line.text for line in box.log] == ["httpd: bind: Address already in use", "ended 1"]


@pytest.mark.parametrize(
    ("image", "runs_it"),
    [
        ("nginx", True),
        ("registry.k8s.io/nginx-slim:0.8", True),
        ("example.com/team/nginx:1", True),
        ("nginx-prometheus-exporter:1", False),
        ("example.com/nginx/ingress:1", False),
        ("?", False),
    ],
)
def test_image_is_nginx_by_the_last_part_of_its_repository(image: str, runs_it: bool) -> None:
    assert is_nginx(image) is runs_it
