"""What a round of a DaemonSet does: nodes that get a pod, and pods that are deleted, each for a reason.

Repair, per node: no pod where one is wanted, create; pods where none may stay, delete all; a failed
pod, delete with a back-off per node (1 s doubling to 15 min), for otherwise a pod that the kubelet
rejects would be created and rejected in a fast loop; several pods, keep the oldest bound one.

Update without surge: old pods that are unavailable anyway go at once; available ones go while fewer
than maxUnavailable nodes are without an available pod. Whether the former count towards that number
has changed twice (``daemon_set_counts_old_unavailable``).

Update with surge: the new pod is created next to the old one, on at most maxSurge nodes, and the
old one goes when the new one is available. This needs two pods on a node for a while, the only case
in which that is not an excess.

Source: pkg/controller/daemon/daemon_controller.go podsShouldBeOnNode;
pkg/controller/daemon/update.go rollingUpdate.
"""

from msgspec import Struct, field

from simulator.engine.controllers.daemon_set.book import DaemonBook
from simulator.engine.controllers.daemon_set.nodes import NodeVerdict, by_age
from simulator.engine.kernel.records import Data
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.model.disruption import scaled
from simulator.engine.policies.availability import is_available
from simulator.engine.policies.backoff import in_backoff_since_update, next_entry
from simulator.engine.workloads.objects import spec_of, status_of
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import ApiObject

_MANAGED = "pkg/controller/daemon/daemon_controller.go podsShouldBeOnNode"
_UPDATED = "pkg/controller/daemon/update.go rollingUpdate"

RULES = (
    RuleText(
        "DAEMONSET-NOT-HERE", gettext_noop("A pod of the DaemonSet is on {node}, where none should run any more: it is deleted."), _MANAGED
    ),
    RuleText(
        "DAEMONSET-FAILED",
        gettext_noop("The DaemonSet’s pod on {node} has failed: it is deleted, and the next one in {backoff_s} s at the earliest."),
        _MANAGED,
    ),
    RuleText("DAEMONSET-SUCCEEDED", gettext_noop("The DaemonSet’s pod on {node} has ended, which it should not: it is deleted."), _MANAGED),
    RuleText("DAEMONSET-EXCESS", gettext_noop("{node} has more than one pod of the DaemonSet: the oldest stays."), _MANAGED),
    RuleText(
        "DAEMONSET-NODE-GONE",
        gettext_noop("The pod is intended for {node}, which no longer exists, so it could never be scheduled: it is deleted."),
        "pkg/controller/daemon/daemon_controller.go getUnscheduledPodsWithoutNode",
    ),
    RuleText(
        "DAEMONSET-SURGED",
        gettext_noop("On {node} the new pod of the DaemonSet is available, or the old one is not: the old one is deleted."),
        _UPDATED,
    ),
    RuleText(
        "DAEMONSET-UPDATE",
        gettext_noop(
            "The pod on {node} has an older template: it is deleted and a new one is created. {unavailable} "
            "{unavailable:node is|nodes are} without an available pod, at most {allowed} may be."
        ),
        _UPDATED,
    ),
    RuleText(
        "DAEMONSET-UPDATE-UNAVAILABLE",
        gettext_noop("The pod on {node} has an older template and is not available anyway: it is deleted at once."),
        _UPDATED,
    ),
)


class DaemonPlan(Struct):
    """Nodes that get a pod, and pods that are deleted, with the rules that led to it and their numbers."""

    nodes: list[str] = field(default_factory=list)
    pods: dict[Key, tuple[tuple[str, Data], ...]] = field(default_factory=dict)

    def drop(self, pod: PodRow, rule: str, data: Data, *, since: tuple[tuple[str, Data], ...] = ()) -> None:
        """Delete the pod, for the first reason that is given; ``since``: what led to it."""
        self.pods.setdefault(pod.key, (*since, (rule, data)))


class DaemonsSought(Struct, frozen=True):
    """A DaemonSet with what its rounds know about its nodes and pods."""

    row: ApiObject
    book: DaemonBook

    @property
    def verdicts(self) -> dict[str, NodeVerdict]:
        """The DaemonSet's verdict on each node."""
        return self.book.verdicts

    @property
    def pods(self) -> dict[str, list[PodRow]]:
        """Its pods by node, those that hold their node's place."""
        return self.book.pods

    @property
    def min_ready_s(self) -> int:
        """How long a pod has to be ready to count as available."""
        return int(spec_of(self.row).get("minReadySeconds") or 0)

    def share(self, name: str, desired: int) -> int:
        """maxUnavailable or maxSurge of the rolling update, percentages of the desired pods rounded up."""
        rolling = (spec_of(self.row).get("updateStrategy") or {}).get("rollingUpdate") or {}
        return scaled(rolling.get(name) or 0, desired)

    @property
    def surges(self) -> bool:
        """Whether a node may have an old and a new pod for a while."""
        strategy = spec_of(self.row).get("updateStrategy") or {}
        return strategy.get("type") == "RollingUpdate" and self.share("maxSurge", 100) > 0


def managed(fx: Effects, sought: DaemonsSought) -> tuple[DaemonPlan, list[tuple[PodRow, str]], int]:
    """What every node needs. Returns the plan, ended pods with the word for their phase, and the ms until the next check, or 0."""
    plan, later_ms = DaemonPlan(), 0
    ended: list[tuple[PodRow, str]] = []
    verdicts, held = sought.verdicts, sought.pods
    for node in sought.book.in_order():
        pods = held.get(node)
        if pods is None:
            plan.nodes.append(node)
            continue
        found = verdicts[node]
        if not found.may_stay:
            for pod in pods:
                if pod.deletion_ms is None:
                    plan.drop(pod, "DAEMONSET-NOT-HERE", (("node", node),), since=((found.rule, found.data),))
        else:
            running = []
            for pod in (item for item in pods if item.deletion_ms is None):
                if pod.status.phase == "Failed":
                    later_ms = _failed(fx, sought, plan, ended, pod, node) or later_ms
                elif pod.status.phase == "Succeeded" and fx.profile.daemon_set_deletes_succeeded:
                    ended.append((pod, "succeeded"))
                    plan.drop(pod, "DAEMONSET-SUCCEEDED", (("node", node),))
                else:
                    running.append(pod)
            _prune(fx, sought, plan, running, node, runs=found.runs)
    _without_node(sought, plan)
    return plan, ended, later_ms


def _failed(
    fx: Effects, sought: DaemonsSought, plan: DaemonPlan, ended: list[tuple[PodRow, str]], pod: PodRow, node: str
) -> int:  # fmt: skip
    """Delete a failed pod, but no more often per node than its back-off allows. Returns the ms until then, or 0."""
    # By generation: a changed template starts with a fresh back-off.
    key = (f"{sought.row.uid}/{status_of(sought.row).get('observedGeneration') or 0}", node)
    entry = fx.tables.node_backoffs.get(key)
    if in_backoff_since_update(entry, fx.now, max_ms=fx.profile.daemon_set_backoff_max_ms):
        assert entry is not None
        return entry.backoff_ms
    entry = next_entry(
        entry, fx.now, fx.now, initial_ms=fx.profile.daemon_set_backoff_initial_ms, max_ms=fx.profile.daemon_set_backoff_max_ms
    )
    fx.save_node_backoff(key, entry)
    ended.append((pod, "failed"))
    plan.drop(pod, "DAEMONSET-FAILED", (("node", node), ("backoff_s", entry.backoff_ms // 1000)))
    return 0


def _prune(fx: Effects, sought: DaemonsSought, plan: DaemonPlan, running: list[PodRow], node: str, *, runs: bool) -> None:
    """Keep only one of several pods on a node; with surge an old and a new one until the new one is available."""
    if not sought.surges:
        for pod in by_age(running)[1:]:
            plan.drop(pod, "DAEMONSET-EXCESS", (("node", node),))
        return
    if not running:
        if runs:
            plan.nodes.append(node)
        return
    if len(running) == 1:
        return
    new = [pod for pod in by_age(running) if sought.book.is_new(pod)]
    old = [pod for pod in by_age(running) if not sought.book.is_new(pod)]
    for pod in (*new[1:], *old[1:]):
        plan.drop(pod, "DAEMONSET-EXCESS", (("node", node),))
    if new and old and (not _available(fx, old[0], 0) or _available(fx, new[0], sought.min_ready_s)):
        plan.drop(old[0], "DAEMONSET-SURGED", (("node", node),))


def _without_node(sought: DaemonsSought, plan: DaemonPlan) -> None:
    for name, pods in sought.pods.items() if sought.book.gone else ():
        for pod in pods if name not in sought.verdicts else ():
            if not pod.node and pod.deletion_ms is None:
                plan.drop(pod, "DAEMONSET-NODE-GONE", (("node", name),))


def _available(fx: Effects, pod: PodRow, min_ready_s: int) -> bool:
    return is_available(pod.status, min_ready_s=min_ready_s, now_ms=fx.now)


class Spread(Struct, frozen=True):
    """The pods of one node that stay: one of the current template, one of an older one; ``is_clear``: no more than one of each."""

    new: PodRow | None
    old: PodRow | None
    is_clear: bool


def _spread(sought: DaemonsSought, pods: list[PodRow]) -> Spread:
    staying = [pod for pod in pods if pod.deletion_ms is None]
    new, old = ([pod for pod in staying if sought.book.is_new(pod) is is_new] for is_new in (True, False))
    if len(new) > 1 or len(old) > 1:
        return Spread(None, None, False)
    return Spread(new[0] if new else None, old[0] if old else None, True)


def updated(fx: Effects, sought: DaemonsSought) -> DaemonPlan:
    """What the rolling update does at this moment: it deletes pods of older templates, or with surge creates new ones next to them."""
    if not sought.book.has_others:
        return DaemonPlan()
    wanted = [name for name, found in sought.verdicts.items() if found.runs]
    spreads = {name: _spread(sought, sought.pods.get(name, [])) for name in dict.fromkeys((*sought.pods, *wanted))}
    allowed, surge = sought.share("maxUnavailable", len(wanted)), sought.share("maxSurge", len(wanted))
    if wanted and not allowed and not surge:
        allowed = 1
    return _surging(fx, sought, spreads, wanted, surge) if surge else _replacing(fx, sought, spreads, allowed)


def _replacing(fx: Effects, sought: DaemonsSought, spreads: dict[str, Spread], allowed: int) -> DaemonPlan:
    """Without surge: unavailable pods go at once, others as long as no more than the allowed number of nodes are without one."""
    plan, unavailable = DaemonPlan(), 0
    candidates: list[tuple[str, PodRow]] = []
    for name, item in spreads.items():
        if not item.is_clear or (item.new is None) is (item.old is None):
            unavailable += 1
        elif item.new is not None:
            unavailable += not _available(fx, item.new, sought.min_ready_s)
        elif item.old is not None and not _available(fx, item.old, sought.min_ready_s):
            plan.drop(item.old, "DAEMONSET-UPDATE-UNAVAILABLE", (("node", name),))
            unavailable += fx.profile.daemon_set_counts_old_unavailable
        elif item.old is not None:
            candidates.append((name, item.old))
    for name, pod in candidates[: max(0, allowed - unavailable)]:
        plan.drop(pod, "DAEMONSET-UPDATE", (("node", name), ("unavailable", unavailable), ("allowed", allowed)))
    return plan


def _surging(fx: Effects, sought: DaemonsSought, spreads: dict[str, Spread], wanted: list[str], surge: int) -> DaemonPlan:
    """With surge: a new pod next to an old one, on no more nodes than allowed; the old one goes when the new one is available."""
    plan, surging, available = DaemonPlan(), 0, 0
    if not fx.profile.daemon_set_surges_where_it_runs:
        wanted = list(spreads)  # every node with an old pod counts
    candidates: list[tuple[str, PodRow]] = []
    leaving: list[tuple[str, PodRow]] = []
    for name, item in spreads.items():
        shown = item.old or item.new
        available += shown is not None and _available(fx, shown, sought.min_ready_s)
        if not item.is_clear:
            surging += 1
        elif item.old is not None and item.new is not None:
            if _available(fx, item.new, sought.min_ready_s):
                plan.drop(item.old, "DAEMONSET-SURGED", (("node", name),))
            else:
                surging += 1
        elif item.old is not None and _available(fx, item.old, sought.min_ready_s):
            (candidates if name in wanted else leaving).append((name, item.old))
        elif item.old is not None and name in wanted:
            plan.nodes.append(name)
        elif item.old is not None:
            plan.drop(item.old, "DAEMONSET-UPDATE-UNAVAILABLE", (("node", name),))
    for name, pod in leaving[: max(0, available - len(wanted))]:
        plan.drop(pod, "DAEMONSET-NOT-HERE", (("node", name),))
    plan.nodes += [name for name, _ in candidates[: max(0, surge - surging)]]
    return plan
