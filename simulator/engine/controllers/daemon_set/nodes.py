"""On which nodes a DaemonSet wants a pod, and for which node a pod is intended.

A node is judged by nodeName, selector and required affinity of the template, then by taints. An
untolerated NoSchedule taint only keeps new pods away, NoExecute also evicts the one that is
there. PreferNoSchedule plays no part, and neither do resources: those are up to the scheduler.

A pod that is not bound yet belongs to the node named in its affinity.

Source: pkg/controller/daemon/daemon_controller.go NodeShouldRunDaemonPod;
pkg/controller/daemon/util GetTargetNodeName.
"""

from msgspec import Struct

from simulator.engine.controllers.daemon_set.template import template_spec
from simulator.engine.kernel.records import Data
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.node_affinity import node_matches
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.model.tolerations import tolerates
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.engine.world.world import ApiObject

_SOURCE = "pkg/controller/daemon/daemon_controller.go NodeShouldRunDaemonPod"

RULES = (
    RuleText(
        "DAEMONSET-NODE-FITS", gettext_noop("The node belongs to the DaemonSet: selector, affinity and taints allow its pod."), _SOURCE
    ),
    RuleText(
        "DAEMONSET-NODE-SELECTOR",
        gettext_noop(
            "The node does not belong to the DaemonSet: its labels do not match the node selector or affinity of the pod template."
        ),
        _SOURCE,
    ),
    RuleText(
        "DAEMONSET-NODE-NAME",
        gettext_noop("The node does not belong to the DaemonSet: the pod template names a different one."),
        _SOURCE,
    ),
    RuleText(
        "DAEMONSET-NODE-TAINT",
        gettext_noop("The node gets no pod of the DaemonSet, which does not tolerate its taint {taint}."),
        _SOURCE,
    ),
)


class NodeVerdict(Struct, frozen=True):
    """Whether a node should get a pod, whether an existing one may stay, and the rule with its numbers."""

    runs: bool
    may_stay: bool
    rule: str
    data: Data = ()


_FITS = NodeVerdict(True, True, "DAEMONSET-NODE-FITS")
_NOT_SELECTED = NodeVerdict(False, False, "DAEMONSET-NODE-SELECTOR")
_NOT_NAMED = NodeVerdict(False, False, "DAEMONSET-NODE-NAME")


def verdict(row: ApiObject, node: NodeRow) -> NodeVerdict:
    """Whether a DaemonSet wants a pod on the node. An existing pod must go only for a NoExecute taint. About 1 µs."""
    return _verdict(template_spec(row), node)


def verdicts(fx: Effects, row: ApiObject) -> dict[str, NodeVerdict]:
    """The verdict on every node that exists, in the order in which they joined. O(nodes)."""
    spec = template_spec(row)
    if spec.node_name or spec.node_selector or spec.affinity:
        return {node.name: _verdict(spec, node) for node in existing_nodes(fx)}
    return {node.name: _verdict(spec, node) if node.taints else _FITS for node in existing_nodes(fx)}


def _verdict(spec: PodSpec, node: NodeRow) -> NodeVerdict:
    if spec.node_name and spec.node_name != node.name:
        return _NOT_NAMED
    if (spec.node_selector or spec.affinity) and not node_matches(spec, node.labels, node.name):
        return _NOT_SELECTED
    unwanted = [taint for taint in node.taints if taint[2] != "PreferNoSchedule" and not tolerates(spec.tolerations, taint)]
    if not unwanted:
        return _FITS
    # Name the taint that decides most: one NoExecute outweighs any number of NoSchedule.
    hard = next((taint for taint in unwanted if taint[2] == "NoExecute"), None)
    key, value, effect = hard or unwanted[0]
    return NodeVerdict(False, hard is None, "DAEMONSET-NODE-TAINT", (("taint", f"{key}={value}:{effect}" if value else f"{key}:{effect}"),))


def existing_nodes(fx: Effects) -> list[NodeRow]:
    """The nodes whose objects exist, in the order in which they joined. O(nodes)."""
    return [node for node in fx.tables.nodes.values() if not node.is_deleted]


def target_of(row: PodRow) -> str:
    """The node that a pod is on or intended for; empty if it names none."""
    if row.node:
        return row.node
    required = ((row.pod.spec.affinity or {}).get("nodeAffinity") or {}).get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    for term in required.get("nodeSelectorTerms") or ():
        for field in term.get("matchFields") or ():
            if field.get("key") == "metadata.name" and field.get("operator") == "In" and len(field.get("values") or ()) == 1:
                return str(field["values"][0])
    return ""


def holds_a_place(fx: Effects, pod: PodRow) -> bool:
    """Whether the pod holds its node's place: one that has ended and is being deleted no longer does."""
    has_ended = pod.deletion_ms is not None and pod.status.phase in TERMINAL_PHASES
    return not (has_ended and fx.profile.daemon_set_passes_ended_pods)


def is_at_rest(found: NodeVerdict, pods: list[PodRow] | None) -> bool:
    """Whether a node with these pods, which hold its place, needs nothing, as with nearly every node."""
    if pods is None:
        return not found.runs
    return found.may_stay and len(pods) == 1 and pods[0].deletion_ms is None and pods[0].status.phase not in TERMINAL_PHASES


def by_age(pods: list[PodRow]) -> list[PodRow]:
    """The pods of one node: bound ones first, then the oldest (podByCreationTimestampAndPhase)."""
    return sorted(pods, key=lambda pod: (not pod.node, pod.created_ms // 1000, pod.name))
