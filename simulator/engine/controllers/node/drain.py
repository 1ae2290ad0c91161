"""``kubectl drain``: cordon, check every pod, evict those that may go. One pod that may not go stops the drain before any eviction.

Source: kubectl pkg/drain; observed on a 1.20.2 node.
"""

from msgspec import Struct

from simulator.engine.commands import DrainNode
from simulator.engine.controllers.api_server import delete_pod
from simulator.engine.controllers.node.taints import disrupt, pods_on
from simulator.engine.effects import Effects
from simulator.engine.records import RecordKind
from simulator.engine.rows import PodRow
from simulator.engine.rules.text import RuleText, gettext_noop
from simulator.engine.units import Key

MIRROR = "kubernetes.io/config.mirror"

RULES = (
    RuleText(
        "DRAIN-REFUSED",
        gettext_noop("kubectl drain gave up before it evicted any pod: {message}"),
        "kubectl pkg/drain/filters.go",
    ),
    RuleText(
        "DRAIN-EVICT",
        gettext_noop("kubectl drain evicts the pod: a deletion with its own grace period, unless a disruption budget forbids it."),
        "kubectl pkg/drain/drain.go",
    ),
    RuleText(
        "DRAIN-SKIPPED",
        gettext_noop("kubectl drain leaves the pod alone: {message}"),
        "kubectl pkg/drain/filters.go",
    ),
)


class Plan(Struct):
    """What a drain found: pods to evict, pods it leaves alone (with why), and what forbids the drain (text to pods)."""

    evict: list[Key]
    skip: list[tuple[Key, str]]
    errors: dict[str, list[str]]


def plan(fx: Effects, command: DrainNode) -> Plan:
    """Put every pod of the node through kubectl's filters."""
    found = Plan([], [], {})
    for row in sorted(pods_on(fx, command.node), key=lambda item: (item.namespace, item.name)):
        problem, skip = _judge(fx, command, row)
        if skip:
            found.skip.append((row.key, skip))
        elif problem:
            found.errors.setdefault(problem, []).append(f"{row.namespace}/{row.name}")
        else:
            found.evict.append(row.key)
    return found


def _judge(fx: Effects, command: DrainNode, row: PodRow) -> tuple[str, str]:
    """Why the pod forbids the drain, or why it is left alone; both empty where it is to be evicted."""
    metadata = row.pod.metadata
    owner = next((item.kind for item in metadata.owner_references if item.controller), "")
    ended = row.status.phase in ("Succeeded", "Failed")
    if owner == "DaemonSet" and not ended:
        if command.ignore_daemonsets:
            return "", "it belongs to a DaemonSet"
        return "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)", ""
    if MIRROR in metadata.annotations:
        return "", "it is a mirror pod"
    if not ended and not command.delete_emptydir_data and any(item.empty_dir is not None for item in row.pod.spec.volumes):
        return "Pods with local storage (use --delete-emptydir-data to override)", ""
    if not ended and not owner and not command.force:
        return fx.profile.drain_bare_text, ""
    return "", ""


def carry_out(fx: Effects, command: DrainNode, found: Plan) -> None:
    """Evict what the plan says, or say what forbids it."""
    subject = f"node/{command.node}"
    if found.errors:
        texts = [f"cannot delete {text}: {', '.join(pods)}" for text, pods in found.errors.items()]
        data = (("message", ", ".join(texts)),)
        fx.record(kind=RecordKind.NOTE.value, subject=subject, machine="drain", target="refused", rule="DRAIN-REFUSED", data=data)
        return
    cause = fx.cause
    for pod, why in found.skip:
        data = (("message", why),)
        fx.record(kind=RecordKind.NOTE.value, subject=f"pod/{pod}", machine="drain", target="skipped", rule="DRAIN-SKIPPED", data=data)
    for pod in found.evict:
        fx.cause = fx.record(
            kind=RecordKind.DECISION.value, subject=f"pod/{pod}", machine="drain", target="evict", rule="DRAIN-EVICT", cause=cause
        )
        evict(fx, pod, command.grace_s)


def evict(fx: Effects, pod: Key, grace_s: int | None) -> None:
    """The eviction API: mark the pod where the version does, then delete it."""
    disrupt(fx, pod, "EvictionByEvictionAPI", "Eviction API: evicting", rule="DRAIN-EVICT")
    delete_pod(fx, fx.tables.pods[pod], grace_s)
