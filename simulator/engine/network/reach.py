"""Whether two nodes can reach each other, and the API server a node.

A cut separates one node from all others and from the control plane; pods on the same node still
reach each other. It takes nothing down: kubelet and containers keep running, and what the rest of the
cluster knows about them becomes stale.
"""

from simulator.engine.world.world import World


def is_cut_off(world: World, node: str) -> bool:
    """Whether the node's network to the rest of the cluster is cut."""
    life = world.tables.node_life.get(node)
    return life is not None and life.uplink == "cut"


def reaches_kubelet(world: World, node: str) -> bool:
    """Whether the API server reaches the node's kubelet."""
    life = world.tables.node_life.get(node)
    return life is None or (life.kubelet == "running" and life.uplink != "cut")


def are_parted(world: World, one: str, other: str) -> bool:
    """Whether nothing that one node sends reaches the other."""
    return one != other and (is_cut_off(world, one) or is_cut_off(world, other))
