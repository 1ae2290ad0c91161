"""Objects that every cluster has without anybody applying them, and those that follow from others at this moment.

Namespaces need not be created here, so one exists as soon as something is in it. Endpoints are read from Services and pods.
"""

from collections.abc import Iterator

from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.kernel.ids import name_suffix, object_uid
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.objects import Service
from simulator.engine.network.services import API_IP, endpoints_of, pod_address, services_of, target_port
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import ApiObject, World

NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")
_ROOT = "kube-root-ca.crt"
_CERTIFICATE = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"
_CLASSES = (("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000))


def implied(world: World, kind: str) -> Iterator[Json]:
    """The objects of a kind that no manifest made. Of a name that is stored, the stored object counts."""
    if kind == "Namespace":
        yield from (_namespace(world, name) for name in namespaces(world))
    elif kind == "ServiceAccount":
        yield from (_made(world, "v1", kind, name, "default") for name in namespaces(world))
    elif kind == "ConfigMap":
        yield from ({**_made(world, "v1", kind, name, _ROOT), "data": {"ca.crt": _CERTIFICATE}} for name in namespaces(world))
    elif kind == "PriorityClass":
        for name, value in _CLASSES:
            yield {**_made(world, "scheduling.k8s.io/v1", kind, "", name), "value": value, "preemptionPolicy": "PreemptLowerPriority"}
    elif kind == "Service":
        yield _api_service(world)
    elif kind in ("EndpointSlice", "Endpoints"):
        for space in namespaces(world):
            for held, service in services_of(world, space):
                if service.spec.selector:
                    yield _slice(world, held, service) if kind == "EndpointSlice" else _endpoints(world, held, service)


def namespaces(world: World) -> list[str]:
    """Every namespace that exists: those of each cluster, the run's own, and those that something is or was put into."""
    found = {name for name in (*NAMESPACES, world.header.namespace) if not world.counters.get(gone_counter(name))}
    found |= {*world.tables.pods_by_namespace.buckets(), *filter(None, world.tables.objects_by_namespace.buckets())}
    found |= {*world.tables.names_by_kind.of(("Namespace", ""))}
    return sorted(found)


def gone_counter(namespace: str) -> str:
    """The name of the counter of a namespace's deletions."""
    return f"namespace gone/{namespace}"


def _made(world: World, version: str, kind: str, namespace: str, name: str) -> Json:
    metadata: Json = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    metadata["uid"] = object_uid(world.header.seed, kind, f"{namespace}/{name}")
    metadata["creationTimestamp"] = timestamp(0, world.header.epoch_s)
    return {"apiVersion": version, "kind": kind, "metadata": metadata}


def _namespace(world: World, name: str) -> Json:
    made = _made(world, "v1", "Namespace", "", name)
    made["metadata"]["labels"] = {"kubernetes.io/metadata.name": name}
    return {**made, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}


def _api_service(world: World) -> Json:
    made = _made(world, "v1", "Service", "default", "kubernetes")
    made["metadata"]["labels"] = {"component": "apiserver", "provider": "kubernetes"}
    ports = [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}]
    return {**made, "spec": {"clusterIP": API_IP, "clusterIPs": [API_IP], "ports": ports, "sessionAffinity": "None", "type": "ClusterIP"}}


def _slice(world: World, held: ApiObject, service: Service) -> Json:
    name = f"{held.name}-{name_suffix(world.header.seed, f'endpoints/{held.namespace}/{held.name}', 0)}"
    made = _made(world, "discovery.k8s.io/v1", "EndpointSlice", held.namespace, name)
    made["metadata"]["labels"] = {"kubernetes.io/service-name": held.name}
    ready = endpoints_of(world, held.namespace, service)
    return {
        **made,
        "addressType": "IPv4",
        "ports": _ports(service, ready),
        "endpoints": [
            {
                "addresses": [pod_address(world, row)],
                "conditions": {"ready": True, "serving": True, "terminating": row.deletion_ms is not None},
                "nodeName": row.node,
                "targetRef": {"kind": "Pod", "name": row.name, "namespace": row.namespace, "uid": row.uid},
            }
            for row in ready
        ],
    }


def _endpoints(world: World, held: ApiObject, service: Service) -> Json:
    made = _made(world, "v1", "Endpoints", held.namespace, held.name)
    ready = endpoints_of(world, held.namespace, service)
    if not ready:
        return made
    addresses = [
        {
            "ip": pod_address(world, row),
            "nodeName": row.node,
            "targetRef": {"kind": "Pod", "name": row.name, "namespace": row.namespace, "uid": row.uid},
        }
        for row in ready
    ]
    return {**made, "subsets": [{"addresses": addresses, "ports": _ports(service, ready)}]}


def _ports(service: Service, ready: list[PodRow]) -> list[Json]:
    """Each port of the Service with the container port behind it, as the first endpoint has it."""
    found = []
    for port in service.spec.ports:
        number = target_port(ready[0], port) if ready else port.target_port if isinstance(port.target_port, int) else port.port
        if number is not None:
            found.append({**({"name": port.name} if port.name else {}), "port": number, "protocol": port.protocol})
    return found
