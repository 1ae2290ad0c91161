"""Advice about pods that were terminated, and pods that do not terminate."""

from simulator.engine.kernel.rule_text import gettext_noop as _
from simulator.remedies.remedy import LookAt, NextStep, Remedy, UsualCause
from simulator.remedies.words.shared import ALL_NODES, DELETE_POD, LOGS, POD_EVENTS, POD_YAML, THE_NODE

REMEDIES = (
    Remedy(
        names=("Evicted", "TerminationByKubelet"),
        causes=(
            UsualCause(
                _("The node ran low on memory, and the pod used more than it requested."), r"low on resource: memory|MemoryPressure"
            ),
            UsualCause(
                _("The node’s disk ran full: images, logs, or files written in containers."),
                r"low on resource: (ephemeral-storage|inodes)|DiskPressure",
                step=1,
            ),
            UsualCause(
                _("The pod wrote more than its ephemeral-storage limit, or an emptyDir more than its sizeLimit."),
                r"exceeds|exceeded|usage of EmptyDir",
                step=1,
            ),
            UsualCause(_("The node ran out of process IDs."), r"pids|PIDPressure"),
        ),
        look=(
            POD_EVENTS,
            THE_NODE,
            LookAt(_("Which pods use the most."), "kubectl top pod -A --sort-by=memory"),
        ),
        steps=(
            NextStep(
                _("Set requests close to actual usage: pods above their requests are evicted first."),
                "kubectl set resources deployment/<deployment> --requests=memory=<amount>",
                act="patch",
            ),
            NextStep(
                _("Write less, or request ephemeral-storage; free the node’s disk."),
                "kubectl set resources deployment/<deployment> --requests=ephemeral-storage=<amount>",
                act="patch",
            ),
            NextStep(
                _("Remove the objects of evicted pods, which hold nothing any more."),
                "kubectl delete pods --field-selector status.phase=Failed",
                act="delete_pod",
            ),
        ),
        doc="concepts/scheduling-eviction/node-pressure-eviction/",
    ),
    Remedy(
        names=(
            "EvictionThresholdMet",
            "KubeletHasDiskPressure",
            "KubeletHasInsufficientMemory",
            "KubeletHasInsufficientPID",
            "NodeHasDiskPressure",
            "NodeHasInsufficientMemory",
            "NodeHasInsufficientPID",
        ),
        meaning=_("The node is short of a resource: the kubelet reclaims it, evicts pods, and the node gets a taint."),
        causes=(
            UsualCause(_("Pods use much more than they request."), r"[Mm]emory"),
            UsualCause(_("Images, logs or files in containers fill the disk."), r"[Dd]isk|storage"),
            UsualCause(_("A process keeps starting others."), r"PID|pids"),
        ),
        look=(
            THE_NODE,
            LookAt(_("Which pods use the most."), "kubectl top pod -A --sort-by=memory"),
        ),
        steps=(
            NextStep(_("Keep new pods away while you free the resource."), "kubectl cordon <node>", act="cordon"),
            NextStep(
                _("Set requests close to actual usage: pods above their requests are evicted first."),
                "kubectl set resources deployment/<deployment> --requests=memory=<amount>",
                act="patch",
            ),
        ),
        doc="concepts/scheduling-eviction/node-pressure-eviction/",
    ),
    Remedy(
        names=("DeadlineExceeded",),
        causes=(
            UsualCause(_("The work takes longer than activeDeadlineSeconds of the pod or of its Job.")),
            UsualCause(
                _("It could not start in time: waiting for a node, an image, or retries counts too."), r"FailedScheduling|ImagePull|BackOff"
            ),
        ),
        look=(
            POD_EVENTS,
            LookAt(_("The deadline, and when the Job started."), "kubectl get job <job> -o yaml"),
        ),
        steps=(
            NextStep(
                _("Create the Job again with a longer deadline: that of a finished Job does nothing more."),
                "kubectl apply -f <file>",
                act="apply",
            ),
        ),
        doc="concepts/workloads/controllers/job/#job-termination-and-cleanup",
    ),
    Remedy(
        names=("NodeShutdown", "Terminated", "Shutdown"),
        meaning=_("The node was shut down: the kubelet ended its pods, or refused a new one."),
        causes=(UsualCause(_("The machine was rebooted, upgraded, or taken back by the cloud provider (spot).")),),
        look=(
            THE_NODE,
            ALL_NODES,
        ),
        steps=(
            NextStep(
                _("Delete what is left; its controller has replaced it. Drain a node before a planned shutdown."),
                "kubectl drain <node> --ignore-daemonsets",
                act="drain",
            ),
        ),
        doc="concepts/cluster-administration/node-shutdown/",
    ),
    Remedy(
        names=("EvictionByEvictionAPI",),
        causes=(
            UsualCause(_("The node is being drained: by an administrator, an upgrade, or an autoscaler.")),
            UsualCause(_("A descheduler or another client of the eviction API moved the pod.")),
        ),
        look=(
            ALL_NODES,
            POD_EVENTS,
        ),
        steps=(
            NextStep(
                _("Protect the workload with a PodDisruptionBudget, and run more than one replica."),
                "kubectl create pdb <name> --selector=<key>=<value> --min-available=1",
                act="apply",
            ),
            NextStep(_("Allow pods on the node again."), "kubectl uncordon <node>", act="cordon"),
        ),
        doc="concepts/scheduling-eviction/api-eviction/",
    ),
    Remedy(
        names=("DeletionByPodGC",),
        causes=(
            UsualCause(_("The node of the pod no longer exists.")),
            UsualCause(
                _("The node is out of service (taint node.kubernetes.io/out-of-service) and the pod was being deleted."), r"out-of-service"
            ),
        ),
        look=(ALL_NODES,),
        steps=(
            NextStep(
                _("Nothing to do for the pod: its controller has created another. Find out why the node went away."),
                "kubectl get events -A --field-selector involvedObject.kind=Node",
            ),
        ),
        doc="concepts/workloads/pods/pod-lifecycle/#pod-garbage-collection",
    ),
    Remedy(
        names=("status/Failed", "PodFailed"),
        meaning=_("All containers have ended, at least one with an error, and none is started again."),
        causes=(
            UsualCause(_("The process ended with an error, and restartPolicy is Never."), r"exitCode=[1-9]"),
            UsualCause(
                _("The kubelet or a controller ended the pod: its status.reason says why."), r"Evicted|Shutdown|Terminated|DeadlineExceeded"
            ),
        ),
        look=(
            LOGS,
            POD_YAML,
        ),
        steps=(DELETE_POD,),
        doc="concepts/workloads/pods/pod-lifecycle/#pod-phase",
    ),
    Remedy(
        names=("Terminating",),
        causes=(
            UsualCause(_("The grace period still runs: the process ignores TERM, often because a shell is PID 1.")),
            UsualCause(_("The node does not report, so no kubelet confirms the end."), r"NodeNotReady|NodeLost|unreachable", step=1),
            UsualCause(_("A finalizer of the pod waits for its controller."), r"finalizers", step=2),
            UsualCause(_("A volume cannot be unmounted, or the runtime cannot stop a container."), r"FailedKillPod|unmount", step=1),
        ),
        look=(
            LookAt(_("deletionTimestamp, grace period and finalizers."), "kubectl get pod <pod> -o yaml"),
            ALL_NODES,
        ),
        steps=(
            NextStep(
                _("Wait for the grace period; let the process handle TERM (exec in the start script, or a preStop hook)."),
                "kubectl get pod <pod> --watch",
            ),
            NextStep(
                _("Only if the node is definitely off: delete without waiting for it."),
                "kubectl delete pod <pod> --grace-period=0 --force",
                act="delete_pod",
            ),
            NextStep(
                _("Remove the finalizer only if its controller is gone for good."),
                'kubectl patch pod <pod> -p \'{"metadata":{"finalizers":null}}\'',
                act="patch_pod",
            ),
        ),
        doc="concepts/workloads/pods/pod-lifecycle/#pod-termination",
    ),
    Remedy(
        names=("FailedKillPod",),
        causes=(
            UsualCause(_("The container runtime does not answer or cannot stop a container.")),
            UsualCause(_("The network plugin fails to take the pod’s network down."), r"network|cni"),
        ),
        look=(
            POD_EVENTS,
            THE_NODE,
        ),
        steps=(
            NextStep(
                _("Restart the container runtime or the network plugin on the node; the kubelet tries again."),
                "kubectl get pods -n kube-system -o wide --field-selector spec.nodeName=<node>",
                act="node",
            ),
        ),
        doc="tasks/debug/debug-application/debug-pods/",
    ),
)
