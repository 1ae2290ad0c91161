"""NodePorts: a host port can be used only once per node. Source: plugins/nodeports."""

from simulator.engine.kernel.records import Data
from simulator.engine.policies.host_ports import PORTS_TAKEN, host_ports, ports_taken
from simulator.engine.scheduler.framework import NODE_ADDED, POD_FREED, SKIP, ClusterEvent, Cycle, Plugin, Unfit, any_of
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.world import World

_REFUSAL = Unfit((PORTS_TAKEN,), is_curable=True)


def _begin(cycle: Cycle) -> object:
    return tuple(host_ports(cycle.spec)) or SKIP


def _filter(cycle: Cycle, _ports: object, node: NodeRow) -> Unfit | None:
    return _REFUSAL if ports_taken(cycle.pods_here(node.name), cycle.spec) else None


def _explain(cycle: Cycle, _ports: object, node: NodeRow) -> Data:
    holders = [row for row in cycle.pods_here(node.name) if ports_taken((row,), cycle.spec)]
    wanted = ", ".join(f"{port.protocol} {port.host_port}" for port in host_ports(cycle.spec))
    return (("wanted", wanted), ("taken_by", ", ".join(f"{row.namespace}/{row.name}" for row in holders)))


def _hint(_world: World, row: PodRow, event: ClusterEvent) -> bool:
    return event.pod is None or ports_taken((event.pod,), row.pod.spec)


NODE_PORTS = Plugin(name="NodePorts", begin=_begin, filter=_filter, explain=_explain, wakes={NODE_ADDED: any_of, POD_FREED: _hint})
