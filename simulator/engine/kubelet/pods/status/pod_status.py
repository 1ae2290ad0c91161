"""The status a sync publishes: from the runtime as last seen, the reasons of the previous sync, and the probe results.

The kubelet does not change a status, it creates a new one each time and keeps from the old one what it can no longer
know. For a container, in this order: the newest instance in the runtime; without one, a restart of all
containers; an end that was already published; a container that used to run and is gone (ContainerStatusUnknown,
137); otherwise waiting. On top of all that comes the reason of the last failed attempt to start it, if it should
be started.

The last state is that of the instance before the newest, as long as the runtime has it; then what was published.
Restart counts are those of instances and continue from the published count when the records are gone.

A terminal phase is never left. Readiness and the started flag are the probes' results for this very instance; a
result of an earlier one does not count. Without a probe a running container is ready. After a restart of the
kubelet there are no results yet; from 1.35 on what was published is kept (``outlives_kubelet``).

``Draft.rules`` and ``Draft.causes`` say for each part which rule produced it and which record it follows from.

Source: pkg/kubelet/kubelet_pods.go generateAPIPodStatus, convertToAPIContainerStatuses.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.publish import Draft
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Seq
from simulator.engine.kubelet.pods.facts.allocated import with_resources
from simulator.engine.kubelet.pods.status import endings, restarting_all
from simulator.engine.kubelet.pods.status.conditions import with_conditions
from simulator.engine.kubelet.pods.status.phase_rules import compute_phase
from simulator.engine.machines.phase import phase_by
from simulator.engine.model.container import Container
from simulator.engine.model.probe import SUCCESS
from simulator.engine.model.status import TERMINAL_PHASES, ContainerState, ContainerStatus, Running, Terminated, Waiting
from simulator.engine.policies.restart_policy import is_sidecar, restarts_after
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import pod_on_node
from simulator.engine.world.rows import RUNS, Instance, PodRow, Reason, Seen, Worker

LOST_REASON = "ContainerStatusUnknown"
LOST = "The container could not be located when the pod was deleted.  The container used to be Running"
LOST_AT_END = "The container could not be located when the pod was terminated"

RULES = (
    RuleText(
        "STATUS-WAITING-REASON",
        gettext_noop("The reason is from the last attempt to start the container: a sync publishes what the previous sync found."),
        "pkg/kubelet/kubelet_pods.go, reason_cache.go",
    ),
    RuleText(
        "STATUS-FIRST",
        gettext_noop("Nothing is known about the container yet, so it waits as {reason}."),
        "pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses",
    ),
    RuleText(
        "PHASE-KEPT",
        gettext_noop("A pod that has Succeeded or Failed stays that way."),
        "pkg/kubelet/kubelet_pods.go generateAPIPodStatus",
    ),
    RuleText(
        "CONDITION-TRANSITION",
        gettext_noop("lastTransitionTime moves only when the status of a condition changes."),
        "pkg/kubelet/status/status_manager.go updateLastTransitionTime",
    ),
    RuleText(
        "SCHEDULED-KUBELET",
        gettext_noop("The pod is running on a node, so it is scheduled."),
        "pkg/kubelet/kubelet_pods.go generateAPIPodStatus",
    ),
    RuleText(
        "STATUS-LOST",
        gettext_noop(
            "The kubelet can no longer find the container that was running, so how it ended is unknown (ContainerStatusUnknown, 137)."
        ),
        "pkg/kubelet/kubelet_pods.go",
    ),
)


def generate(fx: Effects, row: PodRow, worker: Worker, *, terminal: bool = False) -> Draft:
    """What the kubelet would publish about the pod now. ``terminal``: every container has been stopped for good."""
    seen = fx.tables.seen.get(row.key)
    rules: dict[str, str] = {}
    causes: dict[str, Seq] = {}
    old = row.status
    spec = pod_on_node(fx.tables, row).spec if fx.tables.static_pods else row.pod.spec
    sources = (row, worker, seen)
    found = (rules, causes)
    app = _statuses(fx, sources, spec.containers, "app", old.containers, found)
    if len(app) > 1:
        app = tuple(sorted(app, key=lambda item: item.name))
    init = _statuses(fx, sources, spec.init_containers, "init", old.init_containers, found) if spec.init_containers else ()
    more = spec.ephemeral_containers
    extra = _statuses(fx, sources, more, "ephemeral", old.ephemeral_containers, found) if more else ()
    phase = _phase(fx, row, seen, init, app, rules, terminal=terminal)
    reason, message = (old.reason, old.message) if phase == old.phase and fx.profile.pod_reason_kept else ("", "")
    may_end = worker.ending is not None or spec.active_deadline_seconds is not None
    ending = endings.ending_of(fx, row, worker) if may_end and (old.phase not in TERMINAL_PHASES or old.reason) else None
    node_ip, sandbox = fx.tables.nodes[row.node].ip, seen.sandbox if seen is not None else None
    if ending is not None:
        phase, reason, message, rules["phase"] = phase_by(ending.rule), ending.reason, ending.message, ending.rule
    status = replace(
        old,
        phase=phase,
        reason=reason,
        message=message,
        init_containers=init,
        containers=app,
        ephemeral_containers=extra,
        observed_generation=row.generation if fx.profile.observed_generation else None,
        start_ms=fx.now if old.start_ms is None else old.start_ms,
        host_ip=node_ip,
        pod_ip=node_ip if spec.host_network else sandbox.ip if sandbox is not None and sandbox.state == "ready" else old.pod_ip,
    )
    if old.allocated or row.key in fx.tables.resizes:
        status = with_resources(fx, row, status)
    status = with_conditions(fx, row, status, rules)
    if ending is not None:
        endings.report_deadline(fx, row, worker)
        status = endings.ended_status(fx, row, ending, status, rules)
    if seen is not None and "Initialized" not in causes:
        causes.setdefault("PodReadyToStartContainers", seen.seq)
    return Draft(status, rules, causes)


def _phase(
    fx: Effects,
    row: PodRow,
    seen: Seen | None,
    init: tuple[ContainerStatus, ...],
    app: tuple[ContainerStatus, ...],
    rules: dict[str, str],
    *,
    terminal: bool,
) -> str:
    if row.status.phase in TERMINAL_PHASES:
        rules["phase"] = "PHASE-KEPT"
        return phase_by("PHASE-KEPT", row.status.phase)
    sandbox = seen.sandbox.attempt if seen is not None and seen.sandbox is not None else 0
    started = False
    for item in seen.instances if seen is not None else ():
        if item.group == "app" and item.sandbox == sandbox:
            started = True
    verdict = compute_phase(row.pod.spec, init, app, rules=fx.world.options.phase, pod_is_terminal=terminal, has_initialized=started)
    if verdict.phase == "Pending" and fx.profile.restart_all_containers and restarting_all.keeps_running(row):
        rules["phase"] = "PHASE-RESTARTING"
        return phase_by("PHASE-RESTARTING", row.status.phase)
    rules["phase"] = verdict.rule_id
    return verdict.phase


def _statuses(
    fx: Effects,
    sources: tuple[PodRow, Worker, Seen | None],
    containers: tuple[Container, ...],
    group: str,
    old: tuple[ContainerStatus, ...],
    found: tuple[dict[str, str], dict[str, Seq]],
) -> tuple[ContainerStatus, ...]:
    """The statuses of one list of containers, in spec order; ``found`` collects rules and causes by container."""
    row, worker, seen = sources
    rules, causes = found
    known = {item.name: item for item in old}
    out = []
    for container in containers:
        instances = [item for item in seen.instances if item.container == container.name] if seen is not None else []
        status, seq, rule = _status(fx, row, worker, container, group, known.get(container.name), instances)
        rules[container.name] = rule
        if seq:
            causes[container.name] = seq
        out.append(status)
    return tuple(out)


def _status(
    fx: Effects,
    row: PodRow,
    worker: Worker,
    container: Container,
    group: str,
    old: ContainerStatus | None,
    instances: list[Instance],
) -> tuple[ContainerStatus, Seq, str]:
    """One container's status with the record behind it and the rule that produced it."""
    rule, seq = "CONTAINER-STATUS", 0
    waiting = Waiting("PodInitializing" if row.pod.spec.init_containers else "ContainerCreating")
    state: ContainerState | None = waiting
    last = old.last_state if old is not None else None
    count = old.restart_count if old is not None else 0
    image, image_id, container_id = container.image, "", ""
    newest = instances[0] if instances else None
    if newest is not None:
        state, seq = _runtime_state(fx, row, newest), newest.seq
        image, image_id, container_id = newest.image, newest.image, f"{newest.container}#{newest.attempt}"
        count = newest.attempt
        if len(instances) > 1:
            last = _runtime_state(fx, row, instances[1])
        elif group == "init":
            last = None
        elif old is not None and old.restart_count != newest.attempt and isinstance(old.state, Terminated):
            last = old.state
    elif old is not None and restarting_all.is_restarting(row):
        (state, last, count), rule = restarting_all.reset_state(old), "STATUS-RESET"
    elif old is not None and isinstance(old.state, Terminated):
        state, image, image_id, container_id = old.state, old.image, old.image_id, old.container_id
    elif old is not None and isinstance(old.state, Running) and last is None and _reports_lost(fx, row):
        last, rule = Terminated(137, LOST_REASON, LOST), "STATUS-LOST"
        count += int(fx.profile.lost_container_counts_restart and row.deletion_ms is None)
    else:
        rule = "STATUS-FIRST"
    reason = _reason_of(worker, container.name) if worker.reasons else None
    if reason is not None and _waits_for_start(fx, row, container, group, newest):
        if isinstance(state, Terminated):
            last = state
        state, seq, rule = Waiting(reason.reason, reason.message), reason.seq, "STATUS-WAITING-REASON"
    started, ready, probed = readiness(fx, row, container, group, newest, state)
    status = ContainerStatus(
        name=container.name,
        state=state,
        last_state=last,
        ready=ready,
        started=started,
        restart_count=count,
        image=image,
        image_id=image_id,
        container_id=container_id,
    )
    return status, max(seq, probed), rule


def _reports_lost(fx: Effects, row: PodRow) -> bool:
    """Whether this version reports a container whose record is gone as lost."""
    return row.deletion_ms is not None or fx.profile.lost_container_status == "always"


def instance_id(fx: Effects, row: PodRow, item: Instance) -> str:
    """A short name that is unique per instance; YAML shows the full id derived from it."""
    return f"{item.container}#{item.attempt}"


def _runtime_state(fx: Effects, row: PodRow, item: Instance) -> ContainerState:
    if item.state in RUNS:
        return Running(item.started_ms)
    return Terminated(
        item.exit_code,
        item.reason,
        item.message,
        started_ms=item.started_ms,
        finished_ms=item.finished_ms,
        container_id=instance_id(fx, row, item),
    )


def _reason_of(worker: Worker, container: str) -> Reason | None:
    for reason in worker.reasons:
        if reason.container == container:
            return reason
    return None


def _waits_for_start(fx: Effects, row: PodRow, container: Container, group: str, newest: Instance | None) -> bool:
    """Whether the container should be started (again): then the cached reason is what it waits for."""
    if row.deletion_ms is not None:
        return False
    if newest is None:
        return True
    if newest.runs:
        return False
    if group == "ephemeral":
        return False
    if newest.state != "exited":
        return True
    if group == "init":
        if fx.profile.sidecar_containers and is_sidecar(container):
            return True
        if newest.exit_code == 0:
            return False
    policy = row.pod.spec.restart_policy
    if group == "init" and policy == "Always" and not (container.restart_policy and fx.profile.container_restart_rules):
        return True
    return restarts_after(container, policy, newest.exit_code, restart_rules=fx.profile.container_restart_rules)


def readiness(
    fx: Effects, row: PodRow, container: Container, group: str, newest: Instance | None, state: ContainerState | None
) -> tuple[bool, bool, Seq]:
    """``started``, ``ready`` and the record of the probe result behind them."""
    if group == "init" and not (fx.profile.sidecar_containers and is_sidecar(container)):
        done = isinstance(state, Terminated) and state.exit_code == 0
        return False, done, 0
    if not isinstance(state, Running) or newest is None:
        return False, False, 0
    keeps = fx.profile.keep_status_on_kubelet_restart and outlives_kubelet(fx, row, state)
    probes = fx.tables.probes
    if not keeps and (row.key, container.name, "startup") not in probes and (row.key, container.name, "readiness") not in probes:
        return group != "ephemeral", group != "ephemeral", 0  # probes do not matter
    started, seq = _is_started(fx, row, container.name, newest, keeps=keeps)
    if not started:
        return False, False, seq
    result, because = probe_result(fx, row, container.name, "readiness", newest)
    if result == SUCCESS:
        return True, True, max(seq, because)
    is_ready = (row.key, container.name, "readiness") not in fx.tables.probes
    if keeps:
        is_ready = (is_ready or not result) and (container.readiness_probe is None or _was_ready(row))
    return group != "ephemeral", is_ready and group != "ephemeral", max(seq, because)


def _is_started(fx: Effects, row: PodRow, name: str, newest: Instance, *, keeps: bool) -> tuple[bool, Seq]:
    """From the startup probe's result; without one, as before the kubelet's restart, or else True if no such probe is running."""
    result, seq = probe_result(fx, row, name, "startup", newest)
    if result:
        return result == SUCCESS, seq
    was = keeps and any(item.name == name and item.started for item in (*row.status.containers, *row.status.init_containers))
    return was or (row.key, name, "startup") not in fx.tables.probes, 0


def _was_ready(row: PodRow) -> bool:
    return any(item.type == "Ready" and item.status == "True" for item in row.status.conditions)


def outlives_kubelet(fx: Effects, row: PodRow, state: Running) -> bool:
    """Whether a container ran so long before its kubelet restarted that it keeps ready and started until a probe says otherwise."""
    if not fx.profile.keep_status_on_kubelet_restart or state.started_ms is None:
        return False
    life = fx.tables.node_life[row.node]
    if life.starts == 0:
        return False
    return life.started_ms - state.started_ms > fx.profile.kubelet_restart_margin_ms


def probe_result(fx: Effects, row: PodRow, container: str, probe: str, newest: Instance) -> tuple[str, Seq]:
    """The stored result of a probe for this instance (Success, Failure or Unknown, empty if there is none) and its record."""
    probe_row = fx.tables.probes.get((row.key, container, probe))
    if probe_row is None or probe_row.worker.container_id != instance_id(fx, row, newest) or probe_row.worker.result is None:
        return "", 0
    return probe_row.worker.result, probe_row.result_seq
