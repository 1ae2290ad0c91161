"""The crash-loop back-off of a container about to be started: whether it has to wait, and under which policy it restarts.

Source: kuberuntime_manager.go doBackOff.
"""

from msgspec.structs import replace

from simulator.engine.kernel.grid import last_beat
from simulator.engine.kernel.records import Data
from simulator.engine.kernel.units import Ms
from simulator.engine.model.container import Container
from simulator.engine.model.duration import go_duration
from simulator.engine.policies.backoff import CrashVerdict, crash_backoff, is_stale
from simulator.engine.policies.restart_policy import deciding_rule
from simulator.engine.versions import Profile
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import Backoff, BackoffEntry, Instance, Worker


def window(fx: Effects, worker: Worker, container: Container) -> tuple[str, Ms | None]:
    """The back-off that holds the start back and its end; if the start may go on, the entry advances.

    The check looks at the runtime as it was when the sync began: a container killed in this very sync still counts as running
    there, however long the kill took.
    """
    seen = worker.looked
    exited = [] if seen is None else [i for i in seen.instances if i.container == container.name and i.state == "exited"]
    key = ("crash", worker.pod, f"{container.name}@{container.image}")
    backoff = fx.tables.backoffs.get(key)
    profile = fx.profile
    finished_ms = exited[0].finished_ms if exited else None
    verdict = _verdict(profile, None if backoff is None else backoff.entry, finished_ms, fx.now)
    if backoff is not None and verdict.rule_id in _BY_ENTRY and _is_collected(fx, worker.node, backoff):
        verdict = replace(_verdict(profile, None, finished_ms, fx.now), rule_id="BACKOFF-COLLECTED")
    if verdict.may_start:
        if seen is not None and any(item.container == container.name for item in seen.instances):
            subject = f"container/{worker.pod}/{container.name}"
            data = _by(fx, container, exited)
            fx.cause = fx.record(kind="decision", subject=subject, machine="backoff", target="start", rule=verdict.rule_id, data=data)
        if verdict.entry is not None and (backoff is None or verdict.entry is not backoff.entry):
            fx.save_backoff(key, Backoff(verdict.entry, fx.cause))
        return "", None
    assert verdict.entry is not None
    return go_duration(verdict.entry.backoff_ms), verdict.until_ms


_BY_ENTRY = ("BACKOFF-WAIT", "BACKOFF-OVER")
"""Verdicts that would differ without the entry."""


def _verdict(profile: Profile, entry: BackoffEntry | None, finished_ms: Ms | None, now_ms: Ms) -> CrashVerdict:
    return crash_backoff(
        entry,
        finished_ms,
        now_ms,
        initial_ms=profile.crash_backoff_initial_ms,
        max_ms=profile.crash_backoff_max_ms,
        reset_ms=profile.crash_backoff_reset_ms,
    )


def _is_collected(fx: Effects, node: str, backoff: Backoff) -> bool:
    """Whether housekeeping has dropped the entry by now. Computed on demand, so that no round is queued for it."""
    profile = fx.profile
    round_ms = last_beat(fx.now, fx.tables.kubelets[node].housekeeping_phase_ms, profile.housekeeping_ms)
    return is_stale(backoff.entry, round_ms, max_ms=profile.crash_backoff_max_ms, reset_ms=profile.crash_backoff_reset_ms)


def _by(fx: Effects, container: Container, exited: list[Instance]) -> Data:
    """The policy under which the container restarts; nothing if it did not end by itself, and for sidecars, which always restart."""
    rules = fx.profile.container_restart_rules
    if not exited or (container.restart_policy is not None and not rules):
        return ()
    return (("by", deciding_rule(container, exited[0].exit_code, restart_rules=rules)),)
