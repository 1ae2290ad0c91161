"""The kubeconfig of a run: contexts for its present on each clock, for the moment being viewed, and for its branches."""

from typing import Any

from msgspec import Struct

from simulator.engine.kernel.units import Ms
from simulator.kubectl.context import USER
from simulator.kubectl.yaml import to_yaml


class DoorContext(Struct, frozen=True, kw_only=True):
    """A context: its name, and the address of its API."""

    name: str
    server: str
    sort: str = "own"


def seconds_text(at_ms: Ms) -> str:
    """A moment as written in addresses: ``42``, ``42.5``."""
    return f"{at_ms // 1000}.{at_ms % 1000:03d}".rstrip("0").rstrip(".")


def clock_text(at_ms: Ms) -> str:
    """A moment as written in names of contexts: ``00:42``."""
    return f"{at_ms // 60_000:02d}:{at_ms // 1000 % 60:02d}"


def server_of(base: str, sort: str, thing: str, token: str, *, at_ms: Ms | None = None, word: str = "") -> str:
    """``https://host/r/ID@42/k8s/KEY``. No query: clients drop it or put it in the wrong place."""
    at = (f"@{word}" if word else "") if at_ms is None else f"@{word}{seconds_text(at_ms)}"
    return f"{base}/{sort}/{thing}{at}/k8s/{token}"


def kubeconfig(contexts: list[DoorContext], *, token: str, namespace: str) -> str:
    """The kubeconfig as YAML; the first context is the current one.

    It contains the token as well: clients send it over https, where the key in the address may be left out. The token
    is empty if only the address has the key.
    """
    document: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "preferences": {},
        "clusters": [{"name": each.name, "cluster": {"server": each.server}} for each in contexts],
        "users": [{"name": USER, "user": {"token": token} if token else {}}],
        "contexts": [{"name": each.name, "context": {"cluster": each.name, "user": USER, "namespace": namespace}} for each in contexts],
        "current-context": contexts[0].name,
    }
    return to_yaml(document)
