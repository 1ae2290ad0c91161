"""The columns of ``kubectl get pods``: READY, STATUS, RESTARTS and READINESS GATES.

STATUS is not a field of the API: the server derives it from phase, reason and container statuses. The
word starts as the phase and is replaced step by step; the rule id names the step that decided
last. The steps, each overriding those before it:

* the phase, then status.reason (Evicted, for instance), then SchedulingGated;
* the first init container that is not done, as Init:…, which hides all others;
* otherwise the containers from last to first, so that the first one that waits or has ended decides;
* a deletionTimestamp, as Terminating.

RESTARTS counts init containers only while they run, afterwards sidecars and app containers. READY
counts sidecars in both of its numbers where the version has them (``PrintOptions``).

Source: printers.go printPod. Cost: about 2 µs for a pod with one container.
"""

from msgspec import Struct

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Ms, whole_second
from simulator.engine.machines.status_word import STATUS_WORD
from simulator.engine.model.duration import human_duration_ms
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.status import TERMINAL_PHASES, ContainerStatus, PodStatus, Running, Terminated, Waiting


class PrintOptions(Struct, frozen=True, kw_only=True, gc=False):
    """What the version of the API server switches on.

    ``restart_age``: RESTARTS shows "(… ago)" (1.22). ``scheduling_gates``: SchedulingGated is shown (1.26). ``sidecars``:
    restartable init containers count (1.28). ``phase_outlives_deletion``: a deleted pod that has ended keeps its word
    instead of Terminating (1.30).
    """

    restart_age: bool = True
    scheduling_gates: bool = True
    sidecars: bool = True
    phase_outlives_deletion: bool = True


NEWEST = PrintOptions()


class Columns(Struct, frozen=True, gc=False):
    """One row. ``restarts_text`` is the column's text; ``rule_id`` says where the word in STATUS comes from."""

    ready: str
    status: str
    restarts: int
    restarts_text: str
    readiness_gates: str
    rule_id: str


class _Row(Struct, gc=False):
    """The row while it is being computed."""

    word: str
    rule_id: str
    ready: int = 0
    restarts: int = 0
    last_restart_ms: Ms | None = None
    sidecar_restarts: int = 0
    last_sidecar_restart_ms: Ms | None = None
    initializing: bool = False


def printed_columns(
    spec: PodSpec,
    status: PodStatus,
    *,
    now_ms: Ms,
    is_deleted: bool = False,
    options: PrintOptions = NEWEST,
) -> Columns:
    """The row that kubectl shows at ``now_ms``. ``is_deleted``: metadata.deletionTimestamp is set."""
    by_phase = ("PRINT-PHASE", status.phase)
    row = _Row(STATUS_WORD.kept.get(by_phase) or STATUS_WORD.keep(by_phase, STATUS_WORD.word(*by_phase)), "PRINT-PHASE")
    if status.reason:
        _say(row, "PRINT-REASON", status.reason)
    if options.scheduling_gates and [
        item for item in status.conditions if item.reason == "SchedulingGated" and item.type == "PodScheduled"
    ]:
        _say(row, "PRINT-GATED")
    total = len(spec.containers)
    if spec.init_containers or status.init_containers:
        sidecars = {c.name for c in spec.init_containers if c.restart_policy == "Always"} if options.sidecars else set()
        total += sum(container.name in sidecars for container in spec.init_containers)
        _read_init(row, status.init_containers, sidecars, len(spec.init_containers))
    is_past_init = not row.initializing or (options.sidecars and _is_true(status, "Initialized"))
    if is_past_init and (status.containers or row.restarts):
        _read_containers(row, status)
    if is_deleted:
        _read_deletion(row, status, options)
    restarts = _restarts_text(row, now_ms, options) if row.restarts else "0"
    gates = _gates(spec, status) if spec.readiness_gates else "<none>"
    return Columns(f"{row.ready}/{total}", row.word, row.restarts, restarts, gates, row.rule_id)


def _say(row: _Row, rule: str, word: str = "") -> None:
    """Let a rule replace the word: with its own, or with the one given."""
    row.word, row.rule_id = STATUS_WORD.word(rule, word), rule


def _is_true(status: PodStatus, kind: str) -> bool:
    condition = status.condition(kind)
    return condition is not None and condition.status == "True"


def _later(first: Ms | None, status: ContainerStatus) -> Ms | None:
    """The later of ``first`` and the end of the previous instance."""
    last = status.last_state
    if not isinstance(last, Terminated) or last.finished_ms is None:
        return first
    return last.finished_ms if first is None or first < last.finished_ms else first


def _read_init(row: _Row, statuses: tuple[ContainerStatus, ...], sidecars: set[str], total: int) -> None:
    """Stop at the first init container that has work left; its state becomes the word."""
    for index, status in enumerate(statuses):
        is_sidecar = status.name in sidecars
        row.restarts += status.restart_count
        row.last_restart_ms = _later(row.last_restart_ms, status)
        if is_sidecar:
            row.sidecar_restarts += status.restart_count
            row.last_sidecar_restart_ms = _later(row.last_sidecar_restart_ms, status)
        state = status.state
        if isinstance(state, Terminated) and state.exit_code == 0:
            continue
        if is_sidecar and status.started:
            row.ready += status.ready
            continue
        _say(row, "PRINT-INIT", _init_word(status, index, total))
        row.initializing = True
        return


def _init_word(status: ContainerStatus, index: int, total: int) -> str:
    state = status.state
    if isinstance(state, Terminated):
        return f"Init:{state.reason or _exit_word(state)}"
    if isinstance(state, Waiting) and state.reason and state.reason != "PodInitializing":
        return f"Init:{state.reason}"
    return f"Init:{index}/{total}"


def _exit_word(state: Terminated) -> str:
    return f"Signal:{state.signal}" if state.signal else f"ExitCode:{state.exit_code}"


def _read_containers(row: _Row, status: PodStatus) -> None:
    """From last to first, so that the first container in the list decides."""
    # Once the init phase is over, restarts of ordinary init containers are no longer counted.
    row.restarts, row.last_restart_ms = row.sidecar_restarts, row.last_sidecar_restart_ms
    some_run = False
    for container in reversed(status.containers):
        row.restarts += container.restart_count
        if container.last_state is not None:
            row.last_restart_ms = _later(row.last_restart_ms, container)
        state = container.state
        if isinstance(state, Waiting):
            if state.reason:
                _say(row, "PRINT-WAITING", state.reason)
        elif isinstance(state, Terminated):
            _say(row, "PRINT-TERMINATED", state.reason or _exit_word(state))
        elif isinstance(state, Running) and container.ready:
            some_run = True
            row.ready += 1
    # A container of the pod is still running, so the pod has not completed, whatever the first one in the
    # list says.
    if some_run and row.word == "Completed":
        is_ready = _is_true(status, "Ready")
        _say(row, "PRINT-STILL-RUNNING" if is_ready else "PRINT-NOT-READY")


def _read_deletion(row: _Row, status: PodStatus, options: PrintOptions) -> None:
    if status.reason == "NodeLost":
        _say(row, "PRINT-NODE-LOST")
    # Terminating is not a phase: a pod whose object waits for finalizers keeps showing how it ended
    # (1.30).
    elif not options.phase_outlives_deletion or status.phase not in TERMINAL_PHASES:
        _say(row, "PRINT-TERMINATING")


def _restarts_text(row: _Row, now_ms: Ms, options: PrintOptions) -> str:
    if row.last_restart_ms is None or not options.restart_age:
        return str(row.restarts)
    return f"{row.restarts} ({human_duration_ms(now_ms - whole_second(row.last_restart_ms))} ago)"


def _gates(spec: PodSpec, status: PodStatus) -> str:
    met = sum(_is_true(status, gate.condition_type) for gate in spec.readiness_gates)
    return f"{met}/{len(spec.readiness_gates)}"


_SOURCE = "pkg/printers/internalversion/printers.go printPod"
RULES = (
    RuleText("PRINT-PHASE", gettext_noop("STATUS shows the phase, because nothing more specific is known."), _SOURCE),
    RuleText("PRINT-REASON", gettext_noop("STATUS shows the reason in the pod’s status."), _SOURCE),
    RuleText("PRINT-GATED", gettext_noop("STATUS shows SchedulingGated, because a scheduling gate holds the pod back."), _SOURCE, "1.26"),
    RuleText("PRINT-INIT", gettext_noop("STATUS shows the first init container that has not finished."), _SOURCE),
    RuleText("PRINT-WAITING", gettext_noop("STATUS shows why a container is waiting."), _SOURCE),
    RuleText("PRINT-TERMINATED", gettext_noop("STATUS shows how a container ended."), _SOURCE),
    RuleText(
        "PRINT-STILL-RUNNING",
        gettext_noop("One container has completed, others are running and the pod is Ready: STATUS shows Running."),
        _SOURCE,
    ),
    RuleText(
        "PRINT-NOT-READY",
        gettext_noop("One container has completed, others are running but the pod is not Ready: STATUS shows NotReady."),
        _SOURCE,
        "1.16",
    ),
    RuleText("PRINT-NODE-LOST", gettext_noop("The node of the deleted pod is unreachable: STATUS shows Unknown."), _SOURCE),
    RuleText("PRINT-TERMINATING", gettext_noop("The pod is being deleted: STATUS shows Terminating, which is not a phase."), _SOURCE),
)
