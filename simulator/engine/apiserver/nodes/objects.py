"""Writes to a Node object: whether pods may be scheduled there, and its deletion."""

from msgspec.structs import replace

from simulator.engine.apiserver.nodes.events import emit_node
from simulator.engine.apiserver.refusal import Doing, check_node
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.machines.object import OBJECT
from simulator.engine.world.effects import Effects

RULES = (
    RuleText(
        "NODE-DELETED",
        gettext_noop(
            "The Node object is gone. A kubelet registers its node only when it starts; unless it restarts, the "
            "node’s pods are garbage collected."
        ),
        "pkg/registry/core/node; pkg/controller/podgc/gc_controller.go",
    ),
    RuleText(
        "TAINT-SET",
        gettext_noop("You changed the node’s taints."),
        "a command of the run",
    ),
)


def cordon(fx: Effects, node: str, *, unschedulable: bool) -> None:
    """Write spec.unschedulable; the taint follows, and the kubelet reports it with its next node status."""
    fx.save_node(replace(fx.tables.nodes[node], unschedulable=unschedulable))


def deleting_node(fx: Effects, node: str) -> Doing:
    """The deletion of a Node object; the machine stays. Raises Refusal if there is none."""
    check_node(fx, node)

    def act() -> None:
        row = fx.tables.nodes[node]
        step, seq = fx.fire(OBJECT, f"node/{node}", "present", "delete", "NODE-DELETED")
        fx.cause = seq
        text = f"Node {node} event: Removing Node {node} from Controller"
        emit_node(fx, node, component="node-controller", reason="RemovingNode", message=text, rule="NODE-DELETED")
        # The machine stays, and so does the row: its kubelet keeps running and fails to find its Node.
        fx.save_node(replace(row, is_deleted=step is not None and step.target == "gone"))

    return act
