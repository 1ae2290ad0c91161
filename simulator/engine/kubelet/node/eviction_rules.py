"""Node-pressure eviction as pure rules: which pod goes first, and with which message.

Ranking compares usage with requests and looks at priority; the QoS class is not an input (BestEffort merely exceeds its
request of zero). Source: pkg/kubelet/eviction/helpers.go. Cost: O(n log n) comparisons for n pods.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cmp_to_key

from msgspec import Struct

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kubelet.base.storage_limits import size_limit
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.quantity import Quantity, canonical, parse, value
from simulator.engine.model.requests import pod_limits, pod_requests

NANO = 1_000_000_000
REASON = "Evicted"
RESOURCE_OF = {
    "memory.available": "memory",
    "nodefs.available": "ephemeral-storage",
    "imagefs.available": "ephemeral-storage",
    "nodefs.inodesFree": "inodes",
    "imagefs.inodesFree": "inodes",
    "pid.available": "pids",
}
"""The starved resource of each signal, as messages name it."""
CONDITION_OF = {
    "memory.available": "MemoryPressure",
    "nodefs.available": "DiskPressure",
    "imagefs.available": "DiskPressure",
    "nodefs.inodesFree": "DiskPressure",
    "imagefs.inodesFree": "DiskPressure",
    "pid.available": "PIDPressure",
}
"""The node condition that each signal sets."""
ORDER_OF = {
    "memory": ("exceedsRequests", "priority", "usageOverRequest"),
    "disk": ("exceedsRequests", "priority", "usageOverRequest"),
    "inodes": ("exceedsRequests", "priority", "usageOverRequest"),
    "pid": ("priority", "usageOverRequest"),
}
"""What the candidates are sorted by under each pressure; the first criterion in which two differ decides."""
_PRESSURE_OF = {"memory": "memory", "ephemeral-storage": "disk", "inodes": "inodes", "pids": "pid"}


class Use(Struct, frozen=True, kw_only=True, gc=False):
    """What a pod uses. Disk and inodes count the containers' layers, their logs and the pod's local volumes."""

    memory_bytes: int = 0
    disk_bytes: int = 0
    inodes: int = 0
    processes: int = 0


class Candidate(Struct, frozen=True, kw_only=True):
    """A pod that may be evicted; ``use`` is None if nothing has been measured yet."""

    name: str
    spec: PodSpec
    use: Use | None = None


class ContainerUse(Struct, frozen=True, kw_only=True, gc=False):
    """What one container uses; disk is its layer plus its log."""

    name: str
    memory_bytes: int = 0
    disk_bytes: int = 0


Compare = Callable[[Candidate, Candidate], int]


def pressure_of(signal: str) -> str:
    """The kind of pressure of a signal: memory, disk, inodes or pid."""
    return _PRESSURE_OF[RESOURCE_OF[signal]]


def rank(candidates: Sequence[Candidate], pressure: str, order: Sequence[str] = ()) -> list[Candidate]:
    """The candidates in eviction order. ``order`` replaces the criteria of the pressure; equal ones keep their order."""
    compares = [_COMPARES[name](pressure) for name in order or ORDER_OF[pressure]]

    def compare(first: Candidate, second: Candidate) -> int:
        for each in compares:
            verdict = each(first, second)
            if verdict:
                return verdict
        return 0

    return sorted(candidates, key=cmp_to_key(compare))


def _used(item: Candidate, pressure: str) -> int | None:
    if item.use is None:
        return None
    counts = {
        "memory": item.use.memory_bytes,
        "disk": item.use.disk_bytes,
        "inodes": item.use.inodes,
        "pid": item.use.processes,
    }
    return counts[pressure]


def _requested(item: Candidate, pressure: str) -> int:
    resource = {"memory": "memory", "disk": "ephemeral-storage"}.get(pressure)
    return -(-pod_requests(item.spec).get(resource, 0) // NANO) if resource is not None else 0


def _by_number(number: Callable[[Candidate], int | None]) -> Compare:
    """Larger numbers first; what was never measured comes before everything else."""

    def compare(first: Candidate, second: Candidate) -> int:
        one, other = number(first), number(second)
        if one is None or other is None:
            return (one is not None) - (other is not None)
        return (other > one) - (other < one)

    return compare


def _exceeds_first(pressure: str) -> Compare:
    def exceeds(item: Candidate) -> int | None:
        used = _used(item, pressure)
        return None if used is None else int(used > _requested(item, pressure))

    return _by_number(exceeds)


def _over_request_first(pressure: str) -> Compare:
    def excess(item: Candidate) -> int | None:
        used = _used(item, pressure)
        return None if used is None else used - _requested(item, pressure)

    return _by_number(excess)


def _low_priority_first(pressure: str) -> Compare:
    return _by_number(lambda item: -(item.spec.priority or 0))


_COMPARES: Mapping[str, Callable[[str], Compare]] = {
    "exceedsRequests": _exceeds_first,
    "priority": _low_priority_first,
    "usageOverRequest": _over_request_first,
}


def low_on(
    signal: str, spec: PodSpec, containers: Sequence[ContainerUse], *, threshold: str = "", available: str = "", style: str = "short"
) -> str:
    """The eviction message. ``style``: short names containers above their request, threshold also the node's state."""
    resource = RESOURCE_OF[signal]
    message = f"The node was low on resource: {resource}. "
    if style == "threshold":
        message += f"Threshold quantity: {threshold}, available: {available}. "
    written = {container.name: container.resources.requests.get(resource, 0) for container in spec.containers}
    for use in containers:
        used = {"memory": use.memory_bytes, "ephemeral-storage": use.disk_bytes}.get(resource)
        if used is None or use.name not in written or used <= value(written[use.name]):
            continue
        numbers = bytes_text(used), canonical(parse(written[use.name]))
        if style == "threshold":
            message += f"Container {use.name} was using {numbers[0]}, request is {numbers[1]}, has larger consumption of {resource}. "
        else:
            message += f"Container {use.name} was using {numbers[0]}, which exceeds its request of {numbers[1]}. "
    return message


def bytes_text(number: int) -> str:
    """A number of bytes as a quantity: 512Ki."""
    return canonical(Quantity(number * NANO, "BinarySI"))


def over_local_limit(spec: PodSpec, volumes: Mapping[str, int], containers: Sequence[ContainerUse]) -> str:
    """Why the pod is evicted for its own local storage, or "". ``volumes``: bytes of each emptyDir on disk or in memory."""
    for volume in spec.volumes:
        limit = size_limit(volume) if volume.empty_dir is not None else ""
        if limit and volumes.get(volume.name, 0) > value(limit):
            return f'Usage of EmptyDir volume "{volume.name}" exceeds the limit "{canonical(parse(limit))}". '
    total_limit = pod_limits(spec).get("ephemeral-storage", 0)
    on_disk = sum(volumes.get(volume.name, 0) for volume in spec.volumes if (volume.empty_dir or {}).get("medium") != "Memory")
    if total_limit and (on_disk + sum(item.disk_bytes for item in containers)) * NANO > total_limit:
        text = canonical(Quantity(total_limit, "BinarySI"))
        return f"Pod ephemeral local storage usage exceeds the total limit of containers {text}. "
    limits = {item.name: item.resources.limits.get("ephemeral-storage") for item in spec.containers}
    for use in containers:
        limit_written = limits.get(use.name)
        if limit_written is not None and use.disk_bytes > value(limit_written):
            return f'Container {use.name} exceeded its local ephemeral storage limit "{canonical(parse(limit_written))}". '
    return ""


_SOURCE = "pkg/kubelet/eviction/eviction_manager.go"
RULES = (
    RuleText(
        "EVICTION-RANK",
        gettext_noop(
            "The kubelet evicts one pod: it prefers pods that use more than they requested, then those with the "
            "lowest priority, then the one furthest above its request. The QoS class does not matter."
        ),
        "pkg/kubelet/eviction/helpers.go",
    ),
    RuleText("EVICTION-LOCAL", gettext_noop("The pod has used more local storage than its own limit allows, so it is evicted."), _SOURCE),
    RuleText(
        "EVICTION-PRESSURE",
        gettext_noop("The node has less left than its eviction threshold requires, so the kubelet tries to reclaim some."),
        _SOURCE,
    ),
    RuleText(
        "EVICTED",
        gettext_noop("The kubelet evicted the pod because the node is short of a resource: it becomes Failed, and its object stays."),
        _SOURCE,
    ),
    RuleText(
        "EVICTION-RELIEF",
        gettext_noop("The shortage has not been observed for the transition period, five minutes, so the node’s condition is cleared."),
        _SOURCE,
    ),
    RuleText("EVICTION-CRITICAL", gettext_noop("Critical pods are never evicted; the kubelet tries the next one."), _SOURCE),
)
