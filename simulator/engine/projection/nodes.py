"""Nodes with what they hold: pods, images, pulls.

STATUS and tone follow the Node object; what the machine really does (``kubelet``, ``runtime``, ``is_off``)
is shown next to it, since the API learns of it only when the heartbeat fails to come.
"""

from simulator.engine.policies.room import EMPTY
from simulator.engine.projection.model_run import NodeConditionView, NodeLine, NodeView, PullView
from simulator.engine.projection.node_side import has_ghost
from simulator.engine.projection.tones import NODE_READY
from simulator.engine.world.rows import NodeLife, NodeRow, PodRow
from simulator.engine.world.world import World


def node_views(world: World) -> tuple[NodeView, ...]:
    """Every node of the cluster. ``pods``: those bound to it whose object or processes exist. O(nodes + pods)."""
    here: dict[str, list[PodRow]] = {}
    for pod in world.tables.pods.values():
        if pod.gone_ms is None or has_ghost(world, pod):
            here.setdefault(pod.node, []).append(pod)
    return tuple(_node(world, row, here.get(row.name, [])) for row in world.tables.nodes.values())


def node_lines(world: World) -> tuple[NodeLine, ...]:
    """Every node in a line. O(nodes)."""
    return tuple(
        NodeLine(subject=f"node/{row.name}", name=row.name, tone=node_tone(row, world.tables.node_life[row.name]))
        for row in world.tables.nodes.values()
    )


def _node(world: World, row: NodeRow, here: list[PodRow]) -> NodeView:
    life = world.tables.node_life[row.name]
    room = world.tables.room_scheduled.get(row.name, EMPTY)
    held = world.tables.pressures.get(row.name)
    return NodeView(
        subject=f"node/{row.name}",
        name=row.name,
        ip=row.ip,
        pods=tuple(pod.key for pod in here),
        used_pods=room.pods,
        allocatable_pods=row.allocatable_pods,
        used_cpu_milli=room.cpu_milli,
        allocatable_cpu_milli=row.allocatable_cpu_milli,
        used_memory_bytes=room.memory_bytes,
        allocatable_memory_bytes=row.allocatable_memory_bytes,
        images=tuple(image for node, image in world.tables.present if node == row.name),
        pulls=tuple(
            PullView(image=pull.image, pod=pull.pod, container=pull.container, asked_ms=pull.asked_ms, began_ms=pull.began_ms)
            for pull in world.tables.kubelets[row.name].pulls
        ),
        tone=node_tone(row, life),
        status_word=node_word(row, life),
        is_deleted=row.is_deleted,
        unschedulable=row.unschedulable,
        kubelet=life.kubelet,
        runtime=life.runtime,
        network=life.network == "present",
        is_off=life.power == "off",
        is_cut_off=life.uplink == "cut",
        is_shutting_down=bool(life.shutdown),
        taints=tuple(f"{key}={value}:{effect}" if value else f"{key}:{effect}" for key, value, effect in row.taints),
        labels=tuple(sorted(row.labels.items())),
        conditions=tuple(
            NodeConditionView(type=item.type, status=item.status, reason=item.reason, message=item.message, since_ms=item.transition_ms)
            for item in life.conditions
        ),
        loads=tuple(signal for signal, _ in held.loads) if held is not None else (),
        static_pods=tuple(item.name for item in world.tables.static_pods.values() if item.node == row.name and item.has_file),
        os=row.os,
        os_image=row.os_image,
        kernel_version=row.kernel_version,
    )


def node_word(row: NodeRow, life: NodeLife) -> str:
    """STATUS as ``kubectl get nodes`` prints it; empty for a node whose object is gone."""
    if row.is_deleted:
        return ""
    ready = life.condition("Ready").status
    # kubectl prints Unknown as NotReady.
    word = {"True": "Ready", "False": "NotReady"}.get(ready, "NotReady")
    return f"{word},SchedulingDisabled" if row.unschedulable else word


def node_tone(row: NodeRow, life: NodeLife) -> str:
    """The design token of a node's state."""
    if row.is_deleted:
        return "absent"
    if life.shutdown:
        return "terminating"
    ready = life.condition("Ready").status
    if ready != "True":
        return NODE_READY[ready]
    pressed = any(item.status == "True" for item in life.conditions if item.type != "Ready")
    return "notready" if row.unschedulable or pressed else "ready"
