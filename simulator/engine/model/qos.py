"""The QoS class of a pod, from the requests and limits of cpu and memory. Fixed at creation.

Source: qos.ComputePodQOS. Cost: about 1 µs without resources, 3 µs per container with them.
"""

from collections.abc import Iterable

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.container import Quantities
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.quantity import parse

COUNTED = ("cpu", "memory")


def qos_class(spec: PodSpec, *, pod_level: bool = False) -> str:
    """``BestEffort``, ``Burstable`` or ``Guaranteed``. ``pod_level``: resources of the pod itself, where set, decide alone (1.32)."""
    if pod_level and spec.resources is not None:
        limits = _sum([spec.resources.limits])
        is_complete = not spec.resources.limits or _is_complete(spec.resources.limits)
        return _judge(_sum([spec.resources.requests]), limits, every_limit_set=is_complete)
    containers = (*spec.containers, *spec.init_containers)
    requests = _sum(container.resources.requests for container in containers)
    limits = _sum(container.resources.limits for container in containers)
    return _judge(requests, limits, every_limit_set=all(_is_complete(container.resources.limits) for container in containers))


def _judge(requests: dict[str, int], limits: dict[str, int], *, every_limit_set: bool) -> str:
    if not requests and not limits:
        return "BestEffort"
    return "Guaranteed" if every_limit_set and requests == limits else "Burstable"


def _sum(resources: Iterable[Quantities]) -> dict[str, int]:
    """Nano units of cpu and memory; what is zero is left out."""
    total: dict[str, int] = {}
    for quantities in resources:
        for name in COUNTED:
            if name in quantities and (nano := parse(quantities[name]).nano) > 0:
                total[name] = total.get(name, 0) + nano
    return total


def _is_complete(limits: Quantities) -> bool:
    return all(name in limits and parse(limits[name]).nano > 0 for name in COUNTED)


_SOURCE = "pkg/apis/core/v1/helper/qos ComputePodQOS"
RULES = (
    RuleText(
        "QOS-BEST-EFFORT",
        gettext_noop("No container asks for cpu or memory, so the pod is BestEffort: whatever it uses is more than it requested."),
        _SOURCE,
    ),
    RuleText(
        "QOS-GUARANTEED",
        gettext_noop("Every container limits cpu and memory and requests exactly that, so the pod is Guaranteed."),
        _SOURCE,
    ),
    RuleText(
        "QOS-BURSTABLE", gettext_noop("Some cpu or memory is requested, but not all of it guaranteed: the pod is Burstable."), _SOURCE
    ),
)
RULE_OF = {"BestEffort": "QOS-BEST-EFFORT", "Burstable": "QOS-BURSTABLE", "Guaranteed": "QOS-GUARANTEED"}
