"""The engine's command behind each act of the page, from the fields of its form, and the fields that each act needs."""

import json
from collections.abc import Callable
from typing import Any

from simulator.engine import commands

TERM = 15
PLACES = ("request", "limit")
CHANGES = ("image", "label", "annotation", "finalizers", "condition", "deadline")
"""What an act may change of a pod by a patch."""

Fields = dict[str, Any]


def _delete(fields: Fields) -> commands.AnyCommand:
    return commands.DeletePod(target=fields["target"], grace_s=fields["grace_s"], force=fields["force"])


def _exit(fields: Fields) -> commands.AnyCommand:
    return commands.ExitContainer(target=fields["target"], container=fields["container"], exit_code=fields["exit_code"])


def _signal(fields: Fields) -> commands.AnyCommand:
    return commands.SignalContainer(target=fields["target"], container=fields["container"], signal=fields["signal"] or TERM)


def _oom(fields: Fields) -> commands.AnyCommand:
    return commands.OomContainer(target=fields["target"], container=fields["container"])


def _hang(fields: Fields) -> commands.AnyCommand:
    return commands.HangContainer(target=fields["target"], container=fields["container"], hang=fields["hang"])


def _probe(fields: Fields) -> commands.AnyCommand:
    outcome = fields["outcome"] or None
    where = {"target": fields["target"], "container": fields["container"], "probe": fields["probe"]}
    return commands.SetProbe(**where, outcome=outcome, attempts=fields["attempts"] or 0)


def _image(fields: Fields) -> commands.AnyCommand:
    return commands.SetImage(image=fields["image"], available=fields["available"])


def _patch(fields: Fields) -> commands.AnyCommand:
    kind, subresource, body = _PATCHES[fields["change"]](fields)
    return commands.PatchPod(target=fields["target"], patch=json.dumps(body), kind=kind, subresource=subresource)


def _image_patch(fields: Fields) -> tuple[str, str, Any]:
    place = "initContainers" if fields["group"] == "init" else "containers"
    return "strategic", "", {"spec": {place: [{"name": fields["container"], "image": fields["image"]}]}}


def _label_patch(fields: Fields) -> tuple[str, str, Any]:
    return "merge", "", {"metadata": {"labels": {fields["name"]: fields["value"] or None}}}


def _annotation_patch(fields: Fields) -> tuple[str, str, Any]:
    return "merge", "", {"metadata": {"annotations": {fields["name"]: fields["value"] or None}}}


def _finalizers_patch(fields: Fields) -> tuple[str, str, Any]:
    return "merge", "", {"metadata": {"finalizers": fields["value"].replace(",", " ").split() or None}}


def _condition_patch(fields: Fields) -> tuple[str, str, Any]:
    return "strategic", "status", {"status": {"conditions": [{"type": fields["name"], "status": fields["status"]}]}}


def _deadline_patch(fields: Fields) -> tuple[str, str, Any]:
    return "merge", "", {"spec": {"activeDeadlineSeconds": fields["seconds"]}}


_PATCHES: dict[str, Callable[[Fields], tuple[str, str, Any]]] = {
    "image": _image_patch,
    "label": _label_patch,
    "annotation": _annotation_patch,
    "finalizers": _finalizers_patch,
    "condition": _condition_patch,
    "deadline": _deadline_patch,
}
CHANGE_NEEDS = {
    "image": ("container", "image"),
    "label": ("name",),
    "annotation": ("name",),
    "finalizers": (),
    "condition": ("name", "status"),
    "deadline": ("seconds",),
}
"""Fields that each change of a pod needs beside ``target``."""


def _exec(fields: Fields) -> commands.AnyCommand:
    return commands.ExecInContainer(target=fields["target"], container=fields["container"], command=fields["words"])


def _debug(fields: Fields) -> commands.AnyCommand:
    where = {"target": fields["target"], "container": fields["container"], "target_container": fields["target_container"]}
    return commands.DebugPod(**where, image=fields["image"], command=fields["words"])


def _sandbox(fields: Fields) -> commands.AnyCommand:
    return commands.KillSandbox(target=fields["target"])


def _gates(fields: Fields) -> commands.AnyCommand:
    return commands.RemoveSchedulingGates(target=fields["target"], gate=fields["value"])


def _resize(fields: Fields) -> commands.AnyCommand:
    given = {place: {name: fields[f"{name}_{place}"] for name in ("cpu", "memory") if fields[f"{name}_{place}"]} for place in PLACES}
    return commands.ResizePod(target=fields["target"], container=fields["container"], requests=given["request"], limits=given["limit"])


def _namespace(fields: Fields) -> commands.AnyCommand:
    return commands.DeleteNamespace(name=fields["namespace"])


def _pods(fields: Fields) -> commands.AnyCommand:
    return commands.DeletePods(namespace=fields["namespace"])


def _node(fields: Fields) -> commands.AnyCommand:
    states = {"kubelet": fields["kubelet"], "runtime": fields["runtime"], "network_plugin": fields["network_plugin"]}
    return commands.NodeControl(node=fields["node"], **states)


def _taint(fields: Fields) -> commands.AnyCommand:
    text = fields["value"]
    if text.endswith("-"):
        return commands.TaintNode(node=fields["node"], remove=(text[:-1],))
    return commands.TaintNode(node=fields["node"], add=(text,))


def _cordon(fields: Fields) -> commands.AnyCommand:
    return commands.CordonNode(node=fields["node"], unschedulable=fields["unschedulable"])


def _drain(fields: Fields) -> commands.AnyCommand:
    return commands.DrainNode(
        node=fields["node"], grace_s=fields["grace_s"], force=True, delete_emptydir_data=True, ignore_daemonsets=True
    )  # fmt: skip


def _delete_node(fields: Fields) -> commands.AnyCommand:
    return commands.DeleteNode(node=fields["node"])


def _label_node(fields: Fields) -> commands.AnyCommand:
    return commands.LabelNode(node=fields["node"], labels={fields["name"]: fields["value"] or None})


def _pressure(fields: Fields) -> commands.AnyCommand:
    return commands.SetNodePressure(node=fields["node"], signal=fields["pressure"], available=fields["value"] or None)


def _shutdown(fields: Fields) -> commands.AnyCommand:
    if fields["cancel"]:
        return commands.ShutdownNode(node=fields["node"], cancel=True)
    grace_s = fields["seconds"] or 30
    return commands.ShutdownNode(node=fields["node"], grace_s=grace_s, critical_s=grace_s // 3)


def _static_pod(fields: Fields) -> commands.AnyCommand:
    return commands.PlaceStaticPod(node=fields["node"], remove=fields["name"])


def _evict(fields: Fields) -> commands.AnyCommand:
    return commands.EvictPod(target=fields["target"], grace_s=fields["grace_s"])


def _bind(fields: Fields) -> commands.AnyCommand:
    return commands.BindPod(target=fields["target"], node=fields["node"])


def _delete_object(fields: Fields) -> commands.AnyCommand:
    where = {"kind": fields["kind"], "namespace": fields["namespace"], "name": fields["name"]}
    return commands.DeleteObject(**where, propagation=fields["propagation"].capitalize())


BUILDERS: dict[str, Callable[[Fields], commands.AnyCommand]] = {
    "delete_pod": _delete,
    "delete_pods": _pods,
    "delete_namespace": _namespace,
    "patch_pod": _patch,
    "exec": _exec,
    "debug_pod": _debug,
    "exit_container": _exit,
    "signal_container": _signal,
    "oom_container": _oom,
    "hang_container": _hang,
    "set_probe": _probe,
    "set_image": _image,
    "kill_sandbox": _sandbox,
    "remove_scheduling_gates": _gates,
    "resize_pod": _resize,
    "node": _node,
    "taint": _taint,
    "cordon": _cordon,
    "drain": _drain,
    "delete_node": _delete_node,
    "label_node": _label_node,
    "node_pressure": _pressure,
    "shutdown_node": _shutdown,
    "static_pod": _static_pod,
    "evict": _evict,
    "bind": _bind,
    "delete": _delete_object,
}
NEEDS: dict[str, tuple[str, ...]] = {
    "delete_pod": ("target",),
    "delete_pods": ("namespace",),
    "delete_namespace": ("namespace",),
    "patch_pod": ("target", "change"),
    "exec": ("target", "words"),
    "debug_pod": ("target", "container", "image"),
    "exit_container": ("target", "container", "exit_code"),
    "signal_container": ("target", "container"),
    "oom_container": ("target", "container"),
    "hang_container": ("target", "container"),
    "set_probe": ("target", "container", "probe"),
    "set_image": ("image",),
    "kill_sandbox": ("target",),
    "remove_scheduling_gates": ("target",),
    "resize_pod": ("target", "container"),
    "node": ("node",),
    "taint": ("node", "value"),
    "cordon": ("node",),
    "drain": ("node",),
    "delete_node": ("node",),
    "label_node": ("node", "name"),
    "node_pressure": ("node", "pressure"),
    "shutdown_node": ("node",),
    "static_pod": ("node", "name"),
    "evict": ("target",),
    "bind": ("target", "node"),
    "delete": ("kind", "name"),
}
