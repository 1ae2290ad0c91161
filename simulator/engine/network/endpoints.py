"""Endpoints of a Service: which pods are listed, and in which state.

What a proxy does with them is a separate matter (``proxy.py``). Source:
staging/src/k8s.io/endpointslice/utils.go podToEndpoint, getEndpointPorts, util/controller_utils.go
ShouldPodBeInEndpoints, podEndpointsChanged.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from simulator.engine.kernel.caching import cached_when_short
from simulator.engine.kernel.typed import Typed
from simulator.engine.model.objects import Service, ServicePort
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.network.services import target_port
from simulator.engine.versions import Profile
from simulator.engine.versions.release import Release
from simulator.engine.world.lookups import dependents_of, pods_labelled
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import ApiObject, World

SLICE, ENDPOINTS = "EndpointSlice", "Endpoints"
SERVICE_NAME = "kubernetes.io/service-name"
ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
EXTERNAL_NAME = "ExternalName"


class TargetRef(Struct, frozen=True, kw_only=True):
    """The pod behind an endpoint."""

    kind: str = "Pod"
    name: str = ""
    namespace: str = ""
    uid: str = ""


class EndpointConditions(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The conditions of an endpoint; a version that lacks one omits it."""

    ready: bool | None = None
    serving: bool | None = None
    terminating: bool | None = None


class Endpoint(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One address of an EndpointSlice. ``topology`` replaces ``node_name`` and ``zone`` in v1beta1."""

    addresses: tuple[str, ...]
    conditions: EndpointConditions = EndpointConditions()
    hostname: str = ""
    node_name: str = ""
    zone: str = ""
    topology: dict[str, str] = {}
    target_ref: TargetRef | None = None

    @property
    def identity(self) -> tuple[str, ...]:
        """What identifies the endpoint, whatever its conditions (hashEndpoint)."""
        reference = self.target_ref or TargetRef()
        # The uid is part of it: a pod of a StatefulSet that comes back with its old name is another
        # endpoint.
        return (*self.addresses, self.hostname, self.node_name, self.zone, reference.namespace, reference.name, reference.uid)


class EndpointPort(Struct, frozen=True, kw_only=True, rename="camel"):
    """A port behind one of a Service."""

    name: str = ""
    port: int | None = None
    protocol: str = "TCP"


Ports = tuple[EndpointPort, ...]


class _SliceMeta(Struct, frozen=True, kw_only=True):
    labels: dict[str, str] = {}


class Slice(Struct, frozen=True, kw_only=True):
    """The contents of an EndpointSlice."""

    metadata: _SliceMeta = _SliceMeta()

    endpoints: tuple[Endpoint, ...] | None = None
    ports: tuple[EndpointPort, ...] | None = None


_SLICE: Typed[Slice] = Typed(Slice)


@cached_when_short(maxsize=4096, chars_max=20_000, long_kept=512)
def read_slice(document: str) -> Slice:
    """The EndpointSlice in a JSON text; empty if users wrote one that no API server would accept.

    Cached; about 50 µs for 100 new endpoints.
    """
    try:
        return _SLICE.from_json(document)
    except msgspec.ValidationError:  # the kind is stored unvalidated
        return Slice()


def as_json(value: Endpoint | tuple[Endpoint, ...] | Ports) -> Any:
    """Endpoints or ports as JSON values."""
    return msgspec.json.decode(msgspec.json.encode(value))


def slice_service(document: str) -> str:
    """The name of the Service that an EndpointSlice belongs to; "" for none."""
    return read_slice(document).metadata.labels.get(SERVICE_NAME, "")


def slices_of(world: World, namespace: str, name: str) -> list[ApiObject]:
    """The EndpointSlices of a Service in creation order; none if it does not exist. O(dependents of the Service)."""
    held = world.tables.objects.get(("Service", namespace, name))
    if held is None:
        return []
    found = dependents_of(world.tables, ("Service", namespace, name), held.uid)
    return [row for row in found if isinstance(row, ApiObject) and row.kind == SLICE]


def gets_endpoints(service: Service) -> bool:
    """Whether the controllers write endpoints for the Service."""
    return bool(service.spec.selector) and service.spec.type != EXTERNAL_NAME


def members(world: World, namespace: str, service: Service, *, terminating: bool) -> Iterator[PodRow]:
    """The pods that belong in the endpoints, ready or not; ``terminating``: including those being deleted."""
    for row in pods_labelled(world.tables, namespace, service.spec.selector):
        if has_place(row, terminating=terminating):
            yield row


def has_place(row: PodRow, *, terminating: bool) -> bool:
    """Whether a selected pod belongs in the endpoints."""
    return row.status.phase not in TERMINAL_PHASES and bool(row.status.pod_ip) and (terminating or row.deletion_ms is None)


def is_ready(row: PodRow) -> bool:
    """Whether the pod's condition Ready is True."""
    ready = row.status.condition("Ready")
    return ready is not None and ready.status == "True"


def endpoint_of(row: PodRow, service: Service, profile: Profile, release: Release, labels: Mapping[str, str]) -> Endpoint:
    """The endpoint of a pod in the slices of a Service; ``labels`` are its node's. About 3 µs."""
    serving, terminating = is_ready(row), row.deletion_ms is not None
    has_more = profile.endpoint_terminating
    # Before the conditions serving and terminating existed, ready was the pod's readiness alone.
    ready = service.spec.publish_not_ready_addresses or (serving and not (has_more and terminating))
    zone, topology = labels.get(ZONE, ""), {}
    if not release.facts.endpoint_slice_v1:
        topology = {"kubernetes.io/hostname": row.node, **{key: labels[key] for key in (ZONE, REGION) if labels.get(key)}}
    return Endpoint(
        addresses=(row.status.pod_ip,),
        conditions=EndpointConditions(
            ready=ready, serving=serving if has_more else None, terminating=terminating if has_more else None
        ),
        hostname=hostname_in(row, service),
        node_name="" if topology else row.node,
        zone="" if topology else zone,
        topology=topology,
        target_ref=reference_to(row),
    )  # fmt: skip


def hostname_in(row: PodRow, service: Service) -> str:
    """The host name under which DNS knows the pod as a member of the Service; "" for none."""
    spec = row.pod.spec
    return spec.hostname if spec.hostname and spec.subdomain == service.metadata.name else ""


def reference_to(row: PodRow) -> TargetRef:
    """The pod as an endpoint names it."""
    return TargetRef(name=row.name, namespace=row.namespace, uid=row.uid)


def ports_of(row: PodRow, service: Service) -> Ports:
    """The pod's ports for those of the Service; a port name that the pod lacks is left out."""
    found = ((port, target_port(row, port)) for port in service.spec.ports)
    return tuple(behind(port, number) for port, number in found if number is not None)


def behind(port: ServicePort, number: int) -> EndpointPort:
    """The endpoint port for a port of its Service."""
    return EndpointPort(name=port.name, port=number, protocol=port.protocol)


def changes_endpoints(old: PodRow, row: PodRow) -> bool:
    """Whether a write to a pod may change its endpoints (podEndpointsChanged). About 1 µs."""
    if old.deletion_ms != row.deletion_ms or old.node != row.node:
        return True
    if old.status is not row.status and _published(old) != _published(row):
        return True
    return old.pod is not row.pod and old.pod.metadata.labels != row.pod.metadata.labels


def _published(row: PodRow) -> tuple[str, bool, bool]:
    return row.status.pod_ip, is_ready(row), row.status.phase in TERMINAL_PHASES
