"""Rules that only StatefulSets have (pkg/apis/apps/validation)."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, invalid, not_supported
from simulator.engine.apiserver.validation.kinds.common import inner, named, not_negative
from simulator.engine.apiserver.validation.kinds.kind_rules import kind_rule
from simulator.engine.apiserver.validation.names import label_problems
from simulator.engine.apiserver.validation.pod_rules import Place, fields, text

_POLICIES = ("OrderedReady", "Parallel")
_RETENTIONS = ("Retain", "Delete")


@kind_rule("POD-MANAGEMENT-POLICY", "StatefulSet")
def pod_management_policy(place: Place) -> Iterator[FieldError]:
    """The pod management policy is OrderedReady or Parallel."""
    policy = text(fields(place.value, "spec"), "podManagementPolicy")
    if policy and policy not in _POLICIES:
        yield invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")


@kind_rule("CLAIM-RETENTION-POLICY", "StatefulSet", since=27)
def claim_retention_policy(place: Place) -> Iterator[FieldError]:
    """The retention policies are Retain or Delete."""
    policy = inner(place, "spec", "persistentVolumeClaimRetentionPolicy")
    for key in ("whenDeleted", "whenScaled"):
        value = text(policy.value, key)
        if value and value not in _RETENTIONS:
            yield not_supported(f"{policy.path}.{key}", value, _RETENTIONS)


@kind_rule("ORDINALS-START", "StatefulSet", since=27)
def ordinals_start(place: Place) -> Iterator[FieldError]:
    """Ordinals are not negative."""
    yield from not_negative(inner(place, "spec", "ordinals"), "start")


@kind_rule("SERVICE-NAME-OF-SET", "StatefulSet", since=33, create_only=True)
def service_name(place: Place) -> Iterator[FieldError]:
    """The governing Service's name becomes the subdomain of the pods, which is a DNS label."""
    if name := text(fields(place.value, "spec"), "serviceName"):
        yield from named("spec.serviceName", name, label_problems)
