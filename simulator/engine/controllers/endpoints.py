"""The Endpoints controller: the older list of the pods behind a Service, one object each.

Endpoints are what EndpointSlices have replaced. Both controllers watch Services and pods, run
independently and write their own objects, so for some milliseconds the two may disagree. kube-proxy
reads slices only; Endpoints remain for other clients, deprecated since 1.33 and still written.

Differences that show: a pod that is being deleted leaves Endpoints at once, whatever its readiness
(in slices it stays with ready=false), unless the Service publishes addresses that are not ready;
and an object holds at most 1,000 addresses, with a warning only in 1.21 and the rest cut off since
1.22 (``endpoints_over_capacity``). It is one object, so every change of one pod rewrites the list
of all: the reason for slices.

A subset groups addresses that offer the same ports. With named ports pods can differ in what they
offer, and then there are several subsets.

Source: pkg/controller/endpoint/endpoints_controller.go syncService, truncateEndpoints;
pkg/api/v1/endpoints/util.go RepackSubsets.
"""

from collections.abc import Iterable

from simulator.engine.apiserver.store.objects import create_object, remove_object, update_object
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.objects import Service
from simulator.engine.network.endpoints import (
    ENDPOINTS,
    EndpointPort,
    gets_endpoints,
    has_place,
    hostname_in,
    is_ready,
    ports_of,
)
from simulator.engine.network.services import HEADLESS, read_service
from simulator.engine.workloads.objects import parsed, stored_object
from simulator.engine.workloads.queueing import look
from simulator.engine.workloads.services import service_labels, service_watches, trigger_time, with_trigger_time
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import EndpointsSync
from simulator.engine.world.lookups import pods_labelled
from simulator.engine.world.rows import PodRow
from simulator.engine.world.watch import GONE, Watch
from simulator.engine.world.world import ApiObject

COMPONENT = "endpoint-controller"
MANAGED_BY = "endpoints.kubernetes.io/managed-by"
OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity"
CAPACITY = 1000
"""Addresses per object; since 1.22 any beyond are cut off."""

RULES = (
    RuleText(
        "ENDPOINTS-SYNC",
        gettext_noop(
            "The Endpoints controller updates the list of the Service’s pods: {ready} {ready:address "
            "is|addresses are} ready, {waiting} {waiting:is|are} not."
        ),
        "pkg/controller/endpoint/endpoints_controller.go syncService",
    ),
)


def _endpoints_gone(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    """Another client deleted the Endpoints: the controller creates them again."""
    look(fx, EndpointsSync(row.namespace, row.name), after_ms=fx.profile.endpoint_sync_ms)


WATCHES = (
    *service_watches(COMPONENT, EndpointsSync),
    Watch(COMPONENT, ENDPOINTS, GONE, _endpoints_gone, ignores_own=True),
)


def endpoints_sync(fx: Effects, event: EndpointsSync) -> None:
    """Run one round for a Service; the Endpoints of one that is gone are deleted."""
    row = stored_object(fx, "Service", event.namespace, event.name)
    current = stored_object(fx, ENDPOINTS, event.namespace, event.name)
    service = read_service(row.document) if row is not None else None
    if row is None or service is None:
        fx.save_triggers((COMPONENT, event.namespace, event.name), None)
        if current is not None:
            remove_object(fx, current)
        return
    if not gets_endpoints(service) or fx.world.is_terminating(row.namespace):
        return
    pods = pods_labelled(fx.tables, row.namespace, service.spec.selector)
    moment = trigger_time(fx, COMPONENT, row, pods)
    whole = subsets_of(pods, service)
    subsets = truncated(whole) if fx.profile.endpoints_over_capacity == "truncated" else whole
    note = fx.profile.endpoints_over_capacity if _total(whole) > CAPACITY else ""
    _write(fx, row, service, current, subsets, moment, note)


def subsets_of(pods: Iterable[PodRow], service: Service) -> list[Json]:
    """The subsets of Endpoints: groups of addresses that offer the same ports (RepackSubsets). O(pods × ports)."""
    tolerant = service.spec.publish_not_ready_addresses
    rows: dict[str, PodRow] = {}
    gathered: dict[EndpointPort | None, list[tuple[str, bool]]] = {}
    for pod in pods:
        if not has_place(pod, terminating=tolerant):
            continue
        rows[pod.uid] = pod
        ready = tolerant or is_ready(pod)
        ports: tuple[EndpointPort | None, ...] = ports_of(pod, service)
        if not service.spec.ports and service.spec.cluster_ip == HEADLESS:
            # A headless Service without ports still lists its pods, in a subset without
            # ports.
            ports = (None,)
        for port in ports:
            gathered.setdefault(port, []).append((pod.uid, ready))
    # Ports are merged by the pods that offer them, so a subset is identified by its set of
    # addresses.
    together: dict[tuple[tuple[str, bool], ...], list[EndpointPort]] = {}
    for port, found in gathered.items():
        offers = together.setdefault(tuple(found), [])
        if port is not None:
            offers.append(port)
    return [_subset([(rows[uid], ready) for uid, ready in place], offers, service) for place, offers in together.items()]


def _subset(found: list[tuple[PodRow, bool]], ports: list[EndpointPort], service: Service) -> Json:
    ordered = sorted(found, key=lambda item: (item[0].status.pod_ip, item[0].uid))
    subset: Json = {}
    for field, wanted in (("addresses", True), ("notReadyAddresses", False)):
        rows = [_address(row, service) for row, ready in ordered if ready is wanted]
        if rows:
            subset[field] = rows
    if ports:
        subset["ports"] = [
            {**({"name": port.name} if port.name else {}), "port": port.port, "protocol": port.protocol} for port in ports
        ]  # fmt: skip
    return subset


def _address(row: PodRow, service: Service) -> Json:
    hostname = hostname_in(row, service)
    reference = {"kind": "Pod", "name": row.name, "namespace": row.namespace, "uid": row.uid}
    return {**({"hostname": hostname} if hostname else {}), "ip": row.status.pod_ip, "nodeName": row.node, "targetRef": reference}


def _total(subsets: list[Json], *fields: str) -> int:
    return sum(len(subset.get(field) or ()) for subset in subsets for field in fields or ("addresses", "notReadyAddresses"))


def truncated(subsets: list[Json]) -> list[Json]:
    """At most 1,000 addresses, the ready ones first, each subset with its share rounded up (truncateEndpoints)."""
    ready, waiting = _total(subsets, "addresses"), _total(subsets, "notReadyAddresses")
    if ready + waiting <= CAPACITY:
        return subsets
    cuts_ready = ready > CAPACITY
    field, room, total = ("addresses", CAPACITY, ready) if cuts_ready else ("notReadyAddresses", CAPACITY - ready, waiting)
    left, found = room, []
    for subset in subsets:
        listed = subset.get(field) or []
        # Rounded up, so the last subsets may get less than their share.
        share = min(left, -(-len(listed) * room // total))
        kept = {key: value for key, value in subset.items() if key != field and not (cuts_ready and key == "notReadyAddresses")}
        part = listed[:share]
        left -= len(part)
        found.append({**({field: part} if part else {}), **kept})
    return found


def _write(
    fx: Effects, row: ApiObject, service: Service, current: ApiObject | None, subsets: list[Json], moment: str, note: str
) -> None:  # fmt: skip
    labels = service_labels(parsed(row), service)
    if fx.profile.endpoints_managed_by:
        labels[MANAGED_BY] = COMPONENT
    document: Json = parsed(current) if current is not None else {}
    metadata: Json = document.get("metadata") or {"name": row.name, "namespace": row.namespace}
    kept_note = (metadata.get("annotations") or {}).get(OVER_CAPACITY, "")
    if current is not None and document.get("subsets", []) == subsets and (metadata.get("labels") or {}) == labels and kept_note == note:
        return
    annotations = with_trigger_time(metadata.get("annotations") or {}, moment)
    annotations = {**{key: text for key, text in annotations.items() if key != OVER_CAPACITY}, **({OVER_CAPACITY: note} if note else {})}
    head = {key: value for key, value in metadata.items() if key not in ("labels", "annotations")}
    head |= {**({"labels": labels} if labels else {}), **({"annotations": annotations} if annotations else {})}
    fresh: Json = {"apiVersion": "v1", "kind": ENDPOINTS, "metadata": head, **({"subsets": subsets} if subsets else {})}
    data = (("ready", _total(subsets, "addresses")), ("waiting", _total(subsets, "notReadyAddresses")))
    with fx.because(fx.note_step(row.subject, "endpoints", rule="ENDPOINTS-SYNC", data=data)):
        if current is None:
            create_object(fx, fresh, row.namespace, applied="")
        else:
            update_object(fx, current, fresh)
