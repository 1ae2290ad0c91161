"""ResourceQuota at admission: a new pod that would take a namespace over its quota is refused.

Quotas are checked one by one, and the first that fails answers. A quota first requires that each
compute resource it limits is set on the pod at all ("must specify"), because a pod that requests
nothing could not be counted; only then are the sums compared.

Usage is computed from the pods that the quota counts at this moment. The real plug-in reads
``status.used`` of the stored quota and increments it by compare-and-swap, while the quota
controller recomputes it from time to time; between the two, usage can be stale there and a pod
refused although there is room. That delay is not modelled. Pods that have ended no longer count, nor
do those that a quota's scopes leave out.

Amounts are in thousandths; counts such as ``pods`` count 1000 per pod.

Source: plugin/pkg/admission/resourcequota, pkg/quota/v1/evaluator/core/pods.go.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from simulator.engine.apiserver.admission.surroundings import Quota
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.quantity import BadQuantity, amount_text, milli
from simulator.engine.model.quota_scopes import is_counted
from simulator.engine.model.requests import pod_limits, pod_requests

RULES = (
    RuleText(
        "QUOTA",
        gettext_noop("A ResourceQuota in the namespace has no room for this pod: {message}"),
        "observed on a 1.20.2 node; plugin/pkg/admission/resourcequota/controller.go",
    ),
)
NANO_PER_MILLI = 1_000_000
_PODS = ("pods", "count/pods")


def quota_problem(spec: Mapping[str, Any], quotas: Sequence[Quota]) -> str:
    """Why a quota forbids a new pod with this complete spec; empty if none does."""
    pod = pod_from_document({"spec": spec}).spec
    for quota in quotas:
        if not is_counted(pod, quota.spec):
            continue
        hard = bounds(quota.hard)
        asked = {resource: _usage(pod, resource) for resource in hard}
        missing = [resource for resource in hard if _must_be_set(resource) and not asked[resource]]
        if missing:
            return f"failed quota: {quota.name}: must specify {','.join(sorted(missing))}"
        over = sorted(resource for resource, limit in hard.items() if quota.used[resource] + asked[resource] > _amount(limit))
        if over:
            parts = (
                ("requested", {resource: quota_amount(resource, asked[resource]) for resource in over}),
                ("used", {resource: quota_amount(resource, quota.used[resource]) for resource in over}),
                ("limited", {resource: str(hard[resource]) for resource in over}),
            )
            said = ", ".join(f"{word}: {','.join(f'{key}={text}' for key, text in texts.items())}" for word, texts in parts)
            return f"exceeded quota: {quota.name}, {said}"
    return ""


def bounds(hard: Mapping[str, Any]) -> dict[str, Any]:
    """The bounds of a quota that pods count against."""
    return {resource: limit for resource, limit in hard.items() if resource in _PODS or _resource(resource)}


def used_by(specs: Iterable[PodSpec], hard: Mapping[str, Any]) -> dict[str, int]:
    """The pods' usage of every bound of a quota that pods count against, in thousandths. O(pods)."""
    found = dict.fromkeys(bounds(hard), 0)
    for spec in specs:
        for resource in found:
            found[resource] += _usage(spec, resource)
    return found


def _resource(name: str) -> tuple[str, str] | None:
    """(Requests or limits, resource); None for what no pod uses."""
    part, _, resource = name.rpartition(".")
    if resource not in ("cpu", "memory", "ephemeral-storage") or part not in ("", "requests", "limits"):
        return None
    return part or "requests", resource


def _must_be_set(name: str) -> bool:
    return (_resource(name) or ("", ""))[1] in ("cpu", "memory")


def _usage(spec: PodSpec, name: str) -> int:
    """One pod's usage of a quota's resource, in thousandths."""
    found = _resource(name)
    # Anything but a resource of a pod is a count of pods.
    if found is None:
        return 1000
    part, resource = found
    amounts = pod_requests(spec) if part == "requests" else pod_limits(spec)
    return amounts.get(resource, 0) // NANO_PER_MILLI


def _amount(text: Any) -> int:
    try:
        return milli(text)
    except BadQuantity:
        return 0


def quota_amount(name: str, amount: int) -> str:
    """An amount in thousandths as a quantity of the bound's resource."""
    return amount_text(name if name in _PODS else name.rpartition(".")[2], amount * NANO_PER_MILLI)
