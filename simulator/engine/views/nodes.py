"""Nodes with what lies on them: pods, images, pulls."""

from simulator.engine.rows import NodeRow
from simulator.engine.views.model_run import NodeView, PullView
from simulator.engine.views.node_side import has_ghost
from simulator.engine.world import World


def node_views(world: World) -> tuple[NodeView, ...]:
    """Every node of the cluster. ``pods``: those bound to it whose object or processes exist."""
    return tuple(_node(world, row) for row in world.tables.nodes.values())


def _node(world: World, row: NodeRow) -> NodeView:
    here = (pod for pod in world.tables.pods.values() if pod.node == row.name and (pod.gone_ms is None or has_ghost(world, pod)))
    return NodeView(
        subject=f"node/{row.name}",
        name=row.name,
        ip=row.ip,
        pods=tuple(pod.key for pod in here),
        used_pods=row.used_pods,
        allocatable_pods=row.allocatable_pods,
        used_cpu_milli=row.used_cpu_milli,
        allocatable_cpu_milli=row.allocatable_cpu_milli,
        used_memory_bytes=row.used_memory_bytes,
        allocatable_memory_bytes=row.allocatable_memory_bytes,
        images=tuple(image for node, image in world.tables.present if node == row.name),
        pulls=tuple(
            PullView(image=pull.image, pod=pull.pod, container=pull.container, asked_ms=pull.asked_ms, began_ms=pull.began_ms)
            for pull in row.pulls
        ),
    )
