"""How long a Job waits before it replaces failed pods.

The wait depends on two facts: how many pods have failed in a row since the last success, n, and
when the last of them finished. It is 10 s × 2^(n−1) up to the version's maximum
(``job_backoff_max_ms``), counted from that end and not from the round that noticed it. A success in
between resets the count.

When a pod finished is not a field. It is read from its containers (the last end, sidecars
included), else from the Ready condition, else from the deletion; in whole seconds, as the API keeps
times. A pod deleted before its containers had ended may therefore have "finished" at its
deletionTimestamp less the grace period, that is when the deletion was asked for.

With backoffLimitPerIndex each index has its own count in its last failed pod's annotations.
Failures that a policy ignores do not count against the limit, but they do lengthen the wait.

Until 1.26 there is no such calculation: the work queue delays the whole Job (``watches.py``).

Source: pkg/controller/job/backoff_utils.go; until 1.26 the rate-limited queue of job_controller.go
(recorded of 1.20.2).
"""

from simulator.engine.controllers.job.indexes import FAILURES, IGNORED, count_in
from simulator.engine.kernel.units import Ms, seconds, whole_second
from simulator.engine.model.status import ContainerStatus, Terminated
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow

NEVER_FAILED: tuple[int, Ms] = (0, 0)


def finished_ms(row: PodRow) -> Ms:
    """When a pod finished, in whole seconds: its last container's end, else since when it is not Ready, else when it was deleted."""
    sidecars = {item.name for item in row.pod.spec.init_containers if item.restart_policy == "Always"}
    statuses = (*row.status.containers, *(item for item in row.status.init_containers if item.name in sidecars))
    last = _last_end(statuses)
    if last is not None:
        return last
    ready = row.status.condition("Ready")
    if ready is not None and ready.status == "False" and ready.transition_ms is not None:
        return whole_second(ready.transition_ms)
    if row.deletion_ms is not None:
        return whole_second(row.deletion_ms - seconds(row.grace_s or 0))
    return whole_second(row.created_ms)


def _last_end(statuses: tuple[ContainerStatus, ...]) -> Ms | None:
    ends = [item.state.finished_ms if isinstance(item.state, Terminated) else None for item in statuses]
    known = [end for end in ends if end is not None]
    return whole_second(max(known)) if known and len(known) == len(ends) else None


def counted_on(before: tuple[int, Ms], succeeded: list[PodRow], failed: list[PodRow]) -> tuple[int, Ms]:
    """Failures since the last success, and when the last of them finished, including pods that ended since ``before`` was counted."""
    if not succeeded and not failed:
        return before
    ends = sorted(finished_ms(row) for row in failed)
    if not succeeded:
        return before[0] + len(ends), ends[-1]
    last_success = max(finished_ms(row) for row in succeeded)
    later = [end for end in ends if end > last_success]
    return (len(later), later[-1]) if later else NEVER_FAILED


def remaining_ms(fx: Effects, failures: int, last_ms: Ms) -> Ms:
    """Milliseconds until the next pod may be created after that many failures in a row; 0: at once."""
    if not failures:
        return 0
    return max(0, last_ms + wait_ms(fx, failures) - fx.now)


def wait_ms(fx: Effects, failures: int) -> Ms:
    """The wait after that many failures in a row: 10 s, 20 s, 40 s … up to the version's maximum."""
    # The exponent is capped only to keep the number small; the maximum wait is reached long
    # before.
    return min(fx.profile.job_backoff_initial_ms << min(failures - 1, 20), fx.profile.job_backoff_max_ms)


def index_remaining_ms(fx: Effects, replaced: PodRow | None) -> Ms:
    """Like ``remaining_ms`` for one index; ``replaced``: its last failed pod, whose annotations count the failures before it."""
    if replaced is None:
        return 0
    return remaining_ms(fx, failures_of_index(replaced) + 1, finished_ms(replaced))


def failures_of_index(row: PodRow) -> int:
    """Failures of the pod's index before this pod, including ignored ones."""
    return count_in(row, FAILURES) + count_in(row, IGNORED)
