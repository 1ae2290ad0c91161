"""The requests of a pod that has limits of its own: what its containers ask for together, or the limit.

Source: pkg/apis/core/v1/defaults.go defaultPodRequests, defaultHugePagePodLimits.
"""

from collections.abc import Callable
from typing import Any

from simulator.engine.api.defaults.containers import round_up_all
from simulator.engine.api.manifest import pod_from_document
from simulator.engine.api.pod import PodSpec
from simulator.engine.api.quantity import BadQuantity, Quantity, canonical, parse
from simulator.engine.api.requests import Amounts, RequestOptions, pod_limits, pod_requests
from simulator.engine.errors import BadManifest

Json = dict[str, Any]
_CONTAINERS_ONLY = RequestOptions(overhead=False, pod_level=False)
_HUGE = "hugepages-"


def fill_pod_level(spec: Json) -> None:
    """Fill the pod's own resources in, in place, where it has some. Quantities nobody can read are left to validation."""
    resources = spec.get("resources")
    if not isinstance(resources, dict):
        return
    for key in ("limits", "requests"):
        if resources.get(key):
            resources[key] = round_up_all(resources[key])
    limits = {**_of_containers(spec, pod_limits, is_huge=True), **(resources.get("limits") or {})}
    if limits and (resources.get("limits") or resources.get("requests")):
        resources["limits"] = limits
    if resources.get("limits"):
        asked = _of_containers(spec, pod_requests, is_huge=False)
        resources["requests"] = {**resources["limits"], **asked, **(resources.get("requests") or {})}


def _of_containers(spec: Json, total: Callable[..., Amounts], *, is_huge: bool) -> Json:
    """What the containers come to, of huge pages or of cpu and memory, as quantities."""
    try:
        typed: PodSpec = pod_from_document({"spec": spec}).spec
        amounts = total(typed, options=_CONTAINERS_ONLY)
    except (BadManifest, BadQuantity):
        return {}
    picked = sorted(name for name in amounts if (name.startswith(_HUGE) if is_huge else name in ("cpu", "memory")))
    return {name: canonical(Quantity(amounts[name], _format_of(spec, name))) for name in picked}


def _format_of(spec: Json, name: str) -> Any:
    """The family of suffixes in which the first container that names the resource writes it."""
    for container in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ())):
        resources = container.get("resources") or {}
        for key in ("requests", "limits"):
            if name in (resources.get(key) or {}):
                return parse(resources[key][name]).format
    return "DecimalSI"
