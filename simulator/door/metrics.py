"""The resource metrics API, ``metrics.k8s.io``: what metrics-server has scraped, from the same source as the run's ``kubectl top``.

Source: metrics-server pkg/api (pod.go, node.go), pkg/scraper; metrics/v1beta1 types.go.
"""

from collections.abc import Iterator

from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import SECOND
from simulator.engine.model.named_kinds import METRICS, METRICS_GROUP
from simulator.kubectl.tables.model import Sight
from simulator.kubectl.top import node_uses, pod_uses

METRICS_KINDS = frozenset(item.info.kind for item in METRICS)


def metrics_in(kind: str, sight: Sight) -> list[Json]:
    """The metrics of the pods or nodes that have any, by namespace and name. O(pods)."""
    return list(_pods(sight) if kind == "PodMetrics" else _nodes(sight))


def _pods(sight: Sight) -> Iterator[Json]:
    for row, use in pod_uses(sight):
        metadata = {"name": row.name, "namespace": row.namespace}
        labels = dict(row.pod.metadata.labels)
        containers = [{"name": name, "usage": _usage(cpu, memory)} for name, cpu, memory in sorted(use.containers)]
        yield {**_head("PodMetrics", metadata, labels, sight), "containers": containers}


def _nodes(sight: Sight) -> Iterator[Json]:
    for row, cpu, memory in node_uses(sight):
        yield {**_head("NodeMetrics", {"name": row.name}, dict(row.labels), sight), "usage": _usage(cpu, memory)}


def _head(kind: str, metadata: Json, labels: dict[str, str], sight: Sight) -> Json:
    epoch_s, period = sight.world.header.epoch_s, sight.world.profile.metrics_resolution_ms
    metadata["creationTimestamp"] = timestamp(sight.now_ms, epoch_s)
    if labels:
        metadata["labels"] = labels
    scraped = timestamp(sight.now_ms - sight.now_ms % period, epoch_s)
    head = {"kind": kind, "apiVersion": f"{METRICS_GROUP}/v1beta1", "metadata": metadata}
    return {**head, "timestamp": scraped, "window": f"{period // SECOND}s"}


def _usage(cpu_milli: int, memory: int) -> Json:
    return {"cpu": f"{cpu_milli}m" if cpu_milli else "0", "memory": f"{memory // 1024}Ki" if memory % 1024 == 0 else str(memory)}
