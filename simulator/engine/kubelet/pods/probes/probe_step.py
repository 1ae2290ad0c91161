"""One step of a probe worker, split at the handler: ``before`` decides whether it runs, ``after`` processes its outcome.

A worker belongs to one container and one type of probe. It counts equal results in a row and stores
a result when the count reaches the threshold. The counters outlive the container: a new instance
inherits them, as in Kubernetes; only the stored result is reset to its initial value.

The checks in ``before`` come in the order of doProbe, and the first that applies decides: is there
a status, is the pod finished, is there a container, is it a new one, is the worker on hold, is the
container running, is the pod being deleted, is the initial delay over, has it started. The delay counts
from the whole second of the start, since the API's times have no fractions. A new container is noticed
before the hold is checked, since a new instance is what ends the hold.

Source: pkg/kubelet/prober/worker.go doProbe. Cost: about 1 µs per call.
"""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import SECOND, Ms
from simulator.engine.kubelet.pods.probes.probe_machine import stored_result
from simulator.engine.model.probe import FAILURE, SUCCESS, UNKNOWN, Probe
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.world.rows import ProbeRow, ProbeWorker

INITIAL = {"liveness": SUCCESS, "readiness": FAILURE, "startup": UNKNOWN}
"""The result stored before the first probe of a container."""

Action = Literal["run", "skip", "stop"]


class ProbeOptions(Struct, frozen=True, kw_only=True, gc=False):
    """What the version switches on.

    ``stops_on_deletion``: liveness and startup end when the pod is deleted (1.21). ``holds_after_startup``: a startup
    probe goes on hold after its success too (1.29). ``sidecar_start_succeeds``: a started sidecar stores a success (1.36).
    """

    stops_on_deletion: bool = True
    holds_after_startup: bool = True
    sidecar_start_succeeds: bool = True


NEWEST = ProbeOptions()


class ProbedStatus(Struct, frozen=True, gc=False):
    """What the worker sees of the published pod status at ``now_ms``.

    ``phase`` None: no status is known. ``container_id`` empty: the container has none yet. ``state`` is waiting, running
    or terminated. ``will_restart``: a terminated container will be restarted. ``is_deleted``: the worker's own copy
    of the pod has a deletion timestamp. ``keeps_result``: the container is older than the kubelet, so the initial result
    is not stored. ``is_sidecar``: the container is an init container that is always restarted.
    """

    now_ms: Ms
    phase: str | None
    container_id: str = ""
    state: str = "waiting"
    started: bool = False
    started_ms: Ms = 0
    will_restart: bool = True
    is_deleted: bool = False
    keeps_result: bool = False
    is_sidecar: bool = False


class ProbeStep(Struct, frozen=True, gc=False):
    """What to do now, the worker after it, and the rule. ``stored``: the step wrote a result (possibly the same as before)."""

    action: Action
    worker: ProbeWorker
    rule_id: str
    stored: bool = False


def before(worker: ProbeWorker, view: ProbedStatus, *, options: ProbeOptions = NEWEST) -> ProbeStep:
    """Decide whether the handler runs: ``run`` it, ``skip`` this tick, or ``stop`` the worker for good."""
    if view.phase is None:
        return ProbeStep("skip", worker, "PROBE-NO-STATUS")
    if view.phase in TERMINAL_PHASES:
        return ProbeStep("stop", worker, "PROBE-POD-OVER")
    if not view.container_id:
        return ProbeStep("skip", worker, "PROBE-NO-CONTAINER")
    fresh = view.container_id != worker.container_id
    if fresh:
        result = None if view.keeps_result else INITIAL[worker.kind]
        worker = replace(worker, container_id=view.container_id, result=result, on_hold=False)
    if worker.on_hold:
        return ProbeStep("skip", worker, "PROBE-ON-HOLD")
    if view.state != "running":
        if view.state == "terminated" and not view.will_restart:
            return ProbeStep("stop", _store(worker, "PROBE-CONTAINER-OVER"), "PROBE-CONTAINER-OVER", stored=True)
        return ProbeStep("skip", _store(worker, "PROBE-NOT-RUNNING"), "PROBE-NOT-RUNNING", stored=True)
    if view.is_deleted and options.stops_on_deletion and worker.kind != "readiness":
        return ProbeStep("stop", _store(worker, "PROBE-POD-DELETED"), "PROBE-POD-DELETED", stored=True)
    rule_id = _blocking_rule(worker, view)
    if rule_id == "PROBE-STARTUP-DONE" and view.is_sidecar and options.sidecar_start_succeeds:
        return ProbeStep("skip", _store(worker, "PROBE-SIDECAR-STARTED"), "PROBE-SIDECAR-STARTED", stored=True)
    return ProbeStep("skip" if rule_id else "run", worker, rule_id or "PROBE-RUN", stored=fresh)


def _blocking_rule(worker: ProbeWorker, view: ProbedStatus) -> str:
    """The rule that keeps a running container from being probed now, or an empty string."""
    if view.now_ms - view.started_ms + view.started_ms % SECOND < worker.initial_delay_s * SECOND:  # since the whole second of its start
        return "PROBE-INITIAL-DELAY"
    if view.started:
        return "PROBE-STARTUP-DONE" if worker.kind == "startup" else ""
    return "" if worker.kind == "startup" else "PROBE-STARTUP-FIRST"


def _store(worker: ProbeWorker, rule: str) -> ProbeWorker:
    result = stored_result(rule)
    return worker if worker.result == result else replace(worker, result=result)


def after(worker: ProbeWorker, probe: Probe, outcome: str, *, options: ProbeOptions = NEWEST) -> ProbeStep:
    """Process an outcome: ``success``, ``failure``, or ``error`` if the handler could not run even at the third attempt."""
    if outcome == "error":
        return ProbeStep("skip", worker, "PROBE-ERROR")
    result = SUCCESS if outcome == "success" else FAILURE
    run = worker.run + 1 if result == worker.last else 1
    needed = probe.successes_needed if result == SUCCESS else probe.failures_needed
    if run < needed:
        return ProbeStep("skip", _counted(worker, worker.result, result, run), "PROBE-BELOW-THRESHOLD")
    if worker.kind == "readiness" or not _rests(worker.kind, result, options):
        rule_id = "PROBE-SUCCEEDED" if result == SUCCESS else "PROBE-FAILED"
        return ProbeStep("skip", _counted(worker, stored_result(rule_id), result, run), rule_id, stored=True)
    rule_id = "PROBE-SUCCEEDED" if result == SUCCESS else "PROBE-FAILED-HOLD"
    resting = ProbeWorker(worker.kind, worker.initial_delay_s, worker.container_id, stored_result(rule_id), result, 0, True)
    return ProbeStep("skip", resting, rule_id, stored=True)


def _counted(worker: ProbeWorker, result: str | None, last: str, run: int) -> ProbeWorker:
    return ProbeWorker(worker.kind, worker.initial_delay_s, worker.container_id, result, last, run, worker.on_hold)


def _rests(kind: str, result: str, options: ProbeOptions) -> bool:
    """Whether the worker goes on hold until there is a new container: its result has already decided about this one."""
    if kind == "startup":
        return result == FAILURE or options.holds_after_startup
    return kind == "liveness" and result == FAILURE


def next_tick(probe_row: ProbeRow, now_ms: Ms) -> Ms:
    """The first tick of the worker's grid after ``now_ms``."""
    if now_ms < probe_row.first_ms:
        return probe_row.first_ms
    return probe_row.first_ms + ((now_ms - probe_row.first_ms) // probe_row.period_ms + 1) * probe_row.period_ms


_SOURCE = "pkg/kubelet/prober/worker.go doProbe"
RULES = (
    RuleText("PROBE-NO-STATUS", gettext_noop("The kubelet has no status of the pod yet, so nothing is probed."), _SOURCE),
    RuleText("PROBE-POD-OVER", gettext_noop("The pod has Succeeded or Failed, so probing ends."), _SOURCE),
    RuleText("PROBE-NO-CONTAINER", gettext_noop("The container has not been created yet, so nothing is probed."), _SOURCE),
    RuleText("PROBE-ON-HOLD", gettext_noop("The probe is suspended until the container is replaced by a new instance."), _SOURCE),
    RuleText("PROBE-NOT-RUNNING", gettext_noop("The container is not running, which counts as a failure without probing."), _SOURCE),
    RuleText("PROBE-CONTAINER-OVER", gettext_noop("The container has terminated and will not be restarted, so probing ends."), _SOURCE),
    RuleText("PROBE-POD-DELETED", gettext_noop("The pod is being deleted, so this probe ends with a success."), _SOURCE, "1.21"),
    RuleText("PROBE-INITIAL-DELAY", gettext_noop("The container started less than initialDelaySeconds ago, so the probe waits."), _SOURCE),
    RuleText("PROBE-STARTUP-DONE", gettext_noop("The container has started, so its startup probe is done."), _SOURCE, "1.16"),
    RuleText("PROBE-SIDECAR-STARTED", gettext_noop("The sidecar has started, so its startup probe counts as succeeded."), _SOURCE, "1.36"),
    RuleText("PROBE-STARTUP-FIRST", gettext_noop("The probe waits until the startup probe has succeeded."), _SOURCE, "1.16"),
    RuleText("PROBE-RUN", gettext_noop("The probe is run."), _SOURCE),
    RuleText("PROBE-ERROR", gettext_noop("The probe could not be run three times in a row; the attempt does not count."), _SOURCE),
    RuleText(
        "PROBE-BELOW-THRESHOLD",
        gettext_noop("This result has occurred {run} {run:time|times} in a row; the threshold is {threshold}."),
        _SOURCE,
    ),
    RuleText("PROBE-SUCCEEDED", gettext_noop("Enough successes in a row: the probe now reports success."), _SOURCE),
    RuleText("PROBE-FAILED", gettext_noop("Enough failures in a row: the probe now reports failure."), _SOURCE),
    RuleText(
        "PROBE-FAILED-HOLD",
        gettext_noop("Enough failures in a row: the container will be killed, and the probe is suspended until a new one is running."),
        _SOURCE,
    ),
)
