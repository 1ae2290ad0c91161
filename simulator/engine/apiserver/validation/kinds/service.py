"""Rules for Services: type, ports, affinity, traffic (pkg/apis/core/validation)."""

import json
from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, duplicate, forbidden, invalid, not_supported, required
from simulator.engine.apiserver.validation.kinds.common import each, inner, named, port_errors
from simulator.engine.apiserver.validation.kinds.kind_rules import kind_rule
from simulator.engine.apiserver.validation.kinds.service_parts import (
    cluster_ips,
    is_external,
    is_headless,
    needs_health_check,
    type_of_service,
)
from simulator.engine.apiserver.validation.kinds.shown import Shown
from simulator.engine.apiserver.validation.metadata_rules import label_errors
from simulator.engine.apiserver.validation.names import label_problems, port_name_problems, qualified_name_problems, subdomain_problems
from simulator.engine.apiserver.validation.pod_rules import Fields, Place, fields, number, text

TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
PROTOCOLS = ("SCTP", "TCP", "UDP")
_KUBELET_PORT = 10_250
_AFFINITIES = ("ClientIP", "None")
_POLICIES = ("Cluster", "Local")
_AFFINITY_SECONDS_MAX = 86_400


def _port_struct(protocol: str, port: int) -> Shown:
    """A port with only its protocol and number, as messages show it."""
    go = (
        f'core.ServicePort{{Name:"", Protocol:{json.dumps(protocol)}, AppProtocol:(*string)(nil), Port:{port}, '
        'TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0}'
    )
    plain = {"Name": "", "Protocol": protocol, "AppProtocol": None, "Port": port, "TargetPort": 0, "NodePort": 0}
    return Shown(go, plain)


def _protocol(port: Fields) -> str:
    return text(port, "protocol") or "TCP"


@kind_rule("SERVICE-PORTS-REQUIRED", "Service")
def ports_required(place: Place) -> Iterator[FieldError]:
    """Only headless Services and those of type ExternalName may have no ports."""
    spec = fields(place.value, "spec")
    if not spec.get("ports") and not is_headless(spec) and type_of_service(spec) != "ExternalName":
        yield required("spec.ports")


@kind_rule("SERVICE-TYPE", "Service")
def service_type(place: Place) -> Iterator[FieldError]:
    """The type of a Service is one of four."""
    spec = fields(place.value, "spec")
    if type_of_service(spec) not in TYPES:
        yield not_supported("spec.type", type_of_service(spec), TYPES)


@kind_rule("SERVICE-HEADLESS-TYPE", "Service")
def headless_type(place: Place) -> Iterator[FieldError]:
    """A Service that can be reached from outside cannot be headless."""
    spec = fields(place.value, "spec")
    if type_of_service(spec) in ("LoadBalancer", "NodePort") and is_headless(spec):
        detail = f"may not be set to 'None' for {type_of_service(spec)} services"
        yield invalid("spec.clusterIPs[0]", cluster_ips(spec)[0], detail)


@kind_rule("SERVICE-KUBELET-PORT", "Service")
def kubelet_port(place: Place) -> Iterator[FieldError]:
    """A load balancer may not expose the kubelet's port."""
    spec = inner(place, "spec")
    if type_of_service(spec.value) != "LoadBalancer":
        return
    for port in each(spec, "ports"):
        if number(port.value, "port") == _KUBELET_PORT:
            detail = f"may not expose port {_KUBELET_PORT} externally since it is used by kubelet"
            yield invalid(port.path, _KUBELET_PORT, detail)


@kind_rule("SERVICE-EXTERNAL-NAME", "Service")
def external_name(place: Place) -> Iterator[FieldError]:
    """A Service of type ExternalName has a valid name, which may end with a dot, and no addresses."""
    spec = fields(place.value, "spec")
    if type_of_service(spec) != "ExternalName":
        return
    for key, value in (("clusterIPs", cluster_ips(spec)), ("ipFamilies", spec.get("ipFamilies"))):
        if value:
            yield forbidden(f"spec.{key}", "may not be set for ExternalName services")
    if spec.get("ipFamilyPolicy") is not None:
        yield forbidden("spec.ipFamilyPolicy", "may not be set for ExternalName services")
    name = text(spec, "externalName").removesuffix(".")
    if name:
        yield from named("spec.externalName", name, subdomain_problems)
    else:
        yield required("spec.externalName")


@kind_rule("SERVICE-PORT-NAME", "Service")
def port_name(place: Place) -> Iterator[FieldError]:
    """If there are several ports, each has a name of its own."""
    ports = list(each(inner(place, "spec"), "ports"))
    seen: set[str] = set()
    for port in ports:
        name = text(port.value, "name")
        if not name and len(ports) > 1:
            yield required(f"{port.path}.name")
        if not name:
            continue
        yield from named(f"{port.path}.name", name, label_problems)
        if name in seen:
            yield duplicate(f"{port.path}.name", name)
        seen.add(name)


@kind_rule("SERVICE-PORT", "Service")
def port_number(place: Place) -> Iterator[FieldError]:
    """A port has a number, a protocol, and a target that is a number or a name."""
    for port in each(inner(place, "spec"), "ports"):
        yield from port_errors(f"{port.path}.port", number(port.value, "port") or 0)
        if _protocol(port.value) not in PROTOCOLS:
            yield not_supported(f"{port.path}.protocol", _protocol(port.value), PROTOCOLS)
        target = port.value.get("targetPort")
        if isinstance(target, str) and target:
            yield from named(f"{port.path}.targetPort", target, _target_problems)
        elif isinstance(target, int) and target != 0:
            yield from port_errors(f"{port.path}.targetPort", target)
        if protocol := text(port.value, "appProtocol"):
            yield from named(f"{port.path}.appProtocol", protocol, qualified_name_problems)


def _target_problems(name: str) -> list[str]:
    return port_name_problems(name, letters="must contain at least one letter (a-z)")


@kind_rule("SERVICE-SELECTOR", "Service")
def selector(place: Place) -> Iterator[FieldError]:
    """A Service's selector is a map of labels."""
    yield from label_errors(fields(fields(place.value, "spec"), "selector"), "spec.selector")


@kind_rule("SESSION-AFFINITY", "Service")
def session_affinity(place: Place) -> Iterator[FieldError]:
    """Session affinity is ClientIP or None, and lasts at most a day."""
    spec = inner(place, "spec")
    affinity = text(spec.value, "sessionAffinity") or "None"
    if affinity not in _AFFINITIES:
        yield not_supported("spec.sessionAffinity", affinity, _AFFINITIES)
    if affinity != "ClientIP":
        return
    seconds = number(inner(spec, "sessionAffinityConfig", "clientIP").value, "timeoutSeconds")
    if seconds is not None and not 0 < seconds <= _AFFINITY_SECONDS_MAX:
        detail = f"must be greater than 0 and less than {_AFFINITY_SECONDS_MAX}"
        yield invalid("spec.sessionAffinityConfig.clientIP.timeoutSeconds", seconds, detail)


@kind_rule("SERVICE-NODE-PORT-TYPE", "Service")
def node_port_type(place: Place) -> Iterator[FieldError]:
    """A Service that is only reachable inside the cluster has no node ports."""
    spec = inner(place, "spec")
    if type_of_service(spec.value) != "ClusterIP":
        return
    for port in each(spec, "ports"):
        if number(port.value, "nodePort"):
            yield forbidden(f"{port.path}.nodePort", "may not be used when `type` is 'ClusterIP'")


_NODE_PORTS = range(30_000, 32_768)
"""The default --service-node-port-range."""


@kind_rule("SERVICE-NODE-PORT-RANGE", "Service")
def node_port_range(place: Place) -> Iterator[FieldError]:
    """A node port that is chosen lies in the range that the cluster has for them (pkg/registry/core/service/portallocator)."""
    spec = inner(place, "spec")
    if type_of_service(spec.value) not in ("NodePort", "LoadBalancer"):
        return
    detail = f"provided port is not in the valid range. The range of valid ports is {_NODE_PORTS[0]}-{_NODE_PORTS[-1]}"
    for port in each(spec, "ports"):
        value = number(port.value, "nodePort") or 0
        if value and value not in _NODE_PORTS:
            yield invalid(f"{port.path}.nodePort", value, detail)


@kind_rule("SERVICE-PORTS-UNIQUE", "Service")
def ports_unique(place: Place) -> Iterator[FieldError]:
    """No two ports share protocol and number, or protocol and node port."""
    ports = list(each(inner(place, "spec"), "ports"))
    for key in ("nodePort", "port"):
        seen: set[tuple[str, int]] = set()
        for port in ports:
            value = number(port.value, key) or 0
            same = (_protocol(port.value), value)
            # Unset node ports are all 0 and no duplicates.
            if same in seen and key == "nodePort" and value:
                yield duplicate(f"{port.path}.nodePort", value)
            # The message shows a port struct with nothing but its identity.
            elif same in seen and key == "port":
                yield duplicate(port.path, _port_struct(*same))
            seen.add(same)


@kind_rule("LOAD-BALANCER-ONLY", "Service")
def load_balancer_only(place: Place) -> Iterator[FieldError]:
    """Some fields are only allowed for load balancers."""
    spec = fields(place.value, "spec")
    if type_of_service(spec) == "LoadBalancer":
        if value := text(spec, "loadBalancerClass"):
            yield from named("spec.loadBalancerClass", value, qualified_name_problems)
        return
    if spec.get("loadBalancerSourceRanges"):
        # The capital is upstream's.
        yield forbidden("spec.LoadBalancerSourceRanges", "may only be used when `type` is 'LoadBalancer'")
    for key in ("allocateLoadBalancerNodePorts", "loadBalancerClass"):
        if spec.get(key) is not None:
            yield forbidden(f"spec.{key}", "may only be used when `type` is 'LoadBalancer'")


@kind_rule("EXTERNAL-TRAFFIC-POLICY", "Service", since=26)
def external_traffic_policy(place: Place) -> Iterator[FieldError]:
    """The external traffic policy is only set for Services with external traffic."""
    spec = fields(place.value, "spec")
    if text(spec, "externalTrafficPolicy") and not is_external(spec):
        detail = "may only be set for externally-accessible services"
        yield invalid("spec.externalTrafficPolicy", spec["externalTrafficPolicy"], detail)


@kind_rule("EXTERNAL-TRAFFIC-POLICY-1.25", "Service", until=25)
def external_traffic_policy_before(place: Place) -> Iterator[FieldError]:
    """The same in the older wording."""
    spec = fields(place.value, "spec")
    if text(spec, "externalTrafficPolicy") and type_of_service(spec) not in ("NodePort", "LoadBalancer"):
        detail = "ExternalTrafficPolicy can only be set on NodePort and LoadBalancer service"
        yield invalid("spec.externalTrafficPolicy", spec["externalTrafficPolicy"], detail)


@kind_rule("TRAFFIC-POLICIES", "Service")
def traffic_policies(place: Place) -> Iterator[FieldError]:
    """A traffic policy is Cluster or Local."""
    spec = fields(place.value, "spec")
    policy = text(spec, "externalTrafficPolicy")
    if is_external(spec) and policy and policy not in _POLICIES:
        yield not_supported("spec.externalTrafficPolicy", policy, _POLICIES)
    policy = text(spec, "internalTrafficPolicy")
    if policy and policy not in _POLICIES:
        yield not_supported("spec.internalTrafficPolicy", policy, _POLICIES)


@kind_rule("HEALTH-CHECK-PORT", "Service", since=26)
def health_check_port(place: Place) -> Iterator[FieldError]:
    """A health check port is for load balancers that keep traffic on its node."""
    words = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    yield from _health_check_errors(fields(place.value, "spec"), words)


@kind_rule("HEALTH-CHECK-PORT-1.25", "Service", until=25)
def health_check_port_before(place: Place) -> Iterator[FieldError]:
    """The same in the older wording."""
    words = "HealthCheckNodePort can only be set on LoadBalancer service with ExternalTrafficPolicy=Local"
    yield from _health_check_errors(fields(place.value, "spec"), words)


def _health_check_errors(spec: Fields, words: str) -> Iterator[FieldError]:
    port = number(spec, "healthCheckNodePort") or 0
    if port and not needs_health_check(spec):
        yield invalid("spec.healthCheckNodePort", port, words)
    elif port:
        yield from port_errors("spec.healthCheckNodePort", port)


@kind_rule("TRAFFIC-DISTRIBUTION", "Service", since=34)
def traffic_distribution(place: Place) -> Iterator[FieldError]:
    """Traffic prefers endpoints that are close, of the same zone or of the same node."""
    value = text(fields(place.value, "spec"), "trafficDistribution")
    allowed = ("PreferClose", "PreferSameNode", "PreferSameZone")
    if value and value not in allowed:
        yield not_supported("spec.trafficDistribution", value, allowed)


@kind_rule("TRAFFIC-DISTRIBUTION-1.33", "Service", since=31, until=33)
def traffic_distribution_before(place: Place) -> Iterator[FieldError]:
    """Until 1.33 the only value is PreferClose."""
    value = text(fields(place.value, "spec"), "trafficDistribution")
    if value and value != "PreferClose":
        yield not_supported("spec.trafficDistribution", value, ("PreferClose",))
