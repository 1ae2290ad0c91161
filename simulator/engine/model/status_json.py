"""A pod's status as Kubernetes v1 JSON, parsed into the typed Structs and written back. Times become milliseconds.

``to_*`` functions take plain JSON values and raise ``BadManifest`` with the path of what is wrong. Reading is for
conformance cases and imports; writing is for YAML views. Neither is used in simulated steps.
"""

from typing import Any, assert_never

from simulator.engine.kernel.errors import BadManifest
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import Ms
from simulator.engine.model.status import ContainerState, ContainerStatus, PodCondition, PodStatus, Running, Terminated, Waiting
from simulator.engine.model.times import format_time, parse_time

NEVER = "1970-01-01T00:00:00Z"
"""The start of a container whose program could not be started (recorded with containerd 1.6, reason StartError)."""


def _moment(document: Json, key: str) -> Ms | None:
    text = document.get(key)
    if text is None:
        return None
    try:
        return parse_time(text)
    except ValueError as error:
        raise BadManifest(key, str(error)) from error


def to_state(document: Json | None) -> ContainerState | None:
    """A ContainerState; None if none of its three fields is set."""
    if not document:
        return None
    if (running := document.get("running")) is not None:
        return Running(_moment(running, "startedAt"))
    if (ended := document.get("terminated")) is not None:
        return Terminated(
            exit_code=ended.get("exitCode", 0),
            reason=ended.get("reason", ""),
            message=ended.get("message", ""),
            started_ms=None if ended.get("startedAt") == NEVER else _moment(ended, "startedAt"),
            finished_ms=_moment(ended, "finishedAt"),
            signal=ended.get("signal", 0),
            container_id=ended.get("containerID", ""),
        )
    if (waiting := document.get("waiting")) is not None:
        return Waiting(waiting.get("reason", ""), waiting.get("message", ""))
    return None


def to_container_status(document: Json) -> ContainerStatus:
    """One container status."""
    return ContainerStatus(
        name=document["name"],
        state=to_state(document.get("state")),
        last_state=to_state(document.get("lastState")),
        ready=document.get("ready", False),
        started=document.get("started"),
        restart_count=document.get("restartCount", 0),
        image=document.get("image", ""),
        image_id=document.get("imageID", ""),
        container_id=document.get("containerID", ""),
    )


def to_container_statuses(documents: list[Json] | None) -> tuple[ContainerStatus, ...]:
    """A list of container statuses, in order."""
    return tuple(to_container_status(document) for document in documents or ())


def to_condition(document: Json) -> PodCondition:
    """One condition."""
    return PodCondition(
        type=document["type"],
        status=document.get("status", "Unknown"),
        reason=document.get("reason", ""),
        message=document.get("message", ""),
        transition_ms=_moment(document, "lastTransitionTime"),
        probe_ms=_moment(document, "lastProbeTime"),
        observed_generation=document.get("observedGeneration"),
    )


def to_conditions(documents: list[Json] | None) -> tuple[PodCondition, ...]:
    """A list of conditions, in order."""
    return tuple(to_condition(document) for document in documents or ())


def to_status(document: Json | None) -> PodStatus:
    """A pod status; an absent one is empty, with no phase."""
    document = document or {}
    return PodStatus(
        phase=document.get("phase", ""),
        reason=document.get("reason", ""),
        message=document.get("message", ""),
        conditions=to_conditions(document.get("conditions")),
        init_containers=to_container_statuses(document.get("initContainerStatuses")),
        containers=to_container_statuses(document.get("containerStatuses")),
        ephemeral_containers=to_container_statuses(document.get("ephemeralContainerStatuses")),
        start_ms=_moment(document, "startTime"),
        pod_ip=document.get("podIP", ""),
        observed_generation=document.get("observedGeneration"),
        host_ip=document.get("hostIP", ""),
        nominated_node=document.get("nominatedNodeName", ""),
        qos_class=document.get("qosClass", ""),
    )


def _set(**fields: Any) -> dict[str, Any]:
    """Only the fields that are not empty."""
    return {key: value for key, value in fields.items() if value not in (None, "", (), [])}


def _time(moment: Ms | None, epoch_ms: Ms) -> str | None:
    return None if moment is None else format_time(moment + epoch_ms)


def _began(state: Terminated, epoch_ms: Ms) -> str | None:
    """When a terminated container started: one that the runtime reports as terminated but that never started, at the runtime's time 0."""
    # Go writes the runtime's time 0, not null.
    if state.started_ms is None and state.finished_ms is not None:
        return NEVER
    return _time(state.started_ms, epoch_ms)


def from_state(state: ContainerState | None, epoch_ms: Ms = 0) -> dict[str, Any]:
    """A ContainerState as JSON. ``epoch_ms`` is the Unix time of time 0 of the status."""
    if state is None:
        return {}
    if isinstance(state, Waiting):
        return {"waiting": _set(reason=state.reason, message=state.message)}
    if isinstance(state, Running):
        return {"running": _set(startedAt=_time(state.started_ms, epoch_ms))}
    if isinstance(state, Terminated):
        return {"terminated": _terminated(state, epoch_ms)}
    assert_never(state)


def _terminated(state: Terminated, epoch_ms: Ms) -> dict[str, Any]:
    fields = _set(
        reason=state.reason,
        message=state.message,
        startedAt=_began(state, epoch_ms),
        finishedAt=_time(state.finished_ms, epoch_ms),
        containerID=state.container_id,
    )
    return {"exitCode": state.exit_code, **({"signal": state.signal} if state.signal else {}), **fields}


def from_container_status(status: ContainerStatus, epoch_ms: Ms = 0) -> dict[str, Any]:
    """One container status as JSON."""
    always = {"name": status.name, "ready": status.ready, "restartCount": status.restart_count, "image": status.image}
    return {
        **always,
        "imageID": status.image_id,
        **_set(containerID=status.container_id, started=status.started),
        "state": from_state(status.state, epoch_ms),
        "lastState": from_state(status.last_state, epoch_ms),
    }


def from_condition(condition: PodCondition, epoch_ms: Ms = 0) -> dict[str, Any]:
    """One condition as JSON."""
    fields = _set(reason=condition.reason, message=condition.message, observedGeneration=condition.observed_generation)
    return {
        "type": condition.type,
        "status": condition.status,
        "lastProbeTime": _time(condition.probe_ms, epoch_ms),
        "lastTransitionTime": _time(condition.transition_ms, epoch_ms),
        **fields,
    }


def from_status(status: PodStatus, epoch_ms: Ms = 0) -> dict[str, Any]:
    """A pod status as JSON, to be shown next to the manifest. Empty fields are omitted."""
    return _set(
        phase=status.phase,
        reason=status.reason,
        message=status.message,
        observedGeneration=status.observed_generation,
        conditions=[from_condition(condition, epoch_ms) for condition in status.conditions],
        hostIP=status.host_ip,
        podIP=status.pod_ip,
        podIPs=[{"ip": status.pod_ip}] if status.pod_ip else [],
        startTime=_time(status.start_ms, epoch_ms),
        nominatedNodeName=status.nominated_node,
        initContainerStatuses=[from_container_status(entry, epoch_ms) for entry in status.init_containers],
        containerStatuses=[from_container_status(entry, epoch_ms) for entry in status.containers],
        ephemeralContainerStatuses=[from_container_status(entry, epoch_ms) for entry in status.ephemeral_containers],
        qosClass=status.qos_class,
        resize=status.resize,
    )
