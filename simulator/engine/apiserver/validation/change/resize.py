"""The rules for a change of resources in place, through the subresource ``resize``.

Source: pkg/apis/core/validation ValidatePodResize (1.33); the order and wording for containers:
validatePodResizeContainerOrdering.
"""

from collections.abc import Iterator
from typing import Any

from simulator.engine.apiserver.validation.errors import FieldError, forbidden, invalid
from simulator.engine.apiserver.validation.pod_rules import Fields, fields, items, text
from simulator.engine.apiserver.validation.semantic import same
from simulator.engine.kernel.errors import BadManifest
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.model.qos import qos_class
from simulator.engine.model.quantity import BadQuantity, parse
from simulator.engine.versions.facts import facts_of

IN_PLACE = ("cpu", "memory")
RESTART = "RestartContainer"


def resize_errors(old: Fields, new: Fields, *, found: list[FieldError], minor: int, is_mirror: bool) -> Iterator[FieldError]:
    """The errors of the resize, after those ``found`` in metadata and in the new pod as a whole."""
    before, after = fields(old, "spec"), fields(new, "spec")
    refusal = _never(before, after, is_mirror=is_mirror)
    if refusal:
        yield forbidden("", refusal)
        return
    found = [*found, *_pod_errors(old, new)]
    if moved := list(_moved(before, after)):
        yield from (*found, *moved)
        return
    found += _resources(before, after, minor=minor)
    yield from found
    # Upstream compares the munged spec only if nothing else was found.
    if not found and not same(_others(after), _others(before)):
        yield forbidden("spec", "only cpu and memory resources are mutable")


def _never(before: Fields, after: Fields, *, is_mirror: bool) -> str:
    """Why this pod is never resized; empty when it may be. Pod-level resources need a gate that is on in no version."""
    if any(_has_own_resources(spec) for spec in (before, after)):
        return "pods with pod-level resources cannot be resized"
    if is_mirror:
        return "static pods cannot be resized"
    return "windows pods cannot be resized" if text(fields(before, "os"), "name") == "windows" else ""


def _has_own_resources(spec: Fields) -> bool:
    return any(fields(spec, "resources").get(key) for key in ("requests", "limits"))


def _pod_errors(old: Fields, new: Fields) -> Iterator[FieldError]:
    before, after = (_qos_of(pod) for pod in (old, new))
    if before != after:
        yield invalid("spec", text(fields(new, "status"), "qosClass") or before, "Pod QOS Class may not change as a result of resizing")
    running = [item for _, item in items(fields(old, "status"), "containerStatuses") if fields(item, "state").get("running") is not None]
    # An old kubelet does not report resources in the status: the sign that it cannot resize.
    if running and running[0].get("resources") is None:
        yield forbidden("spec", "Pod running on node without support for resize")


def _qos_of(pod: Fields) -> str:
    """The QoS class of a pod; empty when its quantities cannot be read, which other rules report."""
    try:
        return qos_class(pod_from_document(pod).spec, pod_level=False)
    except (BadManifest, BadQuantity):
        return ""


def _moved(before: Fields, after: Fields) -> Iterator[FieldError]:
    for group in ("containers", "initContainers"):
        old, new = ([text(item, "name") for _, item in items(spec, group)] for spec in (before, after))
        if len(old) != len(new):
            yield forbidden(f"spec.{group}", f"{group} may not be added or removed on resize")
            continue
        for index, (was, name) in enumerate(zip(old, new, strict=True)):
            if was != name:
                yield forbidden(f"spec.{group}[{index}].name", f"{group} may not be renamed or reordered on resize")


def _resources(before: Fields, after: Fields, *, minor: int) -> list[FieldError]:
    pairs = [
        (group, index, container, after[group][index])
        for group in ("initContainers", "containers")
        for index, container in items(before, group)
    ]
    found: list[FieldError] = []
    for group, index, old, new in pairs:
        if group == "containers" or _is_sidecar(old):
            found += _container(fields(old, "resources"), new, f"spec.{group}[{index}].resources", minor=minor)
    return found + [forbidden("spec", text) for text in _others_changed(pairs)]


def _container(old: Fields, container: Fields, path: str, *, minor: int) -> Iterator[FieldError]:
    new = fields(container, "resources")
    for key in ("requests", "limits"):
        if any(name not in fields(new, key) for name in fields(old, key)):
            yield forbidden(f"{path}.{key}", f"resource {key} cannot be removed")
    if not facts_of(minor).memory_limit_may_shrink and _memory_policy(container) != RESTART:
        yield from _memory_limit(fields(old, "limits"), fields(new, "limits"), f"{path}.limits[memory]")


def _memory_limit(old: Fields, new: Fields, path: str) -> Iterator[FieldError]:
    if "memory" not in new:
        return
    if "memory" not in old:
        yield forbidden(path, f"memory limits cannot be added unless resizePolicy is {RESTART}")
    elif _nano(new["memory"]) < _nano(old["memory"]):
        yield forbidden(path, f"memory limits cannot be decreased unless resizePolicy is {RESTART}")


def _memory_policy(container: Fields) -> str:
    return next((text(item, "restartPolicy") for _, item in items(container, "resizePolicy") if text(item, "resourceName") == "memory"), "")


def _nano(amount: Any) -> int:
    try:
        return parse(amount).nano
    except BadQuantity:
        return 0


def _is_sidecar(container: Fields) -> bool:
    return text(container, "restartPolicy") == "Always"


def _others_changed(pairs: list[tuple[str, int, Fields, Fields]]) -> Iterator[str]:
    for group in ("containers", "initContainers"):
        for _, _, old, new in (pair for pair in pairs if pair[0] == group):
            if group == "initContainers" and not _is_sidecar(old):
                if not same(new, old):
                    yield "resources for non-sidecar init containers are immutable"
            elif not same(_without_in_place(new, old), old):
                yield (
                    "only cpu and memory resources are mutable"
                    if group == "containers"
                    else ("only cpu and memory resources for sidecar containers are mutable")
                )


def _without_in_place(new: Fields, old: Fields) -> Fields:
    """The new container with cpu and memory as they were; a list that did not exist before does not count as a change."""
    resources = {}
    for key in ("limits", "requests"):
        was, now = fields(fields(old, "resources"), key), fields(fields(new, "resources"), key)
        if was:
            kept = {name: value for name, value in now.items() if name not in IN_PLACE}
            resources[key] = {**kept, **{name: was[name] for name in IN_PLACE if name in was}}
    return {**new, "resources": resources}


def _others(spec: Fields) -> Fields:
    """The spec without its containers, which are checked one by one."""
    return {key: value for key, value in spec.items() if key not in ("containers", "initContainers")}
