"""Objects that every cluster has although nobody applied them.

Namespaces need not be created here, so one exists as soon as something is in it. Until 1.23 the token controller created a Secret for
every service account (pkg/controller/serviceaccount/tokens_controller.go).
"""

from base64 import b64encode
from collections.abc import Iterator

from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.kernel.ids import name_suffix, object_uid
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import Ms
from simulator.engine.network.services import API_ADDRESS, API_IP, API_PORT
from simulator.engine.versions.span import Span
from simulator.engine.world.lookups import objects_of
from simulator.engine.world.storage import IS_DEFAULT, STANDARD
from simulator.engine.world.world import World

NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")
_ROOT = "kube-root-ca.crt"
_CERTIFICATE = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"
_TOKENS = Span(until=23)
_COMPONENTS = (("controller-manager", "ok"), ("etcd-0", '{"health":"true"}'), ("scheduler", "ok"))
_CLASSES = (("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000))


def implied(world: World, kind: str) -> Iterator[Json]:
    """The objects of a kind that no manifest created; a stored object of the same name takes precedence."""
    if kind == "Namespace":
        yield from (_namespace(world, name) for name in namespaces(world))
    elif kind == "ServiceAccount":
        yield from (with_token(world, _made(world, "v1", kind, name, "default")) for name in _lasting(world))
    elif kind == "Secret":
        yield from _tokens(world)
    elif kind == "ComponentStatus":
        yield from (_component(world, *item) for item in _COMPONENTS)
    elif kind == "ConfigMap":
        yield from ({**_made(world, "v1", kind, name, _ROOT), "data": {"ca.crt": _CERTIFICATE}} for name in _lasting(world))
    elif kind == "PriorityClass":
        for name, value in _CLASSES:
            yield {**_made(world, "scheduling.k8s.io/v1", kind, "", name), "value": value, "preemptionPolicy": "PreemptLowerPriority"}
    elif kind == "StorageClass":
        yield _standard(world)
    elif kind == "Service":
        yield _api_service(world)
    elif kind == "EndpointSlice":
        yield _api_slice(world)
    elif kind == "Endpoints":
        yield _api_endpoints(world)


def with_token(world: World, account: Json) -> Json:
    """A service account with the name of its token's Secret, in versions that create one for it."""
    if not _TOKENS.holds_for(world.release.minor):
        return account
    return {**account, "secrets": [*(account.get("secrets") or ()), {"name": _token_name(world, account["metadata"])}]}


def _token_name(world: World, account: Json) -> str:
    # As admission names the volume of a pod: there is one suffix for a namespace.
    return f"{account['name']}-token-{name_suffix(world.header.seed, account['namespace'], 0)}"


def _tokens(world: World) -> Iterator[Json]:
    if not _TOKENS.holds_for(world.release.minor):
        return
    stored = {(row.namespace, row.name): row.uid for row in objects_of(world.tables, "ServiceAccount")}
    implied_here = {
        (space, "default"): _made(world, "v1", "ServiceAccount", space, "default")["metadata"]["uid"] for space in _lasting(world)
    }
    for (space, name), uid in sorted({**implied_here, **stored}.items()):
        made = _made(world, "v1", "Secret", space, _token_name(world, {"name": name, "namespace": space}))
        made["metadata"]["annotations"] = {"kubernetes.io/service-account.name": name, "kubernetes.io/service-account.uid": uid}
        data = {"ca.crt": _encoded(_CERTIFICATE), "namespace": _encoded(space), "token": _encoded(uid)}
        yield {**made, "data": data, "type": "kubernetes.io/service-account-token"}


def _encoded(text: str) -> str:
    return b64encode(text.encode()).decode()


def _component(world: World, name: str, message: str) -> Json:
    condition = {"type": "Healthy", "status": "True", "message": message}
    return {"apiVersion": "v1", "kind": "ComponentStatus", "metadata": {"name": name}, "conditions": [condition]}


def _standard(world: World) -> Json:
    made = _made(world, "storage.k8s.io/v1", "StorageClass", "", STANDARD.name)
    made["metadata"]["annotations"] = {IS_DEFAULT: "true"}
    return {**made, "provisioner": STANDARD.provisioner, "reclaimPolicy": STANDARD.reclaim, "volumeBindingMode": "Immediate"}


def namespaces(world: World) -> list[str]:
    """Every namespace that exists: those of each cluster, the run's own, and those that have or had something in them."""
    found = {name for name in (*NAMESPACES, world.header.namespace) if not world.counters.get(gone_counter(name))}
    found |= {*world.tables.pods_by_namespace.buckets(), *filter(None, world.tables.objects_by_namespace.buckets())}
    # A stored Namespace counts even if it is empty.
    found |= {*world.tables.names_by_kind.of(("Namespace", ""))}
    return sorted(found)


def _lasting(world: World) -> list[str]:
    """The namespaces that still have what every namespace has."""
    return [name for name in namespaces(world) if not is_emptied(world, name, world.now_ms)]


def is_emptied(world: World, namespace: str, now_ms: Ms) -> bool:
    """Whether the controller has emptied the terminating namespace: nothing new enters, only what finalizers hold is left."""
    row = world.tables.objects.get(("Namespace", "", namespace))
    if row is None or row.deletion_ms is None:
        return bool(world.counters.get(gone_counter(namespace))) and namespace not in namespaces(world)
    return row.deletion_ms + world.profile.namespace_delete_delay_ms <= now_ms


GONE = "namespace gone/"
"""The prefix of the names of those counters."""


def gone_counter(namespace: str) -> str:
    """The name of the counter of a namespace's deletions."""
    return f"{GONE}{namespace}"


_AGAIN, _AGAIN_MS = "made again/", "made again at/"
_MADE_AGAIN = {
    "ConfigMap": _ROOT, "ServiceAccount": "default", "Service": "kubernetes", "Endpoints": "kubernetes", "EndpointSlice": "kubernetes",
}  # fmt: skip
"""What is recreated as soon as it is deleted, by kind: its controller or the API server sees to it (pkg/controller/certificates/
rootcacertpublisher, pkg/controller/serviceaccount, pkg/controlplane/controller/kubernetesservice)."""


def implied_to_return(world: World, kind: str, namespace: str, name: str) -> Json | None:
    """The object that would be recreated if it were deleted; None for any other, and for one that is stored."""
    if _MADE_AGAIN.get(kind) != name or (kind, namespace, name) in world.tables.objects:
        return None
    return next((item for item in implied(world, kind) if item["metadata"].get("namespace") == namespace), None)


def made_again(world: World, kind: str, namespace: str, name: str) -> dict[str, int]:
    """The counters of a world in which that object has just been deleted and recreated: another object of the same name."""
    key = f"{kind}/{namespace}/{name}"
    return {f"{_AGAIN}{key}": world.counters.get(f"{_AGAIN}{key}", 0) + 1, f"{_AGAIN_MS}{key}": world.now_ms}


def _made(world: World, version: str, kind: str, namespace: str, name: str) -> Json:
    metadata: Json = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    key, times = f"{kind}/{namespace}/{name}", world.counters.get(f"{_AGAIN}{kind}/{namespace}/{name}", 0)
    metadata["uid"] = object_uid(world.header.seed, kind, f"{namespace}/{name}~{times}" if times else f"{namespace}/{name}")
    metadata["creationTimestamp"] = timestamp(world.counters.get(f"{_AGAIN_MS}{key}", 0), world.header.epoch_s)
    return {"apiVersion": version, "kind": kind, "metadata": metadata}


def _namespace(world: World, name: str) -> Json:
    made = _made(world, "v1", "Namespace", "", name)
    made["metadata"]["labels"] = {"kubernetes.io/metadata.name": name}
    return {**made, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}


def _api_service(world: World) -> Json:
    made = _made(world, "v1", "Service", "default", "kubernetes")
    made["metadata"]["labels"] = {"component": "apiserver", "provider": "kubernetes"}
    ports = [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": API_PORT}]
    return {**made, "spec": {"clusterIP": API_IP, "clusterIPs": [API_IP], "ports": ports, "sessionAffinity": "None", "type": "ClusterIP"}}


def _api_endpoints(world: World) -> Json:
    """The API servers' own Endpoints, which they write themselves (pkg/controlplane/reconcilers/lease.go)."""
    made = _made(world, "v1", "Endpoints", "default", "kubernetes")
    made["metadata"]["labels"] = {"endpointslice.kubernetes.io/skip-mirror": "true"}
    ports = [{"name": "https", "port": API_PORT, "protocol": "TCP"}]
    return {**made, "subsets": [{"addresses": [{"ip": API_ADDRESS}], "ports": ports}]}


def _api_slice(world: World) -> Json:
    """The API servers' own EndpointSlice (pkg/controlplane/reconcilers/endpointsadapter.go)."""
    version = "discovery.k8s.io/v1" if world.release.facts.endpoint_slice_v1 else "discovery.k8s.io/v1beta1"
    made = _made(world, version, "EndpointSlice", "default", "kubernetes")
    made["metadata"]["labels"] = {"kubernetes.io/service-name": "kubernetes"}
    return {
        **made,
        "addressType": "IPv4",
        "endpoints": [{"addresses": [API_ADDRESS], "conditions": {"ready": True}}],
        "ports": [{"name": "https", "port": API_PORT, "protocol": "TCP"}],
    }
