"""Rules for PodDisruptionBudgets (pkg/apis/policy/validation)."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, invalid, not_supported
from simulator.engine.apiserver.validation.kinds.common import at_most_all, inner, int_or_percent, label_selector_errors
from simulator.engine.apiserver.validation.kinds.kind_rules import kind_rule
from simulator.engine.apiserver.validation.pod_rules import Place, fields, text

_UNHEALTHY = ("AlwaysAllow", "IfHealthyBudget")


@kind_rule("BUDGET-ONE-NUMBER", "PodDisruptionBudget")
def one_number(place: Place) -> Iterator[FieldError]:
    """A budget sets how many pods must stay or how many may be unavailable, not both."""
    spec = fields(place.value, "spec")
    if spec.get("minAvailable") is not None and spec.get("maxUnavailable") is not None:
        # The whole spec is the value of the error, with its Go names.
        value = {
            "MinAvailable": spec["minAvailable"],
            "Selector": spec.get("selector"),
            "MaxUnavailable": spec["maxUnavailable"],
            "UnhealthyPodEvictionPolicy": spec.get("unhealthyPodEvictionPolicy"),
        }
        yield invalid("spec", value, "minAvailable and maxUnavailable cannot be both set")


@kind_rule("BUDGET-NUMBERS", "PodDisruptionBudget")
def numbers(place: Place) -> Iterator[FieldError]:
    """Numbers are not negative, percentages at most 100."""
    spec = fields(place.value, "spec")
    for key in ("minAvailable", "maxUnavailable"):
        yield from int_or_percent(f"spec.{key}", spec.get(key))
        yield from at_most_all(f"spec.{key}", spec.get(key))


@kind_rule("BUDGET-SELECTOR", "PodDisruptionBudget")
def selector(place: Place) -> Iterator[FieldError]:
    """The selector is well formed."""
    yield from label_selector_errors(inner(place, "spec", "selector"))


@kind_rule("BUDGET-UNHEALTHY-PODS", "PodDisruptionBudget", since=27)
def unhealthy_pods(place: Place) -> Iterator[FieldError]:
    """Unhealthy pods are protected like the others, or not at all."""
    policy = text(fields(place.value, "spec"), "unhealthyPodEvictionPolicy")
    if policy and policy not in _UNHEALTHY:
        yield not_supported("spec.unhealthyPodEvictionPolicy", policy, _UNHEALTHY)
