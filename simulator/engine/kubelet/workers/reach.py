"""How the kubelet reaches a server for a probe or a hook: from the node, at the pod's address unless another is named.

The containers of a pod share its address, so whichever of them listens answers. A node does not use the cluster's DNS, so
another host must be an address.
"""

from simulator.engine import runtime as behaviour
from simulator.engine.kubelet.containers.runtime import host_of
from simulator.engine.network.network import LOOPBACK, ask_address, ask_host_network, ask_pod, is_address
from simulator.engine.network.services import pod_address
from simulator.engine.runtime import HttpAnswer
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import Instance, PodRow

UNKNOWN_HOST = HttpAnswer("unknown_host")


def http_get(fx: Effects, row: PodRow, instance: Instance, host: str, *, port: int, path: str, scheme: str) -> HttpAnswer:
    """The answer to a GET; its outcome may also be ``unknown_host``."""
    if host and host != pod_address(fx.world, row):
        return _elsewhere(fx, row, host, port, path)
    assert instance.process is not None
    answer = behaviour.http_get(instance.process, port=port, path=path, scheme=scheme, host=host_of(fx, row.key, instance.container))
    if answer.outcome == "refused" and len(fx.tables.instances[row.key]) > 1:
        return ask_pod(fx.world, row, port, path, scheme=scheme)
    return answer


def tcp_connect(fx: Effects, row: PodRow, instance: Instance, host: str, *, port: int) -> str:
    """``accepted``, ``refused``, ``timeout`` or ``unknown_host``."""
    if host and host != pod_address(fx.world, row):
        outcome = _elsewhere(fx, row, host, port, "/").outcome
        return "accepted" if outcome in ("answered", "eof") else outcome
    found = "refused"
    for item in (instance, *fx.tables.instances.get(row.key, ())):
        if item.process is not None and item.runs:
            found = behaviour.tcp_connect(item.process, port=port, host=host_of(fx, row.key, item.container))
        if found != "refused":
            return found
    return found


def _elsewhere(fx: Effects, row: PodRow, host: str, port: int, path: str) -> HttpAnswer:
    if host in LOOPBACK:
        return ask_host_network(fx.world, row.node, port, path)
    return ask_address(fx.world, host, port, path, node=row.node) if is_address(host) else UNKNOWN_HOST
