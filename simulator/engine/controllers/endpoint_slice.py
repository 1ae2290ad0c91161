"""The EndpointSlice controller: which pods are behind a Service, at most 100 to an object.

Each selected pod that has an IP and is not terminal is an endpoint. Three conditions say how it is:
serving (the pod is Ready), terminating (it has a deletionTimestamp) and ready (serving and not
terminating, or always with publishNotReadyAddresses). So a pod leaves the ready endpoints with its
deletionTimestamp, not with its readiness, and nothing waits for kube-proxy to notice: between the
two a connection can still be sent to a pod that has stopped listening. That race is why containers
sleep in a preStop hook.

Readiness itself comes from the kubelet's status write; a node that falls silent is handled by the
node lifecycle controller, which sets Ready to False on its pods.

A round changes as few slices as possible, as each changed slice is sent to every node: endpoints
stay in the slice they are in, new ones fill slices that change anyway, then the fullest slice that
has room for all of them, then new slices. Slices that have become half empty are not merged. Rounds
are delayed by ``endpoint_sync_ms`` and longer with the number of pods, and changes in that time
share one round.

Until 1.21 terminating pods are left out altogether (``endpoint_terminating``).

Source: pkg/controller/endpointslice/endpointslice_controller.go syncService;
staging/src/k8s.io/endpointslice/reconciler.go.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from simulator.engine.apiserver.store.objects import create_object, remove_object, update_object
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.objects import Service
from simulator.engine.network.endpoints import (
    SERVICE_NAME,
    SLICE,
    Endpoint,
    Ports,
    as_json,
    endpoint_of,
    gets_endpoints,
    has_place,
    ports_of,
    read_slice,
    slices_of,
)
from simulator.engine.network.services import read_service
from simulator.engine.workloads.objects import labels_of, parsed, stored_object
from simulator.engine.workloads.queueing import look
from simulator.engine.workloads.refs import controller_reference
from simulator.engine.workloads.services import service_labels, service_watches, trigger_time, with_trigger_time
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import EndpointSliceSync
from simulator.engine.world.lookups import pods_labelled
from simulator.engine.world.watch import CHANGED, GONE, Watch
from simulator.engine.world.world import ApiObject

COMPONENT = "endpointslice-controller"
MANAGED_BY = "endpointslice.kubernetes.io/managed-by"
MANAGER = "endpointslice-controller.k8s.io"
MAX_ENDPOINTS = 100
"""Endpoints per slice (``--max-endpoints-per-slice``)."""

RULES = (
    RuleText(
        "ENDPOINTSLICE-SYNC",
        gettext_noop(
            "The EndpointSlice controller updates the list of the Service’s pods: {ready} are ready, {serving} "
            "are serving, {terminating} are terminating."
        ),
        "pkg/controller/endpointslice/endpointslice_controller.go syncService; staging/src/k8s.io/endpointslice/utils.go podToEndpoint",
    ),
)


class SlicePlan(Struct):
    """What a round writes: slices that stay unchanged (None) or get these endpoints, and endpoints of new slices by their ports."""

    kept: dict[str, tuple[Endpoint, ...]]
    changed: dict[str, tuple[Ports, tuple[Endpoint, ...]]]
    created: list[tuple[Ports, tuple[Endpoint, ...]]]
    deleted: list[str]


def _slice_written(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    """Another client changed or deleted a slice: check its Service."""
    labels = labels_of(row)
    if labels.get(MANAGED_BY) == MANAGER:
        look(fx, EndpointSliceSync(row.namespace, labels.get(SERVICE_NAME, "")), after_ms=fx.profile.endpoint_sync_ms)


WATCHES = (
    *service_watches(COMPONENT, EndpointSliceSync),
    Watch(COMPONENT, SLICE, CHANGED | GONE, _slice_written, ignores_own=True),
)


def endpoint_slice_sync(fx: Effects, event: EndpointSliceSync) -> None:
    """Run one round for a Service. When the Service goes, the garbage collector deletes its slices."""
    row = stored_object(fx, "Service", event.namespace, event.name)
    service = read_service(row.document) if row is not None else None
    if row is None or service is None:
        fx.save_triggers((COMPONENT, event.namespace, event.name), None)
        return
    if not gets_endpoints(service) or row.deletion_ms is not None or fx.world.is_terminating(row.namespace):
        return
    pods = pods_labelled(fx.tables, row.namespace, service.spec.selector)
    moment = trigger_time(fx, COMPONENT, row, pods)
    wanted: dict[Ports, list[Endpoint]] = {}
    keeps_leaving = service.spec.publish_not_ready_addresses or fx.profile.endpoint_terminating
    for pod in pods:
        if has_place(pod, terminating=keeps_leaving):
            node = fx.tables.nodes.get(pod.node)
            found = endpoint_of(pod, service, fx.profile, fx.world.release, node.labels if node is not None else {})
            wanted.setdefault(ports_of(pod, service), []).append(found)
    existing = [
        item
        for item in slices_of(fx.world, row.namespace, row.name)
        if read_slice(item.document).metadata.labels.get(MANAGED_BY) == MANAGER
    ]
    _write(fx, row, service, existing, planned(existing, wanted), moment, wanted)


def planned(existing: Sequence[ApiObject], wanted: dict[Ports, list[Endpoint]]) -> SlicePlan:
    """Which slices a round writes (reconcileByAddressType, finalize). O(endpoints)."""
    plan = SlicePlan(kept={}, changed={}, created=[], deleted=[])
    by_ports: dict[Ports, list[ApiObject]] = {}
    for item in existing:
        by_ports.setdefault(read_slice(item.document).ports or (), []).append(item)
    for ports, endpoints in wanted.items():
        _fill(plan, by_ports.get(ports, []), ports, endpoints)
    plan.deleted += [item.name for ports, items in by_ports.items() if ports not in wanted for item in items]
    if len(plan.deleted) == len(existing) and not plan.created:  # a Service without pods has one empty slice
        if len(existing) == 1 and read_slice(existing[0].document).ports is None:
            plan.deleted = []
        else:
            plan.created.append(((), ()))
    while plan.deleted and plan.created:  # rather change a slice than delete one and create another
        plan.changed[plan.deleted.pop(0)] = plan.created.pop()
    return plan


def _fill(plan: SlicePlan, items: Sequence[ApiObject], ports: Ports, endpoints: list[Endpoint]) -> None:
    """Assign the slices of one set of ports (reconcileByPortMapping)."""
    rest = {endpoint.identity: endpoint for endpoint in endpoints}
    changed: dict[str, list[Endpoint]] = {}
    unchanged: dict[str, list[Endpoint]] = {}
    for item in items:
        listed = read_slice(item.document).endpoints or ()
        # Same identity, possibly other conditions: it keeps its place in the slice.
        stay = [found for endpoint in listed if (found := rest.pop(endpoint.identity, None)) is not None]
        if tuple(stay) == listed:
            unchanged[item.name] = stay
        elif stay:
            changed[item.name] = stay
        else:
            plan.deleted.append(item.name)
    left = list(rest.values())
    # These slices are written in any case, so they are filled first, the fullest first.
    for stay in sorted(changed.values(), key=len, reverse=True):
        room = MAX_ENDPOINTS - len(stay)
        stay += left[:room]
        left = left[room:]
    while left:
        # Another slice is touched only if it takes everything left; otherwise a new one is as cheap.
        name = _fitting(unchanged, len(left))
        part, left = (left, []) if name else (left[:MAX_ENDPOINTS], left[MAX_ENDPOINTS:])
        if name:
            changed[name] = [*unchanged.pop(name), *part]
        else:
            plan.created.append((ports, tuple(part)))
    plan.kept |= {name: tuple(stay) for name, stay in unchanged.items()}
    plan.changed |= {name: (ports, tuple(stay)) for name, stay in changed.items()}


def _fitting(slices: dict[str, list[Endpoint]], count: int) -> str:
    """The fullest slice with room for that many more; "" if none has (getSliceToFill)."""
    fitting = [(MAX_ENDPOINTS - count - len(listed), name) for name, listed in slices.items() if len(listed) + count <= MAX_ENDPOINTS]
    return min(fitting, key=lambda item: item[0])[1] if fitting and count < MAX_ENDPOINTS else ""


def changed_pods(existing: Sequence[ApiObject], wanted: dict[Ports, list[Endpoint]]) -> str:
    """The pods whose endpoints a round changes: with the conditions that are true, or ``-`` if the pod has no endpoint any more.

    ``web-1:ready+serving web-2:serving+terminating web-3: web-4:-``, by name. O(endpoints).
    """
    before = _by_pod(endpoint for item in existing for endpoint in read_slice(item.document).endpoints or ())
    after = _by_pod(endpoint for endpoints in wanted.values() for endpoint in endpoints)
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return " ".join(f"{name}:{after.get(name, '-')}" for name in names)


def _by_pod(endpoints: Iterable[Endpoint]) -> dict[str, str]:
    """The true conditions of each pod's endpoint; in a version without ``serving``, ``ready`` stands for it."""
    found = dict[str, str]()
    for endpoint in endpoints:
        if endpoint.target_ref is not None:
            has = endpoint.conditions
            named = (("ready", has.ready), ("serving", has.ready if has.serving is None else has.serving), ("terminating", has.terminating))
            found[endpoint.target_ref.name] = "+".join(name for name, is_true in named if is_true)
    return found


def _write(
    fx: Effects,
    row: ApiObject,
    service: Service,
    existing: Sequence[ApiObject],
    plan: SlicePlan,
    moment: str,
    wanted: dict[Ports, list[Endpoint]],
) -> None:
    labels = {**service_labels(parsed(row), service), MANAGED_BY: MANAGER, SERVICE_NAME: row.name}
    stale = [item for item in existing if item.name in plan.kept and read_slice(item.document).metadata.labels != labels]
    if not (plan.changed or plan.created or plan.deleted or stale):
        return
    listed = [endpoint.conditions for endpoints in wanted.values() for endpoint in endpoints]
    data = (
        ("ready", sum(bool(item.ready) for item in listed)),
        ("serving", sum(bool(item.serving if item.serving is not None else item.ready) for item in listed)),
        ("terminating", sum(bool(item.terminating) for item in listed)),
        ("pods", changed_pods(existing, wanted)),
    )
    with fx.because(fx.note_step(row.subject, "endpoints", rule="ENDPOINTSLICE-SYNC", data=data)):
        for ports, endpoints in fx.each(plan.created):
            metadata: Json = {"generateName": f"{row.name}-", "namespace": row.namespace, "ownerReferences": [controller_reference(row)]}
            document = _document(fx, metadata, labels, moment, ports, endpoints)
            create_object(fx, document, row.namespace, applied="")
        by_name = {item.name: item for item in existing}
        for name, (ports, endpoints) in fx.each(plan.changed.items()):
            item = by_name[name]
            update_object(fx, item, _document(fx, parsed(item)["metadata"], labels, moment, ports, endpoints))
        for item in fx.each(stale):
            document = parsed(item)
            update_object(fx, item, {**document, "metadata": {**document["metadata"], "labels": labels}})
        for name in fx.each(plan.deleted):
            remove_object(fx, by_name[name])


def _document(
    fx: Effects, metadata: Json, labels: dict[str, str], moment: str, ports: Ports, endpoints: tuple[Endpoint, ...]
) -> Json:  # fmt: skip
    annotations = with_trigger_time(metadata.get("annotations") or {}, moment)
    head = {**metadata, "labels": labels, **({"annotations": annotations} if annotations else {})}
    if not annotations:
        head.pop("annotations", None)
    return {
        "apiVersion": "discovery.k8s.io/v1" if fx.world.release.facts.endpoint_slice_v1 else "discovery.k8s.io/v1beta1",
        "kind": SLICE,
        "metadata": head,
        "addressType": "IPv4",
        "endpoints": as_json(endpoints) or None,
        "ports": as_json(ports) or None,
    }
