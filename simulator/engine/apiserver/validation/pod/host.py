"""Rules for what a pod shares with its node: ports, the network, namespaces, names."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, duplicate, forbidden, invalid, too_long
from simulator.engine.apiserver.validation.names import subdomain_problems
from simulator.engine.apiserver.validation.pod_rules import HOST_PORTS, SPEC, Context, Place, items, number, rule, text, visited

HOSTNAME_OVERRIDE_MAX = 64
_NAMESPACES = (("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC"))
"""Fields of the spec, and how the API server spells them in this answer."""
_NAMESPACES_BUT_NETWORK = _NAMESPACES[1:]
_HOST_NETWORK_GATE = "UserNamespacesHostNetworkSupport"
_STATELESS = ("emptyDir", "secret", "downwardAPI", "configMap", "projected")


@rule("HOST-PORTS", HOST_PORTS, of="ports")
def host_ports(place: Place, context: Context) -> Iterator[FieldError]:
    """No two containers use the same port of the node; init containers run alone and only compete with themselves.

    The place is one container; containers that compete share their memory.
    """
    for index, port in items(place.value, "ports"):
        host_port = number(port, "hostPort")
        if host_port:
            key = f"{text(port, 'protocol') or 'TCP'}/{text(port, 'hostIP')}/{host_port}"
            # The key is what the message quotes: protocol, address, port.
            if place.is_repeated("host port", key):
                yield duplicate(f"{place.path}.ports[{index}].hostPort", key)


def _unequal_ports(context: Context, *, is_given: bool = True) -> Iterator[tuple[str, int, int]]:
    """(path, port, host port) of ports that differ from their host port; ``is_given``: whether that is set."""
    if context.spec.get("hostNetwork") is not True:
        return
    for outer, container in items(context.spec, "containers"):
        for index, port in items(container, "ports"):
            own, host = number(port, "containerPort") or 0, number(port, "hostPort") or 0
            # Unset host ports are an error only once defaulting should have filled them in.
            if own != host and bool(host) is is_given:
                yield f"spec.containers[{outer}].ports[{index}]", own, host


@rule("HOST-NETWORK-PORTS", SPEC, since=28, of="hostNetwork")
def host_network_ports(place: Place, context: Context) -> Iterator[FieldError]:
    """On the node's network a container port equals its host port."""
    for path, _, host in _unequal_ports(context):
        yield invalid(f"{path}.hostPort", host, "must match `containerPort` when `hostNetwork` is true")


@rule("HOST-NETWORK-PORTS-1.27", SPEC, until=27, of="hostNetwork")
def host_network_ports_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same, reported for the other field."""
    for path, own, _ in _unequal_ports(context):
        yield invalid(f"{path}.containerPort", own, "must match `hostPort` when `hostNetwork` is true")


@rule("HOST-NETWORK-PORTS-REQUIRED", SPEC, since=28, defaulted=True, pods_only=True, of="hostNetwork")
def host_network_ports_required(place: Place, context: Context) -> Iterator[FieldError]:
    """Host ports on the node's network have been filled in."""
    for path, _, host in _unequal_ports(context, is_given=False):
        yield invalid(f"{path}.hostPort", host, "must match `containerPort` when `hostNetwork` is true")


@rule("HOST-NETWORK-PORTS-REQUIRED-1.27", SPEC, until=27, defaulted=True, of="hostNetwork")
def host_network_ports_required_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same, reported for the other field."""
    for path, own, _ in _unequal_ports(context, is_given=False):
        yield invalid(f"{path}.containerPort", own, "must match `hostPort` when `hostNetwork` is true")


def _shared_namespaces(context: Context, detail: str, shared: tuple[tuple[str, str], ...]) -> Iterator[FieldError]:
    if context.spec.get("hostUsers") is not False:
        return
    for key, spelled in shared:
        if context.spec.get(key) is True:
            yield forbidden(f"spec.{spelled}", detail)


@rule("HOST-USERS", SPEC, since=35)
def host_users(place: Place, context: Context) -> Iterator[FieldError]:
    """A pod with a user namespace of its own shares no other namespace with the node and uses no devices.

    With a feature gate it may share the network.
    """
    # setting, not has: only a gate that the run sets itself.
    shared = _NAMESPACES if not context.release.setting(_HOST_NETWORK_GATE) else _NAMESPACES_BUT_NETWORK
    yield from _shared_namespaces(context, "when `hostUsers` is false", shared)
    if context.spec.get("hostUsers") is False:
        for container in visited(context.spec):
            if container.value.get("volumeDevices"):
                yield forbidden(f"{container.path}.volumeDevices", "when `hostUsers` is false")


@rule("HOST-USERS-VOLUMES-1.27", SPEC, until=27)
def host_users_volumes(place: Place, context: Context) -> Iterator[FieldError]:
    """At first a pod with a user namespace of its own could have no volume that outlives it."""
    if context.spec.get("hostUsers") is False:
        for index, volume in items(context.spec, "volumes"):
            if not any(volume.get(kind) is not None for kind in _STATELESS):
                yield forbidden(f"spec.volumes[{index}]", "volume type not supported when `pod.Spec.HostUsers` is false")


@rule("HOST-USERS-1.34", SPEC, until=34)
def host_users_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same with the older text, except for devices. No gate is checked: if it is off, the server has dropped the field."""
    return _shared_namespaces(context, "when `pod.Spec.HostUsers` is false", _NAMESPACES)


@rule("HOSTNAME-OVERRIDE", SPEC, since_gate="HostnameOverride")
def hostname_override(place: Place, context: Context) -> Iterator[FieldError]:
    """An explicit host name is a short DNS subdomain, and not combined with other fields that decide it."""
    name, field = context.spec.get("hostnameOverride"), "spec.hostnameOverride"
    if not isinstance(name, str):
        return
    if context.spec.get("setHostnameAsFQDN") is True:
        yield forbidden(field, "may not be specified when setHostnameAsFQDN is true")
    if context.spec.get("hostNetwork") is True:
        yield forbidden(field, "may not be specified when hostNetwork is true")
    if len(name.encode()) > HOSTNAME_OVERRIDE_MAX:
        yield too_long(field, f"may not be more than {HOSTNAME_OVERRIDE_MAX} bytes")
    yield from (invalid(field, name, problem) for problem in subdomain_problems(name))


@rule("SHARED-PROCESSES", SPEC, of="shareProcessNamespace")
def shared_processes(place: Place, context: Context) -> Iterator[FieldError]:
    """Containers share their processes with each other or with the node, not both."""
    if context.spec.get("shareProcessNamespace") is True and context.spec.get("hostPID") is True:
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield invalid("spec.securityContext.shareProcessNamespace", True, detail)
