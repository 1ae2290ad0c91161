"""What a user can do to a node now, with the rule that would refuse it."""

from simulator.engine.node_rows import NodeLife
from simulator.engine.rows import NodeRow
from simulator.engine.rules.text import gettext_noop
from simulator.engine.views.act import Act, Fields
from simulator.engine.views.text import Text
from simulator.engine.world import World

STOP_KUBELET = gettext_noop("Stop the kubelet of {node}")
START_KUBELET = gettext_noop("Start the kubelet of {node}")
STOP_RUNTIME = gettext_noop("Stop the container runtime of {node}")
START_RUNTIME = gettext_noop("Start the container runtime of {node}")
NETWORK_AWAY = gettext_noop("Remove the network plugin of {node}")
NETWORK_BACK = gettext_noop("Put the network plugin of {node} back")
TAINT = gettext_noop("Taint {node}")
LABEL = gettext_noop("Label {node}")
CORDON = gettext_noop("Cordon {node}")
UNCORDON = gettext_noop("Uncordon {node}")
DRAIN = gettext_noop("Drain {node}")
DELETE = gettext_noop("Delete node {node}")
SHUT_DOWN = gettext_noop("Shut {node} down")
CANCEL_SHUTDOWN = gettext_noop("Cancel the shutdown of {node}")
PRESSURE = gettext_noop("Leave little memory on {node}")
RELIEF = gettext_noop("Give the memory of {node} back")
MEMORY = "memory.available"


def node_acts(world: World, row: NodeRow) -> tuple[Act, ...]:
    """The acts on a node, in the order of the page. A node whose object is gone still has its kubelet and its runtime."""
    life = world.tables.node_life[row.name]
    gone = "COMMAND-NO-NODE" if row.is_deleted else ""

    def act(do: str, msgid: str, fields: Fields = (), why_not: str = "") -> Act:
        return Act(do=do, node=row.name, label=Text(msgid, (("node", row.name),)), fields=fields, enabled=not why_not, why_not=why_not)

    machine = (act("node", label, fields) for label, fields in _machine(life))
    cordon = act("cordon", UNCORDON if row.unschedulable else CORDON, (("unschedulable", not row.unschedulable),), gone)
    shutdown = act("shutdown_node", CANCEL_SHUTDOWN if life.shutdown else SHUT_DOWN, (("cancel", bool(life.shutdown)),), gone)
    return (
        *machine,
        cordon,
        act("drain", DRAIN, (("force", True),), gone),
        act("taint", TAINT, (("add", ("key=value:NoSchedule",)),), gone),
        act("label_node", LABEL, (("labels", {"podscope.dev/touched": "true"}),)),
        act("node_pressure", *_pressure(world, row), gone),
        shutdown,
        act("delete_node", DELETE, (), gone),
    )


def _machine(life: NodeLife) -> tuple[tuple[str, Fields], ...]:
    """Kubelet, runtime and network plugin: each away when it is there, back when it is not."""
    kubelet = (START_KUBELET, "start") if life.kubelet == "stopped" else (STOP_KUBELET, "stop")
    runtime = (START_RUNTIME, "start") if life.runtime == "down" else (STOP_RUNTIME, "stop")
    network = (NETWORK_AWAY, "missing") if life.network == "present" else (NETWORK_BACK, "present")
    return (
        (kubelet[0], (("kubelet", kubelet[1]),)),
        (runtime[0], (("runtime", runtime[1]),)),
        (network[0], (("network_plugin", network[1]),)),
    )


def _pressure(world: World, row: NodeRow) -> tuple[str, Fields]:
    held = world.tables.pressures.get(row.name)
    if held is not None and any(signal == MEMORY for signal, _ in held.loads):
        return RELIEF, (("signal", MEMORY), ("available", None))
    return PRESSURE, (("signal", MEMORY), ("available", "50Mi"))
