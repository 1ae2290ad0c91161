"""Rules for what decides a pod's node: selector, gates, spreading, tolerations."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

from simulator.engine.apiserver.validation.errors import FieldError, duplicate, forbidden, invalid, not_supported, required
from simulator.engine.apiserver.validation.metadata_rules import label_errors
from simulator.engine.apiserver.validation.names import label_value_problems, qualified_name_problems
from simulator.engine.apiserver.validation.pod_rules import SPEC, WHOLE, Context, Fields, Place, fields, items, number, rule, text, texts
from simulator.engine.apiserver.validation.printed import structure
from simulator.engine.apiserver.validation.selectors import key_errors, selector_errors
from simulator.engine.model.whole import is_canonical

Shown: TypeAlias = Callable[[], Any] | None
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
POLICIES = ("Honor", "Ignore")
WHEN_UNSATISFIABLE = ("DoNotSchedule", "ScheduleAnyway")
_POSITIVE = "must be greater than zero"
_OPERATORS = ("Equal", "Exists")
_COMPARING = ("Lt", "Gt")
_ALL_OPERATORS = (*_OPERATORS, *_COMPARING)
_COMPARING_GATE = "TaintTolerationComparisonOperators"


@rule("NODE-SELECTOR", SPEC, of="nodeSelector")
def node_selector(place: Place, context: Context) -> Iterator[FieldError]:
    """A node selector consists of labels."""
    return label_errors(fields(context.spec, "nodeSelector"), "spec.nodeSelector")


@rule("READINESS-GATES", SPEC, of="readinessGates")
def readiness_gates(place: Place, context: Context) -> Iterator[FieldError]:
    """A readiness gate names a condition."""
    for index, gate in items(context.spec, "readinessGates"):
        name = text(gate, "conditionType")
        yield from (invalid(f"spec.readinessGates[{index}].conditionType", name, problem) for problem in qualified_name_problems(name))


@rule("SCHEDULING-GATES", SPEC, since_gate="PodSchedulingReadiness", of="schedulingGates")
def scheduling_gates(place: Place, context: Context) -> Iterator[FieldError]:
    """Scheduling gates are qualified names, each once."""
    seen: set[str] = set()
    for index, gate in items(context.spec, "schedulingGates"):
        name, field = text(gate, "name"), f"spec.schedulingGates[{index}]"
        yield from (invalid(field, name, problem) for problem in qualified_name_problems(name))
        if name in seen:
            yield duplicate(field, name)
        seen.add(name)


@rule("GATED-WITHOUT-NODE", WHOLE, pods_only=True, since_gate="PodSchedulingReadiness", of="schedulingGates")
def gated_without_node(place: Place, context: Context) -> Iterator[FieldError]:
    """A pod that waits behind gates has no node yet."""
    if context.spec.get("schedulingGates") and text(context.spec, "nodeName"):
        yield forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")


@rule("EPHEMERAL-ON-CREATE", WHOLE, pods_only=True, of="ephemeralContainers")
def ephemeral_on_create(place: Place, context: Context) -> Iterator[FieldError]:
    """Ephemeral containers are added later, through their own subresource."""
    if context.spec.get("ephemeralContainers"):
        yield forbidden("spec.ephemeralContainers", "cannot be set on create")


@rule("TOPOLOGY-SPREAD", SPEC, of="topologySpreadConstraints")
def topology_spread(place: Place, context: Context) -> Iterator[FieldError]:
    """A constraint has a positive skew, a topology key and an action; no two have the same topology and action."""
    constraints = list(items(context.spec, "topologySpreadConstraints"))
    pairs = [(text(constraint, "topologyKey"), text(constraint, "whenUnsatisfiable")) for _index, constraint in constraints]
    # The earlier of two equal constraints is reported: upstream compares with the ones after it.
    last = {pair: n for n, pair in enumerate(pairs)}
    for n, (index, constraint) in enumerate(constraints):
        path = f"spec.topologySpreadConstraints[{index}]"
        yield from _basic_errors(constraint, path)
        pair = pairs[n]
        if last[pair] > n:
            yield duplicate(f"{path}.{{topologyKey, whenUnsatisfiable}}", f"{{{pair[0]}, {pair[1]}}}")
        yield from _newer_errors(constraint, path, context)


def _basic_errors(constraint: Fields, path: str) -> Iterator[FieldError]:
    skew, action = number(constraint, "maxSkew") or 0, text(constraint, "whenUnsatisfiable")
    if skew <= 0:
        yield invalid(f"{path}.maxSkew", skew, _POSITIVE)
    if not text(constraint, "topologyKey"):
        # Only its presence: whether nodes have such a label is not validated.
        yield required(f"{path}.topologyKey", "can not be empty")
    if action not in WHEN_UNSATISFIABLE:
        yield not_supported(f"{path}.whenUnsatisfiable", action, WHEN_UNSATISFIABLE)


def _newer_errors(constraint: Fields, path: str, context: Context) -> Iterator[FieldError]:
    if not context.facts.min_domains:
        return
    action, domains = text(constraint, "whenUnsatisfiable"), number(constraint, "minDomains")
    if domains is not None and domains <= 0:
        yield invalid(f"{path}.minDomains", domains, _POSITIVE)
    if domains is not None and action != "DoNotSchedule":
        detail = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        yield invalid(f"{path}.minDomains", domains, detail)
    for key in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
        if (policy := constraint.get(key)) is not None and policy not in POLICIES:
            yield not_supported(f"{path}.{key}", policy, POLICIES)
    yield from _match_keys_errors(constraint, path)
    yield from selector_errors(constraint.get("labelSelector"), f"{path}.labelSelector", context)


def _match_keys_errors(constraint: Fields, path: str) -> Iterator[FieldError]:
    keys, selector = texts(constraint, "matchLabelKeys"), constraint.get("labelSelector")
    if keys and selector is None:
        yield forbidden(f"{path}.matchLabelKeys", "must not be specified when labelSelector is not set")
    known = set(fields(fields(constraint, "labelSelector"), "matchLabels"))
    known |= {text(item, "key") for _, item in items(fields(constraint, "labelSelector"), "matchExpressions")}
    for index, key in enumerate(keys):
        yield from key_errors(key, f"{path}.matchLabelKeys[{index}]")
        if key in known:
            yield invalid(f"{path}.matchLabelKeys[{index}]", key, "exists in both matchLabelKeys and labelSelector")


def toleration_errors(
    toleration: Fields, path: str, supported: dict[str, tuple[str, ...]], shown: Shown = None, *, may_compare: bool = False
) -> Iterator[FieldError]:
    """What is wrong with the combination of operator, key, value and effect of a toleration.

    ``supported`` has the operators to name in messages about some operators, ``shown`` how messages print the whole toleration.
    ``may_compare``: the gate of the operators Gt and Lt is on.
    """
    key, operator, effect = text(toleration, "key"), text(toleration, "operator"), text(toleration, "effect")
    if key:
        yield from key_errors(key, f"{path}.key")
    elif operator != "Exists":
        detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        yield invalid(f"{path}.operator", operator, detail)
    if number(toleration, "tolerationSeconds") is not None and effect != "NoExecute":
        yield invalid(f"{path}.effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")
    if may_compare and operator in _COMPARING:
        yield from _number_errors(text(toleration, "value"), f"{path}.value")
    else:
        yield from _operator_errors(toleration, path, supported, shown)
    if effect and effect not in EFFECTS:
        yield not_supported(f"{path}.effect", effect, EFFECTS)


def _number_errors(value: str, field: str) -> Iterator[FieldError]:
    if not value:
        yield invalid(field, value, "must be non-empty")
    elif not is_canonical(value):
        yield invalid(field, value, "must be a valid decimal integer in canonical form")


def _operator_errors(toleration: Fields, path: str, supported: dict[str, tuple[str, ...]], shown: Shown) -> Iterator[FieldError]:
    operator, value, field = text(toleration, "operator"), text(toleration, "value"), f"{path}.operator"
    if operator in ("", "Equal"):
        # The error about a value is reported at the operator, as upstream does.
        if problems := label_value_problems(value):
            yield invalid(field, value, ";".join(problems))
    elif operator == "Exists":
        if value:
            yield invalid(field, toleration if shown is None else shown(), "value must be empty when `operator` is 'Exists'")
    else:
        yield not_supported(field, operator, supported.get(operator, _OPERATORS))


def _tolerations(context: Context, operators: dict[str, tuple[str, ...]]) -> Iterator[FieldError]:
    for index, toleration in items(context.spec, "tolerations"):
        shown = partial(structure, "Toleration", toleration, context)
        path, may_compare = f"spec.tolerations[{index}]", bool(context.release.setting(_COMPARING_GATE))
        yield from toleration_errors(toleration, path, operators, shown, may_compare=may_compare)


@rule("TOLERATIONS", SPEC, since=35)
def tolerations(place: Place, context: Context) -> Iterator[FieldError]:
    """Operator, key, value and effect of a toleration fit together; comparing operators are known, but need a gate."""
    return _tolerations(context, {"Lt": _ALL_OPERATORS, "Gt": _ALL_OPERATORS})


@rule("TOLERATIONS-1.34", SPEC, until=34)
def tolerations_before(place: Place, context: Context) -> Iterator[FieldError]:
    """Operator, key, value and effect of a toleration fit together."""
    return _tolerations(context, {})
