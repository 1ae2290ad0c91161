"""The defaults of a container document: image, messages, ports, probes, hooks, environment and quantities."""

from typing import Any

from simulator.engine.kernel.json_text import Json
from simulator.engine.model.manifest import default_pull_policy
from simulator.engine.model.quantity import BadQuantity, canonical, parse, round_up

_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HOOKS = ("postStart", "preStop")
_PROBE_NUMBERS = (("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3))
_MILLI = -3


def maps(owner: Json, key: str) -> list[Json]:
    """The maps in a list field; a null among them becomes an empty one, as Go decodes it."""
    found = owner.get(key)
    if not isinstance(found, list):
        return []
    if None in found:
        owner[key] = found = [{} if item is None else item for item in found]
    return [item for item in found if isinstance(item, dict)]


def map_of(owner: Json, key: str) -> Json:
    """The map in a field; a new, empty one when there is none."""
    found = owner.get(key)
    return found if isinstance(found, dict) else {}


def fill_container(container: Json) -> None:
    """Fill in the defaults of any container, in place."""
    for name, value in (
        ("imagePullPolicy", default_pull_policy(str(container.get("image") or ""))),
        ("terminationMessagePath", "/dev/termination-log"),
        ("terminationMessagePolicy", "File"),
    ):
        if container.get(name) in (None, ""):
            container[name] = value
    container["resources"] = _resources(map_of(container, "resources"))
    for port in maps(container, "ports"):
        port["protocol"] = port.get("protocol") or "TCP"
    for name in _PROBES:
        if isinstance(container.get(name), dict):
            _fill_probe(container[name])
    for name in _HOOKS:
        _fill_http(map_of(map_of(container, "lifecycle"), name))
    for entry in maps(container, "env"):
        fill_field_ref(map_of(entry, "valueFrom"))


def fill_field_ref(source: Json) -> None:
    """Fill in the API version of a reference to a field of the pod."""
    if isinstance(source.get("fieldRef"), dict):
        source["fieldRef"]["apiVersion"] = source["fieldRef"].get("apiVersion") or "v1"


def round_up_all(amounts: Json) -> Json:
    """The quantities in canonical form, none finer than a thousandth."""
    return {name: _rounded(amount) for name, amount in amounts.items()}


def _resources(resources: Json) -> Json:
    return {
        name: round_up_all(value) if name in ("limits", "requests") and isinstance(value, dict) else value
        for name, value in resources.items()
    }


def _rounded(amount: Any) -> Any:
    try:
        return canonical(round_up(parse(amount), _MILLI)[0])
    except BadQuantity:
        return amount


def _fill_probe(probe: Json) -> None:
    for name, value in _PROBE_NUMBERS:
        probe[name] = probe.get(name) or value
    _fill_http(probe)
    if isinstance(probe.get("grpc"), dict):
        probe["grpc"].setdefault("service", "")


def _fill_http(handler: Json) -> None:
    action = handler.get("httpGet")
    if isinstance(action, dict):
        action["path"] = action.get("path") or "/"
        action["scheme"] = action.get("scheme") or "HTTP"
