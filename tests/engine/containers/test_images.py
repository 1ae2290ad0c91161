"""Image names and known images."""

import pytest

from simulator.engine.containers import Launch, image_facts, parse_reference, stop_signal, with_default_tag
from tests.engine.containers.containers import Box, program


@pytest.mark.parametrize(
    ("ref", "full"),
    [
        ("nginx", "docker.io/library/nginx:latest"),
        ("nginx:1.25", "docker.io/library/nginx:1.25"),
        ("bitnami/redis:7", "docker.io/bitnami/redis:7"),
        ("registry.k8s.io/pause:3.6", "registry.k8s.io/pause:3.6"),
        ("localhost:5000/app", "localhost:5000/app:latest"),
        (f"app@sha256:{'a' * 64}", f"docker.io/library/app@sha256:{'a' * 64}"),
    ],
)
def test_reference_gets_its_defaults(ref, full):
    assert with_default_tag(ref) == full


@pytest.mark.parametrize("ref", ["BusyBox:1.28", "<your-private-image>", "", "nginx:", "a//b", "-x", "nginx:ta g", "f" * 300])
def test_invalid_reference_is_none(ref):
    assert parse_reference(ref) is None


@pytest.mark.parametrize("ref", ["nginx", "docker.io/library/nginx:1.25", "docker.io/nginx"])
def test_image_is_known_under_each_of_its_names(ref):
    assert image_facts(ref).kind == "nginx"


def test_stop_signal_is_the_images_own():
    assert (stop_signal(Launch("nginx")), stop_signal(Launch("busybox"))) == (3, 15)


def test_unknown_image_has_every_tool():
    facts = image_facts("example.com/pullme:1.0")
    assert (facts.known, facts.stop_signal) == (False, 15)
    assert program("sh", "-c", "exit 7", image="example.com/pullme:1.0").exit_code == 7


def test_image_without_a_shell_cannot_run_one():
    assert program("sh", "-c", "true", image="registry.k8s.io/pause:3.6").exit_code == 128


def test_image_whose_default_is_a_shell_ends_at_once():
    assert [Box(Launch(image)).exit_code for image in ("busybox", "debian", "alpine", "bash")] == [0, 0, 0, 0]


def test_stress_is_not_in_the_nginx_image():
    box = program("stress", "--vm", "1", image="nginx")
    assert (box.exit_code, "executable file not found" in box.start_error) == (128, True)


def test_redis_entrypoint_takes_a_configuration_file():
    box = Box(Launch("redis:5.0.4", args=("/usr/local/etc/redis/redis.conf",)))
    assert box.exec("redis-cli", "ping").output == "PONG\n"
