"""How long a probe takes to notice that a container hangs: at most, from the worst moment, and now that a run of failures has begun.

Source: pkg/kubelet/prober/worker.go run and doProbe (a ticker per worker that keeps one tick; a stored result needs failureThreshold
failures in a row) and kuberuntime_container.go killContainer (grace period). All times are whole milliseconds.

With P = periodSeconds, T = timeoutSeconds, n = failureThreshold and an attempt whose tick is t but which begins at b >= t (because the
previous one was not over), the j-th attempt after it begins at max(t + j*P, b + j*T) if each takes T, and at max(t + j*P, b) if
each fails at once. An attempt that could not be run (an error of the handler) does not count and only lengthens these times.
"""

from simulator.engine.kernel.units import Ms, seconds
from simulator.engine.model.container import Container
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.probe import FAILURE, Probe
from simulator.engine.policies.grace import container_grace, signal_grace_ms
from simulator.engine.projection.model import Detection, Remaining
from simulator.engine.versions import Profile
from simulator.engine.world.rows import ProbeRow

REASONS = {"liveness": "LivenessProbe", "startup": "StartupProbe"}
"""Why a container is killed after this probe, in the kubelet's words; readiness never kills."""


def detection(spec: PodSpec, container: Container, kind: str, probe: Probe, *, profile: Profile) -> Detection:
    """The longest that a container may hang before this probe has had its effect.

    Liveness and readiness, counted from the moment just after an attempt that succeeded at once: slow = P + (n-1)*max(P, T) + T and
    quick = n*P. Startup never succeeds; counted from the moment its container is shown as running, both are longer by
    initialDelaySeconds, and shorter by however much earlier the first tick comes (the grid of ticks does not begin with the container).
    After readiness's result Ready is False at once (status manager SetContainerReadiness). Liveness and startup kill: gone =
    slow + max(grace, least), or slow + grace + least if a preStop hook may use up the grace period; grace is the probe's
    terminationGracePeriodSeconds if the version has it, else the pod's, and least the kubelet's two seconds. A pod worker that
    is busy (a postStart hook of another container) begins the kill when it is free. Until 1.20 a startup result wakes no worker.
    """
    period, timeout, needed = seconds(probe.period_s), seconds(probe.timeout_s), probe.failures_needed
    delay = seconds(probe.initial_delay_seconds) if kind == "startup" else 0
    slow = delay + period + (needed - 1) * max(period, timeout) + timeout
    kills = kind == "liveness" or (kind == "startup" and profile.startup_result_syncs)
    gone = slow + stop_ms(spec, container, kind, profile=profile) if kills else None
    return Detection(quick_ms=delay + needed * period, slow_ms=slow, gone_ms=gone)


def stop_ms(spec: PodSpec, container: Container, kind: str, *, profile: Profile) -> Ms:
    """How long a container killed by this probe may take to end: one that hangs takes all of it.

    A hook may last as long as the grace period, and the stop signal that follows still gets the minimum (STOP-HOOK-OVERRUN).
    """
    grace = seconds(container_grace(spec, container, REASONS[kind], probe_level=profile.probe_grace).grace_s)
    has_hook = container.lifecycle is not None and container.lifecycle.pre_stop is not None
    if has_hook and grace > 0:
        return grace + profile.min_stop_ms
    return signal_grace_ms(grace, least_ms=profile.min_stop_ms)


def remaining(held: ProbeRow, probe: Probe, next_ms: Ms, now_ms: Ms) -> Remaining | None:
    """When the current run of failures reaches failureThreshold if it continues; None if there is none, or it is over.

    k = failureThreshold - run attempts are left. While none is in progress the next one begins at its tick t = ``next_ms``: earliest
    t + (k-1)*P, latest t + (k-1)*max(P, T) + T. One in progress since b is the first of them, its tick is the last by then, and
    it may fail at any moment. Both moments stay the same while it lasts; the earliest is exact if T <= P.
    """
    worker = held.worker
    left = probe.failures_needed - worker.run
    if worker.last != FAILURE or worker.result == FAILURE or worker.on_hold or left <= 0:
        return None
    period, timeout = held.period_ms, seconds(probe.timeout_s)
    tick = begin = next_ms
    if held.busy:
        begin = held.began_ms
        # Ticks went by while the previous attempt was running; a ticker keeps one of them.
        tick += (begin - tick) // period * period
    latest = max(tick + (left - 1) * period, begin + (left - 1) * timeout) + timeout
    earliest = tick + (left - 1) * period
    return Remaining(earliest_ms=earliest if earliest > now_ms else None, latest_ms=latest)
