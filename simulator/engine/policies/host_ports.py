"""Host ports: a pod that needs one can only run where it is free, and a kubelet rejects a pod whose port is taken.

Source: plugin NodePorts; observed on a 1.20.2 node.
"""

from collections.abc import Iterable, Iterator

from simulator.engine.model.container import ContainerPort
from simulator.engine.model.pod import PodSpec
from simulator.engine.world.rows import PodRow

PORTS_TAKEN = "node(s) didn't have free ports for the requested pod ports"
_ANY = ("", "0.0.0.0", "::")


def host_ports(spec: PodSpec) -> Iterator[ContainerPort]:
    """The ports that the pod takes on its node."""
    for container in spec.containers:
        for port in container.ports:
            if port.host_port:
                yield port


def ports_taken(pods: Iterable[PodRow], spec: PodSpec) -> bool:
    """Whether one of these pods holds a host port that this one needs. O(pods), only if it needs one."""
    wanted = tuple(host_ports(spec))
    if not wanted:
        return False
    return any(_clash(mine, theirs) for row in pods for theirs in host_ports(row.pod.spec) for mine in wanted)


def _clash(one: ContainerPort, other: ContainerPort) -> bool:
    if (one.host_port, one.protocol) != (other.host_port, other.protocol):
        return False
    # A port on all addresses clashes with the same port on any one of them.
    return one.host_ip == other.host_ip or one.host_ip in _ANY or other.host_ip in _ANY
