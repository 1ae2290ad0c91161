"""Families ``phase`` and ``conditions``."""

from simulator.engine.kernel.json_text import Json
from simulator.engine.kubelet.pods.sandbox.sandbox_change import SandboxStatus
from simulator.engine.kubelet.pods.status.condition_rules import (
    ConditionVerdict,
    all_containers_restarting,
    containers_ready,
    initialized,
    pod_ready,
    ready_to_start_containers,
)
from simulator.engine.kubelet.pods.status.phase_rules import compute_phase
from simulator.engine.model.container import Container
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.status import ContainerStatus, PodCondition
from simulator.engine.model.status_json import to_conditions, to_container_statuses


def _by_spec(containers: tuple[Container, ...], statuses: tuple[ContainerStatus, ...]) -> tuple[ContainerStatus | None, ...]:
    known = {status.name: status for status in statuses}
    return tuple(known.get(container.name) for container in containers)


def evaluate_phase(case: Json) -> Json:
    """``{phase}`` of a pod whose statuses have just been computed."""
    spec = pod_from_document(case["pod"]).spec
    status = case["pod"].get("status", {})
    init = to_container_statuses(status.get("initContainerStatuses"))
    app = to_container_statuses(status.get("containerStatuses"))
    verdict = compute_phase(
        spec,
        _by_spec(spec.init_containers, init),
        _by_spec(spec.containers, app),
        pod_is_terminal=case["podIsTerminal"],
        has_initialized=case["podHasInitialized"],
        is_static=_is_static(case["pod"]),
    )
    return {"phase": verdict.phase}


def _is_static(pod: Json) -> bool:
    source = pod.get("metadata", {}).get("annotations", {}).get("kubernetes.io/config.source", "api")
    return bool(source != "api")


def evaluate_condition(case: Json) -> Json:
    """``{type, status, reason, message}`` of one condition."""
    kind = case["conditionType"]
    spec = pod_from_document({"spec": case["spec"]}).spec
    verdict = _verdict(kind, spec, case)
    return {"type": kind, "status": verdict.status, "reason": verdict.reason, "message": verdict.message}


def _verdict(kind: str, spec: PodSpec, case: Json) -> ConditionVerdict:
    if kind == "PodReadyToStartContainers":
        return ready_to_start_containers(spec, to_sandboxes(case["sandboxStatuses"]))
    phase = case["phase"]
    conditions = to_conditions(case.get("conditions"))
    listed = case["containerStatuses"]
    statuses = None if listed is None else to_container_statuses(listed)
    if kind == "AllContainersRestarting":
        return all_containers_restarting(spec, statuses or (), phase, was_restarting=_was_true(kind, conditions))
    if kind == "Initialized":
        return initialized(spec, statuses, phase, was_initialized=_was_true(kind, conditions))
    ready = containers_ready(spec, statuses, phase)
    return ready if kind == "ContainersReady" else pod_ready(spec, ready, conditions)


def _was_true(kind: str, conditions: tuple[PodCondition, ...]) -> bool:
    return any(condition.type == kind and condition.status == "True" for condition in conditions)


def to_sandboxes(documents: list[Json]) -> tuple[SandboxStatus, ...]:
    """The sandboxes in a case, newest first."""
    return tuple(
        SandboxStatus(
            id=document.get("id", ""),
            state=document["state"],
            attempt=document.get("attempt", 0),
            ip=document.get("ip", ""),
            network=document.get("networkNamespaceMode", "POD"),
        )
        for document in documents
    )
