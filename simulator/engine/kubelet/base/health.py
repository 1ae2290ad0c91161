"""Whether a node's kubelet runs, reaches its runtime and has a network. Each query costs one look-up in an empty table."""

from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import NodeLife

NO_RUNTIME = (
    "rpc error: code = Unavailable desc = connection error: desc = "
    '"transport: Error while dialing dial unix /run/containerd/containerd.sock: connect: connection refused"'
)
"""The error of every call while the runtime is down (observed on a 1.20.2 node)."""


def life_of(fx: Effects, node: str) -> NodeLife | None:
    """The node's health if something is wrong with it, else None."""
    if not fx.tables.unhealthy or node not in fx.tables.unhealthy:
        return None
    return fx.tables.node_life[node]


def has_running_kubelet(fx: Effects, node: str) -> bool:
    """Whether the node has a running kubelet."""
    life = life_of(fx, node)
    return life is None or life.kubelet == "running"


def runtime_answers(fx: Effects, node: str) -> bool:
    """Whether the kubelet can reach its container runtime."""
    life = life_of(fx, node)
    return life is None or life.runtime == "up"


NO_NETWORK = "NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized"


def network_text(fx: Effects) -> str:
    """The kubelet's message about a node without a network plugin."""
    return fx.profile.network_not_ready_text.format(problem=NO_NETWORK)
