"""Known servers listen where their arguments or a mounted configuration say."""

import pytest

from simulator.engine import containers as behaviour
from simulator.engine.containers import Launch, Mount
from simulator.engine.containers.files.filesystem import File
from tests.engine.containers.containers import Box

HEALTHY = "server {\n  listen 8080 default_server; # not 9090\n  location /healthz { return 200 'ok'; }\n}\n"


def status(box: Box, port: int, path: str = "/") -> int | str:
    """The status of a GET, or why there is none."""
    answer = box.get(path, port)
    return answer.status if answer.outcome == "answered" else answer.outcome


def configured(files: dict[str, str], path: str) -> Box:
    mounts = (Mount(path, "v"),)
    volume = {name: File(text) for name, text in files.items()}
    return Box(Launch("nginx:1.27", mounts=mounts), volumes={"v": volume})


def test_nginx_listens_where_a_mounted_directory_of_configuration_says() -> None:
    box = configured({"web.conf": HEALTHY}, "/etc/nginx/conf.d")
    assert [status(box, port, "/healthz") for port in (8080, 80, 9090)] == [200, "refused", "refused"]


def test_nginx_still_serves_files_where_its_configuration_says_nothing_else() -> None:
    box = configured({"web.conf": "server { listen 81;\n root /usr/share/nginx/html; }"}, "/etc/nginx/conf.d")
    assert [status(box, 81, path) for path in ("/", "/nope")] == [200, 404]


@pytest.mark.parametrize(
    ("image", "command", "ports"),
    [
        ("registry.k8s.io/etcd:3.5.15-0", ("etcd", "--listen-client-urls=https://127.0.0.1:2379", "--listen-metrics-urls=http://127.0.0.1:2381"),
         {2379: 200, 2380: 200, 2381: 200}),
        ("quay.io/coreos/etcd:v3.5.0", ("etcd", "--listen-client-urls", "http://0.0.0.0:4001"), {4001: 200, 2379: "refused"}),
        ("rabbitmq:3-management", (), {5672: 200, 15672: 200}),
        ("rabbitmq:3", (), {15672: "refused"}),
        ("redis:7", ("redis-server", "--port", "6380"), {6379: "refused"}),
        ("mysql:8", ("mysqld", "--port=3307"), {3306: "refused"}),
    ],
)  # fmt: skip
def test_server_listens_where_its_arguments_say(image: str, command: tuple[str, ...], ports: dict[int, int | str]) -> None:
    box = Box(Launch(image, command=command))
    assert {port: status(box, port) for port in ports} == ports


def test_redis_reads_its_port_from_its_configuration() -> None:
    launch = Launch("redis:7", command=("redis-server", "/conf/redis.conf"), mounts=(Mount("/conf", "v"),))
    box = Box(launch, volumes={"v": {"redis.conf": File("bind 0.0.0.0\nport 6380\n")}})
    opened = {port: behaviour.tcp_connect(box.process, port=port, host=box.host()) for port in (6379, 6380)}
    assert opened == {6379: "refused", 6380: "accepted"}
