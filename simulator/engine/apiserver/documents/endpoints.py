"""EndpointSlices and Endpoints as they follow from Services and pods at this moment.

What a proxy sends where is another question (``network/services.py``): it may fall back to pods that are being deleted, while their
endpoints say that they are not ready. Source: staging/src/k8s.io/endpointslice/utils.go, util/controller_utils.go;
pkg/controller/endpoint/endpoints_controller.go.
"""

import json
from collections.abc import Iterator

from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.kernel.ids import name_suffix, object_uid
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.objects import Service
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.network.services import HEADLESS, services_of, target_port
from simulator.engine.world.lookups import pods_labelled
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import ApiObject, World

_ZONE, _REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
_HEADLESS_LABEL = "service.kubernetes.io/headless"

Ports = tuple[tuple[str, int, str], ...]
"""Name, number and protocol of the ports behind those of a Service."""


def slices(world: World, namespace: str) -> Iterator[Json]:
    """The EndpointSlices of a namespace: one for each set of ports behind a Service, an empty one where it has no pod."""
    for held, service in services_of(world, namespace):
        if not service.spec.selector:
            continue
        keeps_leaving = service.spec.publish_not_ready_addresses or world.profile.endpoint_terminating
        groups: dict[Ports, list[PodRow]] = {}
        for row in _members(world, namespace, service, terminating=keeps_leaving):
            groups.setdefault(_ports(row, service), []).append(row)
        for number, (ports, rows) in enumerate(groups.items() or [((), [])]):
            yield _slice(world, held, service, number, ports, rows)


def endpoints(world: World, namespace: str) -> Iterator[Json]:
    """The Endpoints of a namespace, one object a Service: pods that are being deleted are not in it."""
    for held, service in services_of(world, namespace):
        if not service.spec.selector:
            continue
        tolerant = service.spec.publish_not_ready_addresses
        groups: dict[Ports, tuple[list[PodRow], list[PodRow]]] = {}
        for row in _members(world, namespace, service, terminating=tolerant):
            ports = _ports(row, service)
            if ports or service.spec.cluster_ip == HEADLESS:
                ready, waiting = groups.setdefault(ports, ([], []))
                (ready if tolerant or _is_ready(row) else waiting).append(row)
        made = _made(held, world, "v1", "Endpoints", held.name, service)
        subsets = [_subset(ports, ready, waiting, service) for ports, (ready, waiting) in groups.items()]
        yield {**made, "subsets": subsets} if subsets else made


def _members(world: World, namespace: str, service: Service, *, terminating: bool) -> Iterator[PodRow]:
    """The pods that have a place among the endpoints, ready or not."""
    for row in pods_labelled(world.tables, namespace, service.spec.selector):
        if row.status.phase not in TERMINAL_PHASES and row.status.pod_ip and (terminating or row.deletion_ms is None):
            yield row


def _is_ready(row: PodRow) -> bool:
    ready = row.status.condition("Ready")
    return ready is not None and ready.status == "True"


def _ports(row: PodRow, service: Service) -> Ports:
    """The ports that the pod has behind those of the Service; a name that it does not have is left out."""
    found = ((port.name, target_port(row, port), port.protocol) for port in service.spec.ports)
    return tuple((name, number, protocol) for name, number, protocol in found if number is not None)


def _made(held: ApiObject, world: World, version: str, kind: str, name: str, service: Service) -> Json:
    labels = dict(json.loads(held.document)["metadata"].get("labels") or {})
    if service.spec.cluster_ip == HEADLESS:
        labels[_HEADLESS_LABEL] = ""
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {
            "name": name,
            "namespace": held.namespace,
            "uid": object_uid(world.header.seed, kind, f"{held.namespace}/{name}"),
            "creationTimestamp": timestamp(held.created_ms, world.header.epoch_s),
            **({"labels": labels} if labels else {}),
        },
    }


def _slice(world: World, held: ApiObject, service: Service, number: int, ports: Ports, rows: list[PodRow]) -> Json:
    name = f"{held.name}-{name_suffix(world.header.seed, f'endpoints/{held.namespace}/{held.name}', number)}"
    version = "discovery.k8s.io/v1" if world.release.facts.endpoint_slice_v1 else "discovery.k8s.io/v1beta1"
    made = _made(held, world, version, "EndpointSlice", name, service)
    owner = {"apiVersion": "v1", "blockOwnerDeletion": True, "controller": True, "kind": "Service", "name": held.name, "uid": held.uid}
    reserved = {
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
        "kubernetes.io/service-name": held.name,
    }
    labels = {**made["metadata"].get("labels", {}), **reserved}
    made["metadata"] |= {"generateName": f"{held.name}-", "labels": labels, "ownerReferences": [owner]}
    return {
        **made,
        "addressType": "IPv4",
        "endpoints": [_endpoint(world, row, service) for row in rows] or None,
        "ports": [{"name": name, "port": port, "protocol": protocol} for name, port, protocol in ports] or None,
    }


def _endpoint(world: World, row: PodRow, service: Service) -> Json:
    serving, terminating = _is_ready(row), row.deletion_ms is not None
    has_more = world.profile.endpoint_terminating
    conditions = {"ready": service.spec.publish_not_ready_addresses or (serving and not (has_more and terminating))}
    if has_more:
        conditions |= {"serving": serving, "terminating": terminating}
    found: Json = {"addresses": [row.status.pod_ip], "conditions": conditions, **_hostname(row, service)}
    node = world.tables.nodes.get(row.node)
    labels = node.labels if node is not None else {}
    if world.release.facts.endpoint_slice_v1:
        found |= {"nodeName": row.node, **({"zone": labels[_ZONE]} if labels.get(_ZONE) else {})}
    else:
        places = {key: labels[key] for key in (_ZONE, _REGION) if labels.get(key)}
        found["topology"] = {"kubernetes.io/hostname": row.node, **places}
    return {**found, "targetRef": _reference(row)}


def _hostname(row: PodRow, service: Service) -> Json:
    spec = row.pod.spec
    return {"hostname": spec.hostname} if spec.hostname and spec.subdomain == service.metadata.name else {}


def _reference(row: PodRow) -> Json:
    return {"kind": "Pod", "name": row.name, "namespace": row.namespace, "uid": row.uid}


def _subset(ports: Ports, ready: list[PodRow], waiting: list[PodRow], service: Service) -> Json:
    found: Json = {}
    for field, rows in (("addresses", ready), ("notReadyAddresses", waiting)):
        if rows:
            ordered = sorted(rows, key=lambda row: (row.status.pod_ip, row.uid))
            found[field] = [
                {**_hostname(row, service), "ip": row.status.pod_ip, "nodeName": row.node, "targetRef": _reference(row)} for row in ordered
            ]
    if ports:
        found["ports"] = [{**({"name": name} if name else {}), "port": port, "protocol": protocol} for name, port, protocol in ports]
    return found
