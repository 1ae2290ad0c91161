"""Defaults of pod-level resources: what the containers request together, or else the pod's own limit.

Source: pkg/apis/core/v1/defaults.go defaultPodRequests, defaultHugePagePodLimits.
"""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from simulator.engine.apiserver.defaulting.containers import round_up_all
from simulator.engine.kernel.errors import BadManifest
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.container import Quantities
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.quantity import BadQuantity, Quantity, canonical, parse
from simulator.engine.model.requests import Amounts, RequestOptions, pod_limits, pod_requests

_CONTAINERS_ONLY = RequestOptions(overhead=False, pod_level=False)
_HUGE = "hugepages-"


def fill_pod_level(spec: Json) -> None:
    """Fill in pod-level resources, in place, for a pod that has some. Quantities that cannot be read are left to validation."""
    resources = spec.get("resources")
    if not isinstance(resources, dict):
        return
    for key in ("limits", "requests"):
        if resources.get(key):
            resources[key] = round_up_all(resources[key])
    try:
        filled = with_pod_level(pod_from_document({"spec": spec}).spec).resources
    except (BadManifest, BadQuantity):
        return
    if filled is not None:
        resources.update({key: dict(value) for key, value in (("limits", filled.limits), ("requests", filled.requests)) if value})


def with_pod_level(spec: PodSpec) -> PodSpec:
    """The spec with the pod's own resources filled in; its containers have their defaults. Raises BadQuantity."""
    own = spec.resources
    # Empty pod-level resources do not turn the feature on for the pod.
    if own is None or not (own.limits or own.requests):
        return spec
    limits = {**_of_containers(spec, pod_limits, is_huge=True), **own.limits}
    # A missing request is the sum of the containers' requests, and only if there is none the pod's limit.
    requests = {**limits, **_of_containers(spec, pod_requests, is_huge=False), **own.requests} if limits else own.requests
    return replace(spec, resources=replace(own, limits=limits, requests=requests))


def _of_containers(spec: PodSpec, total: Callable[..., Amounts], *, is_huge: bool) -> dict[str, str]:
    """The containers' totals of huge pages or else of cpu and memory, as quantities."""
    amounts = total(spec, options=_CONTAINERS_ONLY)
    picked = sorted(name for name in amounts if (name.startswith(_HUGE) if is_huge else name in ("cpu", "memory")))
    return {name: canonical(Quantity(amounts[name], _format_of(spec, name))) for name in picked}


def _format_of(spec: PodSpec, name: str) -> Any:
    """The suffix family in which the first container that names the resource writes it."""
    lists: list[Quantities] = [item for container in (*spec.containers, *spec.init_containers) for item in _quantities(container.resources)]
    return next((parse(found[name]).format for found in lists if name in found), "DecimalSI")


def _quantities(resources: Any) -> tuple[Quantities, Quantities]:
    return resources.requests, resources.limits
