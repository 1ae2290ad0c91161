"""What a manifest implies about an unknown program: the ports that its probes and hooks name, and whether it terminates."""

from collections.abc import Iterator

from simulator.engine.containers.process.state import Presumed
from simulator.engine.kubelet.pods.containers.ports import resolve_port
from simulator.engine.model.container import Container
from simulator.engine.model.pod import PodSpec

_UNPROBED = (None, None, None)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def presumed(spec: PodSpec, container: Container) -> Presumed:
    """What is presumed about a container's program if it is not known. O(containers of the pod).

    A port that another container declares belongs to that one; a port named by the probes of several belongs to the first.
    """
    probes = (container.startup_probe, container.liveness_probe, container.readiness_probe)
    is_init = False
    for each in spec.init_containers:
        is_init = is_init or each.name == container.name
    ends = is_init and container.restart_policy != "Always"
    may_complete = not is_init and spec.restart_policy != "Always" and not container.ports and not container.stdin
    if probes == _UNPROBED and container.lifecycle is None:
        return Presumed((), False, ends, may_complete)
    taken = {port.container_port for port in container.ports}
    for other in (*spec.init_containers, *spec.containers):
        if other.name != container.name:
            taken |= {port.container_port for port in other.ports}
    for earlier in (*spec.init_containers, *spec.containers):
        if earlier.name == container.name:
            break
        taken |= set(_named(spec, earlier))
    ports = tuple(port for port in dict.fromkeys(_named(spec, container)) if port not in taken)
    is_probed = any(probe is not None for probe in probes)
    return Presumed(ports, is_probed, ends, may_complete and not ports and not is_probed)


def _named(spec: PodSpec, container: Container) -> Iterator[int]:
    """The ports at the pod's own address that a container's probes and hooks use."""
    probes = (container.startup_probe, container.liveness_probe, container.readiness_probe)
    yield from (probe.grpc.port for probe in probes if probe is not None and probe.grpc is not None)
    lifecycle = container.lifecycle
    hooks = (lifecycle.post_start, lifecycle.pre_stop) if lifecycle is not None else ()
    for handler in (*probes, *hooks):
        action = (handler.http_get or handler.tcp_socket) if handler is not None else None
        if action is not None and (not action.host or (spec.host_network and action.host in _LOOPBACK)):
            port = resolve_port(container, action.port)
            if port is not None:
                yield port
