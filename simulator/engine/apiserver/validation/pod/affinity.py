"""Rules for the affinity of pods to nodes and to each other."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, forbidden, invalid, required
from simulator.engine.apiserver.validation.names import label_problems, subdomain_problems
from simulator.engine.apiserver.validation.pod_rules import SPEC, Context, Fields, Place, fields, items, number, rule, text, texts
from simulator.engine.apiserver.validation.selectors import key_errors, selector_errors, set_operator_errors, value_errors

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_WEIGHT = "must be in the range 1-100"
_BOTH = "exists in both matchLabelKeys and labelSelector"


def _weight_errors(item: Fields, path: str) -> Iterator[FieldError]:
    weight = number(item, "weight") or 0
    if not 1 <= weight <= 100:
        yield invalid(f"{path}.weight", weight, _WEIGHT)


@rule("NODE-AFFINITY", SPEC, of="affinity")
def node_affinity(place: Place, context: Context) -> Iterator[FieldError]:
    """Terms for nodes have well-formed requirements; required affinity has a term, a preference a weight."""
    affinity, path = fields(fields(context.spec, "affinity"), "nodeAffinity"), "spec.affinity.nodeAffinity"
    if isinstance(affinity.get(_REQUIRED), dict):
        yield from node_selector_errors(affinity[_REQUIRED], f"{path}.{_REQUIRED}", context)
    for index, item in items(affinity, _PREFERRED):
        yield from _weight_errors(item, f"{path}.{_PREFERRED}[{index}]")
        yield from _term_errors(fields(item, "preference"), f"{path}.{_PREFERRED}[{index}].preference", values=False)


def node_selector_errors(selector: Fields, path: str, context: Context) -> Iterator[FieldError]:
    """What is wrong with a node selector."""
    if not selector.get("nodeSelectorTerms"):
        yield required(f"{path}.nodeSelectorTerms", "must have at least one node selector term")
    for index, term in items(selector, "nodeSelectorTerms"):
        yield from _term_errors(term, f"{path}.nodeSelectorTerms[{index}]", values=context.facts.label_values_in_node_affinity)


# Depending on the version label values are checked in required terms, but never in preferred ones.
def _term_errors(term: Fields, path: str, *, values: bool) -> Iterator[FieldError]:
    for index, item in items(term, "matchExpressions"):
        found = f"{path}.matchExpressions[{index}]"
        yield from set_operator_errors(item, found, also_numbers=True)
        yield from key_errors(text(item, "key"), f"{found}.key")
        if values:
            yield from value_errors(texts(item, "values"), f"{found}.values")
    for index, item in items(term, "matchFields"):
        yield from _field_errors(item, f"{path}.matchFields[{index}]")


def _field_errors(item: Fields, path: str) -> Iterator[FieldError]:
    operator, key, values = text(item, "operator"), text(item, "key"), texts(item, "values")
    if operator not in ("In", "NotIn"):
        yield invalid(f"{path}.operator", operator, "not a valid selector operator")
    elif len(values) != 1:
        yield required(f"{path}.values", "must be only one value when `operator` is 'In' or 'NotIn' for node field selector")
    if key != "metadata.name":
        yield invalid(f"{path}.key", key, "not a valid field selector key")
        return
    for index, value in enumerate(values):
        yield from (invalid(f"{path}.values[{index}]", value, problem) for problem in subdomain_problems(value))


def _pod_terms(context: Context) -> Iterator[tuple[Fields, str, Fields | None]]:
    """(term, path, the weighted item around it) of all terms of both kinds."""
    affinity = fields(context.spec, "affinity")
    for kind in ("podAffinity", "podAntiAffinity"):
        path = f"spec.affinity.{kind}"
        for index, term in items(fields(affinity, kind), _REQUIRED):
            yield term, f"{path}.{_REQUIRED}[{index}]", None
        for index, item in items(fields(affinity, kind), _PREFERRED):
            yield fields(item, "podAffinityTerm"), f"{path}.{_PREFERRED}[{index}].podAffinityTerm", item


def _pod_affinity(context: Context, selector_field: str) -> Iterator[FieldError]:
    for term, path, weighted in _pod_terms(context):
        if weighted is not None:
            yield from _weight_errors(weighted, path.removesuffix(".podAffinityTerm"))
        yield from selector_errors(term.get("labelSelector"), f"{path}.{selector_field}", context)
        yield from selector_errors(term.get("namespaceSelector"), f"{path}.namespaceSelector", context)
        for name in texts(term, "namespaces"):
            # The path says namespace, not namespaces[i]: upstream's.
            yield from (invalid(f"{path}.namespace", name, problem) for problem in label_problems(name))
        yield from _label_keys_errors(term, path)
        topology = text(term, "topologyKey")
        if not topology:
            yield required(f"{path}.topologyKey", "can not be empty")
        yield from key_errors(topology, f"{path}.topologyKey")


@rule("POD-AFFINITY", SPEC, since=22, of="affinity")
def pod_affinity(place: Place, context: Context) -> Iterator[FieldError]:
    """Terms for pods have a topology key, well-formed selectors and namespaces; a preference has a weight."""
    return _pod_affinity(context, "labelSelector")


@rule("POD-AFFINITY-1.21", SPEC, until=21, of="affinity")
def pod_affinity_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same; the selector has another name."""
    return _pod_affinity(context, "matchExpressions")


def _label_keys_errors(term: Fields, path: str) -> Iterator[FieldError]:
    selector = term.get("labelSelector")
    for field in ("matchLabelKeys", "mismatchLabelKeys"):
        keys = texts(term, field)
        if keys and selector is None:
            yield forbidden(f"{path}.{field}", "must not be specified when labelSelector is not set")
            continue
        for index, key in enumerate(keys):
            yield from key_errors(key, f"{path}.{field}[{index}]")
    matched, mismatched = texts(term, "matchLabelKeys"), texts(term, "mismatchLabelKeys")
    seen = set(fields(fields(term, "labelSelector"), "matchLabels"))
    for _, expression in items(fields(term, "labelSelector"), "matchExpressions"):
        key = text(expression, "key")
        if key in matched and key in seen:
            # The path lacks the name of the list, as upstream's does.
            yield invalid(f"{path}[{matched.index(key)}]", key, _BOTH)
        seen.add(key)
    for index, key in enumerate(matched):
        if key in mismatched:
            yield invalid(f"{path}.matchLabelKeys[{index}]", key, "exists in both matchLabelKeys and mismatchLabelKeys")
