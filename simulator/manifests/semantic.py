"""The semantic check: what the API server rejects although every field has the right type.

The rules live in the engine (``simulator.engine.api.validation``); this module applies them to pods, to the pod templates inside
workloads, and to the names of the other kinds.
"""

from collections.abc import Iterator
from typing import Any

from simulator.engine.api.manifest import without_nulls
from simulator.engine.api.validation import FieldError, Rule, validate_metadata, validate_pod
from simulator.manifests.findings import Finding
from simulator.manifests.problems import ERROR, WARNING

_TEMPLATES = {
    "Deployment": "spec.template",
    "ReplicaSet": "spec.template",
    "StatefulSet": "spec.template",
    "DaemonSet": "spec.template",
    "Job": "spec.template",
    "CronJob": "spec.jobTemplate.spec.template",
}
_TEMPLATE_NAME = "template"


def check_semantics(document: dict[str, Any], *, minor: int) -> Iterator[Finding]:
    """Findings of a document that passed the structural check. Cost: O(document)."""
    plain = without_nulls(document)
    if plain["kind"] == "Pod":
        yield from (_finding(rule, error) for rule, error in validate_pod(plain, minor=minor))
        return
    yield from (_finding(rule, error) for rule, error in validate_metadata(plain, minor=minor))
    path = _TEMPLATES.get(plain["kind"])
    template = pod_template(plain)
    if path is not None and template is not None:
        metadata = {**template.get("metadata", {}), "name": _TEMPLATE_NAME}
        for rule, error in validate_pod({**template, "metadata": metadata}, minor=minor):
            yield _finding(rule, error, prefix=f"{path}.")


def pod_template(document: dict[str, Any]) -> dict[str, Any] | None:
    """The pod template inside a workload, or None."""
    value: Any = document
    for step in _TEMPLATES.get(document["kind"], "").split("."):
        value = value.get(step) if isinstance(value, dict) and step else None
    return value if isinstance(value, dict) else None


def pod_path(kind: str) -> str:
    """The field path of the pod inside a document of that kind, with a trailing dot; "" for a Pod itself."""
    return f"{_TEMPLATES[kind]}." if kind in _TEMPLATES else ""


def _finding(rule: Rule, error: FieldError, prefix: str = "") -> Finding:
    return Finding(
        path=prefix + error.field,
        message=error.message,
        code=rule.id.lower(),
        severity=WARNING if rule.warning else ERROR,
    )
