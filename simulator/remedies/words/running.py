"""Advice about containers that exit, or that run but do not work."""

from simulator.engine.kernel.rule_text import gettext_noop as _
from simulator.remedies.remedy import LookAt, NextStep, Remedy, UsualCause
from simulator.remedies.words.shared import CORRECT_TEMPLATE, DELETE_POD, LOGS, POD_EVENTS, POD_USE, POD_YAML, PREVIOUS_LOGS, THE_NODE

REMEDIES = (
    Remedy(
        names=("CrashLoopBackOff", "event/BackOff/Warning"),
        causes=(
            UsualCause(_("The application fails at start: a setting is wrong or missing, or a service it needs is not reachable.")),
            UsualCause(
                _("The liveness or startup probe fails, so the kubelet itself stops the container each time."),
                r"(Liveness|Startup) probe failed|failed (liveness|startup) probe",
                step=2,
            ),
            UsualCause(_("The process needs more memory than its limit: the last state is OOMKilled."), r"OOMKilled", step=1),
            UsualCause(
                _("The command does not exist or cannot be executed (exit code 126, 127 or 128)."),
                r"exitCode=12[678]\b|StartError|ContainerCannotRun|executable file not found",
            ),
            UsualCause(
                _("The process completes with exit code 0, but restartPolicy Always starts it again: it is work for a Job."),
                r"exitCode=0\b",
                step=3,
            ),
        ),
        look=(
            PREVIOUS_LOGS,
            LookAt(
                _("Exit code and reason of the last state."),
                "kubectl get pod <pod> -o jsonpath='{.status.containerStatuses[*].lastState.terminated}'",
            ),
            POD_EVENTS,
        ),
        steps=(
            NextStep(
                _("Fix what the log complains about, in the template or in the ConfigMap; a new version may simply be undone."),
                "kubectl rollout undo deployment/<deployment>",
                act="rollout_undo",
            ),
            NextStep(
                _("Raise the memory limit above what the process needs at its peak, or make it use less."),
                "kubectl set resources deployment/<deployment> -c <container> --limits=memory=<amount>",
                act="resize_pod",
            ),
            NextStep(
                _("Give the probe more time: a startup probe, a longer timeoutSeconds, or a lighter endpoint."),
                "kubectl edit deployment/<deployment>",
                act="patch",
            ),
            NextStep(
                _("Run it as a Job, or in its own pod with restartPolicy OnFailure."),
                "kubectl create job <job> --image=<image> -- <command>",
                act="apply",
            ),
        ),
        doc="concepts/workloads/pods/pod-lifecycle/#restart-policy",
    ),
    Remedy(
        names=("status/Error", "terminated/Error", "ExitCode:N", "Signal:N"),
        causes=(
            UsualCause(_("The application itself ended with an error; its log says which.")),
            UsualCause(_("A signal ended it: 137 is KILL (probe, grace period over, or memory), 143 is TERM."), r"exitCode=(137|143)\b"),
            UsualCause(_("The process crashed: 139 is a segmentation fault, 134 an abort."), r"exitCode=13[49]\b"),
            UsualCause(_("The command was not found (127) or could not be executed (126)."), r"exitCode=12[67]\b", step=1),
        ),
        look=(
            LOGS,
            PREVIOUS_LOGS,
            LookAt(
                _("Exit code, signal and message."), "kubectl get pod <pod> -o jsonpath='{.status.containerStatuses[*].state.terminated}'"
            ),
        ),
        steps=(
            NextStep(
                _("Look at the log, correct the setting or the version, and replace the pod."),
                "kubectl rollout undo deployment/<deployment>",
                act="rollout_undo",
            ),
            CORRECT_TEMPLATE,
        ),
        doc="concepts/workloads/pods/pod-lifecycle/#container-states",
    ),
    Remedy(
        names=("OOMKilled",),
        causes=(
            UsualCause(_("The process needs more memory than resources.limits.memory allows.")),
            UsualCause(_("The language runtime does not know the limit and sizes its heap by the node’s memory.")),
            UsualCause(_("It leaks memory: the time from start to end is much the same each time.")),
            UsualCause(_("Files in an emptyDir with medium Memory count as memory.")),
        ),
        look=(
            LookAt(_("The limit, and the last state."), "kubectl describe pod <pod>"),
            POD_USE,
            PREVIOUS_LOGS,
        ),
        steps=(
            NextStep(
                _("Raise the memory limit above what the process needs at its peak, or make it use less."),
                "kubectl set resources deployment/<deployment> -c <container> --limits=memory=<amount>",
                act="resize_pod",
            ),
            NextStep(
                _("Tell the language runtime about its limit, for example with -XX:MaxRAMPercentage or GOMEMLIMIT."),
                "kubectl set env deployment/<deployment> GOMEMLIMIT=<amount>",
            ),
        ),
        doc="tasks/configure-pod-container/assign-memory-resource/",
    ),
    Remedy(
        names=("SystemOOM",),
        causes=(
            UsualCause(_("The node as a whole ran out of memory: pods use much more than they request.")),
            UsualCause(_("A container went over its memory limit, and the kernel ended a process in it.")),
        ),
        look=(
            THE_NODE,
            LookAt(_("Which pods use the most."), "kubectl top pod -A --sort-by=memory"),
        ),
        steps=(
            NextStep(
                _("Set memory requests close to actual usage, and limits for the pods that grow."),
                "kubectl set resources deployment/<deployment> --requests=memory=<amount> --limits=memory=<amount>",
                act="patch",
            ),
        ),
        doc="concepts/scheduling-eviction/node-pressure-eviction/",
    ),
    Remedy(
        names=("status/Completed", "terminated/Completed"),
        causes=(
            UsualCause(_("Nothing is wrong if it was meant to end, as a Job or an init container is.")),
            UsualCause(_("A server went into the background, so its first process ended.")),
            UsualCause(_("The image is a base image, such as an operating system, without a long-running process.")),
        ),
        look=(
            LOGS,
            POD_EVENTS,
        ),
        steps=(
            NextStep(
                _("Run the server in the foreground; use a Job for anything that is supposed to end."),
                "kubectl create job <job> --image=<image> -- <command>",
                act="apply",
            ),
        ),
        doc="concepts/workloads/pods/pod-lifecycle/#container-states",
    ),
    Remedy(
        names=("ContainerStatusUnknown", "UnknownContainerStatuses"),
        causes=(
            UsualCause(_("The node was restarted or lost the container, so how it ended is unknown (exit code 137 is a placeholder).")),
            UsualCause(_("The pod was evicted or deleted while the runtime did not answer."), r"Evicted|low on resource"),
        ),
        look=(
            POD_EVENTS,
            THE_NODE,
        ),
        steps=(DELETE_POD,),
        doc="concepts/workloads/pods/pod-lifecycle/#container-states",
    ),
    Remedy(
        names=("NotReady", "ContainersNotReady", "Running"),
        causes=(
            UsualCause(
                _("The readiness probe fails: the application does not listen yet, or on another port or path."),
                r"[Rr]eadiness probe (failed|errored)",
            ),
            UsualCause(_("The startup probe has not succeeded yet, so the readiness probe has not begun."), r"[Ss]tartup probe failed"),
            UsualCause(_("One of several containers has ended or keeps restarting."), r"CrashLoopBackOff|terminated", step=1),
            UsualCause(_("It is Ready, and the problem is elsewhere: the Service’s selector or targetPort does not match."), step=2),
        ),
        look=(
            POD_EVENTS,
            LOGS,
            LookAt(_("Which pods are behind the Service."), "kubectl get endpointslices -l kubernetes.io/service-name=<service>"),
        ),
        steps=(
            NextStep(
                _("Test the endpoint the way the probe does."),
                "kubectl exec <pod> -c <container> -- wget -qO- localhost:<port><path>",
                act="exec",
            ),
            NextStep(
                _("Look up the state of that container on this page."), "kubectl get pod <pod> -o jsonpath='{.status.containerStatuses}'"
            ),
            NextStep(_("Compare selector and targetPort with labels and ports of the pod."), "kubectl edit service <service>", act="patch"),
        ),
        doc="tasks/configure-pod-container/configure-liveness-readiness-startup-probes/",
    ),
    Remedy(
        names=("ReadinessGatesNotReady",),
        causes=(
            UsualCause(
                _(
                    "A condition that spec.readinessGates names is not True: the controller that sets it, such as a load "
                    "balancer’s, has not done so."
                )
            ),
        ),
        look=(POD_YAML,),
        steps=(
            NextStep(
                _("Look at the controller that should set the condition; to try things out, set it yourself."),
                'kubectl patch pod <pod> --subresource=status -p \'{"status":{"conditions":[{"type":"<type>","status":"True"}]}}\'',
                act="patch_pod",
            ),
        ),
        doc="concepts/workloads/pods/pod-lifecycle/#pod-readiness-gate",
    ),
    Remedy(
        names=("Unhealthy", "ProbeWarning"),
        causes=(
            UsualCause(_("Nothing listens on the port: the application is still starting, or uses another port."), r"connection refused"),
            UsualCause(_("The endpoint takes longer than timeoutSeconds (1 s if not set)."), r"timeout|deadline exceeded|timed out"),
            UsualCause(_("The endpoint answers with an error, or the path is wrong."), r"statuscode: [45]|HTTP probe failed", step=1),
            UsualCause(
                _("The command of an exec probe fails or does not exist in the image."),
                r"executable file not found|no such file|can't open|exit",
                step=1,
            ),
        ),
        look=(
            LookAt(_("Which probe fails, and the message."), "kubectl describe pod <pod>"),
            LOGS,
        ),
        steps=(
            NextStep(
                _("Give it time: a startup probe for a slow start, a longer timeoutSeconds for a slow answer."),
                "kubectl edit deployment/<deployment>",
                act="patch",
            ),
            NextStep(
                _("Test the endpoint the way the probe does."),
                "kubectl exec <pod> -c <container> -- wget -qO- localhost:<port><path>",
                act="exec",
            ),
        ),
        doc="tasks/configure-pod-container/configure-liveness-readiness-startup-probes/",
    ),
)
