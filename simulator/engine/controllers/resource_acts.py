"""Commands about resources and scheduling: pressure on a node, scheduling gates."""

from collections.abc import Callable
from typing import Any

from simulator.engine.api.quantity import BadQuantity
from simulator.engine.api.resize import resizable, resized
from simulator.engine.api.thresholds import SIGNALS, amount_of
from simulator.engine.commands import RemoveSchedulingGates, ResizePod, SetNodePressure
from simulator.engine.controllers.kubelet.eviction import set_load
from simulator.engine.controllers.kubelet.signals import capacity_of, thresholds_of
from simulator.engine.controllers.refusal import Act, Refusal, live_pod
from simulator.engine.controllers.store.edits import Document
from simulator.engine.controllers.store.pods import change_pod
from simulator.engine.effects import Effects
from simulator.engine.rules.text import RuleText, gettext_noop

RULES = (
    RuleText("COMMAND-NO-NODE", gettext_noop("There is no node of that name."), "a command of the run"),
    RuleText(
        "COMMAND-NO-RESIZE",
        gettext_noop("Kubernetes of this version does not change resources of a running pod (feature gate InPlacePodVerticalScaling)."),
        "a command of the run",
    ),
    RuleText("COMMAND-NO-GATE", gettext_noop("No such scheduling gate holds the pod."), "a command of the run"),
    RuleText(
        "COMMAND-NO-THRESHOLD",
        gettext_noop("The node has no eviction threshold for {signal}, so nothing would come of it."),
        "a command of the run",
    ),
)


def _bad_value(message: str) -> Refusal:
    return Refusal("COMMAND-BAD-VALUE", (("message", message),))


def _set_node_pressure(fx: Effects, command: SetNodePressure) -> Act:
    node = fx.tables.nodes.get(command.node)
    if node is None or node.is_deleted:
        raise Refusal("COMMAND-NO-NODE")
    if command.signal not in SIGNALS:
        raise _bad_value(f"a signal is one of {', '.join(SIGNALS)}")
    if command.available is None:
        return lambda: set_load(fx, node, command.signal, None)
    if not any(item.signal == command.signal for item in thresholds_of(fx, node)):
        raise Refusal("COMMAND-NO-THRESHOLD", (("signal", command.signal),))
    try:
        wanted = amount_of(command.available, capacity_of(node)[command.signal])
    except (BadQuantity, ValueError):
        raise _bad_value("what is available is a quantity such as 50Mi or a percentage such as 5%") from None
    if wanted < 0:
        raise _bad_value("what is available cannot be negative")
    return lambda: set_load(fx, node, command.signal, wanted)


def _remove_gates(fx: Effects, command: RemoveSchedulingGates) -> Act:
    row = live_pod(fx, command.target)
    kept = [gate.name for gate in row.pod.spec.scheduling_gates if command.gate and gate.name != command.gate]
    if not fx.profile.scheduling_gated or len(kept) == len(row.pod.spec.scheduling_gates):
        raise Refusal("COMMAND-NO-GATE")

    def edit(shown: Document) -> Document:
        spec = {key: value for key, value in shown["spec"].items() if key != "schedulingGates"}
        return {**shown, "spec": {**spec, **({"schedulingGates": [{"name": name} for name in kept]} if kept else {})}}

    return change_pod(fx, row, edit)


def _resize(fx: Effects, command: ResizePod) -> Act:
    row = live_pod(fx, command.target)
    if not fx.profile.in_place_resize:
        raise Refusal("COMMAND-NO-RESIZE")
    name = command.container or row.pod.spec.containers[0].name
    try:
        changed = {item.name: resized(item, command.requests, command.limits) for item in resizable(row.pod.spec) if item.name == name}
    except BadQuantity as error:
        raise _bad_value(str(error)) from None
    if not changed:
        raise Refusal("COMMAND-REJECTED", (("message", f'no container "{name}" that can be resized'),))
    resources = changed[name].resources
    given = {key: dict(part) for key, part in (("requests", resources.requests), ("limits", resources.limits)) if part}

    def edit(shown: Document) -> Document:
        lists = {key: [_given(item, name, given) for item in shown["spec"][key]] for key in _LISTS if key in shown["spec"]}
        return {**shown, "spec": {**shown["spec"], **lists}}

    return change_pod(fx, row, edit, subresource="resize")


_LISTS = ("containers", "initContainers")


def _given(container: Document, name: str, given: Document) -> Document:
    return {**container, "resources": {**container.get("resources", {}), **given}} if container["name"] == name else container


RESOURCE_ACTS: dict[type, Callable[[Effects, Any], Act]] = {
    SetNodePressure: _set_node_pressure,
    RemoveSchedulingGates: _remove_gates,
    ResizePod: _resize,
}
