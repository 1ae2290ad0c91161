"""The arithmetic behind a pod's effective requests and limits, and behind its QoS class, term by term.

Source: component-helpers resource/helpers.go and qos.ComputePodQOS; the totals come from the same functions that schedule.
"""

from collections.abc import Callable

from msgspec import Struct

from simulator.engine.model.container import Container, Quantities
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.qos import COUNTED, RULE_OF, qos_class
from simulator.engine.model.quantity import Format, Quantity, canonical, parse
from simulator.engine.model.requests import Amounts, RequestOptions, pod_limits, pod_requests
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World

_BYTES = ("memory", "ephemeral-storage")
_OVERRULED = ("cpu", "memory")


class Term(Struct, frozen=True, kw_only=True, gc=False):
    """One term of a sum. ``role``: app, sidecar, init, overhead or pod."""

    name: str
    role: str
    amount: str


class Stage(Struct, frozen=True, kw_only=True):
    """What runs at the same time: all app containers with the sidecars, or one init container with the sidecars before it."""

    terms: tuple[Term, ...]
    total: str
    is_largest: bool = False


class Sum(Struct, frozen=True, kw_only=True):
    """How one effective amount is composed. ``kind``: requests or limits; ``overhead`` and ``pod`` are "" if they play no part."""

    resource: str
    kind: str
    stages: tuple[Stage, ...]
    overhead: str
    pod: str
    total: str


class QosCell(Struct, frozen=True, kw_only=True, gc=False):
    """One resource of one container (or of the pod itself). ``problem``: no-limit, no-request, differs, or "" if it is guaranteed."""

    container: str
    resource: str
    request: str
    limit: str
    problem: str


class Qos(Struct, frozen=True, kw_only=True):
    """A pod's class, its rule, and what each container contributes. ``of_pod``: pod-level resources decide."""

    name: str
    rule: str
    cells: tuple[QosCell, ...]
    of_pod: bool


def qos_of(world: World, row: PodRow) -> Qos:
    """Why the pod has its QoS class. About 10 µs per container."""
    spec = row.pod.spec
    of_pod = world.profile.pod_level_resources and spec.resources is not None
    name = row.status.qos_class or qos_class(spec, pod_level=world.profile.pod_level_resources)
    if of_pod and spec.resources is not None:
        parts = [("", spec.resources.requests, spec.resources.limits)]
    else:
        parts = [(item.name, item.resources.requests, item.resources.limits) for item in (*spec.init_containers, *spec.containers)]
    cells = tuple(_cell(label, resource, requests, limits) for label, requests, limits in parts for resource in COUNTED)
    return Qos(name=name, rule=RULE_OF[name], cells=cells, of_pod=of_pod)


def _cell(container: str, resource: str, requests: Quantities, limits: Quantities) -> QosCell:
    request, limit = _nano(requests, resource), _nano(limits, resource)
    problem = "no-limit" if not limit else "no-request" if not request else "differs" if request != limit else ""
    return QosCell(container=container, resource=resource, request=_text(resource, request), limit=_text(resource, limit), problem=problem)


def sums_of(world: World, row: PodRow) -> tuple[Sum, ...]:
    """Every effective request and limit with its terms; the totals are those that scheduling and admission count."""
    spec, profile = row.pod.spec, world.profile
    options = RequestOptions(pod_level=profile.pod_level_resources, sidecars=profile.sidecar_containers)
    kinds: tuple[tuple[str, Amounts, Callable[[Container], Quantities]], ...] = (
        ("requests", pod_requests(spec, options=options), lambda item: item.resources.requests),
        ("limits", pod_limits(spec, options=options), lambda item: item.resources.limits),
    )
    return tuple(
        _sum(spec, options, kind, resource, total, pick)
        for kind, totals, pick in kinds
        for resource, total in sorted(totals.items())
        if total
    )


def _sum(spec: PodSpec, options: RequestOptions, kind: str, resource: str, total: int, pick: Callable[[Container], Quantities]) -> Sum:
    own = getattr(spec.resources, kind) if options.pod_level and spec.resources is not None else {}
    overrules = resource in own and (resource in _OVERRULED or resource.startswith("hugepages-"))
    return Sum(
        resource=resource,
        kind=kind,
        stages=_stages(spec, options, resource, pick),
        overhead=_text(resource, _nano(spec.overhead, resource)),
        pod=_text(resource, _nano(own, resource)) if overrules else "",
        total=_text(resource, total),
    )


def _stages(spec: PodSpec, options: RequestOptions, resource: str, pick: Callable[[Container], Quantities]) -> tuple[Stage, ...]:
    """The stages of the pod's life in order; the largest is marked, or the last of them (the apps) if several are equal."""
    lasting: list[tuple[str, int]] = []
    found: list[tuple[int, list[Term]]] = []
    for item in spec.init_containers:
        amount = _nano(pick(item), resource)
        is_sidecar = options.sidecars and item.restart_policy == "Always"
        found.append(_stage(resource, lasting, [(item.name, "sidecar" if is_sidecar else "init", amount)]))
        if is_sidecar:
            lasting.append((item.name, amount))
    apps = [(item.name, "app", _nano(pick(item), resource)) for item in spec.containers]
    found.append(_stage(resource, lasting, apps))
    largest = max(range(len(found)), key=lambda n: (found[n][0], n))
    return tuple(
        Stage(terms=tuple(terms), total=_text(resource, nano), is_largest=n == largest)
        for n, (nano, terms) in enumerate(found)
        if nano or n == largest
    )


def _stage(resource: str, lasting: list[tuple[str, int]], own: list[tuple[str, str, int]]) -> tuple[int, list[Term]]:
    parts = [*((name, "sidecar", nano) for name, nano in lasting), *own]
    terms = [Term(name=name, role=role, amount=_text(resource, nano)) for name, role, nano in parts if nano]
    return sum(nano for _, _, nano in parts), terms


def _nano(quantities: Quantities, resource: str) -> int:
    return parse(quantities[resource]).nano if resource in quantities else 0


def _text(resource: str, nano: int) -> str:
    """The amount in the unit people use; "" for nothing."""
    form: Format = "BinarySI" if resource in _BYTES or resource.startswith("hugepages-") else "DecimalSI"
    return canonical(Quantity(nano, form)) if nano else ""
