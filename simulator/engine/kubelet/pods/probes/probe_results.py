"""What a probe's outcome does besides counting: Events, readiness published at once, a sync if the version requests one."""

from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit
from simulator.engine.apiserver.publish import Draft, condition_of, publish
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kubelet.pods.probes.probe_handlers import HandlerAnswer
from simulator.engine.kubelet.pods.status.condition_rules import containers_ready, pod_ready
from simulator.engine.model.container import Container
from simulator.engine.model.probe import FAILURE, SUCCESS
from simulator.engine.model.status import ContainerStatus, PodStatus, Running
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow

RULES = (
    RuleText("PROBE-EVENT", gettext_noop("Every failed attempt writes an Event, even below the threshold."), "pkg/kubelet/prober"),
    RuleText(
        "READINESS-AT-ONCE",
        gettext_noop("A changed readiness result is published at once, not with the next sync; readiness never kills."),
        "pkg/kubelet/status/status_manager.go SetContainerReadiness",
    ),
    RuleText(
        "STARTED-AT-ONCE",
        gettext_noop("The startup probe’s result sets the started flag at once and lets the other probes start."),
        "pkg/kubelet/status/status_manager.go SetContainerStartup",
    ),
)


def report(fx: Effects, row: PodRow, container: Container, kind: str, answer: HandlerAnswer) -> None:
    """Write the Event of a failed, errored or warning attempt."""
    word = kind.capitalize()
    if answer.outcome == "warning":
        reason, text = "ProbeWarning", f"{word} probe warning: {answer.output}"
    elif answer.outcome == "error":
        reason, text = "Unhealthy", fx.profile.probe_errored_text.format(probe=word, result="unknown", error=answer.output)
    else:
        reason, text = "Unhealthy", f"{word} probe failed: {answer.output}"
    group = "init" if any(item.name == container.name for item in row.pod.spec.init_containers) else "app"
    emit(fx, row, severity="Warning", reason=reason, message=text, container=container.name, group=group, rule="PROBE-EVENT")


def apply_result(fx: Effects, row: PodRow, container: Container, kind: str, result: str) -> bool:
    """Publish the immediate consequences of a changed result; whether the pod is to be synced too."""
    if kind == "liveness":
        return result == FAILURE
    if result not in (SUCCESS, FAILURE):
        return False
    if row.gone_ms is None:
        if kind == "readiness":
            _publish_ready(fx, row, container, ready=result == SUCCESS)
        else:
            _publish_started(fx, row, container, started=result == SUCCESS)
    return fx.profile.startup_result_syncs


def _with(status: PodStatus, name: str, **changes: bool) -> PodStatus:
    def changed(items: tuple[ContainerStatus, ...]) -> tuple[ContainerStatus, ...]:
        return tuple(replace(item, **changes) if item.name == name else item for item in items)

    return replace(status, containers=changed(status.containers), init_containers=changed(status.init_containers))


def _publish_ready(fx: Effects, row: PodRow, container: Container, *, ready: bool) -> None:
    """Publish the container's ready flag and the conditions that follow from it (status manager SetContainerReadiness)."""
    current = next((item for item in (*row.status.containers, *row.status.init_containers) if item.name == container.name), None)
    if current is None or current.ready == ready or not isinstance(current.state, Running):
        return
    status = _with(row.status, container.name, ready=ready)
    verdict = containers_ready(
        row.pod.spec, (*status.init_containers, *status.containers), status.phase, options=fx.world.options.conditions
    )
    pod_verdict = pod_ready(row.pod.spec, verdict, status.conditions)
    made = {"ContainersReady": verdict, "Ready": pod_verdict}
    conditions = tuple(
        condition_of(fx, row, item.type, made[item.type].status, made[item.type].reason, made[item.type].message)
        if item.type in made
        else item
        for item in status.conditions
    )
    rules = {kind: item.rule_id for kind, item in made.items()}
    rules[container.name] = "READINESS-AT-ONCE"
    publish(fx, row, replace(status, conditions=conditions), rule="READINESS-AT-ONCE", draft=Draft(status, rules))


def _publish_started(fx: Effects, row: PodRow, container: Container, *, started: bool) -> None:
    """Publish the started flag only; Ready follows with the next sync (observed on a 1.20.2 node)."""
    status = _with(row.status, container.name, started=started)
    publish(fx, row, status, rule="STARTED-AT-ONCE", draft=Draft(status, {container.name: "STARTED-AT-ONCE"}))
