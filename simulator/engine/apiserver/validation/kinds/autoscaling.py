"""Rules for HorizontalPodAutoscalers (pkg/apis/autoscaling/validation)."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, invalid, required
from simulator.engine.apiserver.validation.kinds.kind_rules import kind_rule
from simulator.engine.apiserver.validation.pod_rules import Place, fields, items, text


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


@kind_rule("AUTOSCALER-METRICS", "HorizontalPodAutoscaler")
def metrics(place: Place) -> Iterator[FieldError]:
    """A resource metric has a resource and a target."""
    for index, metric in items(fields(place.value, "spec"), "metrics"):
        # Metrics of other sources are stored without being checked.
        if text(metric, "type") != "Resource":
            continue
        here, source = f"spec.metrics[{index}].resource", fields(metric, "resource")
        if not text(source, "name"):
            yield required(f"{here}.name", "must specify a resource name")
        aim = fields(source, "target")
        share = aim.get("averageUtilization")
        if share is not None and share < 1:
            yield invalid(f"{here}.target.averageUtilization", share, "must be greater than 0")
        if share is None and aim.get("averageValue") is None:
            yield required(f"{here}.target.averageUtilization", "must set either a target raw value or a target utilization")
