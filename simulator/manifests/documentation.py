"""Links to the documentation of Kubernetes, in the reader's language where it has the page."""

from simulator.manifests.texts import get_language

DOCS = "https://kubernetes.io/docs/"
"""Where the documentation begins; rules and advice name pages below it."""
_SIMPLIFIED = "https://kubernetes.io/zh-cn/docs/"
DOCS_OF = {"zh-hans": _SIMPLIFIED, "zh-hant": _SIMPLIFIED}
"""Where it begins in other languages. There is no documentation in Traditional Chinese: the nearest is in Simplified Chinese."""
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
"""Pages that content/zh-cn/docs of the repository kubernetes/website has (looked at in November 2026); any other opens in English.

Sections keep their English names there, most of them; one that a page does not have opens the page at its beginning.
"""


def docs_link(path: str) -> str:
    """The address of a page below ``/docs/``, with its section, for the reader; empty for an empty path."""
    if not path:
        return ""
    is_translated = path.partition("#")[0] in TRANSLATED
    return (DOCS_OF.get(get_language() or "", DOCS) if is_translated else DOCS) + path


def docs_in_language(url: str) -> str:
    """The same page for the reader; an address that is no page of the documentation stays as it is."""
    return docs_link(url.removeprefix(DOCS)) if url.startswith(DOCS) else url
