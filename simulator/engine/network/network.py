"""The small network inside the world: names, addresses, and what answers there.

Pods have addresses, Services have cluster addresses and names; a request goes to a container that
listens. Nothing is stored: everything is read from the world when a program asks. Outside the
cluster only a few hosts exist (``internet.py``), and a request to an unused address gets no answer.

Names resolve by the search path of pods: the pod's namespace, then svc, then the cluster domain,
the internet last. A headless Service resolves to one of its ready endpoints, any other to its
cluster address, which a proxy turns into an endpoint (``proxy.py``).

Two ways to fail are distinguished, as they are for real clients: refused at once if a machine
answers that nothing listens (or the proxy has no endpoint), and silence until the client gives up
if nothing answers, as with a cut network, a pod that is gone or a port the Service does not
have.

Requests may be forwarded by containers; hops are counted so that a cycle ends.

Source: kube-proxy and the DNS specification of Kubernetes.
"""

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine import containers as behaviour
from simulator.engine.containers import HttpAnswer
from simulator.engine.containers.effort import Meter
from simulator.engine.containers.process.turn import Host, Neighbour
from simulator.engine.kernel.rng import draw
from simulator.engine.kernel.units import Key
from simulator.engine.model.hostname import domain_of, hostname_of
from simulator.engine.network.endpoints import Endpoint, read_slice, slices_of
from simulator.engine.network.internet import REACHABLE, ask_outside, is_unlisted, outside_address
from simulator.engine.network.proxy import backends, learnt
from simulator.engine.network.reach import are_parted, is_cut_off
from simulator.engine.network.services import (
    API_IP,
    DNS_IP,
    HEADLESS,
    find_service,
    pod_address,
    read_service,
    service_at,
)
from simulator.engine.world.lookups import objects_of, pods_on
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World

DOMAIN = "cluster.local"
LOOPBACK = ("localhost", "127.0.0.1", "0.0.0.0", "::1")
_HOPS_MAX = 8
_REFUSED = HttpAnswer("refused")
_SILENCE = HttpAnswer("timeout")


class Via(Struct, frozen=True):
    """A request in flight: how many containers have forwarded it, and which meter is charged for all of them."""

    hops: int
    meter: Meter


class PodNetwork:
    """The network as one container sees it. Created for each turn; costs nothing until it is used."""

    __slots__ = ("_container", "_pod", "_via", "_world")

    def __init__(self, world: World, pod: Key, container: str, *, via: Via | None = None) -> None:
        self._world = world
        self._pod = pod
        self._container = container
        self._via = via

    def resolve(self, name: str) -> str | None:
        """The address of a name as the pod's resolver finds it, or None."""
        row = self._world.tables.pods[self._pod]
        if name in LOOPBACK:
            return "127.0.0.1"
        if is_address(name):
            return name
        spec = row.pod.spec
        if name in ((row.node,) if spec.host_network else own_names(row)):
            return pod_address(self._world, row) or None
        for alias in spec.host_aliases:
            if name in (alias.get("hostnames") or ()):
                return str(alias.get("ip"))
        return resolve_name(self._world, row.namespace, name)

    def is_unlisted(self, name: str) -> bool:
        """Whether the cluster reaches the internet and the name belongs to it, but to no host that the simulation has."""
        return _is_reachable(self._world) and is_unlisted(name)

    def get(self, host: str, port: int, path: str, meter: Meter) -> HttpAnswer:
        """The answer to a GET from this pod. Whatever is computed for it, in whichever pod, is charged to ``meter``."""
        row = self._world.tables.pods[self._pod]
        address = self.resolve(host)
        if address is None or (self._via is not None and self._via.hops >= _HOPS_MAX):
            return _SILENCE
        via = Via(self._via.hops + 1 if self._via is not None else 1, meter)
        if address == "127.0.0.1":
            return ask_pod(self._world, row, port, path, via=via)
        return ask_address(self._world, address, port, path, node=row.node, via=via)

    def is_taken(self, port: int) -> bool:
        """Whether another container that shares this one's network listens on the port."""
        row = self._world.tables.pods[self._pod]
        if not row.pod.spec.host_network:
            return self._listens(row, port)
        rows = pods_on(self._world.tables, row.node)
        return any(other.pod.spec.host_network and self._listens(other, port) for other in rows)

    def _listens(self, row: PodRow, port: int) -> bool:
        for item in self._world.tables.instances.get(row.key, ()):
            if not item.runs or item.process is None or (row.key == self._pod and item.container == self._container):
                continue
            if behaviour.tcp_connect(item.process, port=port, host=Host(self._world.now_ms)) != "refused":
                return True
        return False


def is_address(text: str) -> bool:
    """Whether the text is an IPv4 address."""
    parts = text.split(".")
    return len(parts) == 4 and all(part.isdecimal() and len(part) < 4 and int(part) < 256 for part in parts)


def resolve_name(world: World, namespace: str, name: str) -> str | None:
    """The address of a DNS name looked up from a namespace, with the search path of pods (ndots 5); internet names come last."""
    labels = name.rstrip(".").split(".")
    if labels[-2:] == DOMAIN.split("."):
        return _absolute(world, labels[:-2])
    # A trailing dot makes the name absolute: no search path is tried.
    searches: tuple[list[str], ...] = () if name.endswith(".") else ([namespace, "svc"], ["svc"], [])
    inside = next((found for search in searches if (found := _absolute(world, [*labels, *search]))), None)
    return inside or (outside_address(name) if _is_reachable(world) else None)


def _is_reachable(world: World) -> bool:
    return world.header.cluster.internet == REACHABLE


def _absolute(world: World, labels: list[str]) -> str | None:
    """The address of ``…svc`` or ``….pod``, given the labels before ``cluster.local``."""
    if len(labels) == 3 and labels[-1] == "svc":
        return _service_address(world, labels[1], labels[0])
    if len(labels) == 4 and labels[-1] == "svc":
        return _member_address(world, labels[2], labels[1], labels[0])
    if len(labels) == 3 and labels[-1] == "pod":
        address = labels[0].replace("-", ".")
        return address if is_address(address) else None
    return None


def own_names(row: PodRow) -> tuple[str, ...]:
    """The names by which a pod finds itself in its hosts file."""
    spec = row.pod.spec
    hostname, domain = hostname_of(spec, row.name), domain_of(spec, row.namespace, DOMAIN)
    return (hostname, f"{hostname}.{domain}") if domain else (hostname,)


def _service_address(world: World, namespace: str, name: str) -> str | None:
    service = find_service(world, namespace, name)
    if service is None:
        return {("default", "kubernetes"): API_IP, ("kube-system", "kube-dns"): DNS_IP}.get((namespace, name))
    if service.spec.external_name:
        return resolve_name(world, namespace, service.spec.external_name)
    if service.spec.cluster_ip != HEADLESS:
        return service.spec.cluster_ip or None
    ready = _published(world, namespace, name)
    return ready[_pick(world, namespace, name, len(ready))].addresses[0] if ready else None


def _published(world: World, namespace: str, name: str) -> list[Endpoint]:
    """The endpoints that DNS knows for a Service: those that its slices call ready."""
    rows = slices_of(world, namespace, name)
    return [item for row in rows for item in read_slice(row.document).endpoints or () if item.conditions.ready is not False]


def _pick(world: World, namespace: str, name: str, count: int) -> int:
    """Which of several answers this connection or query gets: a random one, as kube-proxy and DNS pick."""
    if count < 2:
        return 0
    if not world.header.jitter:
        # Without jitter there must be no random draw; time alone still spreads the answers.
        return world.now_ms % count
    return draw(world.header.seed, f"endpoint/{namespace}/{name}", world.now_ms) % count


def _member_address(world: World, namespace: str, service_name: str, host: str) -> str | None:
    """``pod.service.namespace``: a pod that names the Service as its subdomain and has that host name."""
    for endpoint in _published(world, namespace, service_name):
        pod = endpoint.target_ref
        key = world.tables.names.get((pod.namespace, pod.name), "") if pod is not None else ""
        row = world.tables.pods.get(key)
        if row is not None and row.pod.spec.subdomain == service_name and hostname_of(row.pod.spec, row.name) == host:
            return endpoint.addresses[0]
    return None


def ask_address(world: World, address: str, port: int, path: str, *, node: str, scheme: str = "HTTP", via: Via | None = None) -> HttpAnswer:
    """The answer to a GET from a node at an address: a Service's endpoint, a pod, or a port of a node."""
    found = service_at(world, address)
    if found is not None:
        namespace, service = found
        return _ask_service(world, namespace, service.metadata.name, port, path, node=node, scheme=scheme, via=via)
    if address == API_IP:
        return HttpAnswer("answered", 403) if port == 443 and not is_cut_off(world, node) else _SILENCE
    # A pod on the host network has its node's address, which is handled below.
    for row in world.tables.pods.values():
        if row.gone_ms is None and not row.pod.spec.host_network and pod_address(world, row) == address:
            if are_parted(world, node, row.node):
                return _SILENCE
            return ask_pod(world, row, port, path, scheme=scheme, via=via)
    found_node = next((item.name for item in world.tables.nodes.values() if item.ip == address), "")
    if found_node and are_parted(world, node, found_node):
        return _SILENCE
    return _ask_node(world, address, port, path, scheme=scheme, via=via)


def _ask_service(world: World, namespace: str, name: str, port: int, path: str, *, node: str, scheme: str, via: Via | None) -> HttpAnswer:
    """Through a Service, by what the proxy of the client's node knows: refused while it has no endpoints, silence on another port."""
    service = find_service(world, namespace, name)
    entry = next((item for item in service.spec.ports if item.port == port), None) if service is not None else None
    known = learnt(world, namespace, name, node)
    if entry is None or not known.exists:
        return _SILENCE
    found = backends(world, known, entry.name)
    if not found:
        return _REFUSED
    chosen = found[_pick(world, namespace, name, len(found))]
    key = world.tables.names.get((chosen.namespace, chosen.pod), "")
    row = world.tables.pods.get(key)
    if row is None or row.uid != chosen.uid or are_parted(world, node, row.node):
        return _SILENCE
    return ask_pod(world, row, chosen.port, path, scheme=scheme, via=via)


def _ask_node(world: World, address: str, port: int, path: str, *, scheme: str, via: Via | None) -> HttpAnswer:
    node = next((item for item in world.tables.nodes.values() if item.ip == address), None)
    if node is None:
        return (ask_outside(address, port) if _is_reachable(world) else None) or _SILENCE
    for row in pods_on(world.tables, node.name):
        for container in row.pod.spec.containers:
            for item in container.ports:
                if item.host_port == port:
                    return ask_pod(world, row, item.container_port, path, scheme=scheme, via=via)
    for held in objects_of(world.tables, "Service"):
        service = read_service(held.document)
        for entry in service.spec.ports if service is not None else ():
            if entry.node_port == port:
                return _ask_service(world, held.namespace, held.name, entry.port, path, node=node.name, scheme=scheme, via=via)
    return ask_host_network(world, node.name, port, path, scheme=scheme, via=via)


def ask_host_network(world: World, node: str, port: int, path: str, *, scheme: str = "HTTP", via: Via | None = None) -> HttpAnswer:
    """The answer on a node's own loopback: pods on the host network."""
    for row in pods_on(world.tables, node):
        if row.pod.spec.host_network:
            answer = ask_pod(world, row, port, path, scheme=scheme, via=via)
            if answer.outcome != "refused":
                return answer
    return _REFUSED


def ask_pod(world: World, row: PodRow, port: int, path: str, *, scheme: str = "HTTP", via: Via | None = None) -> HttpAnswer:
    """The answer to a GET at a port of a pod: from whichever of its containers listens there, which the answer names."""
    if not pod_address(world, row):
        return _SILENCE
    for item in world.tables.instances.get(row.key, ()):
        if not item.runs or item.process is None:
            continue
        host = host_for(world, row.key, item.container, via=via)
        meter = via.meter if via is not None else None
        answer = behaviour.http_get(item.process, port=port, path=path, scheme=scheme, host=host, meter=meter)
        if answer.outcome != "refused":
            return replace(answer, server=(row.key, item.container, item.attempt))
    return _REFUSED


def host_for(world: World, pod: Key, container: str, *, via: Via | None = None) -> Host:
    """What a container's processes see of their node now."""
    network = PodNetwork(world, pod, container, via=via)
    spec = world.tables.pods[pod].pod.spec
    shares = spec.share_process_namespace
    return Host(
        now_ms=world.now_ms,
        epoch_s=world.header.epoch_s,
        volumes=world.tables.volumes,
        lookup=network,
        neighbours=_neighbours(world, pod, container) if shares or spec.ephemeral_containers else (),
        pause=shares,
    )


def _neighbours(world: World, pod: Key, container: str) -> tuple[Neighbour, ...]:
    """The other containers of the pod's process namespace, or of the one that an ephemeral container shares with its target."""
    spec = world.tables.pods[pod].pod.spec
    targets = {item.name: item.target_container_name for item in spec.ephemeral_containers if item.target_container_name}
    space = targets.get(container, container)
    return tuple(
        Neighbour(item.container, item.process)
        for item in world.tables.instances.get(pod, ())
        if item.runs
        and item.process is not None
        and item.container != container
        and (spec.share_process_namespace or targets.get(item.container, item.container) == space)
    )
