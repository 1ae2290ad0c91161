"""The allowed values of text fields, by type and field, as validation accepts them."""

_PULL = ("Always", "IfNotPresent", "Never")
_SECCOMP = ("RuntimeDefault", "Localhost", "Unconfined")
_SELECTOR = ("In", "NotIn", "Exists", "DoesNotExist")
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_ACCESS = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
_INCLUSION = ("Honor", "Ignore")

VALUES: dict[str, dict[str, tuple[str, ...]]] = {
    "PodSpec": {
        "restartPolicy": ("Always", "OnFailure", "Never"),
        "dnsPolicy": ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
        "preemptionPolicy": ("PreemptLowerPriority", "Never"),
        "priorityClassName": ("system-cluster-critical", "system-node-critical"),
    },
    "Container": {"imagePullPolicy": _PULL, "terminationMessagePolicy": ("File", "FallbackToLogsOnError"), "restartPolicy": ("Always",)},
    "EphemeralContainer": {"imagePullPolicy": _PULL, "terminationMessagePolicy": ("File", "FallbackToLogsOnError")},
    "ContainerPort": {"protocol": ("TCP", "UDP", "SCTP")},
    "ServicePort": {"protocol": ("TCP", "UDP", "SCTP")},
    "HTTPGetAction": {"scheme": ("HTTP", "HTTPS")},
    "ContainerResizePolicy": {"resourceName": ("cpu", "memory"), "restartPolicy": ("NotRequired", "RestartContainer")},
    "ContainerRestartRule": {"action": ("Restart",)},
    "ContainerRestartRuleOnExitCodes": {"operator": ("In", "NotIn")},
    "Toleration": {"operator": ("Equal", "Exists"), "effect": _EFFECTS},
    "Taint": {"effect": _EFFECTS},
    "LabelSelectorRequirement": {"operator": _SELECTOR},
    "NodeSelectorRequirement": {"operator": (*_SELECTOR, "Gt", "Lt")},
    "TopologySpreadConstraint": {
        "whenUnsatisfiable": ("DoNotSchedule", "ScheduleAnyway"),
        "topologyKey": ("kubernetes.io/hostname", "topology.kubernetes.io/zone"),
        "nodeAffinityPolicy": _INCLUSION,
        "nodeTaintsPolicy": _INCLUSION,
    },
    "PodAffinityTerm": {"topologyKey": ("kubernetes.io/hostname", "topology.kubernetes.io/zone")},
    "EmptyDirVolumeSource": {"medium": ("", "Memory")},
    "HostPathVolumeSource": {"type": ("", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice")},
    "VolumeMount": {"mountPropagation": ("None", "HostToContainer", "Bidirectional")},
    "ImageVolumeSource": {"pullPolicy": _PULL},
    "ObjectFieldSelector": {
        "fieldPath": (
            "metadata.name",
            "metadata.namespace",
            "metadata.uid",
            "metadata.labels['']",
            "metadata.annotations['']",
            "spec.nodeName",
            "spec.serviceAccountName",
            "status.hostIP",
            "status.hostIPs",
            "status.podIP",
            "status.podIPs",
        )
    },
    "ResourceFieldSelector": {
        "resource": (
            "limits.cpu",
            "limits.memory",
            "limits.ephemeral-storage",
            "requests.cpu",
            "requests.memory",
            "requests.ephemeral-storage",
        )
    },
    "SeccompProfile": {"type": _SECCOMP},
    "AppArmorProfile": {"type": _SECCOMP},
    "SecurityContext": {"procMount": ("Default", "Unmasked")},
    "PodSecurityContext": {"fsGroupChangePolicy": ("Always", "OnRootMismatch"), "supplementalGroupsPolicy": ("Merge", "Strict")},
    "PodOS": {"name": ("linux", "windows")},
    "ServiceSpec": {
        "type": ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
        "sessionAffinity": ("None", "ClientIP"),
        "externalTrafficPolicy": ("Cluster", "Local"),
        "internalTrafficPolicy": ("Cluster", "Local"),
        "ipFamilyPolicy": ("SingleStack", "PreferDualStack", "RequireDualStack"),
        "ipFamilies": ("IPv4", "IPv6"),
    },
    "Secret": {
        "type": (
            "Opaque",
            "kubernetes.io/basic-auth",
            "kubernetes.io/dockerconfigjson",
            "kubernetes.io/service-account-token",
            "kubernetes.io/ssh-auth",
            "kubernetes.io/tls",
        )
    },
    "DeploymentStrategy": {"type": ("RollingUpdate", "Recreate")},
    "StatefulSetSpec": {"podManagementPolicy": ("OrderedReady", "Parallel")},
    "StatefulSetUpdateStrategy": {"type": ("RollingUpdate", "OnDelete")},
    "DaemonSetUpdateStrategy": {"type": ("RollingUpdate", "OnDelete")},
    "StatefulSetPersistentVolumeClaimRetentionPolicy": {"whenDeleted": ("Retain", "Delete"), "whenScaled": ("Retain", "Delete")},
    "JobSpec": {"completionMode": ("NonIndexed", "Indexed"), "podReplacementPolicy": ("TerminatingOrFailed", "Failed")},
    "CronJobSpec": {"concurrencyPolicy": ("Allow", "Forbid", "Replace")},
    "PodFailurePolicyRule": {"action": ("Ignore", "FailJob", "FailIndex", "Count")},
    "PodFailurePolicyOnExitCodesRequirement": {"operator": ("In", "NotIn")},
    "PodDisruptionBudgetSpec": {"unhealthyPodEvictionPolicy": ("IfHealthyBudget", "AlwaysAllow")},
    "PriorityClass": {"preemptionPolicy": ("PreemptLowerPriority", "Never")},
    "PersistentVolumeClaimSpec": {"accessModes": _ACCESS, "volumeMode": ("Filesystem", "Block")},
    "PersistentVolumeSpec": {
        "accessModes": _ACCESS,
        "volumeMode": ("Filesystem", "Block"),
        "persistentVolumeReclaimPolicy": ("Retain", "Delete", "Recycle"),
    },
    "LimitRangeItem": {"type": ("Container", "Pod", "PersistentVolumeClaim")},
    "ResourceQuotaSpec": {"scopes": ("Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass")},
    "ScopedResourceSelectorRequirement": {"operator": _SELECTOR},
}
"""The allowed values of a text; for a list of texts, those of its items."""


def values_of(type_name: str, field: str) -> tuple[str, ...]:
    """The allowed values of a field; empty if any text will do."""
    return VALUES.get(type_name, {}).get(field, ())
