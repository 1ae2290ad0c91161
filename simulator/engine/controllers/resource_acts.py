"""Commands about resources and scheduling: pressure on a node, scheduling gates."""

import json
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from simulator.engine.api.pod import PodSpec
from simulator.engine.api.quantity import BadQuantity
from simulator.engine.api.resize import problem_of, resizable, resized, with_containers
from simulator.engine.api.thresholds import SIGNALS, amount_of
from simulator.engine.commands import RemoveSchedulingGates, ResizePod, SetNodePressure
from simulator.engine.controllers.kubelet import resize
from simulator.engine.controllers.kubelet.eviction import set_load
from simulator.engine.controllers.kubelet.signals import capacity_of, thresholds_of
from simulator.engine.controllers.pod_updates import update_pod
from simulator.engine.controllers.refusal import Act, Refusal, live_pod
from simulator.engine.effects import Effects
from simulator.engine.rows import PodRow
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
    kept = [gate for gate in row.pod.spec.scheduling_gates if command.gate and gate.name != command.gate]
    if not fx.profile.scheduling_gated or len(kept) == len(row.pod.spec.scheduling_gates):
        raise Refusal("COMMAND-NO-GATE")
    document = json.loads(row.document)
    document["spec"]["schedulingGates"] = [{"name": gate.name} for gate in kept]
    pod = replace(row.pod, spec=replace(row.pod.spec, scheduling_gates=tuple(kept)))
    return lambda: update_pod(fx, row, document, pod)


def _resize(fx: Effects, command: ResizePod) -> Act:
    row = live_pod(fx, command.target)
    spec = row.pod.spec
    name = command.container or spec.containers[0].name
    try:
        changed = {item.name: resized(item, command.requests, command.limits) for item in resizable(spec) if item.name == name}
    except BadQuantity as error:
        raise _bad_value(str(error)) from None
    if not changed:
        raise Refusal("COMMAND-REJECTED", (("message", f'no container "{name}" that can be resized'),))
    document = json.loads(row.document)
    for item in (*(document["spec"].get("containers") or ()), *(document["spec"].get("initContainers") or ())):
        if item.get("name") in changed:
            resources = changed[item["name"]].resources
            item["resources"] = {"requests": resources.requests, "limits": resources.limits}
    return resize_to(fx, row, document, with_containers(spec, changed))


def resize_to(fx: Effects, row: PodRow, document: dict[str, Any], spec: PodSpec) -> Act:
    """Ask the kubelet of a pod for other resources, or store them right away where it has none yet. Raises Refusal."""
    if not fx.profile.in_place_resize:
        raise Refusal("COMMAND-NO-RESIZE")
    if row.status.phase in ("Succeeded", "Failed"):
        raise Refusal("COMMAND-REJECTED", (("message", "a pod that has ended cannot be resized"),))
    pod_level = fx.profile.pod_level_resources
    problem = problem_of(row.pod.spec, spec, pod_level=pod_level, may_shrink=fx.profile.memory_limit_may_shrink)
    if problem:
        raise Refusal("COMMAND-REJECTED", (("message", f'Pod "{row.name}" is invalid: {problem}'),))

    def act() -> None:
        cause = fx.cause
        update_pod(fx, row, document, replace(row.pod, spec=spec))
        if row.node and row.key in fx.tables.workers:
            fx.cause = fx.record(subject=row.subject, machine="resize", target="proposed", rule="RESIZE-ASKED", cause=cause)
            resize.begin(fx, fx.tables.pods[row.key], row.pod.spec)

    return act


RESOURCE_ACTS: dict[type, Callable[[Effects, Any], Act]] = {
    SetNodePressure: _set_node_pressure,
    RemoveSchedulingGates: _remove_gates,
    ResizePod: _resize,
}
