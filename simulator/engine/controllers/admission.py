"""Admission of a new pod: what the namespace's LimitRanges fill in, and whether LimitRanges or quotas forbid it."""

from typing import Any

from simulator.engine.api.manifest import pod_from_document
from simulator.engine.controllers.defaulted import defaulted_pod
from simulator.engine.controllers.limit_ranger import apply_limits
from simulator.engine.controllers.resource_quota import refusal
from simulator.engine.effects import Effects
from simulator.engine.lookups import objects_of


def admit(fx: Effects, document: dict[str, Any], namespace: str) -> tuple[dict[str, Any], str, str]:
    """The document as it is stored, and the rule and message of its refusal (empty: it is admitted). Raises BadManifest."""
    if not any(any(objects_of(fx.tables, kind, namespace)) for kind in ("LimitRange", "ResourceQuota")):
        pod_from_document(document, namespace=namespace)
        return document, "", ""
    admitted, problem = apply_limits(fx, document, namespace)
    pod = defaulted_pod(fx.profile, admitted, namespace=namespace)
    if problem:
        return admitted, "LIMIT-RANGE", problem
    problem = refusal(fx, pod.spec, namespace)
    return admitted, "QUOTA" if problem else "", problem
