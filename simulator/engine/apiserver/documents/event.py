"""Kubernetes Events as objects, as ``kubectl get events -o yaml`` shows them."""

from simulator.engine.apiserver.documents.implied import is_emptied
from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.kernel.ids import object_uid
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import SECOND, Ms
from simulator.engine.model.kinds import KINDS, KindInfo, kind_of
from simulator.engine.world.rows import K8sEvent
from simulator.engine.world.world import World

_NANO = 1_000_000
SCHEDULER = "default-scheduler"
_ON_NODE = ("kubelet", "kube-proxy")


def event_documents(world: World, now_ms: Ms) -> list[Json]:
    """Every Event that the API server still has, by namespace and name. O(events of the run).

    A deleted namespace loses its Events along with everything else in it, and accepts no new ones.
    """
    ttl = world.profile.event_ttl_ms
    emptied = {name: is_emptied(world, name, now_ms) for name in {row.namespace: True for row in world.tables.k8s_events.values()}}
    rows = (row for row in world.tables.k8s_events.values() if row.seq and now_ms - row.last_ms < ttl and not emptied[row.namespace])
    return sorted((_document(world, row) for row in rows), key=lambda item: (item["metadata"]["namespace"], item["metadata"]["name"]))


def _document(world: World, row: K8sEvent) -> Json:
    epoch_s = world.header.epoch_s
    # The recorder names Events after the object and the nanosecond; the record's number tells two
    # Events of one moment apart.
    name = f"{row.object_name}.{((epoch_s * SECOND + row.first_ms) * _NANO + row.first_seq):x}"
    metadata = {
        "name": name,
        "namespace": row.namespace,
        "uid": object_uid(world.header.seed, "Event", str(row.first_seq)),
        "resourceVersion": str(row.seq),
        "creationTimestamp": timestamp(row.first_ms, epoch_s),
    }
    body: Json = {"involvedObject": _involved(world, row), "type": row.type, "reason": row.reason, "message": row.message}
    # The scheduler writes events.k8s.io/v1: eventTime with microseconds, and no legacy timestamps.
    if row.component == SCHEDULER:
        body |= {"eventTime": timestamp(row.first_ms, epoch_s).replace("Z", ".000000Z"), "firstTimestamp": None, "lastTimestamp": None}
        body |= {"source": {}, "reportingComponent": row.component, "reportingInstance": ""}
    else:
        body |= {"eventTime": None, "firstTimestamp": timestamp(row.first_ms, epoch_s), "lastTimestamp": timestamp(row.last_ms, epoch_s)}
        body |= {"count": row.count, **_reporting(world, row)}
        body["source"] = {"component": row.component, **({"host": row.node} if row.node else {})}
    return {"apiVersion": "v1", "kind": "Event", "metadata": metadata, **body}


def _reporting(world: World, row: K8sEvent) -> Json:
    """Who reports it, in the fields of the newer Event API, which older recorders left empty."""
    said = world.profile.event_reporting_fields
    return {"reportingComponent": row.component if said else "", "reportingInstance": row.node if said else ""}


def _involved(world: World, row: K8sEvent) -> Json:
    word, _, key = row.subject.partition("/")
    info = kind_of(word) or KINDS["Pod"]
    found = {"apiVersion": info.api_version(99), "kind": info.kind, "name": row.object_name}
    if info.namespaced:
        found["namespace"] = row.namespace
    uid = _uid(world, row, info, key)
    if uid:
        found["uid"] = uid
    return {**found, "fieldPath": row.field_path} if row.field_path else found


def _uid(world: World, row: K8sEvent, info: KindInfo, key: str) -> str:
    """The uid of the object the Event is about; empty if it is gone, or if another object has its name."""
    if info.kind == "Pod":
        pod = world.tables.pods.get(key)
        return pod.uid if pod is not None else ""
    if info.kind == "Node":
        # A kubelet knows its node's name and writes that (pkg/kubelet/kubelet.go nodeRef).
        return row.object_name if row.component in _ON_NODE else object_uid(world.header.seed, "Node", row.object_name)
    stored = world.tables.objects.get((info.kind, row.namespace if info.namespaced else "", row.object_name))
    return stored.uid if stored is not None and stored.created_ms <= row.first_ms else ""
