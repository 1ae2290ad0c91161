"""Who counts as one visitor for whatever is shared fairly: slots, posts, sockets and places of runs."""

from ipaddress import IPv6Address, ip_address, ip_network

from django.http import HttpRequest


def visitor_at(address: str) -> str:
    """The visitor of an address: itself for IPv4, its /64 for IPv6, empty for what is no address, as of a local socket.

    Whoever has one address of IPv6 has all that share its first 64 bits.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return ""
    if isinstance(parsed, IPv6Address):
        parsed = parsed.ipv4_mapped or ip_network((parsed.packed, 64), strict=False).network_address
    return str(parsed)


def visitor_of(request: HttpRequest) -> str:
    """The visitor who asks; see ``visitor_at``."""
    return visitor_at(str(request.META.get("REMOTE_ADDR", "")))
