"""What a pod requests from a node: the effective requests and limits that scheduling and admission use.

App containers run together, so they add up. Init containers run one after another, so only the largest counts; sidecars
keep running, so they add to everything after them. Amounts are nano units by resource name.
Source: component-helpers resource/helpers.go. Cost: about 2 µs per container with resources.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from msgspec import Struct

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.container import Container, Quantities
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.quantity import parse

Amounts = dict[str, int]
"""Nano units by resource name."""
Pick = Callable[[Container], Quantities]


class ActualResources(Struct, frozen=True, gc=False, kw_only=True):
    """The resources in the status of a container; None if it has none."""

    requests: Quantities | None = None
    limits: Quantities | None = None
    allocated: Quantities | None = None


Actual = Mapping[str, ActualResources]
NOTHING_KNOWN: Actual = MappingProxyType({})


class RequestOptions(Struct, frozen=True, kw_only=True, gc=False):
    """What is counted.

    ``overhead``: the overhead of the runtime class. ``pod_level``: pod-level resources override the sum (1.32).
    ``sidecars``: restartable init containers add up (1.28). ``status``: during a resize, the largest of spec,
    allocated and actual counts. ``infeasible``: the resize can never happen, so the spec does not count.
    """

    overhead: bool = True
    pod_level: bool = True
    sidecars: bool = True
    status: bool = False
    infeasible: bool = False


NEWEST = RequestOptions()


def pod_requests(spec: PodSpec, actual: Actual = NOTHING_KNOWN, *, options: RequestOptions = NEWEST) -> Amounts:
    """The effective requests. ``actual`` holds the values in statuses, by container name (only with ``options.status``)."""

    def allocated(container: Container) -> Quantities:
        known = actual.get(container.name)
        if known is not None and known.allocated is not None:
            return known.allocated
        return {} if options.infeasible else container.resources.requests

    def actuated(container: Container) -> Quantities:
        known = actual.get(container.name)
        if known is not None and known.requests is not None:
            return known.requests
        return allocated(container)

    picks: tuple[Pick, ...] = (_spec_requests,) if not options.status else (allocated, actuated)
    total = _largest(spec, picks, _spec_requests, options)
    if options.pod_level and spec.resources is not None:
        _overrule(total, spec.resources.requests)
    if options.overhead:
        _add(total, _amounts(spec.overhead))
    return total


NONZERO: Quantities = {"cpu": "100m", "memory": "200Mi"}
"""The request assumed in the scheduler's scores for a container without one. Source: pkg/scheduler/util/pod_resources.go."""


def nonzero_requests(spec: PodSpec) -> Amounts:
    """The effective requests as scores use them: a missing request (unlike one of zero) counts as a small one."""

    def filled(container: Container) -> Quantities:
        return {**NONZERO, **container.resources.requests}

    total = _aggregate(spec, filled, sidecars=True)
    if spec.resources is not None:
        _overrule(total, spec.resources.requests)
    _add(total, _amounts(spec.overhead))
    return total


def pod_limits(spec: PodSpec, actual: Actual = NOTHING_KNOWN, *, options: RequestOptions = NEWEST) -> Amounts:
    """The effective limits; overhead is added only to resources that are limited."""

    def actuated(container: Container) -> Quantities:
        known = actual.get(container.name)
        if known is not None and known.limits is not None:
            return known.limits
        return {} if options.infeasible else container.resources.limits

    total = _largest(spec, (actuated,) if options.status else (_spec_limits,), _spec_limits, options)
    if options.pod_level and spec.resources is not None:
        _overrule(total, spec.resources.limits)
    if options.overhead:
        for name, nano in _amounts(spec.overhead).items():
            if total.get(name):
                total[name] += nano
    return total


def _spec_requests(container: Container) -> Quantities:
    return container.resources.requests


def _spec_limits(container: Container) -> Quantities:
    return container.resources.limits


def _largest(spec: PodSpec, picks: tuple[Pick, ...], from_spec: Pick, options: RequestOptions) -> Amounts:
    """Per resource the largest of several sums. The spec is one of them unless the resize is infeasible."""
    if options.status and not options.infeasible:
        # During a resize the largest of desired, allocated and actual is reserved.
        picks = (from_spec, *picks)
    total = _aggregate(spec, picks[0], sidecars=options.sidecars)
    for pick in picks[1:]:
        _raise(total, _aggregate(spec, pick, sidecars=options.sidecars))
    return total


def _aggregate(spec: PodSpec, pick: Pick, *, sidecars: bool) -> Amounts:
    total: Amounts = {}
    for container in spec.containers:
        _add(total, _amounts(pick(container)))
    # Requests of the sidecars started so far; they keep running alongside every later init container.
    lasting: Amounts = {}
    peak: Amounts = {}
    for container in spec.init_containers:
        needed = _amounts(pick(container))
        if sidecars and container.restart_policy == "Always":
            _add(total, needed)
            _add(lasting, needed)
            _raise(peak, lasting)
        else:
            _add(needed, lasting)
            _raise(peak, needed)
    _raise(total, peak)
    return total


def _amounts(quantities: Quantities) -> Amounts:
    return {name: parse(written).nano for name, written in quantities.items()}


def _add(total: Amounts, more: Amounts) -> None:
    for name, nano in more.items():
        total[name] = total.get(name, 0) + nano


def _raise(total: Amounts, other: Amounts) -> None:
    """Raise each resource of ``total`` to at least that of ``other``."""
    for name, nano in other.items():
        if name not in total or nano > total[name]:
            total[name] = nano


def _overrule(total: Amounts, of_the_pod: Quantities) -> None:
    for name, nano in _amounts(of_the_pod).items():
        if name in ("cpu", "memory") or name.startswith("hugepages-"):
            total[name] = nano


def resource_request(spec: PodSpec, resource: str) -> int:
    """One request as the scheduler counts it: cpu in milli, the rest in base units; overhead only on top of a request."""
    if resource == "pods":
        return 1
    nano = pod_requests(spec, options=RequestOptions(overhead=False)).get(resource, 0)
    if nano and resource in spec.overhead:
        nano += parse(spec.overhead[resource]).nano
    step = 1_000_000 if resource == "cpu" else 1_000_000_000
    return -(-nano // step)


RULES = (
    RuleText(
        "REQUEST-EFFECTIVE",
        gettext_noop(
            "The pod counts as its app containers combined or its largest init container, whichever is greater, sidecars included."
        ),
        "k8s.io/component-helpers/resource/helpers.go PodRequests",
    ),
)
