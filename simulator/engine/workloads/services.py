"""What the EndpointSlice and Endpoints controllers share: which writes wake them, labels, the time of the last change.

Source: staging/src/k8s.io/endpointslice/util/controller_utils.go (GetServicesToUpdateOnPodChange),
trigger_time_tracker.go. In a cluster without Services, writes of pods cost nothing here.
"""

from collections.abc import Iterable, Iterator

from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import Ms, whole_second
from simulator.engine.model.objects import Service
from simulator.engine.network.endpoints import changes_endpoints, gets_endpoints
from simulator.engine.network.services import HEADLESS, is_selected, read_service
from simulator.engine.workloads.queueing import Key, look
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import objects_of
from simulator.engine.world.rows import PodRow
from simulator.engine.world.watch import ADDED, CHANGED, DELETING, ENDED, GONE, STATUS, Handler, Watch
from simulator.engine.world.world import ApiObject

TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time"
HEADLESS_LABEL = "service.kubernetes.io/headless"


def service_watches(component: str, key: Key) -> tuple[Watch, ...]:
    """The watches through which an endpoints controller learns of Services and of the pods that they select."""
    pods = Watch(component, "Pod", ADDED | CHANGED | DELETING | STATUS | ENDED | GONE, _of_pods(component, key), beside="Service")
    return (Watch(component, "Service", ADDED | CHANGED | GONE, _of_services(component, key)), pods)


def sync_delay(fx: Effects, component: str, namespace: str, name: str) -> Ms:
    """How long a round for a Service takes: longer the more pods it had in the last one; changes in that time are part of it."""
    known = fx.tables.triggers.get((component, namespace, name))
    return fx.profile.endpoint_sync_ms + (len(known[1]) * fx.profile.endpoint_sync_pod_us // 1000 if known is not None else 0)


def _of_services(component: str, key: Key) -> Handler:
    def written(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
        look(fx, key(row.namespace, row.name), after_ms=sync_delay(fx, component, row.namespace, row.name))

    return written


def _of_pods(component: str, key: Key) -> Handler:
    def written(fx: Effects, old: PodRow | None, row: PodRow) -> None:
        # Most writes to pods change nothing that an endpoint shows.
        if old is not None and row.gone_ms is None and not changes_endpoints(old, row):
            return
        for held, _ in _selecting(fx, old, row):
            look(fx, key(held.namespace, held.name), after_ms=sync_delay(fx, component, held.namespace, held.name))

    return written


def _selecting(fx: Effects, old: PodRow | None, row: PodRow) -> Iterator[tuple[ApiObject, Service]]:
    """The Services that select a pod as it was or as it is. O(Services of the namespace)."""
    for held in objects_of(fx.tables, "Service", row.namespace):
        service = read_service(held.document)
        if service is None or not gets_endpoints(service):
            continue
        if is_selected(row, service.spec.selector) or (old is not None and is_selected(old, service.spec.selector)):
            yield held, service


def service_labels(document: Json, service: Service) -> dict[str, str]:
    """The labels of a Service's endpoints: its own, and one that marks it as headless."""
    labels = dict((document.get("metadata") or {}).get("labels") or {})
    return {**labels, HEADLESS_LABEL: ""} if service.spec.cluster_ip == HEADLESS else labels


def trigger_time(fx: Effects, component: str, held: ApiObject, pods: Iterable[PodRow]) -> str:
    """When the earliest of the changes since the last round happened; "" for none (ComputeEndpointLastChangeTriggerTime)."""
    key = (component, held.namespace, held.name)
    known = fx.tables.triggers.get(key)
    found = {row.name: moment for row in pods if (moment := _ready_since(row)) is not None}
    fx.save_triggers(key, (held.created_ms, found))
    # The first round, or the first for another Service of the same name.
    if known is None or held.created_ms > known[0]:
        return timestamp(held.created_ms, fx.world.header.epoch_s)
    before = known[1]
    changed = [moment for name, moment in found.items() if moment > before.get(name, -1)]
    return timestamp(min(changed), fx.world.header.epoch_s) if changed else ""


def _ready_since(row: PodRow) -> Ms | None:
    ready = row.status.condition("Ready")
    return whole_second(ready.transition_ms) if ready is not None and ready.transition_ms is not None else None


def with_trigger_time(annotations: dict[str, str], moment: str) -> dict[str, str]:
    """The annotations with the time of the last change added or removed."""
    others = {key: value for key, value in annotations.items() if key != TRIGGER_TIME}
    return {**others, TRIGGER_TIME: moment} if moment else others
