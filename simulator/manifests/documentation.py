"""Links to the Kubernetes documentation, in the reader's language if it has the page."""

from simulator.manifests.texts import get_language

DOCS = "https://kubernetes.io/docs/"
"""The root of the documentation; rules and advice name pages below it."""
_SIMPLIFIED = "https://kubernetes.io/zh-cn/docs/"
DOCS_OF = {"zh-hans": _SIMPLIFIED, "zh-hant": _SIMPLIFIED}
"""The root in other languages. There is no documentation in Traditional Chinese: Simplified Chinese is the closest."""
TRANSLATED = frozenset(
    {
        "concepts/architecture/nodes/",
        "concepts/cluster-administration/node-shutdown/",
        "concepts/configuration/configmap/",
        "concepts/configuration/liveness-readiness-startup-probes/",
        "concepts/configuration/manage-resources-containers/",
        "concepts/configuration/overview/",
        "concepts/configuration/secret/",
        "concepts/containers/container-lifecycle-hooks/",
        "concepts/containers/images/",
        "concepts/overview/working-with-objects/finalizers/",
        "concepts/scheduling-eviction/assign-pod-node/",
        "concepts/scheduling-eviction/kube-scheduler/",
        "concepts/scheduling-eviction/node-pressure-eviction/",
        "concepts/scheduling-eviction/pod-priority-preemption/",
        "concepts/scheduling-eviction/taint-and-toleration/",
        "concepts/scheduling-eviction/topology-spread-constraints/",
        "concepts/security/pod-security-standards/",
        "concepts/services-networking/service/",
        "concepts/storage/volumes/",
        "concepts/workloads/controllers/cron-jobs/",
        "concepts/workloads/controllers/deployment/",
        "concepts/workloads/controllers/job/",
        "concepts/workloads/controllers/statefulset/",
        "concepts/workloads/controllers/ttlafterfinished/",
        "concepts/workloads/pods/",
        "concepts/workloads/pods/disruptions/",
        "concepts/workloads/pods/downward-api/",
        "concepts/workloads/pods/ephemeral-containers/",
        "concepts/workloads/pods/init-containers/",
        "concepts/workloads/pods/pod-lifecycle/",
        "concepts/workloads/pods/pod-qos/",
        "concepts/workloads/pods/sidecar-containers/",
        "reference/labels-annotations-taints/",
        "tasks/configure-pod-container/assign-memory-resource/",
        "tasks/configure-pod-container/configure-liveness-readiness-startup-probes/",
        "tasks/configure-pod-container/configure-service-account/",
        "tasks/debug/debug-application/debug-pods/",
        "tasks/inject-data-application/define-environment-variable-container/",
        "tasks/job/pod-failure-policy/",
        "tasks/run-application/configure-pdb/",
        "tasks/run-application/force-delete-stateful-set-pod/",
        "tasks/run-application/horizontal-pod-autoscale/",
    }
)
"""Pages in content/zh-cn/docs of kubernetes/website (as of November 2026); any other page opens in English.

Most sections keep their English anchors there; if a page does not have one, the link opens the top of the page.
"""


def docs_link(path: str) -> str:
    """The address of a page (with its section) below ``/docs/`` for the reader; empty for an empty path."""
    if not path:
        return ""
    is_translated = path.partition("#")[0] in TRANSLATED
    return (DOCS_OF.get(get_language() or "", DOCS) if is_translated else DOCS) + path


def docs_in_language(url: str) -> str:
    """The same page in the reader's language; an address outside the documentation is returned unchanged."""
    return docs_link(url.removeprefix(DOCS)) if url.startswith(DOCS) else url
