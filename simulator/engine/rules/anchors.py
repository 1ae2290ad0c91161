"""Where the Kubernetes documentation covers a rule: the path of a page below ``/docs/`` with its section."""

_LIFECYCLE = "concepts/workloads/pods/pod-lifecycle/"
_IMAGES = "concepts/containers/images/"
_HOOKS = "concepts/containers/container-lifecycle-hooks/#container-hooks"
_INIT = "concepts/workloads/pods/init-containers/#detailed-behavior"

ANCHORS: dict[str, str] = {
    "ACTIONS": f"{_LIFECYCLE}#container-restarts",
    "ACTIONS-INIT": _INIT,
    "BACKOFF": f"{_LIFECYCLE}#container-restarts",
    "CONDITION": f"{_LIFECYCLE}#pod-conditions",
    "CONTAINER": f"{_LIFECYCLE}#container-states",
    "CONTAINER-CONFIG": "concepts/configuration/configmap/#configmaps-and-pods",
    "BACKOFF-WAIT": f"{_LIFECYCLE}#container-restarts",
    "DEADLINE": "concepts/workloads/controllers/job/#job-termination-and-cleanup",
    "DELETE": f"{_LIFECYCLE}#pod-termination",
    "DELETE-AT-ONCE": f"{_LIFECYCLE}#pod-termination-forced",
    "DISRUPTION": "concepts/workloads/pods/disruptions/#pod-disruption-conditions",
    "DOWNWARD": "concepts/workloads/pods/downward-api/#available-fields",
    "ENV": "concepts/configuration/configmap/#configmaps-and-pods",
    "EPHEMERAL": "concepts/workloads/pods/ephemeral-containers/#understanding-ephemeral-containers",
    "GRACE": f"{_LIFECYCLE}#pod-termination",
    "HOOK": _HOOKS,
    "IMAGE": f"{_IMAGES}#image-pull-policy",
    "PULL-BACKOFF": f"{_IMAGES}#imagepullbackoff",
    "IMAGE-INVALID-NAME": f"{_IMAGES}#image-names",
    "PULL-FAILED": f"{_IMAGES}#imagepullbackoff",
    "INITIALIZED": f"{_LIFECYCLE}#pod-conditions",
    "KILL": f"{_LIFECYCLE}#container-probes",
    "PHASE": f"{_LIFECYCLE}#pod-phase",
    "PHASE-INIT": _INIT,
    "NODE": "concepts/architecture/nodes/#node-status",
    "POD-CREATED": f"{_LIFECYCLE}#pod-lifetime",
    "POD-REMOVED": f"{_LIFECYCLE}#pod-termination",
    "POD-UPDATED": "concepts/workloads/pods/#pod-update-and-replacement",
    "PRINT": f"{_LIFECYCLE}#pod-phase",
    "PROBE": f"{_LIFECYCLE}#container-probes",
    "PROCESS": f"{_LIFECYCLE}#container-state-terminated",
    "PROCESS-OOM": "concepts/configuration/manage-resources-containers/#how-pods-with-resource-limits-are-run",
    "PULL": f"{_IMAGES}#image-pull-policy",
    "QOS": "concepts/workloads/pods/pod-qos/#quality-of-service-classes",
    "READINESS": f"{_LIFECYCLE}#container-probes",
    "READY": f"{_LIFECYCLE}#pod-conditions",
    "READY-POD-GATES": f"{_LIFECYCLE}#pod-readiness-gate",
    "REMOVAL": f"{_LIFECYCLE}#pod-phase",
    "REQUEST": "concepts/workloads/pods/init-containers/#resource-sharing-within-containers",
    "RESTART": f"{_LIFECYCLE}#restart-policy",
    "SANDBOX": f"{_LIFECYCLE}#pod-has-network",
    "SCHEDULE": "concepts/scheduling-eviction/kube-scheduler/#kube-scheduler-implementation",
    "SCHEDULED": f"{_LIFECYCLE}#pod-conditions",
    "START": f"{_LIFECYCLE}#container-states",
    "STARTED": f"{_LIFECYCLE}#container-probes",
    "STATUS": f"{_LIFECYCLE}#container-states",
    "STOP": f"{_LIFECYCLE}#pod-termination",
    "STOP-HOOK": _HOOKS,
    "TAINT": "concepts/scheduling-eviction/taint-and-toleration/#taint-based-evictions",
    "VOLUME": "concepts/storage/volumes/#background",
    "WORKER": f"{_LIFECYCLE}#pod-termination",
    "WORKER-ACCEPTED": f"{_LIFECYCLE}#pod-lifetime",
}
"""By the prefix of a rule's id, whole words between hyphens; the longest match wins. Rules of the simulation itself have none."""


def anchor(rule_id: str) -> str:
    """Path and section for a rule; empty if the documentation does not cover it."""
    prefix = rule_id
    while prefix:
        if prefix in ANCHORS:
            return ANCHORS[prefix]
        # STOP-HOOK-FAILED falls back to STOP-HOOK, then to STOP.
        prefix = prefix.rpartition("-")[0]
    return ""
