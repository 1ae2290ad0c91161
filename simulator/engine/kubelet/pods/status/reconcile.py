"""What the kubelet does when another client has written a pod's status: its status manager restores what belongs to the kubelet.

A write to the status alone causes no sync, except for a pod with readiness gates, whose Ready depends on conditions of
other writers. Everything else is found by the status manager, which at its ten-second tick compares what it last sent
with what the API shows. What it would not write itself (conditions of others) stays, and comes first. A sync that
writes before the tick settles it, since the status is then the kubelet's again.

Source: pkg/kubelet/kubelet.go HandlePodReconcile; pkg/kubelet/status/status_manager.go syncBatch, needsReconcile,
mergePodStatus; pkg/kubelet/types/pod_status.go.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.publish import Draft, publish
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Ms
from simulator.engine.kubelet.base import room
from simulator.engine.kubelet.base.beats import next_status_beat, with_status_beat
from simulator.engine.kubelet.base.health import has_running_kubelet
from simulator.engine.kubelet.pods.status.restarting_all import CONDITION as RESTARTING
from simulator.engine.model.status import TERMINAL_PHASES, PodCondition, PodStatus
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import StatusReconcile
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import PodRow, Report

RULES = (
    RuleText(
        "STATUS-RECONCILED",
        gettext_noop(
            "Another client overwrote the status the kubelet reports for the pod: within ten seconds its status "
            "manager notices and writes it again."
        ),
        "pkg/kubelet/status/status_manager.go needsReconcile",
    ),
)

_OWN = (
    *("PodScheduled", "Initialized", "Ready", "ContainersReady", "PodReadyToStartContainers", "PodHasNetwork"),
    *("PodResizePending", "PodResizeInProgress", RESTARTING),
)
"""The kubelet's conditions. DisruptionTarget has several writers and is left as found."""


def is_of_kubelet(item: PodCondition) -> bool:
    """Whether the kubelet alone writes conditions of this type."""
    return item.type in _OWN


def status_written(fx: Effects, old: PodRow, row: PodRow) -> None:
    """Another client wrote the status of a pod on the node."""
    status_report = fx.tables.reports.get(row.key)
    said = status_report.said if status_report is not None and status_report.shown == old.status else old.status
    if row.key not in fx.tables.workers or not has_running_kubelet(fx, row.node):
        return
    if _restored(said, row.status) == row.status:
        fx.save_report(row.key, None)
        return
    fx.save_report(row.key, Report(said, row.status))
    with fx.because(0):
        fx.check(_beat(fx, row.node), Lane.HOUSEKEEPING, StatusReconcile(row.key))


def _beat(fx: Effects, node: str) -> Ms:
    kubelet = with_status_beat(fx, fx.tables.kubelets[node], fx.now)
    fx.save_kubelet(kubelet)
    return next_status_beat(fx, kubelet)


def _restored(said: PodStatus, shown: PodStatus) -> PodStatus:
    """The shown status, with the kubelet's own parts restored. Conditions of others stay, and come first."""
    mine = tuple(item for item in said.conditions if item.type in _OWN)
    foreign = tuple(item for item in shown.conditions if item.type not in _OWN)
    conditions = (*foreign, *mine)
    if sorted(conditions, key=_kind) == sorted(shown.conditions, key=_kind):
        conditions = shown.conditions
    return replace(shown, phase=said.phase, reason=said.reason, message=said.message, conditions=conditions)


def _kind(item: PodCondition) -> str:
    return item.type


def status_reconcile(fx: Effects, event: StatusReconcile) -> None:
    """The tick: what a sync has written in the meantime is left alone."""
    report = fx.tables.reports.get(event.pod)
    fx.save_report(event.pod, None)
    row = fx.tables.pods[event.pod]
    if report is None or row.status != report.shown or row.key not in fx.tables.workers or not has_running_kubelet(fx, row.node):
        return
    status = _restored(report.said, row.status)
    rules = dict.fromkeys((item.type for item in (*status.conditions, *row.status.conditions)), "STATUS-RECONCILED")
    draft = Draft(status, {**rules, "phase": "STATUS-RECONCILED"}, is_sent=True)
    row = publish(fx, row, status, rule="STATUS-RECONCILED", draft=draft)
    if status.phase not in TERMINAL_PHASES and fx.tables.workers[row.key].state == "syncing":
        room.hold(fx, row)  # it was not counted while it seemed to have ended
