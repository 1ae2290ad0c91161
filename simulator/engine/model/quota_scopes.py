"""Which pods a ResourceQuota counts: those that match all of its scopes.

Source: pkg/quota/v1/evaluator/core/pods.go podMatchesScopeFunc, podMatchesSelector; pkg/quota/v1/generic/evaluator.go Matches.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from simulator.engine.model.pod import PodSpec
from simulator.engine.model.qos import qos_class

_TERMS = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)


def is_counted(pod: PodSpec, quota: Mapping[str, Any]) -> bool:
    """Whether a quota with this spec counts the pod: one without scopes counts every pod. Cost: O(scopes), and the pod's QoS class."""
    return all(_matches(pod, *requirement) for requirement in _requirements(quota))


def _requirements(quota: Mapping[str, Any]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Scope, operator and values; a plain scope must exist."""
    yield from ((str(scope), "Exists", ()) for scope in quota.get("scopes") or ())
    for item in (quota.get("scopeSelector") or {}).get("matchExpressions") or ():
        yield str(item.get("scopeName")), str(item.get("operator")), tuple(item.get("values") or ())


def _matches(pod: PodSpec, scope: str, operator: str, values: tuple[str, ...]) -> bool:
    if scope == "PriorityClass":
        return _class_matches(pod.priority_class_name, operator, values)
    ends = pod.active_deadline_seconds is not None and pod.active_deadline_seconds >= 0
    if scope in ("Terminating", "NotTerminating"):
        return ends == (scope == "Terminating")
    if scope in ("BestEffort", "NotBestEffort"):
        return (qos_class(pod) == "BestEffort") == (scope == "BestEffort")
    return scope == "CrossNamespacePodAffinity" and _names_namespaces(pod.affinity or {})


def _class_matches(name: str, operator: str, values: tuple[str, ...]) -> bool:
    """Like a label selector on the class's name: a pod without a class has no such label."""
    found = {"Exists": bool(name), "DoesNotExist": not name, "In": bool(name) and name in values, "NotIn": name not in values}
    return found.get(operator, False)


def _names_namespaces(affinity: Mapping[str, Any]) -> bool:
    """Whether a term of the pod's affinity to other pods names namespaces."""
    for kind in ("podAffinity", "podAntiAffinity"):
        for field in _TERMS:
            for item in (affinity.get(kind) or {}).get(field) or ():
                term = item.get("podAffinityTerm") or item
                if term.get("namespaces") or term.get("namespaceSelector") is not None:
                    return True
    return False
