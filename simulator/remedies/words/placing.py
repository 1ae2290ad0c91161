"""Advice about pods that cannot be scheduled, or are refused by a node."""

from simulator.engine.kernel.rule_text import gettext_noop as _
from simulator.remedies.remedy import LookAt, NextStep, Remedy, UsualCause
from simulator.remedies.words.shared import ADD_NODE, ALL_NODES, CLAIMS, DELETE_POD, POD_EVENTS, POD_YAML, RESIZE_IN_PLACE, THE_NODE

REMEDIES = (
    Remedy(
        names=("Pending", "Unschedulable", "FailedScheduling"),
        causes=(
            UsualCause(_("No node has that much capacity left unrequested: requests count, not usage."), r"Insufficient|Too many pods"),
            UsualCause(
                _("A taint that the pod does not tolerate keeps it off: a control-plane node, or one that is cordoned or not ready."),
                r"untolerated taint|had taints? |unschedulable",
                step=1,
            ),
            UsualCause(_("nodeSelector or node affinity asks for a label that no node has."), r"node affinity|node selector", step=2),
            UsualCause(
                _("Its claim is not bound: no volume fits, or the StorageClass is missing."),
                r"[Pp]ersistent[Vv]olume[Cc]laim|volume node affinity",
                step=3,
            ),
            UsualCause(
                _("Anti-affinity or a topology spread constraint leaves no node."), r"anti-affinity|affinity rules|topology spread", step=4
            ),
            UsualCause(_("The host port it asks for is taken on every node."), r"free ports", step=4),
            UsualCause(
                _("No scheduler of the name in schedulerName is running, or the cluster has no nodes (then no Event says why)."),
                r"no nodes available",
            ),
        ),
        look=(
            LookAt(_("The last FailedScheduling names how many nodes failed for which cause."), "kubectl describe pod <pod>"),
            LookAt(_("What each node has allocated."), "kubectl describe nodes"),
            CLAIMS,
        ),
        steps=(
            NextStep(
                _("Request less, remove other pods, or add a node."),
                "kubectl set resources deployment/<deployment> --requests=cpu=<amount>,memory=<amount>",
                act="join_node",
            ),
            NextStep(_("Make a node available again, or tolerate its taint."), "kubectl uncordon <node>", act="cordon"),
            NextStep(
                _("Add the label the pod asks for to a node, or fix the pod’s selector."),
                "kubectl label node <node> <key>=<value>",
                act="label_node",
            ),
            NextStep(_("Bind the claim: create a volume or the StorageClass it names."), "kubectl apply -f <file>", act="apply"),
            NextStep(_("Loosen the constraint in the template, or add a node."), "kubectl edit deployment/<deployment>", act="patch"),
        ),
        doc="concepts/scheduling-eviction/kube-scheduler/",
    ),
    Remedy(
        names=("SchedulingGated",),
        causes=(
            UsualCause(_("spec.schedulingGates is not empty: the scheduler does not look at the pod until a controller removes them.")),
            UsualCause(_("The controller that is to remove the gate (a quota or queueing system) is not running, or refuses the pod.")),
        ),
        look=(LookAt(_("Which gates are left."), "kubectl get pod <pod> -o jsonpath='{.spec.schedulingGates}'"),),
        steps=(
            NextStep(
                _("Remove the gate, if nothing else will."),
                'kubectl patch pod <pod> --type=json -p \'[{"op":"remove","path":"/spec/schedulingGates"}]\'',
                act="remove_scheduling_gates",
            ),
        ),
        doc="concepts/scheduling-eviction/pod-scheduling-readiness/",
    ),
    Remedy(
        names=("NodeAffinity",),
        causes=(
            UsualCause(_("The labels of the node changed between scheduling and admission, or while the kubelet was restarting.")),
            UsualCause(_("spec.nodeName was set by hand, so no scheduler checked the node’s labels.")),
        ),
        look=(
            LookAt(_("Labels of the node."), "kubectl get node <node> --show-labels"),
            POD_YAML,
        ),
        steps=(
            NextStep(_("Put the label back."), "kubectl label node <node> <key>=<value>", act="label_node"),
            DELETE_POD,
        ),
        doc="concepts/scheduling-eviction/assign-pod-node/",
    ),
    Remedy(
        names=("NodePorts",),
        causes=(UsualCause(_("The host port is taken by another pod on the node; the pod was bound without the scheduler’s check.")),),
        look=(LookAt(_("Pods on the node."), "kubectl get pods -A -o wide --field-selector spec.nodeName=<node>"),),
        steps=(NextStep(_("Do without hostPort (use a Service), and delete the pod."), "kubectl delete pod <pod>", act="delete_pod"),),
        doc="concepts/scheduling-eviction/assign-pod-node/",
    ),
    Remedy(
        names=("TaintToleration", "TaintManagerEviction", "DeletionByTaintManager"),
        causes=(
            UsualCause(_("The node got a NoExecute taint that the pod does not tolerate.")),
            UsualCause(
                _("The node was not ready or unreachable for longer than tolerationSeconds (300 s if not set)."),
                r"not-ready|unreachable|NodeNotReady",
            ),
        ),
        look=(
            THE_NODE,
            ALL_NODES,
        ),
        steps=(
            NextStep(_("Remove the taint, if the node is well again."), "kubectl taint node <node> <key>-", act="taint"),
            NextStep(_("Add a toleration to the template."), "kubectl edit deployment/<deployment>", act="patch"),
        ),
        doc="concepts/scheduling-eviction/taint-and-toleration/",
    ),
    Remedy(
        names=("OutOfcpu", "OutOfmemory", "OutOfpods", "OutOfephemeral-storage", "OutOf…"),
        meaning=_("The kubelet refused the pod: the node has too little of that resource left."),
        causes=(
            UsualCause(_("The pod bypassed the scheduler: spec.nodeName, a static pod, or another scheduler.")),
            UsualCause(_("A race: the scheduler counted resources of a pod that had ended in the API, but not yet on the node.")),
            UsualCause(_("The kubelet was restarted with more resources reserved than before.")),
        ),
        look=(
            POD_EVENTS,
            THE_NODE,
        ),
        steps=(
            DELETE_POD,
            NextStep(
                _("Let the scheduler choose: leave nodeName out, and request less."), "kubectl edit deployment/<deployment>", act="patch"
            ),
        ),
        doc="concepts/scheduling-eviction/kube-scheduler/",
    ),
    Remedy(
        names=("SysctlForbidden", "AppArmor"),
        meaning=_("The kubelet refused the pod: the node does not allow a setting of its securityContext."),
        causes=(
            UsualCause(_("A sysctl is not among those that the kubelet allows (--allowed-unsafe-sysctls)."), r"[Ss]ysctl"),
            UsualCause(_("The AppArmor profile is not loaded on the node."), r"AppArmor"),
        ),
        look=(
            POD_EVENTS,
            THE_NODE,
        ),
        steps=(
            NextStep(
                _("Remove the setting, or allow it on dedicated nodes and select those."),
                "kubectl edit deployment/<deployment>",
                act="patch",
            ),
        ),
        doc="tasks/administer-cluster/sysctl-cluster/",
    ),
    Remedy(
        names=("UnexpectedAdmissionError", "TopologyAffinityError"),
        meaning=_("The kubelet could not admit the pod because of its own error, not because of a rule."),
        causes=(
            UsualCause(
                _("A device plugin could not give the device (GPU): it has restarted or the device is unhealthy."),
                r"device|plugin|Allocate",
            ),
            UsualCause(_("A critical pod found no pods to preempt on the node."), r"preempt", step=1),
            UsualCause(_("CPU or memory manager could not allocate on the node."), r"[Cc]pu manager|memory manager|Topology"),
        ),
        look=(
            POD_EVENTS,
            THE_NODE,
        ),
        steps=(
            DELETE_POD,
            NextStep(
                _("Make room on the node, or place the pod elsewhere."), "kubectl get pods -A -o wide --field-selector spec.nodeName=<node>"
            ),
        ),
        doc="concepts/extend-kubernetes/compute-storage-net/device-plugins/",
    ),
    Remedy(
        names=("Preempted", "Preempting", "PreemptionByScheduler", "PreemptionByKubeScheduler"),
        meaning=_("The pod was ended to make room for one of higher priority."),
        causes=(
            UsualCause(_("A pod of higher priority found no node with room, and this pod was on the best one.")),
            UsualCause(_("A critical pod (static or system priority) was started on this node (Preempting)."), r"Preempting|critical"),
        ),
        look=(
            POD_EVENTS,
            LookAt(
                _("Priority of all pods."),
                "kubectl get pods -A -o custom-columns=NAME:.metadata.name,PRIORITY:.spec.priority --sort-by=.spec.priority",
            ),
        ),
        steps=(
            ADD_NODE,
            NextStep(
                _("Give this workload a higher priorityClassName, or the other a preemptionPolicy of Never."),
                "kubectl edit deployment/<deployment>",
                act="patch",
            ),
        ),
        doc="concepts/scheduling-eviction/pod-priority-preemption/",
    ),
    Remedy(
        names=("PodOSNotSupported", "PodOSSelectorNodeLabelDoesNotMatch"),
        meaning=_("The kubelet refused the pod: it is for another operating system than the node’s."),
        causes=(UsualCause(_("The pod names an operating system in spec.os or a label, but was bound to a node with a different one.")),),
        look=(
            LookAt(_("Operating system of the nodes."), "kubectl get nodes -L kubernetes.io/os"),
            POD_YAML,
        ),
        steps=(
            NextStep(
                _("Add a nodeSelector for kubernetes.io/os to the template, so that the scheduler chooses correctly."),
                "kubectl edit deployment/<deployment>",
                act="patch",
            ),
        ),
        doc="concepts/windows/user-guide/",
    ),
    Remedy(
        names=("Deferred", "Infeasible", "ResizeError", "condition/Error"),
        meaning=_("The resources of the running pod could not be changed as asked."),
        causes=(
            UsualCause(_("Deferred: the node has too little left now; the kubelet tries again when other pods leave."), r"Deferred"),
            UsualCause(
                _("Infeasible: the node could never hold it, or the pod is of a kind that cannot be resized (static, swap, CPU manager)."),
                r"Infeasible",
            ),
            UsualCause(_("Error: the runtime failed, or the new memory limit is below what is used."), r"Error"),
        ),
        look=(
            POD_YAML,
            THE_NODE,
        ),
        steps=(
            RESIZE_IN_PLACE,
            DELETE_POD,
        ),
        doc="tasks/configure-pod-container/resize-container-resources/",
    ),
)
