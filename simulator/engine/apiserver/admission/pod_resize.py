"""PodResizeValidator: a resize that the pod's node could never carry out is refused before it is stored.

Up to 1.35 the API server stores any valid resize, and the kubelet answers with a PodResizePending
condition, Infeasible if the node is too small altogether. From 1.36 this plug-in compares the
pod's new requests with the node's allocatable amounts and refuses what can never fit; a resize that
has to wait for other pods is still stored and left to the kubelet to defer. The profile says which
of the two applies (``resize_checked_at_admission``).

Only requests of the pod itself are compared, not those of its neighbours. A pod without a node, and
a request that changes nothing, pass unchecked.

Source: plugin/pkg/admission/podresize/admission.go (1.36).
"""

from simulator.engine.apiserver.answer import Cause, forbidden_object
from simulator.engine.apiserver.refusal import Refusal, refusal_of
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.requests import pod_requests
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import NodeRow, PodRow

_SOURCE = "plugin/pkg/admission/podresize/admission.go"
RULES = (
    RuleText(
        "RESIZE-NODE-CAPACITY",
        gettext_noop("The API server rejects a resize beyond the total capacity of the pod’s node: {message}"),
        _SOURCE,
        "1.36",
    ),
    RuleText(
        "RESIZE-NODE-PLATFORM",
        gettext_noop("The API server rejects a resize of a pod whose node does not run Linux: {message}"),
        _SOURCE,
        "1.36",
    ),
    RuleText("RESIZE-NODE-GONE", gettext_noop("The API server rejects a resize of a pod whose Node is gone: {message}"), _SOURCE, "1.36"),
)
_OS = "kubernetes.io/os"
_NANO, _NANO_PER_MILLI = 1_000_000_000, 1_000_000


def judge_resize(fx: Effects, row: PodRow, spec: PodSpec) -> None:
    """Check that the pod's node could hold it with this spec. Raises Refusal. O(containers)."""
    if not fx.profile.resize_checked_at_admission or not row.node or spec == row.pod.spec:
        return
    node = fx.tables.nodes.get(row.node)
    if node is None or node.is_deleted:
        raise _refusal(row, f'node "{row.node}" not found', "RESIZE-NODE-GONE")
    # A node without the label counts as Linux.
    if (system := node.labels.get(_OS, "linux")) != "linux":
        why = f'pod resize is only supported on linux nodes, node "{row.node}" is "{system}"'
        raise _refusal(row, why, "RESIZE-NODE-PLATFORM", "UnsupportedPlatform")
    if lacking := _lacking(node, spec):
        why = f"node didn't have enough allocatable resources: {'; '.join(lacking)}"
        raise _refusal(row, why, "RESIZE-NODE-CAPACITY", "NodeCapacity")


def _lacking(node: NodeRow, spec: PodSpec) -> list[str]:
    asked = pod_requests(spec)
    # Rounded up: requests are in billionths, the node's cpu in thousandths.
    cpu, memory = -(-asked.get("cpu", 0) // _NANO_PER_MILLI), -(-asked.get("memory", 0) // _NANO)
    amounts = (("cpu", cpu, node.allocatable_cpu_milli), ("memory", memory, node.allocatable_memory_bytes))
    return [f"{name}, requested: {wanted}, allocatable: {has}" for name, wanted, has in amounts if wanted > has]


def _refusal(row: PodRow, why: str, rule: str, cause: str = "") -> Refusal:
    causes = (Cause(reason=cause, message=""),) if cause else ()
    return refusal_of(forbidden_object("pods", row.name, why, causes=causes), rule)
