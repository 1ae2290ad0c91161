"""Rules for changes of the other kinds (pkg/apis/{core,scheduling,node}/validation)."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FORBIDDEN, FieldError, forbidden, invalid
from simulator.engine.apiserver.validation.kinds.claims import VOLUME_SOURCES
from simulator.engine.apiserver.validation.kinds.common import IMMUTABLE, immutable, list_in
from simulator.engine.apiserver.validation.kinds.kind_rules import update_rule
from simulator.engine.apiserver.validation.kinds.service_parts import cluster_ips, is_headless, needs_health_check, type_of_service
from simulator.engine.apiserver.validation.kinds.shown import Changed, shown_texts
from simulator.engine.apiserver.validation.pod.resource import amount
from simulator.engine.apiserver.validation.pod_rules import Fields, Place, fields, number, text, texts
from simulator.engine.apiserver.validation.semantic import same

_ONCE = "may not change once set"
_FROZEN = "field is immutable when `immutable` is set"
_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
_NOT_CIDR = 'node updates may not change podCIDR except from "" to valid'
_NOT_PROVIDER = 'node updates may not change providerID except from "" to valid'


def _spec(place: Place) -> Fields:
    return fields(place.value, "spec")


@update_rule("CLUSTER-IPS-KEPT", "Service")
def cluster_ips_kept(old: Place, new: Place) -> Iterator[FieldError]:
    """A Service keeps its addresses unless it is, or becomes, of type ExternalName."""
    before, after = cluster_ips(_spec(old)), cluster_ips(_spec(new))
    if (
        "ExternalName" in (type_of_service(_spec(old)), type_of_service(_spec(new)))
        # A headless Service stays headless: there is no address to keep.
        or is_headless(_spec(old)) is is_headless(_spec(new)) is True
    ):
        return
    value = shown_texts(after)
    if before and not after:
        yield invalid("spec.clusterIPs[0]", value, "primary clusterIP can not be unset")
    for index, (one, other) in enumerate(zip(before, after, strict=False)):
        if one != other:
            yield invalid(f"spec.clusterIPs[{index}]", value, _ONCE)
    if len(before) > len(after) == 1 and text(_spec(new), "ipFamilyPolicy") != "SingleStack":
        detail = "must be set to 'SingleStack' when releasing the secondary clusterIP"
        yield invalid("spec.ipFamilyPolicy", text(_spec(new), "ipFamilyPolicy"), detail)


@update_rule("IP-FAMILIES-KEPT", "Service")
def ip_families_kept(old: Place, new: Place) -> Iterator[FieldError]:
    """The first IP family stays."""
    before, after = texts(_spec(old), "ipFamilies"), texts(_spec(new), "ipFamilies")
    is_name = "ExternalName" in (type_of_service(_spec(old)), type_of_service(_spec(new)))
    if not is_name and not is_headless(_spec(old)) and not is_headless(_spec(new)) and before and after and before[0] != after[0]:
        yield invalid("spec.ipFamilies[0]", shown_texts(after, "core.IPFamily"), _ONCE)


@update_rule("LOAD-BALANCER-CLASS-KEPT", "Service", since=22)
def load_balancer_class_kept(old: Place, new: Place) -> Iterator[FieldError]:
    """A load balancer keeps its class."""
    before, after = _spec(old).get("loadBalancerClass"), _spec(new).get("loadBalancerClass")
    if type_of_service(_spec(old)) == type_of_service(_spec(new)) == "LoadBalancer" and before != after:
        yield invalid("spec.loadBalancerClass", after, _ONCE)


@update_rule("HEALTH-CHECK-PORT-KEPT", "Service")
def health_check_port_kept(old: Place, new: Place) -> Iterator[FieldError]:
    """The port for health checks of a load balancer is immutable."""
    before, after = number(_spec(old), "healthCheckNodePort"), number(_spec(new), "healthCheckNodePort")
    if needs_health_check(_spec(old)) and needs_health_check(_spec(new)) and before != after:
        yield forbidden("spec.healthCheckNodePort", IMMUTABLE)


@update_rule("SECRET-TYPE-KEPT", "Secret")
def secret_type_kept(old: Place, new: Place) -> Iterator[FieldError]:
    """A Secret keeps its type."""
    before, after = (text(place.value, "type") or "Opaque" for place in (old, new))
    yield from immutable("type", before, after)


@update_rule("FROZEN-DATA", "ConfigMap", "Secret")
def frozen_data(old: Place, new: Place) -> Iterator[FieldError]:
    """Data that was declared immutable cannot change, nor can the declaration be revoked."""
    if old.value.get("immutable") is not True:
        return
    if new.value.get("immutable") is not True:
        yield forbidden("immutable", _FROZEN)
    for key in ("data", "binaryData"):
        if fields(old.value, key) != fields(new.value, key):
            yield forbidden(key, _FROZEN)


def _claim_errors(old: Place, new: Place, but: str) -> Iterator[FieldError]:
    """The errors of changing a claim's spec, except for setting the volume once, the size of a bound claim, and a first class."""
    before, after = dict(_spec(old)), dict(_spec(new))
    if not text(before, "volumeName"):
        before["volumeName"] = after.get("volumeName")
    for spec in (before, after):
        spec.setdefault("volumeMode", "Filesystem")
    # It may change, so it must not count as a difference.
    after["volumeAttributesClassName"] = before.get("volumeAttributesClassName")
    if text(fields(new.value, "status"), "phase") == "Bound":
        after["resources"] = _with_storage_of(before, after)
    annotated = fields(fields(old.value, "metadata"), "annotations").get(_CLASS_ANNOTATION)
    # The class may be set once after the fact (retroactive default), also from the old annotation.
    if before.get("storageClassName") is None and annotated in (None, after.get("storageClassName")):
        after["storageClassName"] = None
    if not same(before, after):
        detail = f"spec is immutable after creation except {but} for bound claims"
        yield FieldError(type=FORBIDDEN, field="spec", detail=detail, value=Changed("PersistentVolumeClaimSpec", before, after))


def _with_storage_of(before: Fields, after: Fields) -> Fields:
    """The resources requested after the change, with the size requested before it."""
    size = fields(fields(before, "resources"), "requests").get("storage")
    resources = fields(after, "resources")
    return {**resources, "requests": {**fields(resources, "requests"), **({} if size is None else {"storage": size})}}


@update_rule("CLAIM-KEPT", "PersistentVolumeClaim", since=29)
def claim_kept(old: Place, new: Place) -> Iterator[FieldError]:
    """Only a bound claim changes, and only its size and the class of its attributes."""
    yield from _claim_errors(old, new, "resources.requests and volumeAttributesClassName")


@update_rule("CLAIM-KEPT-1.28", "PersistentVolumeClaim", until=28)
def claim_kept_before(old: Place, new: Place) -> Iterator[FieldError]:
    """Until 1.28 only its size changes."""
    yield from _claim_errors(old, new, "resources.requests")


def _sizes(old: Place, new: Place) -> tuple[int, int, int]:
    """The sizes requested before and after, and the size that the claim has, in billionths of a byte."""
    asked = (fields(fields(_spec(place), "resources"), "requests").get("storage") for place in (old, new))
    has = fields(fields(old.value, "status"), "capacity").get("storage")
    before, after, real = (amount(value) or 0 for value in (*asked, has))
    return before, after, real


@update_rule("CLAIM-SHRINKS", "PersistentVolumeClaim", since=32)
def claim_shrinks(old: Place, new: Place) -> Iterator[FieldError]:
    """A claim may revert a failed expansion, but not below the size it has."""
    before, after, real = _sizes(old, new)
    # Shrinking is allowed down to, but not including, the size of the volume: it reverts an
    # expansion that failed.
    if after < before and after <= real:
        yield forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")


@update_rule("CLAIM-SHRINKS-1.31", "PersistentVolumeClaim", until=31)
def claim_shrinks_before(old: Place, new: Place) -> Iterator[FieldError]:
    """Until 1.31 the request of a claim never shrinks."""
    before, after, _ = _sizes(old, new)
    if after < before:
        yield forbidden("spec.resources.requests.storage", "field can not be less than previous value")


@update_rule("VOLUME-MODE-KEPT", "PersistentVolumeClaim", "PersistentVolume")
def volume_mode_kept(old: Place, new: Place) -> Iterator[FieldError]:
    """The volume mode is immutable."""
    before, after = (text(_spec(place), "volumeMode") or "Filesystem" for place in (old, new))
    yield from immutable("volumeMode", before, after)


@update_rule("VOLUME-SOURCE-KEPT", "PersistentVolume")
def volume_source_kept(old: Place, new: Place) -> Iterator[FieldError]:
    """The source of a PersistentVolume is immutable."""
    before, after = ({key: _spec(place).get(key) for key in VOLUME_SOURCES} for place in (old, new))
    if not same(before, after):
        yield forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation")


@update_rule("PRIORITY-KEPT", "PriorityClass")
def priority_kept(old: Place, new: Place) -> Iterator[FieldError]:
    """A class keeps its value and its preemption policy."""
    if (number(old.value, "value") or 0) != (number(new.value, "value") or 0):
        yield forbidden("value", "may not be changed in an update.")
    before, after = (text(place.value, "preemptionPolicy") or "PreemptLowerPriority" for place in (old, new))
    yield from immutable("preemptionPolicy", before, after)


@update_rule("QUOTA-SCOPES-KEPT", "ResourceQuota")
def quota_scopes_kept(old: Place, new: Place) -> Iterator[FieldError]:
    """A quota keeps its scopes, in any order."""
    before, after = texts(_spec(old), "scopes"), texts(_spec(new), "scopes")
    if sorted(set(before)) != sorted(set(after)):
        yield invalid("spec.scopes", shown_texts(after, "core.ResourceQuotaScope"), IMMUTABLE)


@update_rule("RUNTIME-HANDLER-KEPT", "RuntimeClass")
def runtime_handler_kept(old: Place, new: Place) -> Iterator[FieldError]:
    """A class keeps its handler."""
    yield from immutable("handler", text(old.value, "handler"), text(new.value, "handler"))


@update_rule("NODE-ADDRESSES-UNIQUE", "Node")
def node_addresses_unique(old: Place, new: Place) -> Iterator[FieldError]:
    """A node has each of its addresses once."""
    addresses = list_in(fields(new.value, "status"), "addresses")
    for index, address in enumerate(addresses):
        if address in addresses[:index]:
            yield FieldError(type="Duplicate", field=f"status.addresses[{index}]", value=address)


@update_rule("NODE-POD-CIDRS-KEPT", "Node")
def node_pod_cidrs_kept(old: Place, new: Place) -> Iterator[FieldError]:
    """A node keeps its pod CIDRs once it has some, and its provider id."""
    before, after = texts(_spec(old), "podCIDRs"), texts(_spec(new), "podCIDRs")
    if before and before != after:
        yield forbidden("spec.podCIDRs", _NOT_CIDR)
    provider = text(_spec(old), "providerID")
    if provider and provider != text(_spec(new), "providerID"):
        yield forbidden("spec.providerID", _NOT_PROVIDER)
