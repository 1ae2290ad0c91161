"""Image names, by the grammar of the container image reference (distribution/reference).

Source: distribution/reference regexp.go, normalize.go. The kubelet rejects what does not parse with
``InvalidImageName`` before any pull. The part before the first slash is a registry only if it
looks like one: with a dot, a port, a capital letter, or ``localhost``; ``team/app`` is on Docker Hub.
"""

import re

from msgspec import Struct

from simulator.engine.kernel.caching import cached_when_short

_DOMAIN_PART = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_DOMAIN = rf"(?:{_DOMAIN_PART}(?:\.{_DOMAIN_PART})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_PATH_PART = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_REFERENCE = re.compile(
    rf"(?P<name>(?:{_DOMAIN}/)?{_PATH_PART}(?:/{_PATH_PART})*)"
    r"(?::(?P<tag>[\w][\w.-]{0,127}))?"
    r"(?:@(?P<digest>[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?",
    re.ASCII,
)
NAME_CHARS_MAX = 255
CHARS_MAX = 1000
"""Longer than any valid name with tag and digest; matching takes time quadratic in the length."""


class Reference(Struct, frozen=True):
    """A parsed image name: ``docker.io`` / ``library/nginx`` / ``1.25`` (tag and digest may be empty)."""

    domain: str
    path: str
    tag: str
    digest: str

    @property
    def name(self) -> str:
        """Domain and path, without tag."""
        return f"{self.domain}/{self.path}"

    @property
    def familiar(self) -> str:
        """The short name people write: ``nginx``, ``bitnami/redis``, ``registry.k8s.io/pause``."""
        if self.domain != "docker.io":
            return self.name
        return self.path.removeprefix("library/")


@cached_when_short(maxsize=4096, chars_max=500)
def parse_reference(ref: str) -> Reference | None:
    """Parts of an image name with Docker Hub's defaults filled in; None if it is invalid (``InvalidImageName``)."""
    match = _REFERENCE.fullmatch(ref) if len(ref) <= CHARS_MAX else None
    # 64 hexadecimal digits would be an image ID and are rejected as a name.
    if match is None or re.fullmatch(r"[a-f0-9]{64}", ref):
        return None
    first, slash, rest = match["name"].partition("/")
    has_domain = bool(slash) and ("." in first or ":" in first or first == "localhost" or first.lower() != first)
    domain, path = (first, rest) if has_domain else ("docker.io", match["name"])
    if domain == "index.docker.io":
        domain = "docker.io"
    if domain == "docker.io" and "/" not in path:
        path = f"library/{path}"
    if len(path) > NAME_CHARS_MAX or path != path.lower():
        return None
    return Reference(domain, path, match["tag"] or "", match["digest"] or "")


@cached_when_short(maxsize=4096, chars_max=500)
def with_default_tag(ref: str) -> str:
    """The full name the runtime resolves: ``docker.io/library/nginx:latest``; an invalid name is returned unchanged."""
    parsed = parse_reference(ref)
    if parsed is None:
        return ref
    digest = f"@{parsed.digest}" if parsed.digest else ""
    tag = f":{parsed.tag}" if parsed.tag else "" if digest else ":latest"
    return f"{parsed.name}{tag}{digest}"
