"""exec, attach, cp and port-forward of real kubectls with a cluster for a single command, without a site."""

import json
import re
import shlex
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.headless.session import Session
from tests.door.clients import Kubectl
from tests.door.cluster import POD, cluster_of
from tests.engine.worlds import header, run


@pytest.fixture(params=["1.20", "1.30", "1.37"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kubectl]:
    manifest = tmp_path / "first.json"
    manifest.write_text(json.dumps({**POD, "metadata": {"name": "first", "namespace": "default"}}))
    with cluster_of(request.param, "-f", str(manifest)) as url:
        made = Kubectl(request.param, url, tmp_path)
        assert made.run("wait", "--for=condition=Ready", "pod/first", "--timeout=50s").returncode == 0
        yield made


def test_a_command_has_its_outputs_its_input_and_its_exit_code(client: Kubectl) -> None:
    done = client.run("exec", "first", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
    assert (done.returncode, done.stdout, done.stderr) == (3, "out\n", "err\ncommand terminated with exit code 3\n")
    done = client.run("exec", "-i", "first", "--", "sh", stdin="echo $((1+2)) > /tmp/sum\ncat /tmp/sum\nexit 4\n")
    assert (done.returncode, done.stdout) == (4, "3\n")


def test_a_pod_is_run_shown_and_deleted_as_in_the_tab(client: Kubectl) -> None:
    line = ("run", "r", "--image=busybox:1.28", "--restart=Never", "--rm", "-i", "--", "sh", "-c", "sleep 4; echo out; sleep 2; exit 3")
    done = client.run(*line)
    tab = Session(*run(header(kubernetes=f"1.{client.number}"), 5), now_ms=5_000)
    assert sorted(tab.ask(shlex.join(line)).splitlines()) == sorted((done.stdout + done.stderr).splitlines())
    assert (tab.exit_code, done.returncode) == (3, 3)


def test_a_command_that_lasts_goes_with_the_clock(client: Kubectl) -> None:
    assert client.run("exec", "first", "--", "sh", "-c", "sleep 5; echo awake").stdout == "awake\n"


def test_a_refusal_is_reported(client: Kubectl) -> None:
    assert client.run("exec", "none", "--", "ls").stderr == 'Error from server (NotFound): pods "none" not found\n'
    assert "executable file not found" in client.run("exec", "first", "--", "nope").stderr


def test_files_are_copied_in_and_out(client: Kubectl, tmp_path: Path) -> None:
    file, back = tmp_path / "file", tmp_path / "back"
    file.write_bytes(bytes(range(256)))
    assert client.run("cp", str(file), "first:/tmp/file").returncode == 0
    assert client.run("cp", "first:/tmp/file", str(back)).returncode == 0
    assert back.read_bytes() == file.read_bytes()


def test_a_port_answers_on_this_machine(client: Kubectl) -> None:
    process = client.start("port-forward", "pod/first", ":80")
    stop = threading.Timer(50, process.kill)
    stop.start()
    try:
        assert process.stdout is not None
        found = re.search(r"127\.0\.0\.1:(\d+)", process.stdout.readline())
        assert found is not None
        with urllib.request.urlopen(f"http://127.0.0.1:{found[1]}/", timeout=30) as answer:
            assert answer.status == 200
    finally:
        stop.cancel()
        process.kill()
        process.communicate()
