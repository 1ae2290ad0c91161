"""activeDeadlineSeconds: how long a pod may be active on a node. Source: kubelet active_deadline.go."""

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import SECOND, Ms, whole_second

REASON = "DeadlineExceeded"
MESSAGE = "Pod was active on the node longer than the specified deadline"


def deadline_ms(active_deadline_seconds: int | None, start_ms: Ms | None) -> Ms | None:
    """The moment from which the deadline counts as exceeded; None if there is none. ``start_ms`` is status.startTime."""
    if active_deadline_seconds is None or start_ms is None:
        return None
    return whole_second(start_ms) + active_deadline_seconds * SECOND


def deadline_exceeded(active_deadline_seconds: int | None, start_ms: Ms | None, now_ms: Ms) -> bool:
    """Whether the pod has been active for the whole deadline."""
    due = deadline_ms(active_deadline_seconds, start_ms)
    return due is not None and now_ms >= due


RULES = (
    RuleText(
        "DEADLINE-EXCEEDED",
        gettext_noop("The pod has been active for longer than activeDeadlineSeconds, so it becomes Failed and its containers are stopped."),
        "pkg/kubelet/active_deadline.go",
    ),
)
