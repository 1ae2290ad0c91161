"""A pod document as the API server writes it: what says nothing is left out, amounts are canonical.

Fields of Go structures that are no pointers cannot tell an empty value from none, and most of them are written only when they are
not empty. Source: the JSON tags of staging/src/k8s.io/api/core/v1/types.go.
"""

from typing import Any

from simulator.engine.api.quantity import BadQuantity, canonical, parse

Json = dict[str, Any]
_MAPS = frozenset(
    {
        *("labels", "annotations", "nodeSelector", "matchLabels", "limits", "requests", "overhead", "options"),
        "volumeAttributes",
    }
)
"""Maps that are left out when they are empty; other empty maps stand for structures that are there."""
_VALUES = frozenset(
    {
        *("hostNetwork", "hostPID", "hostIPC", "stdin", "stdinOnce", "tty", "readOnly", "initialDelaySeconds", "hostPort"),
        *("partition", "chapAuthDiscovery", "chapAuthSession", "sslEnabled"),
    }
)
"""Numbers and truth values that are no pointers."""
_POINTERS = frozenset(
    {
        *("preemptionPolicy", "runtimeClassName", "fsGroupChangePolicy", "procMount", "mountPropagation", "localhostProfile"),
        *("gmsaCredentialSpecName", "gmsaCredentialSpec", "runAsUserName", "cachingMode", "storageClassName", "initiatorName"),
    }
)
"""Texts that are pointers, or always written."""
_ALWAYS_IN = {"hostPath": ("type", "path"), "azureDisk": ("fsType", "kind", "readOnly"), "csi": ("fsType", "readOnly")}
"""The same for fields of one structure alone."""
_VALUE_ALWAYS_IN = ("httpHeaders", "sysctls", "options")
_AMOUNTS = frozenset({"sizeLimit", "divisor"})


def as_serialized(document: Json) -> Json:
    """A new document, or its spec, as it would be written. Cost: O(document)."""
    return _structure(document, "")


def _written(value: Any, key: str) -> Any:
    if isinstance(value, list):
        return [_structure(item, key) if isinstance(item, dict) else item for item in value]
    if isinstance(value, dict):
        return value if key in _MAPS else _structure(value, key)
    return _amount(value) if key in _AMOUNTS else value


def _structure(value: Json, owner: str) -> Json:
    found = {key: _written(item, key) for key, item in value.items() if not _says_nothing(key, item, owner)}
    return {**found, "divisor": found.get("divisor", "0")} if owner == "resourceFieldRef" else found


def _says_nothing(key: str, value: Any, owner: str) -> bool:
    if value is None or value == []:
        return True
    if value == {}:
        return key in _MAPS
    if key in _ALWAYS_IN.get(owner, ()) or (key == "value" and owner in _VALUE_ALWAYS_IN):
        return False
    return (value == "" and key not in _POINTERS) or (not value and key in _VALUES)


def _amount(value: Any) -> Any:
    try:
        return canonical(parse(value))
    except BadQuantity:
        return value
