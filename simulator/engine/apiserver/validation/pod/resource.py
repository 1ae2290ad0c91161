"""Rules for requests and limits of containers, and for the overhead of a pod."""

from collections.abc import Iterator
from typing import Any

from simulator.engine.apiserver.validation.errors import NOT_FOUND, FieldError, duplicate, forbidden, invalid, required
from simulator.engine.apiserver.validation.names import label_problems, qualified_name_problems
from simulator.engine.apiserver.validation.pod_rules import LIMIT, REQUEST, RESOURCES, Context, Fields, Place, fields, items, rule, text
from simulator.engine.apiserver.validation.printed import quantity
from simulator.engine.model.quantity import NANO, BadQuantity, canonical, parse

HUGE_PAGES = "hugepages-"
NOT_NEGATIVE = "must be greater than or equal to 0"
QUANTITY_CHARS_MAX = 100
_CONTAINER = ("cpu", "memory", "ephemeral-storage")
_COUNTS = (
    *("pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps", "persistentvolumeclaims"),
    *("services.nodeports", "services.loadbalancers"),
)
_STANDARD = frozenset(
    {
        *_CONTAINER,
        *_COUNTS,
        *("requests.cpu", "requests.memory", "requests.ephemeral-storage", "limits.cpu", "limits.memory", "limits.ephemeral-storage"),
        *("storage", "requests.storage"),
    }
)


def amount(value: Any) -> int | None:
    """Billionths of a quantity's base unit; None for something that is not a quantity or longer than any sensible one."""
    # bool is an int to Python.
    if isinstance(value, bool) or not isinstance(value, str | int | float) or len(str(value)) > QUANTITY_CHARS_MAX:
        return None
    try:
        return parse(value).nano
    except BadQuantity:
        return None


def shown(value: Any) -> str:
    """A quantity as messages show it: in its canonical form."""
    return canonical(parse(value))


def is_native(name: str) -> bool:
    """Whether a resource is one of Kubernetes' own."""
    return "/" not in name or "kubernetes.io/" in name


def is_extended(name: str) -> bool:
    """Whether a resource is an extended one, such as example.com/gpu."""
    # With requests. in front the name must still be valid, as quotas prefix it.
    return not is_native(name) and not name.startswith("requests.") and not qualified_name_problems(f"requests.{name}")


def may_overcommit(name: str) -> bool:
    """Whether a request may be less than its limit."""
    return is_native(name) and not name.startswith(HUGE_PAGES)


def standard_name_errors(name: str, field: str) -> Iterator[FieldError]:
    """What is wrong with the name of any resource."""
    problems = qualified_name_problems(name)
    yield from (invalid(field, name, problem) for problem in problems)
    if not problems and "/" not in name and name not in _STANDARD and not name.startswith((HUGE_PAGES, f"requests.{HUGE_PAGES}")):
        yield invalid(field, name, "must be a standard resource type or fully qualified")


def resource_name_errors(name: str, field: str) -> Iterator[FieldError]:
    """What is wrong with the name of a resource that a container has or requests."""
    if name in _CONTAINER:
        return
    yield from standard_name_errors(name, field)
    if "/" not in name:
        if not name.startswith(HUGE_PAGES):
            yield invalid(field, name, "must be a standard resource for containers")
    elif not is_native(name) and not is_extended(name):
        yield invalid(field, name, "doesn't follow extended resource name standard")


@rule("LIMIT-NAME", LIMIT)
def limit_name(place: Place, context: Context) -> Iterator[FieldError]:
    """A limit is for a resource that containers have, or for a fully qualified one."""
    return resource_name_errors(place.group, place.path)


@rule("REQUEST-NAME", REQUEST)
def request_name(place: Place, context: Context) -> Iterator[FieldError]:
    """A request is for a resource that containers have, or for a fully qualified one."""
    return resource_name_errors(place.group, place.path)


def resource_amount_errors(place: Place, context: Context) -> Iterator[FieldError]:
    """What is wrong with an amount of any resource: it is negative, or not a whole number if it has to be."""
    written = place.value["amount"]
    exact = amount(written)
    if exact is None:
        return
    if exact < 0:
        yield invalid(place.path, shown(written), NOT_NEGATIVE)
    if exact % NANO and (place.group in _COUNTS or is_extended(place.group)):
        yield invalid(place.path, quantity(written, context), "must be an integer")


@rule("LIMIT-AMOUNT", LIMIT)
def limit_amount(place: Place, context: Context) -> Iterator[FieldError]:
    """A limit is not negative, and whole for extended resources."""
    return resource_amount_errors(place, context)


@rule("REQUEST-AMOUNT", REQUEST)
def request_amount(place: Place, context: Context) -> Iterator[FieldError]:
    """A request is not negative, and whole for extended resources."""
    return resource_amount_errors(place, context)


def _limit_errors(place: Place, *, named: bool) -> Iterator[FieldError]:
    """``place.owner`` has all the requirements; ``named``: the messages name the limit."""
    name, asked = place.group, amount(place.value["amount"])
    limits = fields(place.owner, "limits")
    path = place.path[: place.path.index(".requests[")]
    allowed = amount(limits.get(name))
    if asked is None:
        return
    if allowed is not None:
        suffix = f" of {shown(limits[name])}" if named else ""
        if asked != allowed and not may_overcommit(name):
            yield invalid(f"{path}.requests", shown(place.value["amount"]), f"must be equal to {name} limit{suffix}")
        elif asked > allowed:
            yield invalid(f"{path}.requests", shown(place.value["amount"]), f"must be less than or equal to {name} limit{suffix}")
    # A limit that cannot be parsed is reported elsewhere.
    elif name not in limits and not may_overcommit(name):
        yield required(f"{path}.limits", "Limit must be set for non overcommitable resources")


@rule("REQUEST-WITHIN-LIMIT", REQUEST, since=27)
def request_within_limit(place: Place, context: Context) -> Iterator[FieldError]:
    """A request is within its limit, and equals it for resources that cannot be overcommitted."""
    return _limit_errors(place, named=True)


@rule("REQUEST-WITHIN-LIMIT-1.26", REQUEST, until=26)
def request_within_limit_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same with the older text."""
    return _limit_errors(place, named=False)


def _page_errors(place: Place) -> Iterator[FieldError]:
    exact, page = amount(place.value["amount"]), amount(place.group.removeprefix(HUGE_PAGES))
    if not place.group.startswith(HUGE_PAGES) or exact is None:
        return
    if page is None or page <= 0 or page % NANO or exact % page:
        written = shown(place.value["amount"])
        yield invalid(place.path, written, f"{written} is not positive integer multiple of {place.group}")


@rule("LIMIT-HUGE-PAGES", LIMIT, since=21)
def limit_huge_pages(place: Place, context: Context) -> Iterator[FieldError]:
    """A limit of huge pages is a number of whole pages."""
    return _page_errors(place)


@rule("REQUEST-HUGE-PAGES", REQUEST, since=21)
def request_huge_pages(place: Place, context: Context) -> Iterator[FieldError]:
    """A request for huge pages is a number of whole pages."""
    return _page_errors(place)


@rule("HUGE-PAGES-NEED-MEMORY", RESOURCES)
def huge_pages_need_memory(place: Place, context: Context) -> Iterator[FieldError]:
    """A container that requests huge pages also requests cpu or memory."""
    names = {name for which in ("limits", "requests") for name in fields(place.value, which)}
    if not names & {"cpu", "memory"} and any(name.startswith(HUGE_PAGES) for name in names):
        yield forbidden(place.path, "HugePages require cpu or memory")


@rule("CONTAINER-CLAIMS", RESOURCES, since_gate="DynamicResourceAllocation", of="claims")
def container_claims(place: Place, context: Context) -> Iterator[FieldError]:
    """Devices that a container uses are claimed by the pod, each once."""
    known = sorted({text(claim, "name") for _, claim in items(context.spec, "resourceClaims")} - {""})
    seen: list[str] = []
    for index, claim in items(place.value, "claims"):
        field = f"{place.path}.claims[{index}]"
        if name := text(claim, "name"):
            yield from _claim_errors(claim, field, seen)
            if name not in known:
                detail = "must be one of the names in pod.spec.resourceClaims" + (f": {', '.join(known)}" if known else " which is empty")
                yield FieldError(type=NOT_FOUND, field=field, value=name, detail=detail)
        else:
            yield required(field)


def _claim_errors(claim: Fields, field: str, seen: list[str]) -> Iterator[FieldError]:
    name, request = text(claim, "name"), text(claim, "request")
    key = f"{name}/{request}" if request else name
    # A claim without a request stands for all its requests, before or after.
    if name in seen:
        yield duplicate(field, name)
        return
    if request:
        yield from (invalid(f"{field}.request", request, problem) for problem in label_problems(request))
    if key in seen:
        yield duplicate(field, key)
    elif not request:
        yield from (duplicate(field, name) for other in seen if other.partition("/")[0] == name)
    seen.append(key)
