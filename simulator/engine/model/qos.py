"""The QoS class of a pod, from the requests and limits of cpu and memory. Fixed at creation.

Source: qos.ComputePodQOS. Computed once for all pods with the same resources.
"""

from collections.abc import Iterable
from functools import lru_cache

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.container import Quantities
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.quantity import parse

COUNTED = ("cpu", "memory")
_Asked = tuple[tuple[str, str | int | float], ...]
_FEW = 16
"""Results are not cached for pods with more containers than this."""


def qos_class(spec: PodSpec, *, pod_level: bool = False) -> str:
    """``BestEffort``, ``Burstable`` or ``Guaranteed``. ``pod_level``: pod-level resources, if set, decide alone (1.32)."""
    if pod_level and spec.resources is not None:
        limits = _sum([spec.resources.limits])
        is_complete = not spec.resources.limits or _is_complete(spec.resources.limits)
        return _judge(_sum([spec.resources.requests]), limits, every_limit_set=is_complete)
    asked = [container.resources for container in (*spec.containers, *spec.init_containers)]
    # Long lists of containers would fill the cache with keys that never recur.
    judge = _of_alike if len(asked) <= _FEW else _of_alike.__wrapped__
    return judge(tuple([tuple(each.requests.items()) for each in asked]), tuple([tuple(each.limits.items()) for each in asked]))


@lru_cache(maxsize=1024)
def _of_alike(requests: tuple[_Asked, ...], limits: tuple[_Asked, ...]) -> str:
    """The class of all pods whose containers have exactly these resources."""
    limited = [dict(each) for each in limits]
    return _judge(_sum(map(dict, requests)), _sum(limited), every_limit_set=all(map(_is_complete, limited)))


def _judge(requests: dict[str, int], limits: dict[str, int], *, every_limit_set: bool) -> str:
    if not requests and not limits:
        return "BestEffort"
    return "Guaranteed" if every_limit_set and requests == limits else "Burstable"


def _sum(resources: Iterable[Quantities]) -> dict[str, int]:
    """Nano units of cpu and memory; zero amounts are omitted."""
    total: dict[str, int] = {}
    for quantities in resources:
        for name in COUNTED:
            # A request of zero counts as none: 0 does not make a pod Burstable.
            if name in quantities and (nano := parse(quantities[name]).nano) > 0:
                total[name] = total.get(name, 0) + nano
    return total


def _is_complete(limits: Quantities) -> bool:
    return all(name in limits and parse(limits[name]).nano > 0 for name in COUNTED)


_SOURCE = "pkg/apis/core/v1/helper/qos ComputePodQOS"
RULES = (
    RuleText(
        "QOS-BEST-EFFORT",
        gettext_noop("No container requests cpu or memory, so the pod is BestEffort: whatever it uses is more than it requested."),
        _SOURCE,
    ),
    RuleText(
        "QOS-GUARANTEED",
        gettext_noop("Every container has limits for cpu and memory and requests exactly that, so the pod is Guaranteed."),
        _SOURCE,
    ),
    RuleText(
        "QOS-BURSTABLE", gettext_noop("Some cpu or memory is requested, but not all of it is guaranteed: the pod is Burstable."), _SOURCE
    ),
)
RULE_OF = {"BestEffort": "QOS-BEST-EFFORT", "Burstable": "QOS-BURSTABLE", "Guaranteed": "QOS-GUARANTEED"}
