"""The API server's answer when it needs a kubelet for logs or exec and cannot reach it.

Source: pkg/kubelet/client (connection info of a node), client-go's transport; the port is the kubelet's own.

A node that is off or cut off from the network does not answer at all: the connection times out. If only the kubelet is
stopped, the connection is refused.
"""

from simulator.engine.apiserver.answer import not_found
from simulator.engine.network.reach import reaches_kubelet
from simulator.engine.world.world import World

_PORT = 10250


def unreachable(world: World, node: str, path: str = "") -> str:
    """kubectl's error if the node's kubelet does not answer; empty if it does.

    ``path`` is what is requested; without one a connection is opened, as for an exec.
    """
    row, life = world.tables.nodes.get(node), world.tables.node_life.get(node)
    if row is None or row.is_deleted:
        return not_found("nodes", node).answer.kubectl
    if life is None or reaches_kubelet(world, node):
        return ""
    is_far = life.power == "off" or life.uplink == "cut"
    address = f"{row.ip}:{_PORT}"
    why = f"dial tcp {address}: " + ("i/o timeout" if is_far else "connect: connection refused")
    asked = f'Get "https://{address}/{path}": ' if path else "error dialing backend: "
    return f"Error from server: {asked}{why}"
