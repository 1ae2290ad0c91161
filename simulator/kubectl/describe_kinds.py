"""``kubectl describe`` of the objects that pods depend on: ConfigMaps, Secrets, Services, PodDisruptionBudgets. Cells are
separated by tabs."""

from base64 import b64decode
from typing import Any

from msgspec import Struct

from simulator.engine.kernel.json_text import Json
from simulator.engine.network.endpoints import SERVICE_NAME
from simulator.engine.versions.span import Span
from simulator.kubectl.describe import annotation_lines, pair_lines
from simulator.kubectl.find import documents_of, find_kind
from simulator.kubectl.tables.model import NONE, UNSET, Sight, at
from simulator.kubectl.tables.selectors import selector_text

_SHOWN = 3
_SPACED = Span(since=31)
"""The kubectl versions that print an empty line after each value of a ConfigMap; seen with 1.30 and 1.31."""


def head_lines(document: Json) -> list[str]:
    """Name, namespace, labels and annotations."""
    metadata = document["metadata"]
    lines = [f"Name:\t{metadata['name']}", f"Namespace:\t{metadata.get('namespace', '')}"]
    return [*lines, *pair_lines("Labels", metadata.get("labels") or {}), *annotation_lines(metadata.get("annotations") or {})]


def config_map_lines(document: Json, sight: Sight) -> list[str]:
    """A ConfigMap with its values in full."""
    lines = [*head_lines(document), "", "Data", "===="]
    for key, value in sorted((document.get("data") or {}).items()):
        lines += [f"{key}:", "----", *str(value).split("\n"), *([""] if _SPACED.holds_for(sight.minor) else [])]
    if sight.facts.binary_data_lines:
        lines += ["", "BinaryData", "===="]
        lines += [f"{key}: {_size(value)} bytes" for key, value in sorted((document.get("binaryData") or {}).items())]
        lines.append("")
    return lines


def _size(encoded: Any) -> int:
    """The number of bytes in a Base64 text; 0 if it is not valid."""
    try:
        return len(b64decode(str(encoded), validate=True))
    except ValueError:
        return 0


def secret_lines(document: Json, sight: Sight) -> list[str]:
    """A Secret with the lengths of its values, not the values themselves."""
    lines = [*head_lines(document), "", f"Type:\t{document.get('type') or 'Opaque'}", "", "Data", "===="]
    sizes = {key: _size(value) for key, value in (document.get("data") or {}).items()}
    sizes |= {key: len(str(value).encode()) for key, value in (document.get("stringData") or {}).items()}
    return [*lines, *(f"{key}:\t{sizes[key]} bytes" for key in sorted(sizes))]


def service_lines(document: Json, sight: Sight) -> list[str]:
    """A Service with the endpoints of each port."""
    spec = document.get("spec") or {}
    lines = [*head_lines(document), *pair_lines("Selector", spec.get("selector") or {}), f"Type:\t{spec.get('type') or 'ClusterIP'}"]
    lines += [f"IP Family Policy:\t{spec['ipFamilyPolicy']}"] if spec.get("ipFamilyPolicy") else []
    lines.append(f"IP Families:\t{','.join(spec.get('ipFamilies') or ()) or NONE}")
    lines += [f"IP:\t{spec.get('clusterIP') or ''}", f"IPs:\t{','.join(spec.get('clusterIPs') or ()) or NONE}"]
    lines += [f"External IPs:\t{','.join(spec['externalIPs'])}"] if spec.get("externalIPs") else []
    lines += [f"IP:\t{spec['loadBalancerIP']}"] if spec.get("loadBalancerIP") else []
    lines += [f"External Name:\t{spec['externalName']}"] if spec.get("externalName") else []
    backs = _addresses(document, sight)
    for port in spec.get("ports") or ():
        lines += _port_lines(port, backs)
    lines.append(f"Session Affinity:\t{spec.get('sessionAffinity') or 'None'}")
    lines += [f"External Traffic Policy:\t{spec['externalTrafficPolicy']}"] if spec.get("externalTrafficPolicy") else []
    if sight.facts.internal_policy_line and spec.get("internalTrafficPolicy"):
        lines.append(f"Internal Traffic Policy:\t{spec['internalTrafficPolicy']}")
    return lines


class _Backs(Struct):
    """The first addresses behind a Service port, how many there are, and whether kubectl marks the list as truncated."""

    shown: list[str] = []
    count: int = 0
    is_cut: bool = False

    def add(self, address: str, *, counts: bool = True) -> None:
        """Add an address; one that does not count still makes kubectl mark a full list as truncated."""
        self.is_cut = self.is_cut or len(self.shown) == _SHOWN
        if not counts:
            return
        self.count += 1
        if not self.is_cut:
            self.shown.append(address)

    def text(self) -> str:
        """The addresses as kubectl prints them."""
        return ",".join(self.shown) + (f" + {self.count - _SHOWN} more..." if self.is_cut else "")


_ByPort = dict[str, _Backs]


def _port_lines(port: Json, backs: _ByPort | None) -> list[str]:
    name, protocol = port.get("name") or UNSET, port.get("protocol") or "TCP"
    lines = [f"Port:\t{name}\t{port.get('port')}/{protocol}", f"TargetPort:\t{port.get('targetPort', port.get('port'))}/{protocol}"]
    lines += [f"NodePort:\t{name}\t{port['nodePort']}/{protocol}"] if port.get("nodePort") else []
    return [*lines, f"Endpoints:\t{NONE if backs is None else backs.get(port.get('name') or '', _Backs()).text()}"]


def _addresses(document: Json, sight: Sight) -> _ByPort | None:
    """The endpoints behind a Service by port name; None if no object lists any."""
    metadata, way = document["metadata"], sight.facts.service_endpoints
    space, name = metadata.get("namespace"), metadata["name"]
    kind = find_kind("endpoints" if way == "endpoints" else "endpointslices", sight)
    here = [item for item in documents_of(kind, sight) if item["metadata"].get("namespace") == space]
    return _of_subsets(here, name) if way == "endpoints" else _of_slices(here, name, are_judged=way == "ready_slices")


def _of_subsets(items: list[Json], name: str) -> _ByPort | None:
    """formatEndpoints: the ready addresses in the Endpoints of the Service's name."""
    subsets = [subset for item in items if item["metadata"]["name"] == name for subset in item.get("subsets") or ()]
    found: _ByPort = {}
    for subset in subsets:
        for port in subset.get("ports") or ():
            backs = found.setdefault(port.get("name") or "", _Backs())
            for address in subset.get("addresses") or ():
                backs.add(f"{address['ip']}:{port['port']}")
    return found if subsets else None


def _of_slices(items: list[Json], name: str, *, are_judged: bool) -> _ByPort | None:
    """formatEndpointSlices: the slices labelled with the Service, even those without endpoints; ``are_judged``: only ready ones count."""
    slices = [item for item in items if (item["metadata"].get("labels") or {}).get(SERVICE_NAME) == name]
    found: _ByPort = {}
    for item in slices:
        for port in item.get("ports") or ():
            backs = found.setdefault(port.get("name") or "", _Backs())
            for end in item.get("endpoints") or ():
                is_ready = (end.get("conditions") or {}).get("ready") is not False
                backs.add(f"{end['addresses'][0]}:{port.get('port')}", counts=is_ready or not are_judged)
    return found if slices else None


def budget_lines(document: Json, sight: Sight) -> list[str]:
    """A PodDisruptionBudget with the disruptions it allows now."""
    metadata, spec, status = document["metadata"], document.get("spec") or {}, document.get("status") or {}
    lines = [f"Name:\t{metadata['name']}", f"Namespace:\t{metadata.get('namespace', '')}"]
    if spec.get("minAvailable") is not None:
        lines.append(f"Min available:\t{spec['minAvailable']}")
    elif spec.get("maxUnavailable") is not None:
        lines.append(f"Max unavailable:\t{spec['maxUnavailable']}")
    lines.append(f"Selector:\t{selector_text(spec['selector']) if at(document, 'spec', 'selector') is not None else UNSET}")
    lines.append("Status:")
    for label, field in (
        ("Allowed disruptions", "disruptionsAllowed"),
        ("Current", "currentHealthy"),
        ("Desired", "desiredHealthy"),
        ("Total", "expectedPods"),
    ):
        lines.append(f"    {label}:\t{status.get(field) or 0}")
    return lines
