"""LimitRanger: what a namespace's LimitRanges add to a new pod's containers, and what they forbid.

The plug-in acts twice. While the pod is still being completed it fills in missing requests and
limits from the items of type Container, and notes what it set in the annotation
``kubernetes.io/limit-ranger``. Once the pod is complete it checks minimum and maximum, per
container and, for items of type Pod, for the sum of the app containers.

An item is itself defaulted when the LimitRange is stored: the default limit is the maximum, the
default request is the default limit, else the minimum. A LimitRange that states only ``max``
therefore gives every container a limit and a request. ``complete`` is that rule, for both items
that are stored and items that are applied.

A request that the container leaves out follows the container's own limit, not the default request:
API defaulting has already copied it, and the same precedence is kept here.

Not modelled: ratios of limit to request, and the storage of claims.

Source: plugin/pkg/admission/limitranger (admission plug-ins).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.quantity import BadQuantity, canonical, milli, parse

RULES = (
    RuleText(
        "LIMIT-RANGE",
        gettext_noop("A LimitRange in the namespace forbids this pod: {message}"),
        "plugin/pkg/admission/limitranger/admission.go",
    ),
)
ANNOTATION = "kubernetes.io/limit-ranger"
_LISTS = ("initContainers", "containers")
_WORDS = (("containers", "container"), ("initContainers", "init container"))
_Quantities = dict[str, Any]


def complete(limit: Mapping[str, Any]) -> tuple[_Quantities, _Quantities]:
    """The default limits and requests of a Container limit as the API server completes them (SetDefaults_LimitRangeItem)."""
    default = {**(limit.get("max") or {}), **(limit.get("default") or {})}
    # Later entries win: what is stated, then the default limit, then the minimum.
    request = {**(limit.get("min") or {}), **default, **(limit.get("defaultRequest") or {})}
    return default, request


def add_limits(pod: dict[str, Any], limits: Sequence[Mapping[str, Any]]) -> None:
    """Fill in the defaults of LimitRanges in the containers of a pod, in place, with the plug-in's annotation."""
    spec = pod["spec"]
    notes: list[str] = []
    for limit in limits:
        if limit.get("type") == "Container":
            default, request = complete(limit)
            notes += [text for name, word in _WORDS for item in spec.get(name) or () for text in _noted(item, default, request, word)]
            spec.update({name: [_filled(item, default, request) for item in spec[name]] for name in _LISTS if spec.get(name)})
    if notes:
        metadata = pod.get("metadata") or {}
        text = f"LimitRanger plugin set: {'; '.join(notes)}"
        pod["metadata"] = {**metadata, "annotations": {**(metadata.get("annotations") or {}), ANNOTATION: text}}


def limit_problem(spec: Mapping[str, Any], limits: Sequence[Mapping[str, Any]]) -> str:
    """Why the limits of LimitRanges forbid a pod; empty if they do not."""
    problems = [problem for limit in limits for problem in _violations(spec, limit)]
    # Go's aggregate error prints brackets only around several messages.
    return problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]" if problems else ""


def _filled(container: dict[str, Any], default: _Quantities, request: _Quantities) -> dict[str, Any]:
    """The container with defaults; a request that is not set follows the container's own limit, not the default one."""
    resources = container.get("resources") or {}
    own = resources.get("limits") or {}
    limits = {**default, **own}
    requests = {**request, **own, **(resources.get("requests") or {})}
    filled = {key: part for key, part in (("limits", limits), ("requests", requests)) if part}
    return {**container, "resources": {**resources, **filled}} if filled else container


def _noted(container: dict[str, Any], default: _Quantities, request: _Quantities, word: str) -> Iterator[str]:
    """The names of what is filled in, in the annotation's wording: ``cpu, memory request for container app``."""
    resources = container.get("resources") or {}
    own = resources.get("limits") or {}
    requests = sorted(set(request) - {*own, *(resources.get("requests") or {})})
    limits = sorted(set(default) - set(own))
    for names, part in ((requests, "request"), (limits, "limit")):
        if names:
            yield f"{', '.join(names)} {part} for {word} {container.get('name')}"


def _violations(spec: Mapping[str, Any], limit: Mapping[str, Any]) -> Iterator[str]:
    kind = limit.get("type")
    if kind == "Container":
        for name in _LISTS:
            for container in spec.get(name) or ():
                yield from _broken(limit, "Container", container.get("resources") or {})
    elif kind == "Pod":
        yield from _broken(limit, "Pod", _total(spec))


def _broken(limit: Mapping[str, Any], kind: str, resources: Mapping[str, Any]) -> Iterator[str]:
    """The requests and limits of a container or pod that are out of bounds, in the API server's wording."""
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    for name, bound in (limit.get("min") or {}).items():
        if name not in requests:
            # The two spaces are upstream's.
            yield f"minimum {name} usage per {kind} is {bound}.  No request is specified"
        elif _amount(requests[name]) < _amount(bound):
            yield f"minimum {name} usage per {kind} is {bound}, but request is {_shown(requests[name])}"
    for name, bound in (limit.get("max") or {}).items():
        if name not in limits:
            yield f"maximum {name} usage per {kind} is {bound}.  No limit is specified"
        elif _amount(limits[name]) > _amount(bound):
            yield f"maximum {name} usage per {kind} is {bound}, but limit is {_shown(limits[name])}"


def _total(spec: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Requests and limits of all app containers together, in thousandths."""
    total: dict[str, dict[str, int]] = {"requests": {}, "limits": {}}
    for container in spec.get("containers") or ():
        for part, sums in total.items():
            for name, text in ((container.get("resources") or {}).get(part) or {}).items():
                sums[name] = sums.get(name, 0) + _amount(text)
    return {part: {name: f"{amount}m" for name, amount in sums.items()} for part, sums in total.items()}


def _amount(text: Any) -> int:
    try:
        return milli(text)
    except BadQuantity:
        return 0


def _shown(text: Any) -> str:
    try:
        return canonical(parse(text))
    except BadQuantity:
        return str(text)


def with_defaults(document: dict[str, Any]) -> dict[str, Any]:
    """A LimitRange as the API server stores it: limits of containers completed."""
    spec = document.get("spec") or {}
    limits = [_completed(limit) if limit.get("type") == "Container" else limit for limit in spec.get("limits") or ()]
    return {**document, "spec": {**spec, "limits": limits}}


def _completed(limit: Mapping[str, Any]) -> dict[str, Any]:
    default, request = complete(limit)
    parts = {key: part for key, part in (("default", default), ("defaultRequest", request)) if part}
    return {**limit, **parts}
