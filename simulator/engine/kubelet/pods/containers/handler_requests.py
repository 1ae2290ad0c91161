"""How the kubelet reaches a server for a probe or a hook: from the node, at the pod's address unless another host is named.

The containers of a pod share its address, so whichever of them listens answers. A node does not use the cluster's DNS, so
any other host must be an address.
"""

from urllib.parse import urljoin, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine import containers as behaviour
from simulator.engine.containers import GrpcAnswer, HttpAnswer
from simulator.engine.kubelet.pods.containers.instances import host_of
from simulator.engine.network.network import LOOPBACK, ask_address, ask_host_network, ask_pod, is_address
from simulator.engine.network.services import pod_address
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import Instance, PodRow

UNKNOWN_HOST = HttpAnswer("unknown_host")
REDIRECTS_MAX = 10
"""How many requests a Go client makes before it gives up on a chain of redirects."""
REDIRECTS = (301, 302, 303, 307, 308)
"""Status codes that a Go client follows if there is a Location."""


class RequestAddress(Struct, frozen=True):
    """Where a request goes: ``text`` as errors show it, and its parts. ``host`` is taken from the manifest and may be anything."""

    text: str
    scheme: str
    host: str
    port: int
    path: str


class Fetched(Struct, frozen=True):
    """The result of a GET, after redirects. ``outcome`` as for ``http_get``, or ``redirects``: too many of them.

    ``url`` is that of the request that failed or was answered, ``server`` the instance that accepted it (None: none did),
    ``delay_ms`` the time all of them took, and ``problem`` what the simulation could not determine about the answer.
    """

    outcome: str
    url: RequestAddress
    status: int = 0
    body: str = ""
    delay_ms: int = 0
    server: tuple[str, str, int] | None = None
    problem: str = ""

    @property
    def error(self) -> str:
        """The error in the wording of Go's client; empty if the request was answered."""
        if self.outcome == "answered":
            return ""
        address = f"{self.url.host}:{self.url.port}"
        return (
            f'Get "{self.url.text}": '
            + {
                "refused": f"dial tcp {address}: connect: connection refused",
                "timeout": "context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
                "eof": "EOF",
                "unknown_host": f"dial tcp: lookup {self.url.host}: no such host",
                "plain": "http: server gave HTTP response to HTTPS client",
                "redirects": f"stopped after {REDIRECTS_MAX} redirects",
            }[self.outcome]
        )


def host_or_own(fx: Effects, row: PodRow, host: str) -> str:
    """The host that an action names, or else the pod's own address."""
    sandbox = fx.tables.sandboxes.get(row.key)
    return host or (sandbox.ip if sandbox is not None else "")


def _is_own(fx: Effects, row: PodRow, host: str) -> bool:
    return host in (host_or_own(fx, row, ""), pod_address(fx.world, row))


def fetch(fx: Effects, row: PodRow, instance: Instance, url: RequestAddress, *, anywhere: bool = False) -> Fetched:
    """The result of a GET that follows redirects as the kubelet's clients do: on the same host, or ``anywhere``.

    Source: pkg/probe/http RedirectChecker; Go net/http client.go. If the tenth redirect is reached, the error names its Location.
    """
    first, delay_ms = url, 0
    for _ in range(REDIRECTS_MAX):
        answer = http_get(fx, row, instance, url.host, port=url.port, path=url.path, scheme=url.scheme)
        delay_ms += answer.delay_ms
        location = answer.location if answer.outcome == "answered" and answer.status in REDIRECTS else ""
        following = _redirected(url, location) if location else None
        if following is None or not (anywhere or _is_same_host(first, following)):
            return Fetched(answer.outcome, url, answer.status, answer.body, delay_ms, answer.server, answer.problem)
        url = following
    return Fetched("redirects", RequestAddress(location, url.scheme, url.host, url.port, url.path), delay_ms=delay_ms)


def note_problem(fx: Effects, row: PodRow, container: str, fetched: Fetched) -> None:
    """Write a note for the container that owns the probe or hook if the simulation could not determine the answer."""
    if fetched.problem:
        fx.note(f"container/{row.key}/{container}", "command-not-understood", fetched.problem, rule="BEHAVIOUR-NOTE")


def _is_same_host(first: RequestAddress, following: RequestAddress) -> bool:
    return first.host.lower() == following.host.lower()


def _redirected(url: RequestAddress, location: str) -> RequestAddress | None:
    """Where a Location leads; None if it cannot be parsed or leads to something other than HTTP."""
    try:
        text = urljoin(url.text, location)
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return RequestAddress(text, parts.scheme.upper(), parts.hostname, port or (443 if parts.scheme == "https" else 80), path)


def http_get(fx: Effects, row: PodRow, instance: Instance, host: str, *, port: int, path: str, scheme: str) -> HttpAnswer:
    """The answer to a GET; its outcome may also be ``unknown_host``."""
    if not _is_own(fx, row, host):
        return _elsewhere(fx, row, host, port, path, scheme=scheme)
    assert instance.process is not None
    answer = behaviour.http_get(instance.process, port=port, path=path, scheme=scheme, host=host_of(fx, row.key, instance.container))
    if answer.outcome == "refused" and len(fx.tables.instances[row.key]) > 1:
        return ask_pod(fx.world, row, port, path, scheme=scheme)
    return replace(answer, server=(row.key, instance.container, instance.attempt))


def tcp_connect(fx: Effects, row: PodRow, instance: Instance, host: str, *, port: int) -> str:
    """``accepted``, ``refused``, ``timeout`` or ``unknown_host``."""
    if not _is_own(fx, row, host):
        outcome = _elsewhere(fx, row, host, port, "/").outcome
        return "accepted" if outcome in ("answered", "eof") else outcome
    found = "refused"
    for item in (instance, *fx.tables.instances.get(row.key, ())):
        if item.process is not None and item.runs:
            found = behaviour.tcp_connect(item.process, port=port, host=host_of(fx, row.key, item.container))
        if found != "refused":
            return found
    return found


def grpc_check(fx: Effects, row: PodRow, instance: Instance, *, port: int, service: str) -> GrpcAnswer:
    """The answer of the gRPC health service at a port of the pod, whichever of its containers listens there."""
    answer = GrpcAnswer("refused")
    for item in (instance, *fx.tables.instances.get(row.key, ())):
        if item.process is not None and item.runs:
            answer = behaviour.grpc_check(item.process, port=port, service=service, host=host_of(fx, row.key, item.container))
        if answer.outcome != "refused":
            break
    return answer


def _elsewhere(fx: Effects, row: PodRow, host: str, port: int, path: str, *, scheme: str = "HTTP") -> HttpAnswer:
    if host in LOOPBACK:
        return ask_host_network(fx.world, row.node, port, path, scheme=scheme)
    return ask_address(fx.world, host, port, path, node=row.node, scheme=scheme) if is_address(host) else UNKNOWN_HOST
