"""Tables of the objects that pods use: configuration, claims, services and their endpoints."""

from collections.abc import Iterable
from typing import Any

from simulator.engine.kernel.json_text import Json
from simulator.kubectl.tables.model import AGE, NAME, NONE, UNSET, Column, Sight, at, joined, text_at

_MODES = (("ReadWriteOnce", "RWO"), ("ReadOnlyMany", "ROX"), ("ReadWriteMany", "RWX"), ("ReadWriteOncePod", "RWOP"))
_SHOWN = 3
_VAC_SINCE = 29


def _data(document: Json, sight: Sight) -> str:
    return str(len({**(document.get("data") or {}), **(document.get("stringData") or {})}) + len(document.get("binaryData") or {}))


CONFIG_MAPS = (NAME, Column("DATA", _data), AGE)
SECRETS = (NAME, Column("TYPE", text_at("type", default="Opaque")), Column("DATA", _data), AGE)


def access_modes(modes: Iterable[str] | None) -> str:
    """``RWO,ROX``, in the order of the API."""
    known = set(modes or ())
    return ",".join(short for mode, short in _MODES if mode in known)


def _is_bound(document: Json) -> bool:
    return bool(at(document, "spec", "volumeName"))


def _claim_status(document: Json, sight: Sight) -> str:
    if at(document, "metadata", "deletionTimestamp"):
        return "Terminating"
    return str(at(document, "status", "phase") or "Pending")


def _claim_capacity(document: Json, sight: Sight) -> str:
    return str(at(document, "status", "capacity", "storage") or "") if _is_bound(document) else ""


def _claim_modes(document: Json, sight: Sight) -> str:
    return access_modes(at(document, "status", "accessModes")) if _is_bound(document) else ""


CLAIMS = (
    NAME,
    Column("STATUS", _claim_status),
    Column("VOLUME", text_at("spec", "volumeName", default="")),
    Column("CAPACITY", _claim_capacity),
    Column("ACCESS MODES", _claim_modes),
    Column("STORAGECLASS", text_at("spec", "storageClassName", default="")),
    Column("VOLUMEATTRIBUTESCLASS", text_at("spec", "volumeAttributesClassName", default=UNSET), since=_VAC_SINCE),
    AGE,
    Column("VOLUMEMODE", text_at("spec", "volumeMode", default=UNSET), wide=True),
)


def _volume_modes(document: Json, sight: Sight) -> str:
    return access_modes(at(document, "spec", "accessModes"))


def _volume_claim(document: Json, sight: Sight) -> str:
    claim = at(document, "spec", "claimRef") or {}
    return f"{claim.get('namespace')}/{claim.get('name')}" if claim else ""


def _volume_status(document: Json, sight: Sight) -> str:
    return "Terminating" if at(document, "metadata", "deletionTimestamp") else str(at(document, "status", "phase") or "Available")


VOLUMES = (
    NAME,
    Column("CAPACITY", text_at("spec", "capacity", "storage", default="")),
    Column("ACCESS MODES", _volume_modes),
    Column("RECLAIM POLICY", text_at("spec", "persistentVolumeReclaimPolicy", default="Retain")),
    Column("STATUS", _volume_status),
    Column("CLAIM", _volume_claim),
    Column("STORAGECLASS", text_at("spec", "storageClassName", default="")),
    Column("VOLUMEATTRIBUTESCLASS", text_at("spec", "volumeAttributesClassName", default=UNSET), since=_VAC_SINCE),
    Column("REASON", text_at("status", "reason", default="")),
    AGE,
    Column("VOLUMEMODE", text_at("spec", "volumeMode", default=UNSET), wide=True),
)


def external_address(document: Json, sight: Sight) -> str:
    """The address of the Service from outside; ``<pending>`` while a load balancer has none."""
    kind = at(document, "spec", "type") or "ClusterIP"
    outside = [str(address) for address in at(document, "spec", "externalIPs") or ()]
    if kind == "ExternalName":
        return str(at(document, "spec", "externalName") or "")
    if kind == "LoadBalancer":
        ingress = at(document, "status", "loadBalancer", "ingress") or ()
        found = [str(item.get("ip") or item.get("hostname")) for item in ingress] + outside
        return ",".join(found) or "<pending>"
    return ",".join(outside) or NONE


def _ports(document: Json, sight: Sight) -> str:
    return ",".join(_port(port) for port in at(document, "spec", "ports") or ()) or NONE


def _port(port: Json) -> str:
    protocol = port.get("protocol") or "TCP"
    return f"{port.get('port')}:{port['nodePort']}/{protocol}" if port.get("nodePort") else f"{port.get('port')}/{protocol}"


def _service_selector(document: Json, sight: Sight) -> str:
    return joined(at(document, "spec", "selector"))


SERVICES = (
    NAME,
    Column("TYPE", text_at("spec", "type", default="ClusterIP")),
    Column("CLUSTER-IP", text_at("spec", "clusterIP")),
    Column("EXTERNAL-IP", external_address),
    Column("PORT(S)", _ports),
    AGE,
    Column("SELECTOR", _service_selector, wide=True),
)


def _some(values: Iterable[Any]) -> str:
    """At most three values, and how many more there are."""
    every = [str(value) for value in values]
    rest = f" + {len(every) - _SHOWN} more..." if len(every) > _SHOWN else ""
    return f"{','.join(every[:_SHOWN])}{rest}"


def _slice_ports(document: Json, sight: Sight) -> str:
    ports = document.get("ports")
    # A missing list and an empty one look the same.
    return UNSET if ports is None else _some(item.get("port", "*") for item in ports) or UNSET


def _slice_endpoints(document: Json, sight: Sight) -> str:
    addresses = [address for item in document.get("endpoints") or () for address in item.get("addresses") or ()]
    return _some(addresses) or UNSET


SLICES = (
    NAME,
    Column("ADDRESSTYPE", text_at("addressType", default="IPv4")),
    Column("PORTS", _slice_ports),
    Column("ENDPOINTS", _slice_endpoints),
    AGE,
)


def _subsets(document: Json, sight: Sight) -> str:
    """The ready addresses; the cell is empty if there are only others (formatEndpoints)."""
    if not document.get("subsets"):
        return NONE
    found = [
        f"{address.get('ip')}{port}"
        for subset in document.get("subsets") or ()
        for port in [f":{port.get('port')}" for port in subset.get("ports") or ()] or [""]  # a headless Service may have no ports
        for address in subset.get("addresses") or ()
    ]
    return _some(found)


ENDPOINTS = (NAME, Column("ENDPOINTS", _subsets), AGE)
