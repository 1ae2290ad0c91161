"""Advice about containers that do not start."""

from simulator.engine.kernel.rule_text import gettext_noop as _
from simulator.remedies.remedy import LookAt, NextStep, Remedy, UsualCause
from simulator.remedies.words.shared import (
    ALL_NODES,
    CORRECT_IMAGE,
    CORRECT_TEMPLATE,
    CREATE_MISSING,
    DELETE_POD,
    POD_EVENTS,
    PREVIOUS_LOGS,
    THE_NODE,
)

REMEDIES = (
    Remedy(
        names=("CreateContainerConfigError",),
        causes=(
            UsualCause(
                _("A ConfigMap that an environment variable refers to does not exist in the pod’s namespace."), r"configmap .*not found"
            ),
            UsualCause(_("A Secret that an environment variable refers to does not exist in the pod’s namespace."), r"secret .*not found"),
            UsualCause(_("The object exists, but has no such key."), r"couldn't find key|find key", step=1),
            UsualCause(
                _("runAsNonRoot is true, but the image runs as root or specifies its user by name instead of by number."),
                r"runAsNonRoot|run as non-root|non-numeric user|will run as root",
                step=2,
            ),
            UsualCause(_("The subPath of a volume mount does not exist or cannot be prepared."), r"subPath", step=2),
        ),
        look=(
            POD_EVENTS,
            LookAt(_("Which ConfigMaps and Secrets the namespace has."), "kubectl get configmap,secret"),
        ),
        steps=(
            CREATE_MISSING,
            NextStep(
                _("Add the key to the object, or correct its name in the template."), "kubectl edit configmap <configmap>", act="patch"
            ),
            NextStep(
                _("Give a numeric runAsUser other than 0, and correct the mounts, in the template."),
                "kubectl edit deployment/<deployment>",
                act="patch",
            ),
        ),
        doc="tasks/configure-pod-container/configure-pod-configmap/",
    ),
    Remedy(
        names=("CreateContainerError",),
        causes=(
            UsualCause(_("The image has no command and the pod gives none."), r"no command specified"),
            UsualCause(
                _("The runtime still holds a container of that name, usually after a restart of the node or runtime."),
                r"name .* is (already )?(reserved|in use)",
                step=1,
            ),
            UsualCause(_("A mounted path or device does not exist, or cannot be mounted there."), r"mount|no such file|device"),
            UsualCause(_("The runtime answers too slowly, as on an overloaded disk."), r"deadline exceeded|timeout", step=1),
        ),
        look=(
            POD_EVENTS,
            THE_NODE,
        ),
        steps=(
            NextStep(_("Correct command or mounts in the template."), "kubectl edit deployment/<deployment>", act="patch"),
            DELETE_POD,
        ),
        doc="tasks/debug/debug-application/debug-pods/",
    ),
    Remedy(
        names=("RunContainerError", "StartError", "ContainerCannotRun"),
        causes=(
            UsualCause(
                _("The command does not exist in the image, or is not in PATH."), r"executable file not found|no such file or directory"
            ),
            UsualCause(_("The file is not executable, or not by the user that the container runs as."), r"permission denied"),
            UsualCause(_("The binary is for another architecture, or a script lacks its first line."), r"exec format error", step=1),
            UsualCause(
                _("The whole command line is a single string in command instead of one string per word."),
                r'exec: \\?"[^"]* [^"]*\\?"',
            ),
            UsualCause(_("The memory limit is too small even to start the process."), r"memory limit|cannot allocate|OOM"),
        ),
        look=(
            POD_EVENTS,
            LookAt(
                _("The command and arguments as given."),
                "kubectl get pod <pod> -o jsonpath='{.spec.containers[*].command} {.spec.containers[*].args}'",
            ),
        ),
        steps=(
            NextStep(
                _("Correct the command in the template; that of an existing pod cannot be changed."),
                "kubectl edit deployment/<deployment>",
                act="patch",
            ),
            CORRECT_IMAGE,
        ),
        doc="tasks/debug/debug-application/debug-pods/",
    ),
    Remedy(
        names=("PostStartHookError", "FailedPostStartHook"),
        causes=(
            UsualCause(_("The command of the hook failed: it runs at once, often before the application listens.")),
            UsualCause(_("The command does not exist in the image."), r"executable file not found|no such file"),
            UsualCause(_("The address of an HTTP hook does not answer."), r"connection refused|timeout|HTTP"),
        ),
        look=(
            POD_EVENTS,
            PREVIOUS_LOGS,
        ),
        steps=(
            NextStep(
                _("Let the hook wait until the application answers, or do its work in an init container instead."),
                "kubectl edit deployment/<deployment>",
                act="patch",
            ),
        ),
        doc="concepts/containers/container-lifecycle-hooks/",
    ),
    Remedy(
        names=("FailedPreStopHook",),
        causes=(
            UsualCause(_("The command of the hook failed or does not exist in the image; the container is stopped anyway.")),
            UsualCause(_("The hook took longer than the grace period."), r"timeout|deadline"),
        ),
        look=(
            POD_EVENTS,
            LookAt(_("How long the pod may take."), "kubectl get pod <pod> -o jsonpath='{.spec.terminationGracePeriodSeconds}'"),
        ),
        steps=(
            NextStep(
                _("Fix the hook, or allow more time with terminationGracePeriodSeconds."),
                "kubectl edit deployment/<deployment>",
                act="patch",
            ),
        ),
        doc="concepts/containers/container-lifecycle-hooks/",
    ),
    Remedy(
        names=("LifecycleHTTPFallback",),
        causes=(UsualCause(_("A hook with scheme HTTPS was answered in plain HTTP, so the kubelet tried again without TLS.")),),
        look=(POD_EVENTS,),
        steps=(NextStep(_("Use the scheme that the application expects."), "kubectl edit deployment/<deployment>", act="patch"),),
        doc="concepts/containers/container-lifecycle-hooks/",
    ),
    Remedy(
        names=("InvalidEnvironmentVariableNames",),
        causes=(UsualCause(_("envFrom takes keys from a ConfigMap or Secret that are not valid variable names, so they were skipped.")),),
        look=(POD_EVENTS,),
        steps=(
            NextStep(
                _("Rename the keys, or take them one by one with env and valueFrom."), "kubectl edit configmap <configmap>", act="patch"
            ),
        ),
        doc="tasks/configure-pod-container/configure-pod-configmap/",
    ),
    Remedy(
        names=("ContainerCreating",),
        causes=(
            UsualCause(_("The image is still being pulled."), r"Pulling image"),
            UsualCause(
                _("A volume cannot be mounted: see the Events FailedMount and FailedAttachVolume."),
                r"FailedMount|FailedAttachVolume",
                step=1,
            ),
            UsualCause(
                _("The sandbox cannot be created, usually because of the network plugin: see FailedCreatePodSandBox."),
                r"FailedCreatePodSandBox",
                step=1,
            ),
            UsualCause(_("The kubelet of the node has stopped reporting."), r"NodeNotReady", step=1),
        ),
        look=(
            POD_EVENTS,
            ALL_NODES,
        ),
        steps=(
            NextStep(_("Wait while new Events keep arriving; a large image takes minutes."), "kubectl get pod <pod> --watch"),
            NextStep(
                _("Look up the Warning that the Events repeat on this page."),
                "kubectl get events --field-selector involvedObject.name=<pod>,type=Warning",
            ),
        ),
        doc="tasks/debug/debug-application/debug-pods/",
    ),
    Remedy(
        names=("PodInitializing", "Init:N/M", "ContainersNotInitialized"),
        causes=(
            UsualCause(_("An init container waits for something that is not there: a Service, a database, a file.")),
            UsualCause(_("An init container is doing long work.")),
            UsualCause(_("A sidecar has not started yet: its startup probe has not succeeded."), r"[Ss]tartup probe failed"),
        ),
        look=(
            LookAt(_("Which init container is the first that has not completed."), "kubectl describe pod <pod>"),
            LookAt(_("What it writes."), "kubectl logs <pod> -c <container>"),
        ),
        steps=(
            NextStep(_("Provide what it waits for; the pod continues by itself."), "kubectl apply -f <file>", act="apply"),
            NextStep(_("Check what it can reach from inside."), "kubectl exec <pod> -c <container> -- nslookup <service>", act="exec"),
        ),
        doc="tasks/debug/debug-application/debug-init-containers/",
    ),
    Remedy(
        names=("FailedCreatePodSandBox",),
        causes=(
            UsualCause(
                _("The network plugin cannot set up the pod’s network: it is not running on the node, or has no address left."),
                r"network|cni|IP address|ipam",
            ),
            UsualCause(_("The RuntimeClass names a handler that the runtime does not have."), r"runtime handler|RuntimeHandler", step=1),
            UsualCause(_("The pod’s name makes a host name that is too long."), r"too long|hostname", step=1),
            UsualCause(_("The container runtime does not answer."), r"connection refused|deadline exceeded|dial unix"),
        ),
        look=(
            POD_EVENTS,
            LookAt(
                _("Whether the network plugin runs on the node."),
                "kubectl get pods -n kube-system -o wide --field-selector spec.nodeName=<node>",
            ),
            THE_NODE,
        ),
        steps=(
            NextStep(
                _("Restart the plugin’s pod or the runtime on that node; the kubelet retries by itself."),
                "kubectl delete pod -n kube-system <plugin-pod>",
                act="node",
            ),
            CORRECT_TEMPLATE,
        ),
        doc="tasks/debug/debug-application/debug-pods/",
    ),
    Remedy(
        names=("NetworkNotReady",),
        causes=(UsualCause(_("The node has no network configuration yet: the network plugin is not installed or has not started there.")),),
        look=(
            THE_NODE,
            LookAt(
                _("Whether the network plugin runs on the node."),
                "kubectl get pods -n kube-system -o wide --field-selector spec.nodeName=<node>",
            ),
        ),
        steps=(
            NextStep(
                _("Install the network plugin or restart its pod; waiting pods then continue by themselves."),
                "kubectl get daemonsets -n kube-system",
                act="node",
            ),
        ),
        doc="tasks/debug/debug-cluster/",
    ),
    Remedy(
        names=("SandboxChanged",),
        causes=(
            UsualCause(_("The sandbox was lost, so all containers start again: the node or its runtime was restarted.")),
            UsualCause(_("The network plugin or runtime keeps killing sandboxes."), r"FailedCreatePodSandBox"),
        ),
        look=(
            POD_EVENTS,
            THE_NODE,
        ),
        steps=(
            NextStep(
                _("Once is harmless. If it happens again, check the container runtime and the network plugin on the node."),
                "kubectl get events --field-selector reason=SandboxChanged -A",
            ),
        ),
        doc="concepts/workloads/pods/pod-lifecycle/",
    ),
    Remedy(
        names=("event/Failed",),
        meaning=_("The kubelet could not pull an image, or not create or start a container; the message says which."),
        causes=(
            UsualCause(_("The image cannot be pulled: name, tag, credentials or network."), r"pull|ErrImage|ImagePull|manifest"),
            UsualCause(_("A ConfigMap, a Secret or a key of one is missing."), r"not found|find key", step=1),
            UsualCause(_("The command does not exist or cannot be executed."), r"executable|exec|OCI|runc|start", step=2),
        ),
        look=(POD_EVENTS,),
        steps=(
            CORRECT_IMAGE,
            CREATE_MISSING,
            CORRECT_TEMPLATE,
        ),
        doc="tasks/debug/debug-application/debug-pods/",
    ),
)
