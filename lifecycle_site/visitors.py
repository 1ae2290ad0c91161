"""What counts as one visitor when something is shared fairly: slots, posts, sockets and places of runs."""

from ipaddress import IPv6Address, ip_address, ip_network

from django.http import HttpRequest


def visitor_at(address: str) -> str:
    """The visitor behind an address: the IPv4 address itself, or the /64 of an IPv6 address; empty if it is not an address (a Unix socket).

    Whoever has one IPv6 address usually has all that share its first 64 bits.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return ""
    if isinstance(parsed, IPv6Address):
        parsed = parsed.ipv4_mapped or ip_network((parsed.packed, 64), strict=False).network_address
    return str(parsed)


def visitor_of(request: HttpRequest) -> str:
    """The visitor who sent the request; see ``visitor_at``."""
    return visitor_at(str(request.META.get("REMOTE_ADDR", "")))
