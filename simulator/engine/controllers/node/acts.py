"""Commands about nodes: kubelet, runtime and network, taints, cordon, drain, deletion, a killed sandbox."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from simulator.engine.api.answer import invalid_object
from simulator.engine.api.manifest import pod_from_document
from simulator.engine.api.pod_gc import OUT_OF_SERVICE
from simulator.engine.api.validation import validate_pod
from simulator.engine.commands import CordonNode, DeleteNode, DrainNode, KillSandbox, NodeControl, PlaceStaticPod, ShutdownNode, TaintNode
from simulator.engine.controllers.kubelet import restart, runtime_loss, sandbox_death, shutdown, static_pods
from simulator.engine.controllers.kubelet.signals import spec_of_node
from simulator.engine.controllers.node import drain, pod_gc, status
from simulator.engine.controllers.node.change import check_taints
from simulator.engine.controllers.node.events import emit_node
from simulator.engine.controllers.node.taints import Taint, change_taints
from simulator.engine.controllers.refusal import Act, Refusal, refusal_of
from simulator.engine.controllers.requeue import retry_unscheduled
from simulator.engine.effects import Effects
from simulator.engine.errors import BadManifest
from simulator.engine.events import NodeCheck
from simulator.engine.json_text import decode
from simulator.engine.node_rows import StaticPod
from simulator.engine.queue import Lane
from simulator.engine.rules.text import RuleText, gettext_noop

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")

RULES = (
    RuleText("COMMAND-NO-SANDBOX", gettext_noop("The pod has no sandbox that runs at this moment."), "a command of the run"),
    RuleText(
        "COMMAND-ALREADY",
        gettext_noop("That is already so: {message}"),
        "a command of the run",
    ),
    RuleText(
        "NODE-DELETED",
        gettext_noop("The Node object is gone. Its pods are collected later, unless its kubelet registers the node again."),
        "pkg/registry/core/node; pkg/controller/podgc/gc_controller.go",
    ),
    RuleText(
        "TAINT-SET",
        gettext_noop("You changed the node's taints."),
        "a command of the run",
    ),
)


def check_node(fx: Effects, node: str) -> None:
    """Refuse a command about a node that does not exist."""
    row = fx.tables.nodes.get(node)
    if row is None or row.is_deleted:
        raise Refusal("COMMAND-NO-NODE")


def _control(fx: Effects, command: NodeControl) -> Act:
    node = command.node
    if node not in fx.tables.nodes:
        raise Refusal("COMMAND-NO-NODE")
    words = {"stop": "stop", "kill": "stop", "start": "start", "": ""}
    if command.kubelet not in words or command.runtime not in words:
        raise Refusal("COMMAND-BAD-VALUE", (("message", "kubelet and runtime take stop, kill or start"),))
    if command.network_plugin not in ("", "missing", "present"):
        raise Refusal("COMMAND-BAD-VALUE", (("message", "network_plugin takes missing or present"),))

    def act() -> None:
        cause = fx.cause
        if words[command.runtime] == "start":
            runtime_loss.start_runtime(fx, node)
        elif command.runtime:
            runtime_loss.stop_runtime(fx, node)
        fx.cause = cause
        if words[command.kubelet] == "start":
            restart.start_kubelet(fx, node)
        elif command.kubelet and fx.tables.node_life[node].kubelet != "stopped":
            restart.stop_kubelet(fx, node)
        fx.cause = cause
        if command.network_plugin:
            runtime_loss.set_network(fx, node, present=command.network_plugin == "present")

    return act


def parse_taint(text: str) -> Taint:
    """``key=value:effect`` or ``key:effect`` as a taint; raises Refusal."""
    name, _, effect = text.rpartition(":")
    key, _, value = name.partition("=")
    if not key or effect not in EFFECTS:
        message = f'invalid taint "{text}": write key=value:effect with one of the effects {", ".join(EFFECTS)}'
        raise Refusal("COMMAND-BAD-VALUE", (("message", message),))
    return (key, value, effect)


def _taint(fx: Effects, command: TaintNode) -> Act:
    check_node(fx, command.node)
    add = tuple(parse_taint(text) for text in command.add)
    remove = tuple(taint for text in command.remove for taint in _meant(fx, command.node, text.removesuffix("-")))
    replaced = tuple(
        old for old in fx.tables.nodes[command.node].taints for new in add if (old[0], old[2]) == (new[0], new[2]) and old != new
    )
    if not add and not remove:
        raise Refusal("COMMAND-BAD-VALUE", (("message", "taint not found"),))
    gone = (*remove, *replaced, *add)
    check_taints(fx, command.node, (*(taint for taint in fx.tables.nodes[command.node].taints if taint not in gone), *add))

    def act() -> None:
        change_taints(fx, command.node, add=add, remove=(*remove, *replaced), rule="TAINT-SET")
        if any(taint[0] == OUT_OF_SERVICE for taint in add):
            pod_gc.watch_out_of_service(fx, command.node)

    return act


def _meant(fx: Effects, node: str, text: str) -> list[Taint]:
    """The taints of the node that ``key``, ``key:effect`` or ``key=value:effect`` means."""
    name, _, effect = text.rpartition(":") if ":" in text else (text, "", "")
    key, _, value = name.partition("=")
    return [taint for taint in fx.tables.nodes[node].taints if taint[0] == key and effect in ("", taint[2]) and value in ("", taint[1])]


def _cordon(fx: Effects, command: CordonNode) -> Act:
    check_node(fx, command.node)
    if fx.tables.nodes[command.node].unschedulable == command.unschedulable:
        word = "cordoned" if command.unschedulable else "uncordoned"
        raise Refusal("COMMAND-ALREADY", (("message", f"node/{command.node} already {word}"),))
    return lambda: cordon(fx, command.node, unschedulable=command.unschedulable)


def cordon(fx: Effects, node: str, *, unschedulable: bool) -> None:
    """Write spec.unschedulable; the taint follows, and the kubelet mentions it with its next node status."""
    row = fx.tables.nodes[node]
    fx.save_node(replace(row, unschedulable=unschedulable))
    cause = fx.cause
    if not unschedulable:
        retry_unscheduled(fx)
    fx.schedule(fx.now + 2 * fx.profile.watch_ms, Lane.CONTROLLER, NodeCheck(node), cause=cause)
    fx.cause = cause
    life = fx.tables.node_life[node]
    fx.save_node_life(replace(life, seq=cause))
    status.report_later(fx, node)


def _drain(fx: Effects, command: DrainNode) -> Act:
    check_node(fx, command.node)
    plan = drain.plan(fx, command)

    def act() -> None:
        cause = fx.cause
        if not fx.tables.nodes[command.node].unschedulable:
            cordon(fx, command.node, unschedulable=True)
        fx.cause = cause
        drain.carry_out(fx, command, plan)

    return act


def _delete_node(fx: Effects, command: DeleteNode) -> Act:
    check_node(fx, command.node)

    def act() -> None:
        node = command.node
        row = fx.tables.nodes[node]
        fx.save_node(replace(row, is_deleted=True))
        seq = fx.record(subject=f"node/{node}", machine="object", source="present", target="gone", trigger="delete", rule="NODE-DELETED")
        fx.cause = seq
        fx.save_node_life(replace(fx.tables.node_life[node], seq=seq))
        text = f"Node {node} event: Removing Node {node} from Controller"
        emit_node(fx, node, component="node-controller", reason="RemovingNode", message=text, rule="NODE-DELETED")
        fx.cause = seq
        pod_gc.expect(fx, node)
        status.report_later(fx, node)

    return act


def _kill_sandbox(fx: Effects, command: KillSandbox) -> Act:
    sandbox = fx.tables.sandboxes.get(command.target)
    if command.target not in fx.tables.pods or sandbox is None or sandbox.state != "ready":
        raise Refusal("COMMAND-NO-SANDBOX")
    return lambda: sandbox_death.sandbox_died(fx, command.target)


def _static_pod(fx: Effects, command: PlaceStaticPod) -> Act:
    node = command.node
    if node not in fx.tables.nodes:
        raise Refusal("COMMAND-NO-NODE")
    if command.remove:
        held = next((item for item in fx.tables.static_pods.values() if _is_named(item, node, command.remove) and not item.removed), None)
        if held is None:
            raise Refusal("COMMAND-NO-POD")
        return lambda: static_pods.take_away(fx, held)
    try:
        document = decode(command.document)
        pod_from_document(document, namespace=command.namespace)
        name, space = str(document["metadata"]["name"]), str(document["metadata"].get("namespace") or command.namespace)
    except (KeyError, TypeError):
        raise Refusal("COMMAND-BAD-OBJECT", (("message", "metadata.name: Required value"),)) from None
    except (ValueError, BadManifest) as error:
        raise Refusal("COMMAND-BAD-OBJECT", (("message", str(error)),)) from None
    judged = {**document, "metadata": {"namespace": space, **document["metadata"]}}
    problems = [error for rule, error in validate_pod(judged, release=fx.world.release) if not rule.warning]
    if problems:
        raise refusal_of(invalid_object("Pod", name, problems))
    if (node, space, name) in fx.tables.static_pods or fx.world.live_pod(space, f"{name}-{node}") is not None:
        raise Refusal("COMMAND-EXISTS", (("message", f'pods "{name}-{node}" already exists'),))
    return lambda: static_pods.place(fx, node, document, command.namespace)


def _is_named(item: StaticPod, node: str, name: str) -> bool:
    return item.node == node and name in (item.name, f"{item.name}-{node}")


def _shutdown(fx: Effects, command: ShutdownNode) -> Act:
    check_node(fx, command.node)
    life = fx.tables.node_life[command.node]
    if command.cancel != bool(life.shutdown):
        message = "the node is not shutting down" if command.cancel else "the node is shutting down"
        raise Refusal("COMMAND-ALREADY", (("message", message),))
    if command.cancel:
        return lambda: shutdown.cancel(fx, command.node)
    spec = spec_of_node(fx, command.node)
    own = command.grace_s is None and not command.by_priority
    groups = shutdown.groups_of(
        fx,
        grace_s=spec.shutdown_grace_s if command.grace_s is None else command.grace_s,
        critical_s=spec.shutdown_critical_s if command.critical_s is None else command.critical_s,
        by_priority=spec.shutdown_by_priority if own else command.by_priority,
    )
    return lambda: shutdown.shut_down(fx, command.node, groups)


NODE_COMMANDS = (ShutdownNode, PlaceStaticPod, NodeControl, TaintNode, CordonNode, DrainNode, DeleteNode)
"""The commands whose subject is a node."""

NODE_ACTS: dict[type, Callable[[Effects, Any], Act]] = {
    ShutdownNode: _shutdown,
    PlaceStaticPod: _static_pod,
    NodeControl: _control,
    TaintNode: _taint,
    CordonNode: _cordon,
    DrainNode: _drain,
    DeleteNode: _delete_node,
    KillSandbox: _kill_sandbox,
}
"""Every command about nodes with the function that checks it and returns what it does."""
