"""All remedies, and the words that need none: used by the reasons page and for examining a pasted pod."""

import re
from functools import cache

from simulator.remedies.remedy import Remedy
from simulator.remedies.words import ending, images, nodes, placing, running, starting, volumes, workloads
from simulator.remedies.words.ordinary import ORDINARY

REMEDIES: tuple[Remedy, ...] = (
    *running.REMEDIES, *images.REMEDIES, *starting.REMEDIES, *placing.REMEDIES, *ending.REMEDIES, *volumes.REMEDIES, *nodes.REMEDIES,
    *workloads.REMEDIES,
)  # fmt: skip
FURTHER: dict[str, tuple[str, ...]] = {
    "status": (
        "Init:CrashLoopBackOff", "Init:Error", "Init:OOMKilled", "Init:ErrImagePull", "Init:ImagePullBackOff",
        "Init:CreateContainerConfigError", "Init:RunContainerError", "ExitCode:N", "Signal:N", "CreateContainerConfigError",
        "CreateContainerError", "InvalidImageName", "ErrImageNeverPull", "PostStartHookError", "StartError", "SchedulingGated", "Evicted",
        "Unknown",
    ),
    "waiting": (
        "CreateContainerConfigError", "CreateContainerError", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError",
        "PostStartHookError", "RegistryUnavailable",
    ),
    "terminated": ("StartError", "ContainerCannotRun", "DeadlineExceeded"),
    "pod": (
        "DeadlineExceeded", "NodeAffinity", "NodePorts", "TaintToleration", "NodeShutdown", "Terminated", "NodeLost", "Preempting",
        "OutOfcpu", "OutOfmemory", "OutOfpods", "OutOfephemeral-storage", "UnexpectedAdmissionError", "TopologyAffinityError",
        "SysctlForbidden", "AppArmor", "PodOSNotSupported", "PodOSSelectorNodeLabelDoesNotMatch",
    ),
    "condition": (
        "SchedulingGated", "ReadinessGatesNotReady", "UnknownContainerStatuses", "DeletionByPodGC", "PreemptionByKubeScheduler",
        "Deferred", "Infeasible", "NodeStatusUnknown", "KubeletNotReady", "KubeletHasDiskPressure", "KubeletHasInsufficientMemory",
        "KubeletHasInsufficientPID", "ReplicaSetCreateError", "ProgressDeadlineExceeded", "MinimumReplicasUnavailable",
        "BackoffLimitExceeded", "DeadlineExceeded", "PodFailurePolicy", "FailedIndexes", "MaxFailedIndexesExceeded", "FailedGetScale",
        "ScalingDisabled", "TooFewReplicas", "TooManyReplicas", "ScaleUpLimit", "ScaleDownLimit", "InsufficientPods", "SyncFailed",
        "SomeResourcesRemain", "SomeFinalizersRemain", "ContentDeletionFailed", "DiscoveryFailed", "GroupVersionParsingFailed",
    ),
    "event": (
        "FailedMount", "FailedMapVolume", "FailedAttachVolume", "FailedCreatePodSandBox", "FailedPostStartHook", "FailedPreStopHook",
        "FailedKillPod", "NetworkNotReady", "SandboxChanged", "InspectFailed", "ErrImageNeverPull", "InvalidEnvironmentVariableNames",
        "LifecycleHTTPFallback", "ProbeWarning", "ResizeError", "DeadlineExceeded", "BackoffLimitExceeded", "NodeHasDiskPressure",
        "NodeHasInsufficientPID", "Rebooted", "RemovingNode", "Shutdown", "FailedBinding", "VolumeMismatch", "ProvisioningFailed",
        "WaitForFirstConsumer", "WaitForPodScheduled", "ExternalProvisioning", "VolumeFailedDelete", "FailedCreate", "FailedDelete",
        "FailedDaemonPod", "SelectingAll", "TooManyActivePods", "TooManySucceededPods", "FailedNeedsStart", "TooManyMissedTimes",
        "MissingJob", "UnexpectedJob", "InvalidSchedule", "UnparseableSchedule", "UnsupportedSchedule", "RecreatingFailedPod",
        "RecreatingTerminatedPod", "FailedGetContainerResourceMetric", "FailedRescale", "UnmanagedPods", "MultiplePodDisruptionBudgets",
        "CalculateExpectedPodCountFailed", "NoControllers", "NoControllerRef", "NotDeleted",
    ),
}  # fmt: skip
"""Words that the reasons page explains even if no story shows them, by where they appear."""
_COUNT = re.compile(r"\d+")


@cache
def _by_name() -> dict[str, Remedy]:
    return {name: remedy for remedy in REMEDIES for name in remedy.names}


@cache
def _ordinary() -> dict[str, str]:
    return {word: sentence for sentence, words in ORDINARY for word in words}


def names_known() -> frozenset[str]:
    """Every name that has a remedy or is ordinary, as spelled in the tables."""
    return frozenset((*_by_name(), *_ordinary()))


def remedy_for(kind: str, word: str, of: str = "") -> Remedy | None:
    """The remedy for a word of this ``kind``; None if none is needed or known. ``Init:Error`` has that of ``Error``."""
    return next((_by_name()[name] for name in _spellings(kind, word, of) if name in _by_name()), None)


def ordinary_for(kind: str, word: str, of: str = "") -> str:
    """The sentence (a message id) for a word that does not indicate a problem; empty for any other word."""
    return next((_ordinary()[name] for name in _spellings(kind, word, of) if name in _ordinary()), "")


def _spellings(kind: str, word: str, of: str) -> tuple[str, ...]:
    """The names that a word may have in the tables, the most specific first."""
    spelled = "Init:N/M" if re.fullmatch(r"Init:(\d+|N)/(\d+|M)", word) else word.removeprefix("Init:")
    numbered = _COUNT.sub("N", spelled)  # no name in the tables has a digit
    resource = ("OutOf…",) if spelled.startswith("OutOf") else ()
    return (f"{kind}/{numbered}/{of}", f"{kind}/{numbered}", numbered, *resource)
