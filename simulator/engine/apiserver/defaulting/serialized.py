"""A pod document as the API server writes it: empty fields are left out, amounts are canonical.

Fields of Go structures that are not pointers cannot tell an empty value from a missing one, and
most of them are written only when they are not empty. Source: the JSON tags of
staging/src/k8s.io/api/core/v1/types.go.
"""

from typing import Any

from simulator.engine.kernel.json_text import Json
from simulator.engine.model.quantity import BadQuantity, canonical, parse

_MAPS = frozenset(
    {
        *("labels", "annotations", "nodeSelector", "matchLabels", "limits", "requests", "overhead", "options"),
        "volumeAttributes",
    }
)
"""Maps that are left out when they are empty; other empty maps stand for structures that are set."""
_VALUES = frozenset(
    {
        *("hostNetwork", "hostPID", "hostIPC", "stdin", "stdinOnce", "tty", "readOnly", "initialDelaySeconds", "hostPort"),
        *("partition", "chapAuthDiscovery", "chapAuthSession", "sslEnabled"),
    }
)
"""Numbers and booleans that are not pointers."""
_POINTERS = frozenset(
    {
        *("preemptionPolicy", "runtimeClassName", "fsGroupChangePolicy", "procMount", "mountPropagation", "localhostProfile"),
        *("gmsaCredentialSpecName", "gmsaCredentialSpec", "runAsUserName", "cachingMode", "storageClassName", "initiatorName"),
    }
)
"""Strings that are pointers or always written."""
_ALWAYS_IN = {
    "grpc": ("service",),
    "hostPath": ("type", "path"),
    "azureDisk": ("fsType", "kind", "readOnly"),
    "csi": ("fsType", "readOnly"),
}
"""The same for fields of one particular structure."""
_VALUE_ALWAYS_IN = ("httpHeaders", "sysctls", "options")
_AMOUNTS = frozenset({"sizeLimit", "divisor"})


def as_serialized(document: Json) -> Json:
    """A new document, or its spec, as it would be written. Cost: O(document)."""
    return _structure(document, "")


def _structure(value: Json, owner: str) -> Json:
    """The non-empty fields of a structure. Every pod goes through here field by field: calls cost more than lines."""
    found: Json = {}
    for key, item in value.items():
        if item is None or item == [] or (item == {} and key in _MAPS):
            continue
        if isinstance(item, dict):
            found[key] = item if key in _MAPS else _structure(item, key)
        elif isinstance(item, list):
            found[key] = [_structure(each, key) if isinstance(each, dict) else each for each in item]
        # A zero of a pointer field is a value and is written.
        elif item or not _is_omitted(key, item, owner):
            found[key] = _amount(item) if key in _AMOUNTS else item
    # A quantity that is not a pointer is always written, as "0" when it is not set.
    if owner == "resourceFieldRef":
        found.setdefault("divisor", "0")
    return found


def _is_omitted(key: str, value: Any, owner: str) -> bool:
    """Whether an empty string, a zero or a false is left out."""
    if key in _ALWAYS_IN.get(owner, ()) or (key == "value" and owner in _VALUE_ALWAYS_IN):
        return False
    return (value == "" and key not in _POINTERS) or key in _VALUES


def _amount(value: Any) -> Any:
    try:
        return canonical(parse(value))
    except BadQuantity:
        return value
