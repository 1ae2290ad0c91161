"""Rules for HorizontalPodAutoscalers (pkg/apis/autoscaling/validation)."""

from collections.abc import Iterator
from typing import Any

from simulator.engine.apiserver.validation.errors import FieldError, forbidden, invalid, not_supported, required
from simulator.engine.apiserver.validation.kinds.amounts import canonical_text
from simulator.engine.apiserver.validation.kinds.common import each, inner
from simulator.engine.apiserver.validation.kinds.kind_rules import kind_rule
from simulator.engine.apiserver.validation.pod.resource import amount
from simulator.engine.apiserver.validation.pod_rules import Fields, Place, fields, items, number, text


@kind_rule("AUTOSCALER-BOUNDS", "HorizontalPodAutoscaler")
def bounds(place: Place) -> Iterator[FieldError]:
    """The minimum is at least one replica, and at most the maximum."""
    spec = fields(place.value, "spec")
    low, high = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    if low is not None and low < 1:
        yield invalid("spec.minReplicas", low, "must be greater than or equal to 1")
    if high < 1:
        yield invalid("spec.maxReplicas", high, "must be greater than 0")
    if low is not None and high < low:
        yield invalid("spec.maxReplicas", high, "must be greater than or equal to `minReplicas`")


@kind_rule("AUTOSCALER-TARGET", "HorizontalPodAutoscaler")
def target(place: Place) -> Iterator[FieldError]:
    """The scaling target has a kind and a name."""
    named = fields(fields(place.value, "spec"), "scaleTargetRef")
    for key in ("kind", "name"):
        if not text(named, key):
            yield required(f"spec.scaleTargetRef.{key}")


_SOURCES = {
    "ContainerResource": "containerResource",
    "External": "external",
    "Object": "object",
    "Pods": "pods",
    "Resource": "resource",
}
_TARGET_TYPES = ("Utilization", "Value", "AverageValue")
_EITHER = "must set either a target raw value or a target utilization"
_NOT_BOTH = "may not set both a target raw value and a target utilization"


@kind_rule("AUTOSCALER-METRICS", "HorizontalPodAutoscaler")
def metrics(place: Place) -> Iterator[FieldError]:
    """A metric has the source that its type names, and no other; the source says what is measured and what it should be."""
    for index, metric in items(fields(place.value, "spec"), "metrics"):
        yield from _metric_errors(metric, f"spec.metrics[{index}]")


def _metric_errors(metric: Fields, path: str) -> Iterator[FieldError]:
    kind = text(metric, "type")
    if not kind:
        yield required(f"{path}.type", "must specify a metric source type")
    # Upstream checks the source that it meets first; the fields of another type are only forbidden.
    present = [key for key in ("object", "external", "pods", "resource", "containerResource") if isinstance(metric.get(key), dict)]
    if present:
        yield from _source_errors(present[0], fields(metric, present[0]), f"{path}.{present[0]}")
    if kind not in _SOURCES:
        yield not_supported(f"{path}.type", kind, tuple(_SOURCES))
    elif _SOURCES[kind] not in present:
        yield required(f"{path}.{_SOURCES[kind]}", "must populate information for the given metric source")
    if len(present) > 1:
        yield from (
            forbidden(f"{path}.{key}", "must populate the given metric source only") for key in present if key != _SOURCES.get(kind)
        )


def _source_errors(key: str, source: Fields, path: str) -> Iterator[FieldError]:
    aim = fields(source, "target")
    if key in ("resource", "containerResource"):
        if not text(source, "name"):
            yield required(f"{path}.name", "must specify a resource name")
        if key == "containerResource" and not text(source, "container"):
            yield required(f"{path}.container", "must specify a container")
    elif not text(fields(source, "metric"), "name"):
        yield required(f"{path}.metric.name", "must specify a metric name")
    yield from _target_errors(aim, f"{path}.target")
    yield from _amount_errors(key, aim, f"{path}.target")


def _target_errors(aim: Fields, path: str) -> Iterator[FieldError]:
    kind, share = text(aim, "type"), number(aim, "averageUtilization")
    if not kind:
        yield required(f"{path}.type", "must specify a metric target type")
    if kind not in _TARGET_TYPES:
        yield invalid(f"{path}.type", kind, "must be either Utilization, Value, or AverageValue")
    for key in ("value", "averageValue"):
        written = aim.get(key)
        if written is not None and not _is_positive(written):
            yield invalid(f"{path}.{key}", canonical_text(written), "must be positive")
    if share is not None and share < 1:
        yield invalid(f"{path}.averageUtilization", share, "must be greater than 0")


def _is_positive(written: Any) -> bool:
    exact = amount(written)
    return exact is None or exact > 0  # what is no quantity is refused for that


def _amount_errors(key: str, aim: Fields, path: str) -> Iterator[FieldError]:
    """Which amounts a source needs: a raw one, one for each pod, or a share of what is requested."""
    share, value, average = number(aim, "averageUtilization"), aim.get("value"), aim.get("averageValue")
    if key in ("resource", "containerResource"):
        if share is None and average is None:
            yield required(f"{path}.averageUtilization", _EITHER)
        if share is not None and average is not None:
            yield forbidden(f"{path}.averageValue", _NOT_BOTH)
    elif key == "pods":
        if average is None or not _is_positive(average):
            yield required(f"{path}.averageValue", "must specify a positive target averageValue")
    elif value is None and average is None:
        detail = "must set either a target value or averageValue" if key == "object" else _EXTERNAL_EITHER
        yield required(f"{path}.averageValue", detail)
    elif key == "external" and value is not None and average is not None:
        yield forbidden(f"{path}.value", "may not set both a target value for metric and a per-pod target")


_EXTERNAL_EITHER = "must set either a target value for metric or a per-pod target"
_SELECT_POLICIES = ("Disabled", "Max", "Min")
_WINDOW_MAX_S = 3600
_PERIOD_MAX_S = 1800


@kind_rule("AUTOSCALER-BEHAVIOR", "HorizontalPodAutoscaler")
def behavior(place: Place) -> Iterator[FieldError]:
    """Rules of scaling have policies of a known type within the longest periods."""
    given = inner(place, "spec", "behavior")
    for key in ("scaleUp", "scaleDown"):
        if not isinstance(given.value.get(key), dict):
            continue
        rules = inner(given, key)
        window, chosen = number(rules.value, "stabilizationWindowSeconds"), text(rules.value, "selectPolicy")
        if window is not None and window < 0:
            yield invalid(f"{rules.path}.stabilizationWindowSeconds", window, "must be greater than or equal to zero")
        if window is not None and window > _WINDOW_MAX_S:
            yield invalid(f"{rules.path}.stabilizationWindowSeconds", window, f"must be less than or equal to {_WINDOW_MAX_S}")
        if chosen and chosen not in _SELECT_POLICIES:
            yield not_supported(f"{rules.path}.selectPolicy", chosen, _SELECT_POLICIES)
        if rules.value.get("policies") == []:
            yield required(f"{rules.path}.policies", "must specify at least one Policy")
        for policy in each(rules, "policies"):
            yield from _policy_errors(policy)


def _policy_errors(policy: Place) -> Iterator[FieldError]:
    kind, period = text(policy.value, "type"), number(policy.value, "periodSeconds") or 0
    if kind not in ("Percent", "Pods"):
        yield not_supported(f"{policy.path}.type", kind, ("Percent", "Pods"))
    for key in ("value", "periodSeconds"):
        given = number(policy.value, key) or 0
        if given <= 0:
            yield invalid(f"{policy.path}.{key}", given, "must be greater than zero")
    if period > _PERIOD_MAX_S:
        yield invalid(f"{policy.path}.periodSeconds", period, f"must be less than or equal to {_PERIOD_MAX_S}")
