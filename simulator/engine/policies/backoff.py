"""Exponential back-off of restarts and image pulls, as an immutable entry per key.

An entry says how long to wait after an event (a crash, a failed pull) and when it was last
advanced. None means: no entry. The window doubles with each event up to a maximum; if nothing
happens for long enough, twice the maximum by default, the next event starts at the beginning.

Two clocks are in use. A crash counts from when the container finished (``in_backoff``), so time
that passed before the kubelet noticed is part of the wait; a failed pull counts from when the entry
was advanced (``in_backoff_since_update``).

The first crash has no wait: the entry is created when the container is restarted, and the wait
applies to the next one.

Source: client-go flowcontrol/backoff.go, kubelet doBackOff. Cost: below 1 µs.
"""

from msgspec import Struct

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Ms
from simulator.engine.world.rows import BackoffEntry

CRASH_INITIAL_MS: Ms = 10_000
CRASH_MAX_MS: Ms = 300_000
CRASH_RESET_MS: Ms = 600_000
"""A run longer than this (from its start to its end) restarts the sequence."""
PULL_INITIAL_MS: Ms = 10_000
PULL_MAX_MS: Ms = 300_000


def _has_expired(entry: BackoffEntry, event_ms: Ms, reset_ms: Ms) -> bool:
    return event_ms - entry.last_update_ms > reset_ms


def next_entry(
    entry: BackoffEntry | None,
    event_ms: Ms,
    now_ms: Ms,
    *,
    initial_ms: Ms = CRASH_INITIAL_MS,
    max_ms: Ms = CRASH_MAX_MS,
    reset_ms: Ms | None = None,
) -> BackoffEntry:
    """The entry after one more event: the initial window at first or after a reset, else twice the last, at most ``max_ms``.

    ``event_ms`` is when the event happened, ``now_ms`` when it is handled. ``reset_ms`` None means twice ``max_ms``.
    """
    if entry is None or _has_expired(entry, event_ms, 2 * max_ms if reset_ms is None else reset_ms):
        return BackoffEntry(initial_ms, now_ms)
    return BackoffEntry(min(2 * entry.backoff_ms, max_ms), now_ms)


def in_backoff(
    entry: BackoffEntry | None,
    event_ms: Ms,
    now_ms: Ms,
    *,
    max_ms: Ms = CRASH_MAX_MS,
    reset_ms: Ms | None = None,
) -> bool:
    """Whether less than the window has passed since the event."""
    if entry is None or _has_expired(entry, event_ms, 2 * max_ms if reset_ms is None else reset_ms):
        return False
    return now_ms - event_ms < entry.backoff_ms


def in_backoff_since_update(entry: BackoffEntry | None, now_ms: Ms, *, max_ms: Ms = PULL_MAX_MS, reset_ms: Ms | None = None) -> bool:
    """Whether less than the window has passed since the entry was advanced (image pulls count this way)."""
    if entry is None or _has_expired(entry, now_ms, 2 * max_ms if reset_ms is None else reset_ms):
        return False
    return now_ms - entry.last_update_ms < entry.backoff_ms


def is_stale(entry: BackoffEntry, now_ms: Ms, *, max_ms: Ms = CRASH_MAX_MS, reset_ms: Ms | None = None) -> bool:
    """Whether a housekeeping round at ``now_ms`` drops the entry: it was not advanced for as long as resets it, too."""
    return _has_expired(entry, now_ms, 2 * max_ms if reset_ms is None else reset_ms)


class CrashVerdict(Struct, frozen=True, gc=False):
    """Whether a container may start now, the entry to keep, when the window ends (None: at once) and the rule."""

    may_start: bool
    entry: BackoffEntry | None
    until_ms: Ms | None
    rule_id: str


def crash_backoff(
    entry: BackoffEntry | None,
    finished_ms: Ms | None,
    now_ms: Ms,
    *,
    initial_ms: Ms = CRASH_INITIAL_MS,
    max_ms: Ms = CRASH_MAX_MS,
    reset_ms: Ms = CRASH_RESET_MS,
) -> CrashVerdict:
    """Decide on a start. ``finished_ms`` is the end of the newest exited instance; None: there is none, the entry stays."""
    if finished_ms is None:
        return CrashVerdict(True, entry, None, "BACKOFF-NO-CRASH")
    if entry is not None and in_backoff(entry, finished_ms, now_ms, max_ms=max_ms, reset_ms=reset_ms):
        return CrashVerdict(False, entry, finished_ms + entry.backoff_ms, "BACKOFF-WAIT")
    fresh = next_entry(entry, finished_ms, now_ms, initial_ms=initial_ms, max_ms=max_ms, reset_ms=reset_ms)
    if entry is not None and _has_expired(entry, finished_ms, reset_ms):
        return CrashVerdict(True, fresh, None, "BACKOFF-RESET")
    return CrashVerdict(True, fresh, None, "BACKOFF-FIRST" if entry is None else "BACKOFF-OVER")


_SOURCE = "pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff"
RULES = (
    RuleText(
        "BACKOFF-NO-CRASH",
        gettext_noop("No instance of the container has ended, so it starts without waiting."),
        _SOURCE,
    ),
    RuleText(
        "BACKOFF-FIRST",
        gettext_noop("The first crash: the container restarts at once; the next crash will have to wait."),
        _SOURCE,
    ),
    RuleText(
        "BACKOFF-WAIT",
        gettext_noop(
            "The container exited less than {window} ago, so the kubelet delays the next start "
            "(CrashLoopBackOff); the wait doubles up to five minutes."
        ),
        _SOURCE,
    ),
    RuleText(
        "BACKOFF-OVER",
        gettext_noop("The wait is over: the container starts, and the next wait doubles."),
        _SOURCE,
    ),
    RuleText(
        "BACKOFF-RESET",
        gettext_noop("The container ran for more than ten minutes, so the back-off starts over."),
        _SOURCE,
    ),
    RuleText(
        "BACKOFF-COLLECTED",
        gettext_noop(
            "The kubelet’s housekeeping drops a back-off entry that has not advanced for ten minutes, so the "
            "container starts at once and the back-off starts over."
        ),
        "client-go util/flowcontrol/backoff.go GC; pkg/kubelet/kubelet_pods.go HandlePodCleanups",
    ),
)
