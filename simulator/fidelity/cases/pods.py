"""Families ``termination_grace``, ``downward_api``, ``active_deadline``, ``image_pull`` and ``pod_available``."""

from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import SECOND, seconds
from simulator.engine.kubelet.pods.start.image_pull import PULL_FAILED, after_failed_pull, ensure_image
from simulator.engine.kubelet.pods.status.deadline import MESSAGE, REASON, deadline_exceeded
from simulator.engine.model.container import RESOURCE_SELECTOR, Container
from simulator.engine.model.downward import BadField, env_field_value, field_value, resource_value, split_path
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.model.pod import Pod
from simulator.engine.model.requests import resource_request
from simulator.engine.model.status_json import to_status
from simulator.engine.model.times import parse_time
from simulator.engine.policies.availability import is_available
from simulator.engine.policies.grace import check_graceful_delete, container_grace, signal_grace_ms
from simulator.engine.versions import resolve
from simulator.engine.versions.usual import JUDGED
from simulator.engine.world.rows import BackoffEntry

KUBERNETES = JUDGED
"""The version whose figures apply to cases that name none."""


def evaluate_grace(case: Json) -> Json:
    """The grace period of a delete request, or of one container that is killed."""
    pod = pod_from_document(case["pod"])
    if case["op"] == "checkGracefulDelete":
        phase = (case["pod"].get("status") or {}).get("phase", "")
        asked = (case.get("deleteOptions") or {}).get("gracePeriodSeconds")
        verdict = check_graceful_delete(pod.spec, phase, asked_s=asked)
        return {"gracePeriodSeconds": verdict.grace_s, "immediate": verdict.immediate}
    container = _container(pod, case["container"])
    deletion = pod.metadata.deletion_grace_period_seconds
    verdict = container_grace(pod.spec, container, case["reason"], deletion_grace_s=deletion)
    return {"gracePeriodSeconds": signal_grace_ms(seconds(verdict.grace_s), least_ms=resolve(KUBERNETES).min_stop_ms) // SECOND}


def _container(pod: Pod, name: str) -> Container:
    for container in (*pod.spec.containers, *pod.spec.init_containers):
        if container.name == name:
            return container
    raise BadField(f"no container {name}")


def evaluate_downward(case: Json) -> Json:
    """A value, or ``{error: true}``."""
    if case["op"] == "splitPath":
        parts = split_path(case["fieldPath"])
        return {"subscripted": False} if parts is None else {"subscripted": True, "path": parts[0], "subscript": parts[1]}
    try:
        return {"value": _downward_value(pod_from_document(case["pod"]), case)}
    except BadField:
        return {"error": True}


def _downward_value(pod: Pod, case: Json) -> str | int:
    match case["op"]:
        case "fieldRef":
            return field_value(pod, case["fieldPath"])
        case "envFieldRef":
            status = case["pod"].get("status") or {}
            return env_field_value(pod, case["fieldPath"], pod_ips=_addresses(status, "podIP"), host_ips=_addresses(status, "hostIP"))
        case "resourceFieldRef":
            selector = RESOURCE_SELECTOR.from_plain(case["resourceFieldRef"])
            return resource_value(_container(pod, case.get("containerName") or selector.container_name), selector)
    return resource_request(pod.spec, case["resourceName"])


def _addresses(status: Json, key: str) -> tuple[str, ...]:
    listed = status.get(f"{key}s")
    if listed:
        return tuple(entry["ip"] for entry in listed)
    return (status[key],) if status.get(key) else ()


def evaluate_deadline(case: Json) -> Json:
    """Whether the pod has exceeded its deadline."""
    start = to_status(case["pod"].get("status")).start_ms
    if not deadline_exceeded(pod_from_document(case["pod"]).spec.active_deadline_seconds, start, parse_time(case["now"])):
        return {"exceeded": False}
    return {"exceeded": True, "reason": REASON, "message": MESSAGE}


def evaluate_available(case: Json) -> Json:
    """Whether a controller may count the pod as available."""
    status = to_status(case["pod"].get("status"))
    return {"available": is_available(status, min_ready_s=case["minReadySeconds"], now_ms=parse_time(case["now"]))}


def evaluate_pull(case: Json) -> Json:
    """What each attempt does. A failed pull leaves the image missing."""
    maximum = seconds(case["backoffMaxSeconds"])
    entry: BackoffEntry | None = None
    attempts = []
    for at in case["attemptAtSeconds"]:
        now = seconds(at)
        verdict = ensure_image(
            case["policy"],
            is_present=case["imagePresent"],
            entry=entry,
            now_ms=now,
            inspect_fails=case["inspectFails"],
            max_ms=maximum,
        )
        reason = verdict.reason or None
        if verdict.action == "pull" and case["pullFails"]:
            entry = after_failed_pull(entry, now, initial_ms=seconds(case["backoffInitialSeconds"]), max_ms=maximum)
            reason = PULL_FAILED
        attempts.append({"pulled": verdict.action == "pull", "reason": reason})
    return {"attempts": attempts}
