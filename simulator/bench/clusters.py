"""How fast whole clusters are: workloads on many nodes from nothing to Ready, a copy of that world, and deleting everything.

All figures are CPU time on one core, each in a process of its own so that the memory is that of this cluster alone.
"""

import gc
import json
import pstats
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from cProfile import Profile
from time import process_time
from typing import Any

from msgspec import Struct

from simulator.engine import ClusterSpec, Course, NodeSpec, Record, RunHeader, Stamped
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.kernel.units import HOUR, SECOND

A_DEPLOYMENT = 100
"""Pods of each Deployment."""
STEP_MS = 20 * SECOND
LATEST_MS = 4 * HOUR


class Grown(Struct, frozen=True, kw_only=True):
    """CPU seconds until all pods were Ready and until all were gone, one copy of that world in ms, simulated time, peak memory."""

    pods: int
    nodes: int
    ready_s: float
    ready_ms: int
    fork_ms: float
    gone_s: float
    memory_mb: int


def cluster_apart(pods: int, nodes: int, kind: str) -> Grown:
    """Run ``cluster_of`` in a process of its own. ``kind`` is Deployment (of 100 pods each) or DaemonSet (one pod per node)."""
    command = [sys.executable, "-m", "simulator.bench.clusters", str(pods), str(nodes), kind, *map(str, gc.get_threshold())]
    return Grown(**json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


def _header(workloads: Sequence[Mapping[str, Any]], pods: int, nodes: int) -> RunHeader:
    room = {"cpu": "64", "memory": "512Gi", "ephemeral-storage": "10Ti", "pods": str(max(110, 2 * pods // nodes))}
    spec = ClusterSpec(nodes=tuple(NodeSpec(name=f"node{n}", allocatable=room) for n in range(1, nodes + 1)))
    return RunHeader(kubernetes="1.33", manifests=tuple(json.dumps(workload) for workload in workloads), cluster=spec)


def cluster_of(pods: int, nodes: int, kind: str) -> Grown:
    """Create the workloads at 0, wait until every pod is Ready, fork, delete the workloads and wait until no pod is left."""
    workloads = _deployments(pods) if kind == "Deployment" else [_workload("DaemonSet", "agent", {})]
    header = _header(workloads, pods, nodes)
    began = process_time()
    course = Course(header)
    ready = _Ready()
    ready.after(course.world.first_records)
    _drive(course, lambda records: ready.after(records) == pods)
    ready_s, ready_ms = process_time() - began, course.world.now_ms
    began = process_time()
    course.fork()
    fork_ms = (process_time() - began) * 1000
    began = process_time()
    for number, workload in enumerate(workloads, 1):
        command = DeleteObject(kind=str(workload["kind"]), namespace="default", name=workload["metadata"]["name"])
        course.give(Stamped(course.world.now_ms, number, command))
    _drive(course, lambda _: not course.world.tables.names)
    return Grown(
        pods=pods,
        nodes=nodes,
        ready_s=round(ready_s, 2),
        ready_ms=ready_ms,
        fork_ms=round(fork_ms, 1),
        gone_s=round(process_time() - began, 2),
        memory_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    )


class Spent(Struct, frozen=True, kw_only=True):
    """Where the time of creating a pod goes: calls of the engine's functions and records per pod, and each part's permille of the time.

    Parts are folders of ``simulator/engine``, the most expensive first; the time of Python's own functions and of libraries is attributed
    to their caller.
    """

    calls_a_pod: int
    records_a_pod: int
    permille: dict[str, int]


def spent_by_part(pods: int, nodes: int) -> Spent:
    """Where the time of ``cluster_of`` goes until all pods are Ready. Runs under a profiler, which makes it several times slower."""
    profile = Profile()
    records = 0
    course = Course(_header(_deployments(pods), pods, nodes))
    ready = _Ready()

    def is_done(records_since: Sequence[Record]) -> bool:
        nonlocal records
        records += len(records_since)
        return ready.after(records_since) == pods

    is_done(course.world.first_records)
    profile.runcall(_drive, course, is_done)
    calls, spent = _by_part(pstats.Stats(profile))
    whole = sum(spent.values())
    parts = {part: round(1000 * seconds / whole) for part, seconds in sorted(spent.items(), key=lambda item: -item[1])}
    return Spent(calls_a_pod=round(calls / pods), records_a_pod=round(records / pods), permille=parts)


def _by_part(stats: Any) -> tuple[int, Counter[str]]:
    """Calls of the engine's own functions, and seconds by the engine folder that spent them, directly or through library calls."""
    calls, spent = 0, Counter[str]()
    for (path, _, _), (_, count, own_s, _, callers) in stats.stats.items():
        part = _part_of(path)
        if part is not None:
            calls += count
            spent[part] += own_s
            continue
        for (caller, _, _), (_, _, for_caller_s, _) in callers.items():
            spent[_part_of(caller) or "other"] += for_caller_s
    return calls, spent


def _part_of(path: str) -> str | None:
    _, is_ours, rest = path.partition("simulator/engine/")
    return rest.split("/")[0] if is_ours else None


def _drive(course: Course, is_done: Callable[[Sequence[Record]], bool]) -> None:
    records: Sequence[Record] = ()
    while not is_done(records) and course.world.now_ms < LATEST_MS:
        records = course.drive(course.world.now_ms + STEP_MS).records


class _Ready:
    """The pods that are Ready according to the records: checking every pod again and again would cost as much as what is measured."""

    def __init__(self) -> None:
        self._subjects: set[str] = set()

    def after(self, records: Iterable[Record]) -> int:
        """How many pods are Ready after these records."""
        for record in records:
            if record.machine == "condition" and record.subject.endswith("/Ready"):
                (self._subjects.add if record.target == "True" else self._subjects.discard)(record.subject)
        return len(self._subjects)


def _deployments(pods: int) -> list[dict[str, Any]]:
    sizes = [min(A_DEPLOYMENT, pods - first) for first in range(0, pods, A_DEPLOYMENT)]
    return [_workload("Deployment", f"web-{number}", {"replicas": size}) for number, size in enumerate(sizes)]


def _workload(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    labels = {"app": name}
    container = {"name": "app", "image": "registry.k8s.io/pause:3.9", "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}}}
    template = {"metadata": {"labels": labels}, "spec": {"terminationGracePeriodSeconds": 1, "containers": [container]}}
    full = {**spec, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name, "namespace": "default"}, "spec": full}


if __name__ == "__main__":
    gc.set_threshold(*map(int, sys.argv[4:]))
    figures = cluster_of(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
    print(json.dumps({name: getattr(figures, name) for name in figures.__struct_fields__}))  # noqa: T201 - read by cluster_apart
