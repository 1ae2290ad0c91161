"""Services: their addresses, the pods behind them, and the variables that containers get from them.

A Service gets its cluster address when it is created and keeps it, whatever happens to its pods.
Which pods are behind it is in its EndpointSlices (``endpoints.py``), and what a node knows about
them in ``proxy.py``.

The variables (NAME_SERVICE_HOST and so on) are those of the Services that exist when they are
computed; a Service without a cluster address has none.

Source: pkg/kubelet/envvars/envvars.go.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from simulator.engine.kernel.caching import cached_when_short
from simulator.engine.kernel.errors import BadManifest
from simulator.engine.model.container import ContainerPort
from simulator.engine.model.objects import Service, ServicePort, service_from_document
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import objects_of
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import ApiObject, World

API_IP = "10.96.0.1"
"""Cluster address of the Service ``kubernetes`` in the namespace ``default``."""
API_ADDRESS, API_PORT = "10.0.0.2", 6443
"""The API server's own address, which is behind that Service."""
DNS_IP = "10.96.0.10"
HEADLESS = "None"
_FIRST_FREE = 20


def with_cluster_ip(fx: Effects, document: dict[str, Any], namespace: str) -> dict[str, Any]:
    """The Service with the address that the API server assigns, if it needs one and names none."""
    spec = document.get("spec") or {}
    if spec.get("clusterIP") or spec.get("type") == "ExternalName":
        return document
    held = find_service(fx.world, namespace, str((document.get("metadata") or {}).get("name")))
    address = held.spec.cluster_ip if held is not None else ""
    # A Service that is replaced keeps the address it had.
    if address in ("", HEADLESS):
        number = fx.count("service-address") + _FIRST_FREE
        # In creation order, where upstream picks at random.
        address = f"10.96.{number // 250}.{number % 250 + 1}"
    return {**document, "spec": {**spec, "clusterIP": address, "clusterIPs": [address]}}


@cached_when_short(maxsize=512, chars_max=20_000)
def read_service(document: str) -> Service | None:
    """The Service in a JSON text; None if it cannot be parsed."""
    try:
        return service_from_document(json.loads(document))
    except BadManifest:
        return None


def find_service(world: World, namespace: str, name: str) -> Service | None:
    """The Service of that name, or None."""
    held = world.tables.objects.get(("Service", namespace, name))
    return read_service(held.document) if held is not None else None


def services_of(world: World, namespace: str) -> Iterator[tuple[ApiObject, Service]]:
    """The Services of a namespace in creation order."""
    for held in objects_of(world.tables, "Service", namespace):
        service = read_service(held.document)
        if service is not None:
            yield held, service


def service_at(world: World, address: str) -> tuple[str, Service] | None:
    """Namespace and Service of a cluster address, or None. O(Services)."""
    for held in objects_of(world.tables, "Service"):
        service = read_service(held.document)
        if service is not None and service.spec.cluster_ip == address:
            return held.namespace, service
    return None


def pod_address(world: World, row: PodRow) -> str:
    """The pod's address while it has a sandbox; the node's for a pod on the host network."""
    sandbox = world.tables.sandboxes.get(row.key)
    if sandbox is None or sandbox.state != "ready":
        return ""
    return world.tables.nodes[row.node].ip if row.pod.spec.host_network else sandbox.ip


def is_selected(row: PodRow, selector: Mapping[str, str]) -> bool:
    """Whether the pod's labels match a Service's selector; an empty selector selects nothing."""
    labels = row.pod.metadata.labels
    return bool(selector) and all(labels.get(key) == text for key, text in selector.items())


def target_port(row: PodRow, port: ServicePort) -> int | None:
    """The container port for a port of a Service: a number, or the pod's port of that name."""
    wanted = port.target_port
    if wanted is None:
        return port.port
    if isinstance(wanted, int):
        return wanted
    return next((item.container_port for item in _ports(row) if item.name == wanted), None)


def _ports(row: PodRow) -> Iterator[ContainerPort]:
    for container in (*row.pod.spec.containers, *row.pod.spec.init_containers):
        yield from container.ports


def service_variables(fx: Effects, row: PodRow) -> dict[str, str]:
    """The variables of the Services that exist now: of the pod's namespace (unless it opts out) and of the API server."""
    if row.pod.spec.enable_service_links is False:
        return _KUBERNETES
    found: dict[str, str] = {}
    for held, service in services_of(fx.world, row.namespace):
        if service.spec.cluster_ip not in ("", HEADLESS):
            found.update(_variables(held.name, service.spec.cluster_ip, service.spec.ports))
    return {**_KUBERNETES, **found} if found else _KUBERNETES


def _variables(name: str, address: str, ports: tuple[ServicePort, ...]) -> dict[str, str]:
    prefix = name.upper().replace("-", "_")
    if not ports:
        return {}
    first = ports[0]
    found = {f"{prefix}_SERVICE_HOST": address, f"{prefix}_SERVICE_PORT": str(first.port)}
    for port in ports:
        if port.name:
            found[f"{prefix}_SERVICE_PORT_{port.name.upper().replace('-', '_')}"] = str(port.port)
    found[f"{prefix}_PORT"] = f"{first.protocol.lower()}://{address}:{first.port}"
    for port in ports:
        lead = f"{prefix}_PORT_{port.port}_{port.protocol.upper()}"
        found[lead] = f"{port.protocol.lower()}://{address}:{port.port}"
        found[f"{lead}_PROTO"] = port.protocol.lower()
        found[f"{lead}_PORT"] = str(port.port)
        found[f"{lead}_ADDR"] = address
    return found


_KUBERNETES = _variables("kubernetes", API_IP, (ServicePort(port=443, name="https"),))
