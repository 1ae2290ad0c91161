"""A whole site and connections to its pods: a plain WebSocket, and real kubectls."""

import json
import os
import pty
import re
import select
import socket
import struct
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from tests.door.clients import Kubectl
from tests.door.test_site import Visitor
from tests.e2e.site import Server, free_port
from tests.prepared import prepared_site

pytestmark = pytest.mark.servers
SECONDS = 30
TALKING = """\
apiVersion: v1
kind: Pod
metadata: {name: talk}
spec:
  restartPolicy: Never
  containers:
  - {name: app, image: 'busybox:1.36', command: [sh, -c, 'for i in $(seq 10 19); do echo n$i; sleep 1; done']}
"""


class Line:
    """A WebSocket with channels, as implemented by the simplest client."""

    def __init__(self, url: str, path: str, *protocols: str) -> None:
        parts = urlsplit(url)
        self._socket = socket.create_connection((parts.hostname or "", parts.port or 80), timeout=SECONDS)
        lines = [
            f"GET {parts.path}{path} HTTP/1.1", f"Host: {parts.netloc}", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", f"Sec-WebSocket-Protocol: {','.join(protocols)}",
        ]  # fmt: skip
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self._held = b""
        while b"\r\n\r\n" not in self._held:
            self._held += self._socket.recv(4096)
        head, _, self._held = self._held.partition(b"\r\n\r\n")
        self.status = int(head.split(b" ")[1])
        if self.status != 101:
            self._socket.close()
        found = re.search(rb"(?i)sec-websocket-protocol: (\S+)", head)
        self.protocol = found[1].decode() if found else ""

    def send(self, channel: int, data: bytes) -> None:
        """Send a masked binary frame."""
        text = bytes((channel,)) + data
        size = struct.pack("!B", 0x80 | len(text)) if len(text) < 126 else struct.pack("!BH", 0x80 | 126, len(text))
        self._socket.sendall(b"\x82" + size + bytes(4) + text)

    def frames(self) -> Iterator[tuple[int, bytes]]:
        """Channel and data of each frame until the server closes."""
        while True:
            first, size = self._take(2)
            if size == 126:
                (size,) = struct.unpack("!H", self._take(2))
            text = self._take(size)
            if first & 15 == 8:
                return
            if first & 15 == 2:
                yield text[0], text[1:]

    def heard(self) -> tuple[bytes, bytes, dict[str, object]]:
        """All output on stdout and stderr, and the Status."""
        found: dict[int, bytes] = {}
        for channel, data in self.frames():
            found[channel] = found.get(channel, b"") + data
        self._socket.close()
        return found.get(1, b""), found.get(2, b""), json.loads(found[3])

    def _take(self, count: int) -> bytes:
        while len(self._held) < count:
            more = self._socket.recv(65_536)
            assert more, "the connection was cut off"
            self._held += more
        taken, self._held = self._held[:count], self._held[count:]
        return taken


def exec_path(*words: str, **flags: str) -> str:
    query = [f"command={quote(word)}" for word in words] + [f"{name}={value}" for name, value in flags.items()]
    return f"/api/v1/namespaces/default/pods/hello/exec?{'&'.join(query)}&stdout=true"


class Doors:
    """Two keys to one run whose pod is ready: one that can write and one that can only read."""

    def __init__(self, site: Server) -> None:
        visitor = Visitor(site.url)
        visitor.get("/scenarios/hello-pod/")
        run = visitor.post("/scenarios/hello-pod/run/")[0].split("/r/")[1].split("/")[0]
        self.write, self.read = (self._key(visitor, run, do) for do in ("write", "read"))

    def _key(self, visitor: Visitor, run: str, do: str) -> str:
        found = re.search(r"--server=(\S+)", visitor.post(f"/r/{run}/door/", do=do)[1])
        assert found is not None
        return found[1]


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    site = Server(prepared_site(tmp_path_factory, tmp_path_factory.mktemp("site")))
    site.start()
    try:
        doors = Doors(site)
        deadline = time.monotonic() + SECONDS
        while Line(doors.write, exec_path("true", stderr="true"), "v5.channel.k8s.io").heard()[2]["status"] != "Success":
            assert time.monotonic() < deadline
        yield doors
    finally:
        site.stop()


@pytest.mark.parametrize("protocol", ["v4.channel.k8s.io", "v5.channel.k8s.io"])
def test_a_command_is_run_and_its_outputs_and_exit_code_come_apart(doors: Doors, protocol: str) -> None:
    line = Line(doors.write, exec_path("sh", "-c", "echo out; echo err >&2; exit 3", stderr="true"), protocol)
    assert (line.status, line.protocol) == (101, protocol)
    out, err, status = line.heard()
    assert (out, err, status["reason"]) == (b"out\n", b"err\n", "NonZeroExitCode")


def test_input_is_read_up_to_its_end(doors: Doors) -> None:
    line = Line(doors.write, exec_path("cat", stdin="true"), "v5.channel.k8s.io")
    line.send(0, b"one\n\xff\n")
    line.send(255, b"\0")
    assert line.heard()[0] == b"one\n\xff\n"


def test_a_terminal_shows_what_is_typed_and_asks_for_more(doors: Doors) -> None:
    line = Line(doors.write, exec_path("sh", stdin="true", tty="true"), "v5.channel.k8s.io")
    line.send(4, b'{"Width":80,"Height":24}')
    line.send(0, b"echo hi\rexit 4\r")
    out, _, status = line.heard()
    assert b"echo hi\r\n" in out and b"hi\r\n" in out and "exit code 4" in str(status["message"])


@pytest.mark.parametrize("protocols", [("channel.k8s.io",), ("nothing",)])
def test_a_protocol_without_exit_codes_is_refused(doors: Doors, protocols: tuple[str, ...]) -> None:
    assert Line(doors.write, exec_path("ls"), *protocols).status == 403


def test_who_may_not_is_refused_before_the_connection_stands(doors: Doors) -> None:
    past = doors.write.replace("/k8s/", "@0/k8s/")
    for url in (doors.read, past, doors.write[:-4] + "AAAA"):
        assert Line(url, exec_path("ls"), "v5.channel.k8s.io").status == 403


def test_too_much_input_ends_the_session_with_a_message(doors: Doors) -> None:
    line = Line(doors.write, exec_path("wc", "-c", stdin="true"), "v5.channel.k8s.io")
    for _ in range(20):
        line.send(0, b"x" * 60_000)
    assert "at most" in str(line.heard()[2]["message"])


@pytest.fixture(params=["1.20", "1.27", "1.30", "1.37"])
def client(request: pytest.FixtureRequest, doors: Doors, tmp_path: Path) -> Kubectl:
    return Kubectl(request.param, doors.write, tmp_path)


def test_kubectl_runs_a_command_and_ends_with_its_code(client: Kubectl) -> None:
    done = client.run("exec", "hello", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
    assert (done.stdout, done.returncode) == ("out\n", 3)
    assert done.stderr == "err\ncommand terminated with exit code 3\n"


def test_kubectl_pipes_a_script_into_a_shell(client: Kubectl) -> None:
    done = client.run("exec", "-i", "hello", "--", "sh", stdin="x=5\necho got $x\nexit 7\n")
    assert (done.stdout, done.returncode) == ("got 5\n", 7)


def test_kubectl_shows_the_kubelets_message_about_what_cannot_run(client: Kubectl, doors: Doors) -> None:
    assert "executable file not found in $PATH" in client.run("exec", "hello", "--", "nosuch").stderr
    assert "this key is read-only" in client.run("exec", "hello", "--", "ls", server=doors.read).stderr


def test_a_shell_in_a_terminal_of_kubectl(client: Kubectl) -> None:
    script = ((b"# ", b"echo ab\x7fc\r"), (b"ac\r\n# ", b"exit 5\r"), (b"exit code 5", b""))
    assert at_terminal(client, script, "exec", "-it", "hello", "--", "sh") == 5


@pytest.mark.parametrize("version", ["1.27", "1.37"])
def test_a_debug_container_is_a_shell_that_sees_the_processes_of_its_target(doors: Doors, tmp_path: Path, version: str) -> None:
    client = Kubectl(version, doors.write, tmp_path)
    script = ((b"/ # ", b"ps\r"), (b"nginx: master", b"exit\r"))
    assert at_terminal(client, script, "debug", "-it", "hello", "--image=busybox:1.36", "--target=web") == 0


def test_attach_shows_what_is_printed_from_now_on(doors: Doors, tmp_path: Path) -> None:
    client = Kubectl("1.37", doors.write, tmp_path)
    (tmp_path / "talk.yaml").write_text(TALKING)
    client.run("apply", "--validate=false", "-f", str(tmp_path / "talk.yaml"))
    client.run("wait", "--for=condition=Ready", "pod/talk", "--timeout=30s")
    assert client.run("attach", "talk", server=doors.read).stdout.endswith("n18\nn19\n")


def at_terminal(client: Kubectl, script: tuple[tuple[bytes, bytes], ...], *words: str) -> int:
    """The exit code of a kubectl in a terminal; after each expected text, something is typed."""
    pid, terminal = pty.fork()
    if not pid:
        os.execve(client.binary, client.line(*words), client.environment())
    try:
        for wanted, typed in script:
            _until(terminal, wanted)
            os.write(terminal, typed)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    finally:
        os.close(terminal)


def _until(terminal: int, wanted: bytes) -> bytes:
    text, deadline = b"", time.monotonic() + SECONDS
    while wanted not in text:
        assert time.monotonic() < deadline, text
        if select.select([terminal], [], [], 0.2)[0]:
            text += os.read(terminal, 4096)
    return text


@pytest.mark.parametrize("version", ["1.20", "1.27", "1.37"])
def test_a_port_of_a_pod_answers_on_this_machine(doors: Doors, tmp_path: Path, version: str) -> None:
    port, none = free_port(), free_port()
    # A read-only key is enough: nothing here changes the pod.
    forwarding = Kubectl(version, doors.read, tmp_path).start("port-forward", "pod/hello", f"{port}:80", f"{none}:81")
    try:
        assert forwarding.stdout is not None
        assert "Forwarding from" in forwarding.stdout.readline()
        answers = [urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=SECONDS).read() for _ in range(2)]
        assert all(b"nginx" in text for text in answers)
        with pytest.raises((ConnectionError, urllib.error.URLError, HTTPException)):
            urllib.request.urlopen(f"http://127.0.0.1:{none}/", timeout=SECONDS)
    finally:
        forwarding.terminate()
        forwarding.wait()
        assert forwarding.stdout is not None and forwarding.stderr is not None
        forwarding.stdout.close()
        forwarding.stderr.close()


@pytest.mark.parametrize("version", ["1.20", "1.37"])
def test_files_are_copied_out_of_a_container_and_into_it(doors: Doors, tmp_path: Path, version: str) -> None:
    client = Kubectl(version, doors.write, tmp_path)
    (tmp_path / "there" / "deep").mkdir(parents=True)
    (tmp_path / "there" / "deep" / "blob").write_bytes(bytes(range(256)) * 50)
    (tmp_path / "there" / "a.txt").write_text("héllo\n")
    assert client.run("cp", str(tmp_path / "there"), "default/hello:/tmp/here").returncode == 0
    assert client.run("exec", "hello", "--", "cat", "/tmp/here/a.txt").stdout == "héllo\n"
    assert client.run("cp", "default/hello:/tmp/here", str(tmp_path / "back")).returncode == 0
    assert (tmp_path / "back" / "deep" / "blob").read_bytes() == bytes(range(256)) * 50
    assert client.run("cp", "default/hello:/etc/hosts", str(tmp_path / "hosts")).returncode == 0
    assert "Kubernetes-managed" in (tmp_path / "hosts").read_text()
