"""readOnlyRootFilesystem: nothing outside volumes is writable, and servers react as real ones do."""

from typing import Any

import pytest

from simulator.engine.apiserver.wire.catalog import catalog
from simulator.manifests.check.modelled import is_modelled
from tests.engine.worlds import container, header, pod, run

IMAGES = ("nginxinc/nginx-unprivileged:1.25", "httpd:2.4", "mysql:8", "mariadb:11", "postgres:16", "mongo:7", "redis:7")
EMPTY = [{"name": "v", "emptyDir": {}}]


def logged(first: dict[str, Any], seconds: float = 4, **more: Any) -> tuple[list[str], list[object]]:
    """The output of the first instance of a container with a read-only root, and the exit codes of all of them."""
    own = {**first, "securityContext": {"readOnlyRootFilesystem": True}, **more}
    world, records = run(header(pod(own, volumes=EMPTY), images=IMAGES), seconds)
    lines = [line[3] for line in world.tables.logs.get(("default/p", "app"), ()) if line[0] == 0]
    return lines, [item.get("exit_code") for item in records if item.machine == "container" and item.target == "exited"]


def mounted(*paths: str) -> list[dict[str, str]]:
    return [{"name": "v", "mountPath": path, "subPath": f"s{number}"} for number, path in enumerate(paths)]


@pytest.mark.parametrize("path", ["/f", "/tmp/f", "/etc/f", "/run/f", "/etc/resolv.conf"])
def test_nothing_can_be_written_outside_of_volumes(path: str) -> None:
    lines, _ = logged(container(f"echo x > {path} && echo written; sleep 600"))
    assert lines == [f"sh: can't create {path}: Read-only file system"]


@pytest.mark.parametrize("path", ["/dev/shm/f", "/dev/termination-log", "/etc/hosts", "/data/f", "/tmp/end"])
def test_mounts_can_be_written_to(path: str) -> None:
    own = container(f"echo x > {path} && echo written; sleep 600", volumeMounts=[{"name": "v", "mountPath": "/data"}])
    assert logged(own, terminationMessagePath="/tmp/end" if path == "/tmp/end" else "/dev/termination-log")[0] == ["written"]


def test_root_that_is_not_read_only_can_be_written_to() -> None:
    own = container("echo x > /f && echo written; sleep 600")
    assert logged(own, securityContext={"readOnlyRootFilesystem": False})[0] == ["written"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("mkdir /var/x", "mkdir: can't create directory '/var/x': Read-only file system"),
        ("cp /etc/hosts /root/h", "Read-only file system"),
        ("dd if=/dev/zero of=/root/z bs=1k count=1", "Read-only file system"),
        ("mktemp", "Read-only file system"),
        ("echo a | tee /root/t", "Read-only file system"),
        ("chmod 600 /etc/passwd", "Read-only file system"),
        ("test -w /root || echo Read-only file system", "Read-only file system"),
    ],
)
def test_every_program_is_refused(command: str, said: str) -> None:
    assert said in "\n".join(logged(container(f"{command}; sleep 600"))[0])


NGINX = {"name": "app", "image": "nginx:1.16.1"}


def test_nginx_ends_where_it_cannot_make_its_directories() -> None:
    lines, codes = logged(NGINX)
    assert lines == ['nginx: [emerg] mkdir() "/var/cache/nginx/client_temp" failed (30: Read-only file system)']
    assert codes[0] == 1


def test_nginx_needs_its_pid_too() -> None:
    lines, _ = logged({**NGINX, "volumeMounts": mounted("/var/cache/nginx")})
    assert lines == ['nginx: [emerg] open() "/run/nginx.pid" failed (30: Read-only file system)']


@pytest.mark.parametrize("run_directory", ["/run", "/var/run"])
def test_nginx_runs_with_both_directories(run_directory: str) -> None:
    assert logged({**NGINX, "volumeMounts": mounted("/var/cache/nginx", run_directory)}) == ([], [])


@pytest.mark.parametrize(
    ("image", "said", "code", "cures"),
    [
        ("nginxinc/nginx-unprivileged:1.25", 'mkdir() "/tmp/client_temp" failed', 1, ("/tmp",)),
        ("httpd:2.4", "could not create /usr/local/apache2/logs/httpd.pid", 1, ("/usr/local/apache2/logs",)),
        ("mysql:8", "Could not create unix socket lock file", 1, ("/var/run/mysqld",)),
        ("mariadb:11", "Bind on unix socket: Read-only file system", 1, ("/run/mysqld",)),
        ("postgres:16", "could not create lock file", 1, ("/var/run/postgresql",)),
        ("mongo:7", "Failed to set up sockets", 48, ("/tmp",)),
    ],
)
def test_servers_end_where_they_cannot_write(image: str, said: str, code: int, cures: tuple[str, ...]) -> None:
    own = {"name": "app", "image": image}
    lines, codes = logged(own)
    assert said in lines[0]
    assert codes[0] == code
    assert logged({**own, "volumeMounts": mounted(*cures)})[1] == []


def test_volume_of_an_image_can_be_written_to() -> None:
    own = container("echo x > /data/dump && echo written; sleep 600", image="redis:7")
    assert logged(own)[0] == ["written"]


ACTS = {
    "SecurityContext": {"runAsUser", "runAsGroup", "runAsNonRoot", "readOnlyRootFilesystem", "windowsOptions"},
    "PodSecurityContext": {"runAsUser", "runAsGroup", "runAsNonRoot", "fsGroup", "supplementalGroups", "windowsOptions"},
}


@pytest.mark.parametrize("name", sorted(ACTS))
def test_every_other_field_of_a_security_context_has_a_note(name: str) -> None:
    spec = catalog(999).schema("v1", "Pod")["properties"]["spec"]["properties"]
    of_pod = name.startswith("Pod")
    schema = (spec if of_pod else spec["containers"]["items"]["properties"])["securityContext"]
    assert schema["title"] == name
    assert {field for field in schema["properties"] if is_modelled(name, field)} == ACTS[name]
