"""Advice about nodes."""

from simulator.engine.kernel.rule_text import gettext_noop as _
from simulator.remedies.remedy import LookAt, NextStep, Remedy, UsualCause
from simulator.remedies.words.shared import ALL_NODES, THE_NODE

REMEDIES = (
    Remedy(
        names=("Unknown", "NodeLost", "NodeNotReady", "NodeStatusUnknown"),
        meaning=_("The node has stopped reporting, so the state of its pods is no longer known."),
        causes=(
            UsualCause(_("The machine is off, or hangs for lack of memory or disk.")),
            UsualCause(_("The node cannot reach the API server: network, firewall, or an expired certificate.")),
            UsualCause(_("The kubelet or the container runtime has stopped.")),
        ),
        look=(
            ALL_NODES,
            THE_NODE,
            LookAt(_("On the node: what the kubelet says."), "journalctl -u kubelet"),
        ),
        steps=(
            NextStep(_("Bring the node back: start the machine, the kubelet or the runtime."), "systemctl restart kubelet", act="node"),
            NextStep(
                _("If it is off for good: delete the node, so that its pods are replaced."), "kubectl delete node <node>", act="delete_node"
            ),
        ),
        doc="concepts/architecture/nodes/#condition",
    ),
    Remedy(
        names=("KubeletNotReady",),
        causes=(
            UsualCause(_("The container runtime is down."), r"runtime"),
            UsualCause(_("The network plugin is not ready on the node."), r"network|cni|NetworkPlugin"),
            UsualCause(_("The node is shutting down."), r"shut"),
        ),
        look=(THE_NODE,),
        steps=(
            NextStep(
                _("Restart what the condition’s message names."),
                "kubectl get pods -n kube-system -o wide --field-selector spec.nodeName=<node>",
                act="node",
            ),
        ),
        doc="concepts/architecture/nodes/#condition",
    ),
    Remedy(
        names=("Rebooted",),
        causes=(UsualCause(_("The machine was started again: an upgrade, a crash, or the provider.")),),
        look=(THE_NODE,),
        steps=(NextStep(_("If it was not planned, look at the machine’s own log."), "journalctl -b -1"),),
        doc="concepts/architecture/nodes/",
    ),
    Remedy(
        names=("NodeNotSchedulable",),
        causes=(UsualCause(_("The node was cordoned, or a drain began.")),),
        look=(ALL_NODES,),
        steps=(NextStep(_("Allow pods on the node again."), "kubectl uncordon <node>", act="cordon"),),
        doc="concepts/architecture/nodes/#manual-node-administration",
    ),
    Remedy(
        names=("RemovingNode",),
        causes=(UsualCause(_("The Node object was deleted, by hand or by an autoscaler; its pods follow.")),),
        look=(ALL_NODES,),
        steps=(
            NextStep(
                _("Restart the kubelet there if the machine is to stay: it registers the node again."),
                "systemctl restart kubelet",
                act="node",
            ),
        ),
        doc="concepts/architecture/nodes/",
    ),
)
