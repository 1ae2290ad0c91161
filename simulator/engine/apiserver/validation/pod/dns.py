"""Rules for a pod's name resolution: policy, servers, search list, aliases."""

from collections.abc import Iterator
from ipaddress import ip_address

from simulator.engine.apiserver.validation.errors import FieldError, invalid, not_supported, required
from simulator.engine.apiserver.validation.names import subdomain_problems, underscored_subdomain_problems
from simulator.engine.apiserver.validation.pod_rules import SPEC, Context, Fields, Place, fields, items, rule, text, texts
from simulator.engine.apiserver.validation.printed import listed

DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
SERVERS_MAX = 3
_IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_IP_BEFORE = "must be valid IP address"


@rule("DNS-POLICY", SPEC)
def dns_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """dnsPolicy is one of four."""
    policy = text(context.spec, "dnsPolicy")
    if policy and policy not in DNS_POLICIES:
        yield not_supported("spec.dnsPolicy", policy, DNS_POLICIES)


@rule("DNS-POLICY-REQUIRED", SPEC, defaulted=True)
def dns_policy_required(place: Place, context: Context) -> Iterator[FieldError]:
    """The policy has been filled in."""
    if not text(context.spec, "dnsPolicy"):
        yield required("spec.dnsPolicy")


@rule("DNS-NONE", SPEC)
def dns_none(place: Place, context: Context) -> Iterator[FieldError]:
    """A pod with dnsPolicy None has a name server of its own."""
    if text(context.spec, "dnsPolicy") != "None":
        return
    if not isinstance(context.spec.get("dnsConfig"), dict):
        yield required("spec.dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None")
    elif not context.spec["dnsConfig"].get("nameservers"):
        yield required("spec.dnsConfig.nameservers", "must provide at least one DNS nameserver when `dnsPolicy` is None")


def is_ip(written: str) -> bool:
    """Whether a string is an IP address; leading zeros are accepted, as in Kubernetes."""
    parts = written.split(".")
    if len(parts) == 4 and all(part.isascii() and part.isdecimal() for part in parts):
        # Nine digits at most: longer ones are out of range anyway and slow to convert.
        return all(int(part[:9]) <= 255 and len(part) <= 9 for part in parts)
    try:
        ip_address(written)
    except ValueError:
        return False
    return "%" not in written


def _config(context: Context) -> Fields:
    """The dnsConfig, unless it lacks the server that its policy needs: then nothing else is checked."""
    config = fields(context.spec, "dnsConfig")
    # Upstream returns early there, so no other error of dnsConfig is reported.
    return {} if text(context.spec, "dnsPolicy") == "None" and not config.get("nameservers") else config


def _servers(context: Context, detail: str) -> Iterator[FieldError]:
    servers = texts(_config(context), "nameservers")
    if len(servers) > SERVERS_MAX:
        yield invalid("spec.dnsConfig.nameservers", listed(servers, context), f"must not have more than {SERVERS_MAX} nameservers")
    for index, server in enumerate(servers):
        if not is_ip(server):
            yield invalid(f"spec.dnsConfig.nameservers[{index}]", server, detail)


@rule("DNS-SERVERS", SPEC, since=30, of="dnsConfig")
def dns_servers(place: Place, context: Context) -> Iterator[FieldError]:
    """There are at most three servers, given by their addresses."""
    return _servers(context, _IP)


@rule("DNS-SERVERS-1.29", SPEC, until=29, of="dnsConfig")
def dns_servers_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same with the older text."""
    return _servers(context, _IP_BEFORE)


def _search_length(context: Context, paths_max: int, chars_max: int) -> Iterator[FieldError]:
    searches, field = texts(_config(context), "searches"), "spec.dnsConfig.searches"
    if len(searches) > paths_max:
        yield invalid(field, listed(searches, context), f"must not have more than {paths_max} search paths")
    # As in resolv.conf, separated by blanks.
    if len(" ".join(searches)) > chars_max:
        detail = f"must not have more than {chars_max} characters (including spaces) in the search list"
        yield invalid(field, listed(searches, context), detail)


@rule("DNS-SEARCH-LENGTH", SPEC, since=26, of="dnsConfig")
def dns_search_length(place: Place, context: Context) -> Iterator[FieldError]:
    """The search list is within the limits of a C library."""
    return _search_length(context, 32, 2048)


@rule("DNS-SEARCH-LENGTH-1.25", SPEC, until=25, of="dnsConfig")
def dns_search_length_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The search list is within the limits of an old C library."""
    return _search_length(context, 6, 256)


@rule("DNS-SEARCHES", SPEC, since=33, of="dnsConfig")
def dns_searches(place: Place, context: Context) -> Iterator[FieldError]:
    """Search paths are DNS subdomains, underscores allowed; they may end with a dot, and a single dot is the root."""
    for index, search in enumerate(texts(_config(context), "searches")):
        if search != ".":
            name = search.removesuffix(".")
            yield from (invalid(f"spec.dnsConfig.searches[{index}]", name, problem) for problem in underscored_subdomain_problems(name))


@rule("DNS-SEARCHES-1.32", SPEC, until=32, of="dnsConfig")
def dns_searches_before(place: Place, context: Context) -> Iterator[FieldError]:
    """Search paths are DNS subdomains that may end with a dot."""
    for index, search in enumerate(texts(_config(context), "searches")):
        name = search.removesuffix(".")
        yield from (invalid(f"spec.dnsConfig.searches[{index}]", name, problem) for problem in subdomain_problems(name))


@rule("DNS-OPTIONS", SPEC, of="dnsConfig")
def dns_options(place: Place, context: Context) -> Iterator[FieldError]:
    """A resolver option has a name."""
    for index, option in items(_config(context), "options"):
        if not text(option, "name"):
            yield required(f"spec.dnsConfig.options[{index}]", "must not be empty")


def _aliases(context: Context, ip_path: str, name_path: str, detail: str) -> Iterator[FieldError]:
    for index, alias in items(context.spec, "hostAliases"):
        address = text(alias, "ip")
        if not is_ip(address):
            yield invalid(ip_path.format(index=index), address, detail)
        for position, name in enumerate(texts(alias, "hostnames")):
            field = name_path.format(index=index, position=position)
            yield from (invalid(field, name, problem) for problem in subdomain_problems(name))


@rule("HOST-ALIASES", SPEC, since=30, of="hostAliases")
def host_aliases(place: Place, context: Context) -> Iterator[FieldError]:
    """Aliases give DNS names to an IP address."""
    return _aliases(context, "spec.hostAliases[{index}].ip", "spec.hostAliases[{index}].hostnames[{position}]", _IP)


@rule("HOST-ALIASES-1.29", SPEC, until=29, of="hostAliases")
def host_aliases_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same, reported for the list as a whole."""
    return _aliases(context, "spec.hostAliases.ip", "spec.hostAliases.hostnames", _IP_BEFORE)
