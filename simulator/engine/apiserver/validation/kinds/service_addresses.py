"""Rules for the addresses of Services (pkg/apis/core/validation ValidateServiceClusterIPsRelatedFields)."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from simulator.engine.apiserver.validation.errors import FieldError, duplicate, invalid, not_supported
from simulator.engine.apiserver.validation.kinds.kind_rules import kind_rule
from simulator.engine.apiserver.validation.kinds.service_parts import NO_ADDRESS, cluster_ips, is_headless, type_of_service
from simulator.engine.apiserver.validation.kinds.shown import shown_texts
from simulator.engine.apiserver.validation.pod_rules import Place, fields, text, texts

_FAMILIES = ("IPv4", "IPv6")
_POLICIES = ("PreferDualStack", "RequireDualStack", "SingleStack")
_ADDRESSES_MAX = 2
_NO_IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_NO_CIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"


def parsed_ip(value: str) -> IPv4Address | IPv6Address | None:
    """The address in a string, or None."""
    try:
        return ip_address(value)
    except ValueError:
        return None


def cidr_errors(field: str, value: str) -> Iterator[FieldError]:
    """A CIDR such as ``10.0.0.0/8``."""
    try:
        # Host bits may be set, as Go's ParseCIDR allows.
        ip_network(value, strict=False)
        is_block = "/" in value
    except ValueError:
        is_block = False
    if not is_block:
        yield invalid(field, value, _NO_CIDR)


def family_of(address: IPv4Address | IPv6Address) -> str:
    """IPv4 or IPv6."""
    return f"IPv{address.version}"


@kind_rule("CLUSTER-IP-FIRST", "Service")
def first_address(place: Place) -> Iterator[FieldError]:
    """clusterIP is the first of clusterIPs."""
    spec = fields(place.value, "spec")
    listed, first = texts(spec, "clusterIPs"), text(spec, "clusterIP")
    if listed and not first:
        yield invalid("spec.clusterIPs", shown_texts(listed), "must be empty when `clusterIP` is not specified")
    elif listed and listed[0] != first:
        yield invalid("spec.clusterIPs", shown_texts(listed), "first value must match `clusterIP`")


@kind_rule("IP-FAMILIES", "Service")
def ip_families(place: Place) -> Iterator[FieldError]:
    """The IP families are IPv4 and IPv6, each at most once."""
    seen: list[str] = []
    for index, family in enumerate(texts(fields(place.value, "spec"), "ipFamilies")):
        if family not in _FAMILIES:
            yield not_supported(f"spec.ipFamilies[{index}]", family, _FAMILIES)
        if family in seen:
            yield duplicate(f"spec.ipFamilies[{index}]", family)
        seen.append(family)


@kind_rule("IP-FAMILY-POLICY", "Service")
def ip_family_policy(place: Place) -> Iterator[FieldError]:
    """The policy is SingleStack, PreferDualStack or RequireDualStack."""
    policy = text(fields(place.value, "spec"), "ipFamilyPolicy")
    if policy and policy not in _POLICIES:
        yield not_supported("spec.ipFamilyPolicy", policy, _POLICIES)


@kind_rule("CLUSTER-IPS", "Service")
def addresses(place: Place) -> Iterator[FieldError]:
    """Addresses are valid, at most one of each family; None stands alone."""
    spec = fields(place.value, "spec")
    if type_of_service(spec) == "ExternalName":
        return
    values, is_bad = cluster_ips(spec), False
    for index, value in enumerate(values):
        if index == 0 and value == NO_ADDRESS:
            if len(values) > 1:
                is_bad = True
                yield invalid("spec.clusterIPs", shown_texts(values), "'None' must be the first and only value")
        elif parsed_ip(value) is None:
            is_bad = True
            yield invalid(f"spec.clusterIPs[{index}]", value, _NO_IP)
    if len(values) > _ADDRESSES_MAX:
        yield invalid("spec.clusterIPs", shown_texts(values), f"may only hold up to {_ADDRESSES_MAX} values")
    # Families of addresses that do not parse cannot be compared.
    if not is_bad and len(values) > 1 and len({family_of(ip) for ip in map(parsed_ip, values) if ip}) < len(values):
        detail = "may specify no more than one IP for each IP family"
        yield invalid("spec.clusterIPs", shown_texts(values), detail)


@kind_rule("CLUSTER-IPS-FAMILY", "Service")
def addresses_match_families(place: Place) -> Iterator[FieldError]:
    """Addresses are of the named families, in the same order."""
    spec = fields(place.value, "spec")
    if is_headless(spec):
        return
    for index, (value, family) in enumerate(zip(cluster_ips(spec), texts(spec, "ipFamilies"), strict=False)):
        address = parsed_ip(value)
        if address is not None and family in _FAMILIES and family_of(address) != family:
            detail = f"expected an {family} value as indicated by `ipFamilies[{index}]`"
            yield invalid(f"spec.clusterIPs[{index}]", value, detail)


@kind_rule("EXTERNAL-IPS", "Service")
def external_ips(place: Place) -> Iterator[FieldError]:
    """External addresses are valid and not special-purpose addresses."""
    for index, value in enumerate(texts(fields(place.value, "spec"), "externalIPs")):
        field, address = f"spec.externalIPs[{index}]", parsed_ip(value)
        if address is None:
            yield invalid(field, value, _NO_IP)
        elif address.is_unspecified:
            yield invalid(field, value, f"may not be unspecified ({value})")
        elif address.is_loopback:
            yield invalid(field, value, "may not be in the loopback range (127.0.0.0/8, ::1/128)")
        elif address.is_link_local:
            yield invalid(field, value, "may not be in the link-local range (169.254.0.0/16, fe80::/10)")


@kind_rule("SOURCE-RANGES", "Service")
def source_ranges(place: Place) -> Iterator[FieldError]:
    """The sources that a load balancer admits are CIDRs."""
    for index, value in enumerate(texts(fields(place.value, "spec"), "loadBalancerSourceRanges")):
        yield from cidr_errors(f"spec.LoadBalancerSourceRanges[{index}]", value.strip())
