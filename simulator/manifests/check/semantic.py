"""The semantic check: what the API server rejects although every field has the right type.

The rules live in the engine (``simulator.engine.apiserver.validation``), for every kind and for the pod templates inside workloads.
"""

from collections.abc import Iterator
from typing import Any

from simulator.engine.apiserver.validation import FieldError, KindRule, Rule, validate_object
from simulator.engine.apiserver.validation.kinds import pod_template
from simulator.engine.model.kinds import KINDS
from simulator.engine.versions.release import Release
from simulator.manifests.check.findings import Finding
from simulator.manifests.check.problems import ERROR, WARNING

__all__ = ["check_semantics", "pod_path", "pod_template"]

_WRITTEN_AS = (
    (".template.labels", ".template.metadata.labels"),
    (".template.annotations", ".template.metadata.annotations"),
    ("metadata.taints", "spec.taints"),
    ("spec.LoadBalancerSourceRanges", "spec.loadBalancerSourceRanges"),
    ("resources[storage]", "resources.requests.storage"),
    ("spec.HostPID", "spec.hostPID"),
    ("spec.HostIPC", "spec.hostIPC"),
    ("spec.securityContext.shareProcessNamespace", "spec.shareProcessNamespace"),
    ("spec.overhead.limits", "spec.overhead"),
    (".persistentDisk", ".gcePersistentDisk"),
)
"""Field paths that the API server names otherwise than they are written in a manifest."""


def check_semantics(document: dict[str, Any], *, release: Release) -> Iterator[Finding]:
    """Findings of a document that passed the structural check and has no nulls. Cost: O(document)."""
    for rule, error in validate_object(document, release=release):
        yield _finding(rule, error)


def pod_path(kind: str) -> str:
    """The field path of the pod inside a document of that kind, with a trailing dot; "" for a Pod itself."""
    info = KINDS.get(kind)
    return f"{info.template}." if info is not None and info.template else ""


def _finding(rule: Rule | KindRule, error: FieldError) -> Finding:
    return Finding(
        path=_written(error.field),
        message=error.message,
        code=rule.id.lower(),
        severity=WARNING if rule.warning else ERROR,
    )


def _written(path: str) -> str:
    """The path in the manifest of a field that the API server names."""
    for said, written in _WRITTEN_AS:
        if said in path:
            return path.replace(said, written, 1)
    return "data" if path == "[]" else path
