"""What the kubelet writes into a container about names: its host name, the hosts file, and the resolver configuration.

Source: pkg/kubelet/kubelet_pods.go ensureHostsFile, GeneratePodHostNameAndDomain; pkg/kubelet/network/dns/dns.go GetPodDNS,
appendDNSConfig; pkg/kubelet/util/util_linux.go GetNodenameForKernel;
a pod in its node's network gets no host name from the kubelet and has that of the node.
"""

from functools import lru_cache

from simulator.engine.containers.files.etc import Naming
from simulator.engine.model.hostname import domain_of, hostname_of
from simulator.engine.model.pod import PodSpec
from simulator.engine.network.network import DOMAIN
from simulator.engine.network.services import DNS_IP
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import pod_on_node
from simulator.engine.world.rows import PodRow

NODENAME_CHARS_MAX = 64
"""The size of the kernel's field for a host name."""
NODE_RESOLVER = "10.0.0.2"
"""The name server in a node's resolv.conf, our choice."""

Resolver = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""Search domains, name servers, options."""


def naming_of(fx: Effects, row: PodRow) -> Naming:
    """The names for a container of the pod that starts now."""
    spec, node = (pod_on_node(fx.tables, row) if fx.tables.static_pods else row.pod).spec, fx.tables.nodes[row.node]
    searches, servers, options = _resolver(spec, row.namespace)
    if spec.host_network:
        hostname, domain, address = node.name, "", ""
    else:
        sandbox = fx.tables.sandboxes.get(row.key)
        hostname, domain = hostname_of(spec, row.name), domain_of(spec, row.namespace, DOMAIN)
        address = sandbox.ip if sandbox is not None else ""
    return Naming(
        hostname=hostname,
        domain=domain,
        address=address,
        is_full=bool(spec.set_hostname_as_fqdn),
        node=node.ip if spec.host_network else "",
        aliases=tuple([(str(item.get("ip")), tuple(item.get("hostnames") or ())) for item in spec.host_aliases]),
        searches=searches,
        servers=servers,
        options=options,
    )


def problem_of(fx: Effects, row: PodRow) -> str:
    """Why the kernel rejects the pod's host name (with setHostnameAsFQDN it is not truncated); empty if it accepts it."""
    spec = pod_on_node(fx.tables, row).spec
    if not spec.set_hostname_as_fqdn or spec.host_network:
        return ""
    full = f"{hostname_of(spec, row.name)}.{domain_of(spec, row.namespace, DOMAIN)}".rstrip(".")
    if len(full) <= NODENAME_CHARS_MAX:
        return ""
    return (
        f"failed to construct FQDN from pod hostname and cluster domain, FQDN {full} is too long "
        f"({NODENAME_CHARS_MAX} characters is the max, {len(full)} characters requested)"
    )


def _resolver(spec: PodSpec, namespace: str) -> Resolver:
    """The contents of resolv.conf, by dnsPolicy and dnsConfig."""
    policy = spec.dns_policy
    if policy == "None":
        found: Resolver = ((), (), ())
    elif policy == "Default" or (spec.host_network and policy != "ClusterFirstWithHostNet"):
        found = ((), (NODE_RESOLVER,), ())
    else:
        found = _of_cluster(namespace)
    config = spec.dns_config
    if not config:
        return found
    searches, servers, options = found
    merged = dict(option.partition(":")[::2] for option in options)
    merged.update((str(option.get("name")), str(option.get("value") or "")) for option in config.get("options") or ())
    return (
        tuple(dict.fromkeys((*searches, *(config.get("searches") or ())))),
        tuple(dict.fromkeys((*servers, *(config.get("nameservers") or ())))),
        tuple(f"{name}:{value}" if value else name for name, value in merged.items()),
    )


@lru_cache(maxsize=256)
def _of_cluster(namespace: str) -> Resolver:
    return (f"{namespace}.svc.{DOMAIN}", f"svc.{DOMAIN}", DOMAIN), (DNS_IP,), ("ndots:5",)
