"""ResourceQuota at admission: a new pod that would take a namespace over its quota is refused.

Source: plugin/pkg/admission/resourcequota, pkg/quota/v1/evaluator/core/pods.go. Pods that have ended count no more; scopes are
not looked at.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from simulator.engine.api.pod import PodSpec
from simulator.engine.api.quantity import BadQuantity, milli
from simulator.engine.api.requests import pod_limits, pod_requests
from simulator.engine.effects import Effects
from simulator.engine.lookups import objects_of, pods_in
from simulator.engine.rules.text import RuleText, gettext_noop

RULES = (
    RuleText(
        "QUOTA",
        gettext_noop("A ResourceQuota of the namespace has no room for this pod: {message}"),
        "observed on a 1.20.2 node; plugin/pkg/admission/resourcequota/controller.go",
    ),
)
NANO_PER_MILLI = 1_000_000
_PODS = ("pods", "count/pods")
_TERMINAL = ("Succeeded", "Failed")


def refusal(fx: Effects, spec: PodSpec, namespace: str) -> str:
    """Why a quota forbids a new pod; empty where none does. O(pods) only where the namespace has a quota."""
    for quota, hard in _quotas(fx, namespace):
        asked = {resource: _usage(spec, resource) for resource in hard}
        missing = [resource for resource in hard if _must_be_set(resource) and not asked[resource]]
        if missing:
            return f"failed quota: {quota}: must specify {','.join(sorted(missing))}"
        used = {resource: _used(fx, namespace, resource) for resource in hard}
        over = sorted(resource for resource, limit in hard.items() if used[resource] + asked[resource] > _amount(limit))
        if over:
            parts = (
                ("requested", {resource: _shown(resource, asked[resource]) for resource in over}),
                ("used", {resource: _shown(resource, used[resource]) for resource in over}),
                ("limited", {resource: str(hard[resource]) for resource in over}),
            )
            said = ", ".join(f"{word}: {','.join(f'{key}={text}' for key, text in texts.items())}" for word, texts in parts)
            return f"exceeded quota: {quota}, {said}"
    return ""


def _quotas(fx: Effects, namespace: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The quotas of a namespace with the resources of pods that they limit."""
    for held in objects_of(fx.tables, "ResourceQuota", namespace):
        hard = (json.loads(held.document).get("spec") or {}).get("hard") or {}
        yield held.name, {resource: limit for resource, limit in hard.items() if resource in _PODS or _resource(resource)}


def _resource(name: str) -> tuple[str, str] | None:
    """Requests or limits, and of what; None for what no pod uses."""
    part, _, resource = name.rpartition(".")
    if resource not in ("cpu", "memory", "ephemeral-storage") or part not in ("", "requests", "limits"):
        return None
    return part or "requests", resource


def _must_be_set(name: str) -> bool:
    return (_resource(name) or ("", ""))[1] in ("cpu", "memory")


def _usage(spec: PodSpec, name: str) -> int:
    """What one pod uses of a quota's resource, in thousandths."""
    found = _resource(name)
    if found is None:
        return 1000
    part, resource = found
    amounts = pod_requests(spec) if part == "requests" else pod_limits(spec)
    return amounts.get(resource, 0) // NANO_PER_MILLI


def _used(fx: Effects, namespace: str, name: str) -> int:
    return sum(_usage(row.pod.spec, name) for row in pods_in(fx.tables, namespace) if row.status.phase not in _TERMINAL)


def _amount(text: Any) -> int:
    try:
        return milli(text)
    except BadQuantity:
        return 0


def _shown(name: str, amount: int) -> str:
    """An amount as a quantity: whole numbers, thousandths of a cpu, binary units of bytes where they fit."""
    if amount % 1000:
        return f"{amount}m"
    number = amount // 1000
    for unit, size in (("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10)):
        if name.endswith(("memory", "storage")) and number and number % size == 0:
            return f"{number // size}{unit}"
    return str(number)
