"""Family ``job_pod_failure_policy``."""

from simulator.engine.controllers.job.failure_policy import match
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.status_json import to_status


def evaluate_policy(case: Json) -> Json:
    """``{jobFailureMessage, countFailed, action}``; null if the policy does not cover it."""
    pod = case["pod"]
    place = pod["metadata"]
    status = to_status(pod.get("status"))
    found = match(case["podFailurePolicy"], status, namespace=place["namespace"], name=place["name"], by_index=case["backoffLimitPerIndex"])
    return {"jobFailureMessage": found.message or None, "countFailed": found.counts, "action": found.action or None}
