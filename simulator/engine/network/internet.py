"""Hosts outside the cluster: a few that answer, if the cluster file lets the cluster reach the internet.

The addresses are those reserved for documentation (RFC 5737), and a page is no more than a few lines:
the hosts that examples fetch from must exist, but the contents of their pages do not matter. A host that
is not listed does not exist here; programs say so in a note (``is_unlisted``).
"""

from simulator.engine.containers.network_access import HttpAnswer

REACHABLE, NONE = "reachable", "none"
CHOICES = (REACHABLE, NONE)
"""The values a cluster file may give for the internet."""

HOSTS = (
    "info.cern.ch", "example.com", "www.example.com", "example.org", "kubernetes.io", "k8s.io", "registry.k8s.io", "github.com",
    "raw.githubusercontent.com", "google.com", "www.google.com", "pypi.org", "registry.npmjs.org", "deb.debian.org",
    "dl-cdn.alpinelinux.org",
)  # fmt: skip
"""The hosts that answer, on the ports 80 and 443."""

_PORTS = (80, 443)
_LATENCY_MS = 40
_ADDRESS = {name: f"203.0.113.{number}" for number, name in enumerate(HOSTS, start=10)}
_NAME = {address: name for name, address in _ADDRESS.items()}
_TOP_LEVEL = frozenset(
    (
        "com",
        "org",
        "net",
        "io",
        "dev",
        "ch",
        "de",
        "uk",
        "eu",
        "fr",
        "edu",
        "gov",
        "info",
        "co",
        "app",
        "cloud",
        "ai",
        "me",
        "us",
        "jp",
        "cn",
    )
)


def outside_address(name: str) -> str | None:
    """The address of a host that answers, or None."""
    return _ADDRESS.get(name.rstrip(".").lower())


def ask_outside(address: str, port: int) -> HttpAnswer | None:
    """The answer to a GET at an internet address; None if no answering host has it."""
    name = _NAME.get(address)
    if name is None:
        return None
    if port not in _PORTS:
        return HttpAnswer("timeout")
    page = f"<html><head></head><body><header>\n<title>http://{name}</title>\n</header>\n\n<h1>http://{name}</h1>\n</body></html>\n"
    return HttpAnswer("answered", 200, page, delay_ms=_LATENCY_MS)


def is_unlisted(name: str) -> bool:
    """Whether a name, by its domain, belongs to the internet but is not a host that answers."""
    first, dot, last = name.rstrip(".").lower().rpartition(".")
    return bool(first and dot) and last in _TOP_LEVEL and outside_address(name) is None
