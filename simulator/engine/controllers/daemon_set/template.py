"""The pod that a DaemonSet sends for a node: tolerations that let it stay, and the node's name in its affinity.

Source: pkg/controller/daemon/util/daemonset_util.go AddOrUpdateDaemonPodTolerations,
CreatePodTemplate, ReplaceDaemonSetPodNodeNameNodeAffinity. The default scheduler binds it.
"""

from typing import cast

from simulator.engine.kernel.caching import cached_when_short
from simulator.engine.kernel.json_text import Json, decode
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.templates import TEMPLATE_GENERATION
from simulator.engine.workloads.history import POD_HASH_LABEL
from simulator.engine.workloads.objects import annotations_of, spec_of
from simulator.engine.workloads.pod_control import pod_of
from simulator.engine.world.world import ApiObject

GENERATION_LABEL = "pod-template-generation"
_PREFIX = "node.kubernetes.io/"
_TOLERATED = (
    ("not-ready", "NoExecute"), ("unreachable", "NoExecute"), ("disk-pressure", "NoSchedule"), ("memory-pressure", "NoSchedule"),
    ("pid-pressure", "NoSchedule"), ("unschedulable", "NoSchedule"),
)  # fmt: skip
_OF_HOST_NETWORK = ("network-unavailable", "NoSchedule")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def with_tolerations(spec: Json) -> Json:
    """A pod spec with the tolerations that keep a daemon on a node that is cordoned, unreachable or under pressure."""
    wanted = (*_TOLERATED, *((_OF_HOST_NETWORK,) if spec.get("hostNetwork") else ()))
    own = list(spec.get("tolerations") or ())
    added = [{"key": f"{_PREFIX}{key}", "operator": "Exists", "effect": effect} for key, effect in wanted]
    return {**spec, "tolerations": [*own, *(item for item in added if item not in own)]}


@cached_when_short(maxsize=256, chars_max=20_000, long_kept=16)
def _typed(text: str) -> PodSpec:
    template = (decode(text).get("spec") or {}).get("template") or {}
    spec = with_tolerations(template.get("spec") or {})
    return pod_from_document({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "template"}, "spec": spec}).spec


def template_spec(row: ApiObject) -> PodSpec:
    """The spec of a DaemonSet's pods, typed, with the added tolerations. O(1) while the object is unchanged."""
    return _typed(row.document)


def daemon_pod(row: ApiObject, digest: str, node: str) -> Json:
    """The pod for a node as the controller sends it."""
    template = cast(Json, spec_of(row).get("template") or {})
    labels = {**((template.get("metadata") or {}).get("labels") or {})}
    generation = annotations_of(row).get(TEMPLATE_GENERATION)
    if generation:
        labels[GENERATION_LABEL] = generation
    pod = pod_of(row, template, labels={**labels, POD_HASH_LABEL: digest})
    spec = with_tolerations(pod["spec"])
    affinity = dict(spec.get("affinity") or {})
    required = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]}
    affinity["nodeAffinity"] = {**(affinity.get("nodeAffinity") or {}), _REQUIRED: required}
    return {**pod, "spec": {**spec, "affinity": affinity}}
