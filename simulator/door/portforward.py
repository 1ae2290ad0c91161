"""``port-forward``: what a pod answers at a port, over HTTP/1.1.

Nothing here changes the pod: it is asked the way a probe asks it. Source: the kubelet's messages are from containerd
internal/cri/server/sandbox_portforward_linux.go.
"""

import re
from hashlib import sha256
from http import HTTPStatus

from msgspec import Struct

from simulator.door.paths import ApiPath
from simulator.door.scene import DoorScene
from simulator.engine.apiserver.answer import Answer, ApiError, bad_request, not_found
from simulator.engine.containers.network_access import HttpAnswer
from simulator.engine.network.network import ask_pod
from simulator.engine.world.rows import PodRow
from simulator.kubectl.unreachable import unreachable

REQUEST_MAX = 65_536
"""The most bytes of a request that are read."""
_LINE = re.compile(rb"([A-Z]{1,20}) (\S{1,8000}) HTTP/1\.[01]\r?\n")
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d{1,9})\r\n", re.IGNORECASE)
NO_HTTP = "the simulation only answers HTTP/1.1 at a pod's port"
ONLY_READS = "The simulation only answers GET and HEAD.\n"


class PodPort(Struct, frozen=True, kw_only=True):
    """The answer of a port, or why there is none; both are empty while the request is incomplete."""

    answer: bytes = b""
    error: str = ""
    delay_ms: int = 0


def pod_port(place: ApiPath, scene: DoorScene, port: int) -> PodRow:
    """The pod, if something may listen there. Raises ApiError."""
    row = scene.world.live_pod(place.namespace, place.name)
    if row is None:
        raise not_found("pods", place.name)
    if not row.node:
        raise bad_request(f"pod {row.name} does not have a host assigned")
    refused = unreachable(scene.world, row.node)
    if refused:
        raise ApiError(Answer(code=500, reason="InternalError", message=refused.partition(": ")[2] or refused))
    if not 0 <= port < 65_536:
        raise bad_request(f"{port} is not a valid port")
    return row


def pod_answer(place: ApiPath, scene: DoorScene, port: int, request: bytes) -> PodPort:
    """What the pod answers at that port to the data sent so far. Raises ApiError."""
    row = pod_port(place, scene, port)
    found = _LINE.match(request)
    if found is None:
        is_open = len(request) < 8_100 and b"\n" not in request and (not request or request[:1].isupper())
        return PodPort() if is_open else PodPort(error=NO_HTTP)
    head, end, body = request.partition(b"\r\n\r\n")
    length = _LENGTH.search(head + b"\r\n")
    if not end or len(body) < int(length[1] if length else 0):
        return PodPort() if len(request) < REQUEST_MAX else PodPort(error="the request is too large")
    method, path = found[1].decode(), found[2].decode("latin-1")
    if method not in ("GET", "HEAD"):
        return PodPort(answer=_http(HttpAnswer("answered", 405, ONLY_READS), with_body=True))
    said = ask_pod(scene.world, row, port, path)
    if said.outcome != "answered":
        return PodPort(error=_failed(row, port, said.outcome))
    return PodPort(answer=_http(said, with_body=method == "GET"), delay_ms=said.delay_ms)


def _failed(row: PodRow, port: int, outcome: str) -> str:
    sandbox = sha256(row.key.encode()).hexdigest()
    why = {
        "refused": f"dial tcp4 127.0.0.1:{port}: connect: connection refused IPv6 dial tcp6: address localhost: no suitable address",
        "timeout": f"dial tcp4 127.0.0.1:{port}: i/o timeout",
    }.get(outcome)
    if why is None:
        return f"error forwarding port {port} to pod {sandbox}, uid : {NO_HTTP}"
    place = f'failed to execute portforward in network namespace "/var/run/netns/cni-{sandbox[:8]}"'
    inside = f'failed to connect to localhost:{port} inside namespace "{sandbox}", IPv4: {why}'
    return f"error forwarding port {port} to pod {sandbox}, uid : {place}: {inside}"


def _http(said: HttpAnswer, *, with_body: bool) -> bytes:
    body = said.body.encode("utf-8", "surrogateescape")
    reason = HTTPStatus(said.status).phrase if said.status in HTTPStatus._value2member_map_ else "Unknown"
    kind = "text/html" if said.body.lstrip().startswith("<") else "text/plain; charset=utf-8"
    lines = [f"HTTP/1.1 {said.status} {reason}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", "Connection: close"]
    if said.location:
        lines.append(f"Location: {said.location}")
    head = "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")
    return head + body if with_body else head
