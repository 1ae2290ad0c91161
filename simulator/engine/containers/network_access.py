"""What a container reaches over the network, through a small protocol that the world implements."""

from typing import Protocol

from msgspec import Struct

from simulator.engine.containers.effort import Meter


class HttpAnswer(Struct, frozen=True):
    """Outcome of one HTTP request: ``answered`` (then status, body, location count), ``refused``, ``timeout``, ``eof``, or
    ``plain``: a client that wants TLS has reached a server without. ``server`` is the instance that accepted the connection (pod,
    container and attempt) if the network says which; None also if there is nothing to accept it.
    ``problem`` says why the simulation could not determine the answer, empty if it could.
    """

    outcome: str
    status: int = 0
    body: str = ""
    location: str = ""
    delay_ms: int = 0
    server: tuple[str, str, int] | None = None
    problem: str = ""


class GrpcAnswer(Struct, frozen=True):
    """Outcome of a gRPC health check.

    ``serving``, ``not_serving``, ``unimplemented``, ``unknown_service``, ``refused`` or ``timeout``.
    """

    outcome: str
    delay_ms: int = 0


class Network(Protocol):
    """The part of the world that programs such as wget and nslookup see."""

    def resolve(self, name: str) -> str | None:
        """IP address of a DNS name, or None if it does not exist."""

    def is_unlisted(self, name: str) -> bool:
        """Whether a name belongs to the reachable internet, but to no host that the simulation has."""

    def get(self, host: str, port: int, path: str, meter: Meter) -> HttpAnswer:
        """Answer of an HTTP server. ``host`` is a name or address; ``localhost`` means the pod itself."""

    def is_taken(self, port: int) -> bool:
        """Whether another container that shares the network listens on the port."""


class NoNetwork:
    """A network on which no name exists and every connection is refused."""

    def resolve(self, name: str) -> str | None:
        """Loopback names only."""
        return "127.0.0.1" if name == "localhost" else None

    def is_unlisted(self, name: str) -> bool:
        """Never."""
        return False

    def get(self, host: str, port: int, path: str, meter: Meter) -> HttpAnswer:
        """Always refused."""
        return HttpAnswer("refused")

    def is_taken(self, port: int) -> bool:
        """Never."""
        return False


NO_NETWORK = NoNetwork()


class Url(Struct, frozen=True):
    """The parts of a URL that matter to a request."""

    scheme: str
    host: str
    port: int
    path: str


def parse_url(text: str) -> Url | None:
    """Parts of an ``http``/``https`` URL (``http`` if the scheme is missing), or None if the port is not a number."""
    scheme, mark, rest = text.partition("://")
    if not mark:
        scheme, rest = "http", text
    authority, slash, path = rest.partition("/")
    # A user name and password before the host have no effect here.
    authority = authority.rpartition("@")[2]
    host, _, port = authority.partition(":")
    if port and not port.isdecimal():
        return None
    default = 443 if scheme == "https" else 80
    return Url(scheme, host, int(port) if port else default, slash + path or "/")
