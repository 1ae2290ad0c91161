"""The status of a DaemonSet: nodes, not pods, are counted. Source: pkg/controller/daemon/daemon_controller.go updateDaemonSetStatus."""

from simulator.engine.controllers.daemon_set.plan import DaemonsSought
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.policies.availability import is_available
from simulator.engine.workloads.objects import put_status, status_of, stored_object
from simulator.engine.world.effects import Effects

RULES = (
    RuleText(
        "DAEMONSET-STATUS",
        gettext_noop(
            "The DaemonSet updates its node counts: {desired} should run its pod, {current} have one, {ready} a "
            "ready one, {available} an available one, {updated} one with the current template; {misscheduled} "
            "have one that should not."
        ),
        "pkg/controller/daemon/daemon_controller.go updateDaemonSetStatus",
    ),
)
_OMITTED_WHEN_0 = ("updatedNumberScheduled", "numberAvailable", "numberUnavailable")


def write_daemon_status(fx: Effects, sought: DaemonsSought, collisions: int) -> None:
    """Count the nodes, and write what differs."""
    stored = stored_object(fx, sought.row.kind, sought.row.namespace, sought.row.name)
    if stored is None:
        return
    counts = _counts(fx, sought)
    before = status_of(stored)
    status: Json = {key: value for key, value in counts.items() if value or key not in _OMITTED_WHEN_0}
    status["observedGeneration"] = stored.generation
    if collisions:
        status["collisionCount"] = collisions
    if before.get("conditions"):
        status["conditions"] = before["conditions"]
    if status == before:
        return
    data = (
        ("desired", counts["desiredNumberScheduled"]), ("current", counts["currentNumberScheduled"]), ("ready", counts["numberReady"]),
        ("available", counts["numberAvailable"]), ("updated", counts["updatedNumberScheduled"]),
        ("misscheduled", counts["numberMisscheduled"]),
    )  # fmt: skip
    with fx.because(fx.note_step(stored.subject, "status", rule="DAEMONSET-STATUS", data=data)):
        put_status(fx, stored, status)


def _counts(fx: Effects, sought: DaemonsSought) -> dict[str, int]:
    book, min_ready_s = sought.book, sought.min_ready_s
    available = len(book.ready)
    if min_ready_s:  # pods also become available as time passes
        available = sum(is_available(pod.status, min_ready_s=min_ready_s, now_ms=fx.now) for pod in book.shown.values())
    return {
        "currentNumberScheduled": len(book.shown), "numberMisscheduled": len(book.misscheduled),
        "desiredNumberScheduled": len(book.desired), "numberReady": len(book.ready), "updatedNumberScheduled": len(book.updated),
        "numberAvailable": available, "numberUnavailable": len(book.desired) - available,
    }  # fmt: skip
