"""What a user can do to a node: its kubelet, runtime and network, and what kubectl does to the Node object."""

from django.utils.translation import gettext as _

from simulator.acts import Act, Button, Input
from simulator.engine.api.thresholds import SIGNALS
from simulator.engine.project import NodeView

Base = dict[str, str | int]


def machine_acts(node: NodeView) -> list[Act]:
    """Kubelet, container runtime and network plugin: away or back."""
    return [_kubelet_act(node), _runtime_act(node), _network_act(node)]


def _kubelet_act(node: NodeView) -> Act:
    base: Base = {"do": "node", "node": node.name}
    if node.kubelet == "stopped":
        help_text = _("It comes up without memory: probe results, back-offs and countdowns begin anew.")
        return Act(
            f"{node.name}-kubelet", {**base, "kubelet": "start"}, (Button(_("Start kubelet")),), "systemctl start kubelet", help_text
        )
    help_text = _("Containers run on, but nobody probes, restarts or stops them, and the node goes silent.")
    return Act(f"{node.name}-kubelet", {**base, "kubelet": "stop"}, (Button(_("Stop kubelet")),), "systemctl stop kubelet", help_text)


def _runtime_act(node: NodeView) -> Act:
    base: Base = {"do": "node", "node": node.name}
    if node.runtime == "down":
        return Act(f"{node.name}-runtime", {**base, "runtime": "start"}, (Button(_("Start runtime")),), "systemctl start containerd")
    help_text = _("Containers run on; the kubelet can neither see nor start nor stop any.")
    return Act(f"{node.name}-runtime", {**base, "runtime": "stop"}, (Button(_("Stop runtime")),), "systemctl stop containerd", help_text)


def _network_act(node: NodeView) -> Act:
    base: Base = {"do": "node", "node": node.name}
    if node.network:
        help_text = _("New sandboxes fail, and the node says NetworkNotReady.")
        return Act(f"{node.name}-network", {**base, "network_plugin": "missing"}, (Button(_("Remove network plugin")),), help=help_text)
    return Act(f"{node.name}-network", {**base, "network_plugin": "present"}, (Button(_("Put network plugin back")),))


def object_acts(node: NodeView) -> list[Act]:
    """What kubectl does to a Node object that exists."""
    name = node.name
    return [
        _cordon_act(node),
        Act(
            f"{name}-drain",
            {"do": "drain", "node": name},
            (Button(_("Drain")),),
            f"kubectl drain {name} --force --delete-emptydir-data --ignore-daemonsets",
            _("Cordons the node and evicts its pods one by one."),
            is_destructive=True,
        ),
        Act(
            f"{name}-taint",
            {"do": "taint", "node": name},
            (Button(_("Set taint")),),
            f"kubectl taint node {name} {{value}}",
            _("NoExecute evicts pods that do not tolerate it; a minus at the end removes the taint."),
            inputs=(Input("value", _("Taint"), "maintenance=soon:NoExecute"),),
        ),
        Act(
            f"{name}-label",
            {"do": "label_node", "node": name},
            (Button(_("Set label")),),
            f"kubectl label node {name} --overwrite {{name}}={{value}}",
            _("Pods that wait for such a node are tried again; pods that run stay."),
            inputs=(Input("name", _("Label"), "disk"), Input("value", _("Value"), "ssd")),
        ),
        *_pressure_acts(node),
        _shutdown_act(node),
        Act(
            f"{name}-delete",
            {"do": "delete_node", "node": name},
            (Button(_("Delete node object")),),
            f"kubectl delete node {name}",
            _("The object goes, the machine stays; its kubelet may register it again."),
            is_destructive=True,
        ),
    ]


def _cordon_act(node: NodeView) -> Act:
    fields: Base = {"do": "cordon", "node": node.name}
    if node.unschedulable:
        return Act(f"{node.name}-cordon", fields, (Button(_("Uncordon")),), f"kubectl uncordon {node.name}")
    label = (Button(_("Cordon")),)
    return Act(f"{node.name}-cordon", {**fields, "unschedulable": "on"}, label, f"kubectl cordon {node.name}", _("No new pods come here."))


def _pressure_acts(node: NodeView) -> list[Act]:
    """Take a resource away, and give back what was taken."""
    base: Base = {"do": "node_pressure", "node": node.name}
    signals = [(signal, signal) for signal in SIGNALS]
    take = Act(
        f"{node.name}-pressure",
        base,
        (Button(_("Leave only so much")),),
        help=_("Below a threshold the kubelet reports pressure and evicts pods."),
        inputs=(Input("pressure", _("Resource"), "memory.available", choices=signals), Input("value", _("Amount"), "50Mi")),
    )
    label = _("Give %(signal)s back")
    back = [
        Act(f"{node.name}-relief-{signal}", {**base, "pressure": signal}, (Button(label % {"signal": signal}),)) for signal in node.loads
    ]
    return [take, *back]


def _shutdown_act(node: NodeView) -> Act:
    fields: Base = {"do": "shutdown_node", "node": node.name}
    if node.is_shutting_down:
        return Act(f"{node.name}-shutdown", {**fields, "cancel": "on"}, (Button(_("Cancel shutdown")),), "shutdown -c")
    return Act(
        f"{node.name}-shutdown",
        fields,
        (Button(_("Shut down")),),
        "systemctl poweroff",
        _("The kubelet ends ordinary pods first and critical ones in the last third of the time."),
        inputs=(Input("seconds", _("Seconds for all pods"), 30, unit="s", minimum=1, maximum=3600),),
        is_destructive=True,
    )


def static_pod_acts(node: NodeView) -> list[Act]:
    """Take a manifest out of the node's static pod folder."""
    label = _("Remove %(name)s")
    return [
        Act(
            f"{node.name}-static-{name}",
            {"do": "static_pod", "node": node.name, "name": name},
            (Button(label % {"name": name}),),
            f"rm /etc/kubernetes/manifests/{name}.yaml",
            is_destructive=True,
        )
        for name in node.static_pods
    ]
