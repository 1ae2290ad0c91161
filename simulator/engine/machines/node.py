"""The machines of a node: its kubelet, its container runtime, its network plugin, its power and the conditions it shows.

All are kept in one row (``NodeLife``), each in a field of its own, because they fail independently: a
machine may be on without a kubelet, a kubelet may run without a runtime, and both may run while the
network to the cluster is cut. Where one implies another, a row says so: power_lost takes the
kubelet and the runtime down too, and booted brings the runtime back before the kubelet.

* KUBELET: starting takes some seconds, during which nothing is synced yet.
* RUNTIME: as the kubelet reaches it. unreachable is a runtime that is back before the kubelet's
  next attempt. While no kubelet runs there are no attempts, so the state is left without a record
  (nobody_asks).
* UPLINK: the network to the rest of the cluster. back is the time until the kubelet tries again.
* STATUS_REPORT: one pod's status on a node that is cut off, where it differs from what the API
  shows.
* SHUTDOWN: group is entered once for each group of pods. Power may also be lost straight from on,
  without any shutdown.
* NODE_CONDITION: what the Node object says. Only silence is judged from outside (the node controller:
  Unknown); everything else is the kubelet's own report, hence ``ANY`` as source.

Source: observed on a 1.20.2 node; pkg/kubelet/nodeshutdown, pkg/kubelet/kubelet_node_status.go.
"""

from typing import Any

from msgspec.structs import replace

from simulator.engine.kernel.machine import ANY, Machine, Row, State, StateField
from simulator.engine.world.rows import NodeCondition, NodeLife


def _node(node: str, _: Any) -> str:
    return f"node/{node}"


def _save(fx: Any, _: str, life: NodeLife) -> None:
    fx.save_node_life(life)


def _save_condition(fx: Any, node: str, item: NodeCondition) -> None:
    life = fx.tables.node_life[node]
    fx.save_node_life(replace(life, conditions=tuple(item if held.type == item.type else held for held in life.conditions)))


KUBELET: Machine[None] = Machine(
    "kubelet",
    about="The kubelet's process on a node.",
    initial="running",
    fields=(StateField(NodeLife, "kubelet", _node, _save),),
    states=(
        State("running", "Running", "ready"),
        State("stopped", "Stopped", "failed"),
        State("starting", "Starting", "starting"),
    ),
    rows=(
        Row("running", "stop", "stopped", "KUBELET-STOPPED"),
        Row("starting", "stop", "stopped", "KUBELET-STOPPED"),
        Row("running", "power_lost", "stopped", "KUBELET-OFF"),
        Row("starting", "power_lost", "stopped", "KUBELET-OFF"),
        Row("stopped", "start", "starting", "KUBELET-STARTING"),
        Row("starting", "up", "running", "KUBELET-UP"),
    ),
)

RUNTIME: Machine[None] = Machine(
    "runtime",
    about="The container runtime of a node as its kubelet reaches it; unreachable: it is back, but not reconnected yet.",
    initial="up",
    fields=(StateField(NodeLife, "runtime", _node, _save),),
    states=(
        State("up", "Up", "ready"),
        State("down", "Down", "failed"),
        State("unreachable", "Not reconnected", "starting"),
    ),
    rows=(
        Row("up", "stop", "down", "RUNTIME-DOWN"),
        Row("unreachable", "stop", "down", "RUNTIME-DOWN"),
        Row("down", "start", "unreachable", "RUNTIME-BACK"),
        Row("unreachable", "reconnected", "up", "RUNTIME-BACK"),
        Row("unreachable", "nobody_asks", "up", "RUNTIME-BACK", quiet=True),
        Row("up", "power_lost", "down", "RUNTIME-OFF"),
        Row("unreachable", "power_lost", "down", "RUNTIME-OFF"),
        Row("down", "booted", "up", "RUNTIME-BOOTED"),
    ),
)

NETWORK_PLUGIN: Machine[None] = Machine(
    "network",
    about="The configuration of a node's network plugin.",
    initial="present",
    fields=(StateField(NodeLife, "network", _node, _save),),
    omitted=("taken_away", "put_back"),
    states=(State("present", "Present", "ready"), State("missing", "Missing", "failed")),
    rows=(
        Row("present", "taken_away", "missing", "NETWORK-PLUGIN"),
        Row("missing", "put_back", "present", "NETWORK-PLUGIN"),
    ),
)

UPLINK: Machine[None] = Machine(
    "uplink",
    about="A node's network to the rest of the cluster, the API server included; back: it works, but the kubelet has not tried again yet.",
    initial="connected",
    fields=(StateField(NodeLife, "uplink", _node, _save),),
    omitted=("cut", "restored", "tried_again"),
    states=(
        State("connected", "Connected", "ready"),
        State("cut", "Cut off", "failed"),
        State("back", "Not reconnected", "starting"),
    ),
    rows=(
        Row("connected", "cut", "cut", "NODE-CUT"),
        Row("back", "cut", "cut", "NODE-CUT"),
        Row("cut", "restored", "back", "NODE-RESTORED"),
        Row("back", "tried_again", "connected", "NODE-CAUGHT-UP"),
    ),
)

STATUS_REPORT: Machine[None] = Machine(
    "status_report",
    about="What the kubelet of a node that is cut off says of a pod, where it would show otherwise if the API server knew.",
    initial="",
    omitted=("held", "as_shown", "caught_up"),
    states=(
        State("", "As shown", "absent"),
        State("held", "Held back", "unknown"),
    ),
    rows=(
        Row("", "held", "held", "STATUS-HELD"),
        Row("held", "held", "held", "STATUS-HELD"),
        Row("held", "as_shown", "", "STATUS-AS-SHOWN"),
        Row("held", "caught_up", "", "STATUS-CAUGHT-UP"),
    ),
)

SHUTDOWN: Machine[None] = Machine(
    "shutdown",
    about="The power of a node's machine, and how far its graceful shutdown has come.",
    initial="on",
    fields=(StateField(NodeLife, "power", _node, _save, seq_field=""),),
    omitted=("shut_down", "group_begins", "cancelled", "power_lost"),
    states=(
        State("on", "On", "ready"),
        State("shutting_down", "Shutting down", "terminating"),
        State("group", "Ending a group of pods", "terminating"),
        State("off", "Off", "absent"),
    ),
    rows=(
        Row("on", "shut_down", "shutting_down", "NODE-SHUTDOWN"),
        Row("shutting_down", "group_begins", "group", "NODE-SHUTDOWN-GROUP"),
        Row("group", "group_begins", "group", "NODE-SHUTDOWN-GROUP"),
        Row("group", "cancelled", "on", "NODE-SHUTDOWN-CANCELLED"),
        Row("on", "power_lost", "off", "NODE-OFF"),
        Row("group", "power_lost", "off", "NODE-OFF"),
        Row("off", "started", "on", "KUBELET-STARTING", quiet=True),
    ),
)


LABELS: Machine[None] = Machine(
    "labels",
    about="The labels of a Node object.",
    initial="",
    states=(
        State("", "As they were", "absent"),
        State("changed", "Changed", "ready"),
    ),
    rows=(Row("", "label", "changed", "NODE-LABELLED"),),
)


def reports_true(status: str) -> bool:
    """The kubelet says True."""
    return status == "True"


def reports_false(status: str) -> bool:
    """The kubelet says False."""
    return status == "False"


NODE_CONDITION: Machine[str] = Machine(
    "node_condition",
    about="One condition of a Node object.",
    initial="",
    fields=(StateField(NodeCondition, "status", _node, _save_condition, seq_field=""),),
    omitted=("reported", "fell_silent", "relieved"),
    states=(
        State("", "Not there", "absent"),
        State("True", "True", "ready"),
        State("False", "False", "notready"),
        State("Unknown", "Unknown", "unknown"),
    ),
    rows=(
        Row(ANY, "reported", "True", "NODE-CONDITION", when=reports_true),
        Row(ANY, "reported", "False", "NODE-CONDITION", when=reports_false),
        Row(ANY, "fell_silent", "Unknown", "NODE-UNKNOWN"),
        Row(ANY, "relieved", "False", "EVICTION-RELIEF"),
    ),
)
