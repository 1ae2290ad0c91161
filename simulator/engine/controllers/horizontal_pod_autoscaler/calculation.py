"""How many replicas a resource metric calls for. Pure functions over integers.

The idea is a proportion: replicas × measured / target, rounded up. The details decide how pods
without useful data count, and always lean to the side that changes less:

* Pods being deleted and failed pods are ignored.
* Pods not ready yet (for CPU also those that start: their load is that of starting) count as using
  nothing, but only when the others say to scale up.
* Pods without metrics count as using nothing when scaling up, and as using the whole request when
  scaling down.

After these assumptions the ratio is computed again. If it has changed its direction, or has come
within the tolerance (``hpa_tolerance_permille``), the size stays as it is.

Ratios are pairs of whole numbers and every division is exact or rounded explicitly, where upstream
uses floats: state must be the same on every machine.

Source: pkg/controller/podautoscaler/replica_calculator.go GetResourceReplicas,
calcPlainMetricReplicas, groupPods; metrics/utilization.go.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.kernel.units import Ms
from simulator.engine.versions import Profile

PERCENT = 100


class MeasuredPod(Struct, frozen=True, kw_only=True):
    """A pod as the calculation sees it. ``use`` and ``request`` are thousandths (None: unknown); moments are ms since the run began."""

    name: str
    use: int | None = None
    request: int | None = None
    phase: str = "Running"
    is_deleting: bool = False
    is_ready: bool = True
    ready_since_ms: Ms | None = 0
    start_ms: Ms | None = 0
    at_ms: Ms = 0


class MetricTarget(Struct, frozen=True):
    """The target: a ``utilization`` in percent of the request, or an ``average`` in thousandths per pod."""

    utilization: int | None = None
    average: int | None = None


class Proposal(Struct, frozen=True, kw_only=True):
    """How many replicas, and the current value as the status shows it: percent, and the average per pod in thousandths.

    ``ready``, ``unready``, ``missing`` and ``ignored`` say how many pods counted in which way.
    """

    replicas: int
    utilization: int | None = None
    average: int = 0
    ready: int = 0
    unready: int = 0
    missing: int = 0
    ignored: int = 0


class NoAnswer(Exception):
    """A metric has no value; the text says why."""


def replicas_for(
    pods: Iterable[MeasuredPod], current: int, target: MetricTarget, *, resource: str, now_ms: Ms, profile: Profile
) -> Proposal:
    """The replicas that the usage of these pods calls for. Raises NoAnswer. O(pods)."""
    rows = {pod.name: pod for pod in pods}
    if not rows:
        raise NoAnswer("no pods returned by selector while calculating replica count")
    if all(pod.use is None for pod in rows.values()):
        raise NoAnswer(f"unable to get metrics for resource {resource}: no metrics returned from resource metrics API")
    ignored = [pod.name for pod in rows.values() if pod.is_deleting or pod.phase == "Failed"]
    kinds = {name: _kind(pod, resource, now_ms, profile) for name, pod in rows.items() if name not in ignored}
    unready = [name for name, kind in kinds.items() if kind == "unready"]
    missing = [name for name, kind in kinds.items() if kind == "missing"]
    used = {name: rows[name].use or 0 for name, kind in kinds.items() if kind == "ready"}
    if not used:
        raise NoAnswer("did not receive metrics for targeted pods (pods might be unready)")
    ratio = _ratio(used, rows, target)
    answer = Proposal(
        replicas=current, utilization=None if target.utilization is None else ratio[0], average=sum(used.values()) // len(used),
        ready=len(used), unready=len(unready), missing=len(missing), ignored=len(ignored),
    )  # fmt: skip
    rises = ratio[0] > ratio[1]
    if not (unready and rises) and not missing:
        return answer if _is_near(ratio, profile) else replace(answer, replicas=_ceil(ratio[0] * len(used), ratio[1]))
    with_others = {**used, **_assumed(missing, rows, target, ratio), **(dict.fromkeys(unready, 0) if rises else {})}
    return replace(answer, replicas=_with_others(with_others, rows, target, ratio, current, profile))


def _kind(pod: MeasuredPod, resource: str, now_ms: Ms, profile: Profile) -> str:
    if pod.phase == "Pending":
        return "unready"
    # Pending is checked first: a pod that has not started has no metrics, which is not a fault.
    if pod.use is None:
        return "missing"
    return "unready" if resource == "cpu" and _is_unready(pod, now_ms, profile) else "ready"


def _is_unready(pod: MeasuredPod, now_ms: Ms, profile: Profile) -> bool:
    """Whether the CPU of a pod is to be ignored: it is starting, or was never ready."""
    if pod.ready_since_ms is None or pod.start_ms is None:
        return True
    if pod.start_ms + profile.hpa_cpu_initialization_ms > now_ms:
        return not pod.is_ready or pod.at_ms < pod.ready_since_ms + profile.metrics_resolution_ms
    # Not ready long after its start: it was ready before, so its CPU is real load and counts.
    return not pod.is_ready and pod.start_ms + profile.hpa_initial_readiness_ms > pod.ready_since_ms


def _assumed(missing: list[str], rows: Mapping[str, MeasuredPod], target: MetricTarget, ratio: tuple[int, int]) -> dict[str, int]:
    """The usage assumed for pods without metrics: the whole request when scaling down, none when scaling up."""
    if ratio[0] > ratio[1]:
        return dict.fromkeys(missing, 0)
    if ratio[0] == ratio[1]:
        return {}
    if target.utilization is None:
        return dict.fromkeys(missing, target.average or 0)
    return {name: (rows[name].request or 0) * max(PERCENT, target.utilization) // PERCENT for name in missing}


def _with_others(
    used: dict[str, int], rows: Mapping[str, MeasuredPod], target: MetricTarget, before: tuple[int, int], current: int, profile: Profile
) -> int:  # fmt: skip
    ratio = _ratio(used, rows, target)
    falls, fell = ratio[0] < ratio[1], before[0] < before[1]
    rises, rose = ratio[0] > ratio[1], before[0] > before[1]
    # The assumptions reversed the direction: following them would ignore the actual load.
    if _is_near(ratio, profile) or (fell and rises) or (rose and falls):
        return current
    count = _ceil(ratio[0] * len(used), ratio[1])
    # Counting from the pods measured rather than spec.replicas can point the other way.
    return current if (falls and count > current) or (rises and count < current) else count


def _ratio(used: Mapping[str, int], rows: Mapping[str, MeasuredPod], target: MetricTarget) -> tuple[int, int]:
    """Measured usage over target, as a fraction."""
    if target.utilization is not None:
        return _utilization(used, rows), max(1, target.utilization)
    return sum(used.values()) // len(used), max(1, target.average or 0)


def _utilization(used: Mapping[str, int], rows: Mapping[str, MeasuredPod]) -> int:
    asked = sum(rows[name].request or 0 for name in used)
    return sum(used.values()) * PERCENT // asked if asked else 0


def _is_near(ratio: tuple[int, int], profile: Profile) -> bool:
    return abs(ratio[1] - ratio[0]) * 1000 <= profile.hpa_tolerance_permille * ratio[1]


def _ceil(one: int, other: int) -> int:
    return -(-one // other)
