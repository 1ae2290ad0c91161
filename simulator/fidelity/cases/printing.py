"""Families ``printed_status`` and ``human_duration``."""

from simulator.engine.kernel.json_text import Json
from simulator.engine.model.duration import human_duration, short_human_duration
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.model.status_json import to_status
from simulator.engine.model.times import parse_time
from simulator.engine.policies.printing import printed_columns


def evaluate_columns(case: Json) -> Json:
    """``{ready, status, restarts, readinessGates}`` as kubectl prints them."""
    document = case["pod"]
    pod = pod_from_document(document)
    columns = printed_columns(
        pod.spec,
        to_status(document.get("status")),
        now_ms=parse_time(case["now"]),
        is_deleted=pod.metadata.deletion_timestamp is not None,
    )
    return {
        "ready": columns.ready,
        "status": columns.status,
        "restarts": columns.restarts_text,
        "readinessGates": columns.readiness_gates,
    }


def evaluate_duration(case: Json) -> Json:
    """``{text}`` of a duration."""
    write = short_human_duration if case["format"] == "short" else human_duration
    return {"text": write(case["nanoseconds"])}
