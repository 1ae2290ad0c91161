"""Rules for Nodes and Namespaces (pkg/apis/core/validation)."""

from collections.abc import Iterator
from ipaddress import ip_network

from simulator.engine.apiserver.validation.errors import DUPLICATE, FieldError, duplicate, invalid, not_supported, required
from simulator.engine.apiserver.validation.kinds.amounts import amount_errors
from simulator.engine.apiserver.validation.kinds.common import each, inner, named
from simulator.engine.apiserver.validation.kinds.kind_rules import kind_rule
from simulator.engine.apiserver.validation.kinds.service_addresses import cidr_errors
from simulator.engine.apiserver.validation.kinds.shown import shown_texts
from simulator.engine.apiserver.validation.names import label_value_problems, qualified_name_problems
from simulator.engine.apiserver.validation.pod_rules import Place, fields, text, texts

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_STANDARD_FINALIZERS = ("kubernetes", "orphan", "foregroundDeletion")


@kind_rule("NODE-TAINTS", "Node")
def taints(place: Place) -> Iterator[FieldError]:
    """Key, value and effect of a taint; key and effect together are unique. (The API server names them below metadata.)"""
    seen: set[tuple[str, str]] = set()
    for taint in each(inner(place, "spec"), "taints"):
        # Upstream's path, though taints are in the spec.
        path = taint.path.replace("spec.", "metadata.", 1)
        key, effect = text(taint.value, "key"), text(taint.value, "effect")
        yield from named(f"{path}.key", key, qualified_name_problems)
        problems = label_value_problems(text(taint.value, "value"))
        if problems:
            # All problems of a value are one error here.
            yield invalid(f"{path}.value", text(taint.value, "value"), ";".join(problems))
        if not effect:
            yield required(f"{path}.effect")
        elif effect not in _EFFECTS:
            yield not_supported(f"{path}.effect", effect, _EFFECTS)
        if (key, effect) in seen:
            detail = "taints must be unique by key and effect pair"
            yield FieldError(type=DUPLICATE, field=path, value=taint.value, detail=detail)
        seen.add((key, effect))


@kind_rule("NODE-RESOURCES", "Node")
def resources(place: Place) -> Iterator[FieldError]:
    """A node's amounts of resources are not negative."""
    for which in ("capacity", "allocatable"):
        for name, value in fields(fields(place.value, "status"), which).items():
            yield from amount_errors(f"status.{which}.{name}", name, value)


@kind_rule("NODE-POD-CIDRS", "Node", create_only=True)
def pod_cidrs(place: Place) -> Iterator[FieldError]:
    """A node has at most one CIDR of each family for its pods."""
    blocks = texts(fields(place.value, "spec"), "podCIDRs")
    found = [error for index, block in enumerate(blocks) for error in cidr_errors(f"spec.podCIDRs[{index}]", block)]
    yield from found
    if not found and len({ip_network(block, strict=False).version for block in blocks}) < len(blocks):
        detail = "may specify no more than one CIDR for each IP family"
        yield invalid("spec.podCIDRs", shown_texts(blocks), detail)
    for index, block in enumerate(blocks):
        if block in blocks[:index]:
            yield duplicate(f"spec.podCIDRs[{index}]", block)


@kind_rule("NAMESPACE-FINALIZERS", "Namespace")
def namespace_finalizers(place: Place) -> Iterator[FieldError]:
    """Finalizers are standard ones or have a domain."""
    for name in texts(fields(place.value, "spec"), "finalizers"):
        yield from named("spec.finalizers", name, qualified_name_problems)
        if "/" not in name and name not in _STANDARD_FINALIZERS:
            detail = "name is neither a standard finalizer name nor is it fully qualified"
            yield invalid("spec.finalizers", name, detail)
