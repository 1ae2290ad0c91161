"""Real kubectls through a real nginx as docs/deployment/nginx configures it: watches are passed on at once, connections are upgraded."""

import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.bench.faults.servers import free_port, program
from tests.door.clients import Kubectl
from tests.door.test_site import Visitor
from tests.e2e.site import ROOT, START_S, Server
from tests.needs import where_installed

pytestmark = pytest.mark.servers
SAMPLES = ROOT / "docs" / "deployment" / "nginx"
MAIN = "daemon off; pid {0}/pid; error_log {0}/error.log; events {{}} http {{ access_log {0}/access.log; include {0}/*.conf; }}"
"""What a distribution's nginx.conf has around the samples."""


def _configured(folder: Path, *, port: int, site_port: int) -> Path:
    """The main file of an nginx at ``port`` in front of a site, from the samples in the documentation."""
    folder.mkdir()
    site, upstream = (SAMPLES / "site.conf").read_text(), (SAMPLES / "upstream.conf").read_text()
    assert "listen 80;" in site and "server 127.0.0.1:8001;\n    server 127.0.0.1:8002;" in upstream
    (folder / "site.conf").write_text(site.replace("listen 80;", f"listen 127.0.0.1:{port};"))
    one = upstream.replace("127.0.0.1:8001", f"127.0.0.1:{site_port}").replace("    server 127.0.0.1:8002;\n", "")
    (folder / "upstream.conf").write_text(one)
    main = folder / "main"
    main.write_text(MAIN.format(folder))
    return main


def _until_alive(server: Server) -> None:
    deadline = time.monotonic() + START_S
    while not server._is_alive():
        assert time.monotonic() < deadline, "nginx does not answer"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address, through nginx, of a run's API with a key that can write."""
    with where_installed():
        nginx = program("nginx", "nginx-light")
    site = Server(tmp_path_factory.mktemp("site"))
    site.prepare()
    site.start()
    outside = Server(site.folder)
    outside.port = free_port()
    outside.url = f"http://127.0.0.1:{outside.port}"
    main = _configured(site.folder / "nginx", port=outside.port, site_port=site.port)
    outside.process = subprocess.Popen([nginx, "-c", str(main)], stderr=subprocess.DEVNULL)
    try:
        _until_alive(outside)
        yield _key_of(Visitor(outside.url))
    finally:
        outside.stop()
        site.stop()


def _key_of(visitor: Visitor) -> str:
    visitor.get("/scenarios/hello-pod/")
    run = visitor.post("/scenarios/hello-pod/run/")[0].split("/r/")[1].split("/")[0]
    found = re.search(r"--server=(\S+)", visitor.post(f"/r/{run}/door/", do="write")[1])
    assert found is not None
    return found[1]


@pytest.fixture(params=["1.20", "1.33"])  # SPDY, and WebSocket
def client(request: pytest.FixtureRequest, door: str, tmp_path: Path) -> Kubectl:
    client = Kubectl(request.param, door, tmp_path)
    client.run("wait", "--for=condition=Ready", "pod/hello", "--timeout=50s")
    return client


def test_a_watch_is_passed_on_while_it_is_open(client: Kubectl) -> None:
    with client.start("get", "pod", "hello", "-w", "--no-headers", "-Lseen") as watching:
        assert watching.stdout is not None
        assert watching.stdout.readline().split()[:3] == ["hello", "1/1", "Running"]
        value = f"by-{client.number}"
        client.run("label", "--overwrite", "pod", "hello", f"seen={value}")
        assert any(value in line for line in watching.stdout)
        watching.kill()


def test_a_shell_gets_its_input_and_gives_its_exit_code(client: Kubectl) -> None:
    done = client.run("exec", "-i", "hello", "--", "sh", stdin="hostname; exit 3")
    assert (done.stdout, done.returncode) == ("hello\n", 3)
