"""Pods for the tests of validation, and the API server's messages about them."""

from simulator.engine.apiserver.validation import validate_pod
from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.release import Release

MINOR = 33


def wrong(spec: Json | None = None, *, container: Json | None = None, metadata: Json | None = None, minor: int = MINOR) -> list[str]:
    """``field: message`` of every error of a pod with one container."""
    app = {"name": "app", "image": "busybox:1.28", **(container or {})}
    pod = {"metadata": {"name": "p", **(metadata or {})}, "spec": {"containers": [app], **(spec or {})}}
    return [f"{error.field}: {error.message}" for rule, error in validate_pod(pod, release=Release(minor)) if not rule.warning]


def wrong_volume(volume: Json, *, minor: int = MINOR) -> list[str]:
    """The same for a pod with one volume named v; fields are relative to the volume."""
    found = wrong({"volumes": [{"name": "v", **volume}]}, minor=minor)
    return [text.removeprefix("spec.volumes[0].") for text in found]


def wrong_container(container: Json, *, spec: Json | None = None, minor: int = MINOR) -> list[str]:
    """The same for a pod with this container; fields are relative to it."""
    return [text.removeprefix("spec.containers[0].") for text in wrong(spec, container=container, minor=minor)]


def wrong_spec(spec: Json, *, minor: int = MINOR) -> list[str]:
    """The same for a pod with these fields; fields are relative to the spec."""
    return [text.removeprefix("spec.") for text in wrong(spec, minor=minor)]
