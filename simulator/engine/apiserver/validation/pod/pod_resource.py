"""Rules for the requests of a pod as a whole: pod-level resources, devices, overhead."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, duplicate, forbidden, invalid, not_supported, required
from simulator.engine.apiserver.validation.names import label_problems, subdomain_problems
from simulator.engine.apiserver.validation.pod.resource import HUGE_PAGES, amount, resource_amount_errors, shown, standard_name_errors
from simulator.engine.apiserver.validation.pod_rules import RESOURCE_CLAIM, SPEC, Context, Fields, Place, fields, items, rule, text
from simulator.engine.model.quantity import Quantity, canonical, parse

_POD_LEVEL = ("cpu", "memory")


@rule("RESOURCE-CLAIM-NAME", RESOURCE_CLAIM, since_gate="DynamicResourceAllocation")
def resource_claim_name(place: Place, context: Context) -> Iterator[FieldError]:
    """A claim for devices has a name of its own, a DNS label."""
    name = text(place.value, "name")
    if not name:
        yield required(f"{place.path}.name")
    elif place.is_repeated("name", name):
        yield duplicate(f"{place.path}.name", name)
    else:
        yield from (invalid(f"{place.path}.name", name, problem) for problem in label_problems(name))


@rule("RESOURCE-CLAIM-SOURCE", RESOURCE_CLAIM, since_gate="DynamicResourceAllocation")
def resource_claim_source(place: Place, context: Context) -> Iterator[FieldError]:
    """A claim for devices names a ResourceClaim or a template."""
    sources = [key for key in ("resourceClaimName", "resourceClaimTemplateName") if place.value.get(key) is not None]
    if len(sources) > 1:
        yield invalid(place.path, place.value, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified")
    elif not sources:
        yield invalid(place.path, place.value, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`")
    for key in sources:
        name = text(place.value, key)
        yield from (invalid(f"{place.path}.{key}", name, problem) for problem in subdomain_problems(name))


def is_for_windows(spec: Fields) -> bool:
    """Whether the pod declares that it is for Windows."""
    return text(fields(spec, "os"), "name") == "windows"


@rule("POD-RESOURCES", SPEC, since_gate="PodLevelResources")
def pod_resources(place: Place, context: Context) -> Iterator[FieldError]:
    """Pod-level amounts are of cpu, memory or huge pages, not negative, requests within limits; a Windows pod has none."""
    wanted = fields(context.spec, "resources")
    if is_for_windows(context.spec):
        if context.spec.get("resources") is not None:
            yield forbidden("spec.resources", "may not be set for a windows pod")
        return
    if wanted.get("claims"):
        yield forbidden("spec.resources.claims", "claims cannot be set for Resources at pod-level")
    limits, requests = fields(wanted, "limits"), fields(wanted, "requests")
    for which in ("limits", "requests"):
        for name, written in fields(wanted, which).items():
            field = f"spec.resources.{which}[{name}]"
            yield from _name_errors(name, field)
            yield from resource_amount_errors(Place(field, {"amount": written}, name), context)
            if which == "requests":
                yield from _within_limit(name, written, limits)
    names = {*limits, *requests}
    if not names & set(_POD_LEVEL) and any(name.startswith(HUGE_PAGES) for name in names):
        yield forbidden("spec.resources", "HugePages require cpu or memory")


def _name_errors(name: str, field: str) -> Iterator[FieldError]:
    if name in _POD_LEVEL or name.startswith(HUGE_PAGES):
        return
    yield from standard_name_errors(name, field)
    # Both errors are reported for a name that is not even a standard one.
    yield not_supported(field, name, ("cpu", HUGE_PAGES, "memory"))


def _within_limit(name: str, written: object, limits: Fields) -> Iterator[FieldError]:
    asked, allowed = amount(written), amount(limits.get(name))
    if asked is None or allowed is None:
        return
    if asked != allowed and name.startswith(HUGE_PAGES):
        yield invalid("spec.resources.requests", shown(written), f"must be equal to {name} limit of {shown(limits[name])}")
    elif asked > allowed:
        yield invalid("spec.resources.requests", shown(written), f"must be less than or equal to {name} limit of {shown(limits[name])}")


@rule("POD-RESOURCES-COVER", SPEC, since_gate="PodLevelResources", of="resources")
def pod_resources_cover(place: Place, context: Context) -> Iterator[FieldError]:
    """A pod's own requests cover the total of its containers."""
    requests = fields(fields(context.spec, "resources"), "requests")
    if not requests or is_for_windows(context.spec):
        return
    for name, total in _aggregate(context.spec).items():
        own = amount(requests.get(name))
        if own is not None and total > own:
            detail = f"must be greater than or equal to aggregate container requests of {_shown_like(total, requests[name])}"
            yield invalid(f"spec.resources.requests[{name}]", shown(requests[name]), detail)


def _shown_like(total: int, written: object) -> str:
    return canonical(Quantity(total, parse(str(written)).format))


def _aggregate(spec: Fields) -> dict[str, int]:
    """Requests of all containers: sidecars and ordinary ones together, or the largest init container with the sidecars before it."""
    total: dict[str, int] = {}
    for _, container in items(spec, "containers"):
        _add(total, _requests(container))
    sidecars: dict[str, int] = {}
    peak: dict[str, int] = {}
    for _, container in items(spec, "initContainers"):
        own = _requests(container)
        if text(container, "restartPolicy") == "Always":
            _add(total, own)
            _add(sidecars, own)
            # A sidecar runs alongside the init containers after it, so it counts from here on.
            own = sidecars
        else:
            own = {name: own.get(name, 0) + sidecars.get(name, 0) for name in {**own, **sidecars}}
        for name, value in own.items():
            peak[name] = max(peak.get(name, 0), value)
    return {name: max(total.get(name, 0), peak.get(name, 0)) for name in {**total, **peak}}


def _requests(container: Fields) -> dict[str, int]:
    """Requests; a limit without a request counts as one, as in defaulting."""
    resources = fields(container, "resources")
    written = {**fields(resources, "limits"), **fields(resources, "requests")}
    return {name: exact for name, value in written.items() if (exact := amount(value)) is not None}


def _add(total: dict[str, int], more: dict[str, int]) -> None:
    for name, value in more.items():
        total[name] = total.get(name, 0) + value


@rule("POD-LIMITS-CAP", SPEC, since_gate="PodLevelResources", of="resources")
def pod_limits_cap(place: Place, context: Context) -> Iterator[FieldError]:
    """No container's limit exceeds the pod's own limit."""
    limits = fields(fields(context.spec, "resources"), "limits")
    if not limits or is_for_windows(context.spec):
        return
    for index, container in items(context.spec, "containers"):
        for name, written in fields(fields(container, "resources"), "limits").items():
            own, cap = amount(written), amount(limits.get(name))
            if own is not None and cap is not None and own > cap:
                field = f"spec.resources.containers[{index}][{name}].limits"
                yield invalid(field, shown(written), f"must be less than or equal to pod limits of {shown(limits[name])}")
