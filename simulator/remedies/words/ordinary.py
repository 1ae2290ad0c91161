"""Words that do not indicate a problem, in groups with one sentence each."""

from simulator.engine.kernel.rule_text import gettext_noop as _

ORDINARY: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        _("An ordinary step in the life of a pod: nothing is wrong. If the pod is, look at the Warnings between these."),
        ("Scheduled", "Pulling", "Pulled", "Created", "Started", "Killing", "Starting", "SuccessfulAttachVolume"),
    ),
    (
        _("The work ended as intended, or was paused on purpose: nothing is wrong."),
        (
            "PodCompleted",
            "event/Completed",
            "SawCompletedJob",
            "CompletionsReached",
            "SuccessPolicy",
            "JobSuspended",
            "JobResumed",
            "Suspended",
            "Resumed",
        ),
    ),
    (
        _("A controller does its work: nothing is wrong."),
        (
            "SuccessfulCreate",
            "SuccessfulDelete",
            "ScalingReplicaSet",
            "SuccessfulRescale",
            "SucceededRescale",
            "SucceededGetScale",
            "ValidMetricFound",
            "ReadyForNewScale",
            "DesiredWithinRange",
            "ScaleUpStabilized",
            "ScaleDownStabilized",
            "SuccessfulDaemonPod",
            "SuccessfulUpdate",
        ),
    ),
    (
        _("How far a rollout has come: nothing is wrong unless it stays so."),
        (
            "MinimumReplicasAvailable",
            "NewReplicaSetAvailable",
            "NewReplicaSetCreated",
            "FoundNewReplicaSet",
            "ReplicaSetUpdated",
            "DeploymentPaused",
            "DeploymentResumed",
        ),
    ),
    (
        _("The node is well."),
        (
            "NodeReady",
            "KubeletReady",
            "RegisteredNode",
            "NodeSchedulable",
            "NodeHasSufficientMemory",
            "NodeHasNoDiskPressure",
            "NodeHasSufficientPID",
            "KubeletHasSufficientMemory",
            "KubeletHasNoDiskPressure",
            "KubeletHasSufficientPID",
        ),
    ),
    (_("A volume is being made for a claim: nothing is wrong."), ("Provisioning", "ProvisioningSucceeded")),
    (
        _("A change to a running pod is being carried out: nothing is wrong."),
        ("ResizeStarted", "ResizeCompleted", "RestartAllContainersStarted", "RestartingAllContainers"),
    ),
    (_("The budget allows an eviction."), ("SufficientPods",)),
    (
        _("The namespace deletion is proceeding as it should."),
        ("ContentRemoved", "ContentDeleted", "ContentHasNoFinalizers", "ParsedGroupVersions", "ResourcesDiscovered"),
    ),
)
"""Each group: its sentence, a message id, and its words."""
