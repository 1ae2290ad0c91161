"""The verbs about nodes: node, taint, cordon, uncordon, drain, static-pod, shutdown, and the sandbox form of signal."""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from simulator.engine.commands import (
    AnyCommand,
    CordonNode,
    DrainNode,
    KillSandbox,
    NodeControl,
    PlaceStaticPod,
    ShutdownNode,
    TaintNode,
)
from simulator.engine.header import ScriptStep
from simulator.manifests.check import check_text
from simulator.manifests.cluster_shutdown import is_priority_list, priorities
from simulator.manifests.durations import duration_ms
from simulator.manifests.script_step import BadStep, Step
from simulator.manifests.texts import _

_CONTROLS = ("stop", "kill", "start")
_PLUGIN = ("missing", "present")


def _node(step: Step) -> Iterator[AnyCommand]:
    step.only("name", "kubelet", "runtime", "network-plugin")
    kubelet, runtime, plugin = (step.field(name, str, "") for name in ("kubelet", "runtime", "network-plugin"))
    for name, value, known in (("kubelet", kubelet, _CONTROLS), ("runtime", runtime, _CONTROLS), ("network-plugin", plugin, _PLUGIN)):
        if value and value not in known:
            raise BadStep(_("%(name)s is one of %(known)s") % {"name": name, "known": ", ".join(known)}, f"node.{name}")
    yield NodeControl(node=step.needed("name", str), kubelet=kubelet, runtime=runtime, network_plugin=plugin)


def _taint(step: Step) -> Iterator[AnyCommand]:
    step.only("node", "add", "remove")
    yield TaintNode(node=step.needed("node", str), add=_taints(step, "add"), remove=_taints(step, "remove"))


def _taints(step: Step, field: str) -> tuple[str, ...]:
    """Taints as texts (``key=value:effect``) or maps, one or a list of them."""
    value = step.field(field, (str, dict, list))
    found = []
    for item in value if isinstance(value, list) else [] if value is None else [value]:
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, dict) and item.get("key"):
            content = f"={item['value']}" if item.get("value") else ""
            effect = f":{item['effect']}" if item.get("effect") else ""
            found.append(f"{item['key']}{content}{effect}")
        else:
            raise BadStep(_("a taint is written key=value:effect"), f"taint.{field}")
    return tuple(found)


def _name(step: Step) -> str:
    """The node of a verb that may be written as a map or as the bare name."""
    if isinstance(step.body, str):
        return step.body
    name: str = step.needed("node", str)
    return name


def _cordon(step: Step) -> Iterator[AnyCommand]:
    step.only("node")
    yield CordonNode(node=_name(step))


def _uncordon(step: Step) -> Iterator[AnyCommand]:
    step.only("node")
    yield CordonNode(node=_name(step), unschedulable=False)


def _drain(step: Step) -> Iterator[AnyCommand]:
    step.only("node", "force", "delete-emptydir-data", "ignore-daemonsets", "grace-period", "timeout", "disable-eviction", "pod-selector")
    grace = step.field("grace-period", int)
    timeout_ms = duration_ms(step.field("timeout", (int, float, str), 0))
    if timeout_ms is None:
        raise BadStep(_("timeout must be a duration"), "drain.timeout")
    yield DrainNode(
        node=_name(step),
        force=step.field("force", bool, False),
        delete_emptydir_data=step.field("delete-emptydir-data", bool, False),
        ignore_daemonsets=step.field("ignore-daemonsets", bool, False),
        grace_s=grace if grace is None or grace >= 0 else None,
        timeout_s=-(-timeout_ms // 1000),
        disable_eviction=step.field("disable-eviction", bool, False),
        pod_selector=step.field("pod-selector", str, ""),
    )


def _static_pod(step: Step) -> Iterator[AnyCommand]:
    step.only("node", "manifest", "remove")
    node, remove, manifest = step.needed("node", str), step.field("remove", str, ""), step.field("manifest", str, "")
    if bool(remove) == bool(manifest):
        raise BadStep(_("static-pod takes either manifest or remove"), "static-pod")
    if remove:
        yield PlaceStaticPod(node=node, remove=remove, namespace=step.namespace)
        return
    checked = check_text(manifest, kubernetes=step.kubernetes, namespace=step.namespace, gates=step.gates)
    step.problems.extend(checked.problems)
    if checked.ok:
        for document in checked.documents:
            yield PlaceStaticPod(node=node, document=document.json, namespace=step.namespace)


def _shutdown(step: Step) -> Iterator[AnyCommand]:
    step.only("node", "grace", "critical", "by-priority", "cancel")
    pairs = step.field("by-priority", list, [])
    if not is_priority_list(pairs):
        raise BadStep(_("by-priority is a list of priority and seconds"), "shutdown.by-priority")
    yield ShutdownNode(
        node=_name(step),
        grace_s=_seconds(step, "grace"),
        critical_s=_seconds(step, "critical"),
        by_priority=priorities(pairs),
        cancel=step.field("cancel", bool, False),
    )


def _seconds(step: Step, name: str) -> int | None:
    given = step.field(name, (int, float, str))
    if given is None:
        return None
    length = duration_ms(given)
    if length is None:
        raise BadStep(_("%s must be a duration") % name, f"shutdown.{name}")
    return length // 1000


def sandbox_signal(step: Step) -> Iterator[AnyCommand]:
    """``signal`` with ``sandbox: true``: whatever the signal, the pause process ends."""
    step.only("pod", "sandbox", "signal", "from")
    yield KillSandbox(target=step.target())


def plugin_returns(steps: list[ScriptStep]) -> Iterator[ScriptStep]:
    """The steps, with every second removal of a node's network plugin as its return: recorded scripts write both the same way."""
    missing: dict[str, bool] = {}
    for step in steps:
        command = step.command
        if isinstance(command, NodeControl) and command.network_plugin:
            is_removed = command.network_plugin == "missing" and not missing.get(command.node, False)
            missing[command.node] = is_removed
            yield replace(step, command=replace(command, network_plugin="missing" if is_removed else "present"))
        else:
            yield step


NODE_VERBS: dict[str, Callable[[Step], Iterator[AnyCommand]]] = {
    "node": _node,
    "taint": _taint,
    "cordon": _cordon,
    "uncordon": _uncordon,
    "drain": _drain,
    "static-pod": _static_pod,
    "shutdown": _shutdown,
}
"""Every verb about nodes with the function that turns its step into commands."""
