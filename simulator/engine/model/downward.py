"""The Downward API: fields of the pod and resources of its containers as strings.

Source: pkg/fieldpath, api/v1/resource ExtractResourceValue, kubelet podFieldSelectorRuntimeValue.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from simulator.engine.kernel.errors import EngineError
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.container import Container, Quantities, ResourceSelector
from simulator.engine.model.pod import Pod
from simulator.engine.model.quantity import BadQuantity, milli, value

NOTHING: Quantities = {}
_QUALIFIED_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_PREFIX_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")
_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
}


class BadField(EngineError):
    """A path or resource that the Downward API does not offer."""


def split_path(path: str) -> tuple[str, str] | None:
    """Path and subscript of ``metadata.labels['key']``; None for a path without subscript."""
    if not path.endswith("']"):
        return None
    base, bracket, subscript = path.removesuffix("']").partition("['")
    return (base, subscript) if bracket and base else None


def is_qualified_name(key: str) -> bool:
    """Whether it is a valid label or annotation key: an optional DNS prefix and a name of up to 63 characters."""
    prefix, slash, name = key.rpartition("/")
    if slash and (len(prefix) > 253 or not all(_PREFIX_LABEL.fullmatch(part) for part in prefix.split("."))):
        return False
    return _QUALIFIED_NAME.fullmatch(name) is not None


def quoted(text: str) -> str:
    """The text in double quotes with Go's escapes."""
    if text.isprintable() and "\\" not in text and '"' not in text:
        return f'"{text}"'
    return '"' + "".join(_ESCAPES.get(char) or _escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _lines(entries: Mapping[str, str]) -> str:
    return _text_of(tuple(sorted(entries.items())))


@lru_cache(maxsize=8)
def _text_of(entries: tuple[tuple[str, str], ...]) -> str:
    """One line per entry. Shared by all files that show them, since there may be many and annotations are long."""
    return "\n".join(f"{key}={quoted(text)}" for key, text in entries)


def field_value(pod: Pod, path: str) -> str:
    """A metadata field, as shown in a downwardAPI volume or a variable. Raises BadField."""
    metadata = pod.metadata
    entry = split_path(path)
    if entry is not None:
        return _entry_value(pod, *entry)
    match path:
        case "metadata.name":
            return metadata.name
        case "metadata.namespace":
            return metadata.namespace
        case "metadata.uid":
            return metadata.uid
        case "metadata.labels":
            return _lines(metadata.labels)
        case "metadata.annotations":
            return _lines(metadata.annotations)
    raise BadField(f"unsupported fieldPath: {path}")


def _entry_value(pod: Pod, base: str, key: str) -> str:
    """One label or annotation; a missing key gives an empty string."""
    if base == "metadata.labels" and is_qualified_name(key):
        return pod.metadata.labels.get(key, "")
    # Annotation keys may have capital letters in their prefix, label keys may not.
    if base == "metadata.annotations" and is_qualified_name(key.lower()):
        return pod.metadata.annotations.get(key, "")
    raise BadField(f"invalid subscript or path: {base}['{key}']")


def env_field_value(pod: Pod, path: str, *, pod_ips: tuple[str, ...] = (), host_ips: tuple[str, ...] = ()) -> str:
    """A field as set in an environment variable when its container is created. Raises BadField."""
    match path:
        case "spec.nodeName" | "spec.host":
            return pod.spec.node_name
        case "spec.serviceAccountName":
            return pod.spec.service_account_name
        case "status.hostIP":
            return host_ips[0] if host_ips else ""
        case "status.hostIPs":
            return ",".join(host_ips)
        case "status.podIP":
            return pod_ips[0] if pod_ips else ""
        case "status.podIPs":
            return ",".join(pod_ips)
    return field_value(pod, path)


def resource_value(container: Container, selector: ResourceSelector, *, allocatable: Quantities = NOTHING) -> str:
    """A request or limit divided by the divisor and rounded up.

    ``allocatable``: the node's allocatable resources, which replace a limit that is not set. Raises BadField.
    """
    kind, _, resource = selector.resource.partition(".")
    if kind not in ("limits", "requests") or not _is_offered(resource):
        raise BadField(f"unsupported container resource: {selector.resource}")
    written = container.resources.limits if kind == "limits" else container.resources.requests
    in_units = milli if resource == "cpu" else value
    one = 1000 if resource == "cpu" else 1
    try:
        amount = in_units(written[resource]) if resource in written else _default(kind, resource, allocatable)
        parts = in_units(selector.divisor) or one
    except BadQuantity as error:
        raise BadField(str(error)) from error
    # Rounded up, as the kubelet does: half a core in whole cores is 1.
    return str(-(-amount // parts))


def _is_offered(resource: str) -> bool:
    return resource in ("cpu", "memory", "ephemeral-storage") or resource.startswith("hugepages-")


def _default(kind: str, resource: str, allocatable: Quantities) -> int:
    """An unset limit is the node's allocatable amount; an unset request is zero."""
    if kind != "limits" or resource not in allocatable:
        return 0
    return milli(allocatable[resource]) if resource == "cpu" else value(allocatable[resource])


RULES = (
    RuleText(
        "DOWNWARD-ENV",
        gettext_noop("The variable takes its value from the pod at the moment the container is created, and keeps it."),
        "pkg/kubelet/kubelet_pods.go podFieldSelectorRuntimeValue",
    ),
    RuleText(
        "DOWNWARD-FILE",
        gettext_noop("The file follows the pod: after a change, the kubelet rewrites it when it next looks at the pod’s volumes."),
        "pkg/volume/downwardapi/downwardapi.go",
    ),
    RuleText(
        "DOWNWARD-ALLOCATABLE",
        gettext_noop("The container does not set this limit, so the variable shows what the node can offer."),
        "pkg/kubelet/kubelet_resources.go defaultPodLimitsForDownwardAPI",
    ),
)
