"""What a Service's spec says about the Service, before or after the API server fills it in."""

from simulator.engine.apiserver.validation.pod_rules import Fields, text, texts

NO_ADDRESS = "None"


def type_of_service(spec: Fields) -> str:
    """The type; ClusterIP if none is set."""
    return text(spec, "type") or "ClusterIP"


def cluster_ips(spec: Fields) -> list[str]:
    """The addresses inside the cluster: ``clusterIPs``, or the single ``clusterIP``."""
    first = text(spec, "clusterIP")
    return texts(spec, "clusterIPs") or ([first] if first else [])


def is_headless(spec: Fields) -> bool:
    """Whether the Service has no address of its own."""
    return cluster_ips(spec) == [NO_ADDRESS]


def is_external(spec: Fields) -> bool:
    """Whether the Service is reachable from outside the cluster."""
    # A ClusterIP Service with external addresses counts as reachable from outside.
    kind = type_of_service(spec)
    return kind in ("LoadBalancer", "NodePort") or (kind == "ClusterIP" and bool(spec.get("externalIPs")))


def needs_health_check(spec: Fields) -> bool:
    """Whether a load balancer must ask the nodes which of them have a pod."""
    return type_of_service(spec) == "LoadBalancer" and text(spec, "externalTrafficPolicy") == "Local"
