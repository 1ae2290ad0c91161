"""``kubectl describe`` of Endpoints and EndpointSlices.

Source: kubectl pkg/describe/describe.go describeEndpoints, describeEndpointSliceV1.
"""

from collections.abc import Iterator

from simulator.engine.kernel.json_text import Json
from simulator.kubectl.describe_kinds import head_lines
from simulator.kubectl.tables.model import NONE, UNSET, Sight


def endpoints_lines(document: Json, sight: Sight) -> list[str]:
    """The lines of an Endpoints object, subset by subset."""
    lines = [*head_lines(document), "Subsets:"]
    for subset in document.get("subsets") or ():
        for label, field in (("Addresses", "addresses"), ("NotReadyAddresses", "notReadyAddresses")):
            lines.append(f"  {label}:\t{','.join(item['ip'] for item in subset.get(field) or ()) or NONE}")
        lines += ["  Ports:", *_ports(subset["ports"], "    ")] if subset.get("ports") else []
        lines.append("")
    return lines


def _ports(ports: list[Json], indent: str) -> Iterator[str]:
    yield from (f"{indent}Name\tPort\tProtocol", f"{indent}----\t----\t--------")
    for port in ports:
        yield f"{indent}{port.get('name') or UNSET}\t{port.get('port', UNSET)}\t{port.get('protocol') or 'TCP'}"


def slice_lines(document: Json, sight: Sight) -> list[str]:
    """The lines of an EndpointSlice, endpoint by endpoint."""
    lines = [*head_lines(document), f"AddressType:\t{document.get('addressType') or ''}"]
    ports, endpoints = document.get("ports") or [], document.get("endpoints") or []
    lines += ["Ports:", *_ports(ports, "  ")] if ports else [f"Ports: {UNSET}"]
    if not endpoints:
        return [*lines, f"Endpoints: {NONE}"]
    return [*lines, "Endpoints:", *(line for endpoint in endpoints for line in _endpoint(endpoint))]


def _endpoint(endpoint: Json) -> Iterator[str]:
    ready, target = (endpoint.get("conditions") or {}).get("ready"), endpoint.get("targetRef")
    yield f"  - Addresses:\t{', '.join(endpoint.get('addresses') or ()) or NONE}"
    yield from ("    Conditions:", f"      Ready:\t{UNSET if ready is None else str(ready).lower()}")
    yield f"    Hostname:\t{endpoint.get('hostname') or UNSET}"
    if target:
        yield f"    TargetRef:\t{target['kind']}/{target['name']}"
    topology = endpoint.get("topology")
    if topology is None:
        yield from (f"    NodeName:\t{endpoint.get('nodeName') or UNSET}", f"    Zone:\t{endpoint.get('zone') or UNSET}")
    for number, (key, value) in enumerate(sorted((topology or {}).items())):
        yield f"    {'Topology:' if not number else ''}\t{key}={value}"
