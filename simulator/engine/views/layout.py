"""What differs between the clients and servers of the versions in how an object looks, besides its meaning.

The engine's behaviour never asks for a version number (``Profile`` answers by meaning); layouts of printed text do.
"""

from functools import lru_cache

from msgspec import Struct

from simulator.engine.profile.minors import minor_number


class Layout(Struct, frozen=True, gc=False):
    """Since when: ``bound_tokens`` 1.21 (kube-api-access volumes), ``service_account_line`` 1.24, ``host_ips`` 1.29,
    ``optional_line`` 1.33 (of projected ConfigMaps), ``event_paths`` 1.35 (describe names the container before the message).
    """

    bound_tokens: bool
    service_account_line: bool
    host_ips: bool
    optional_line: bool
    event_paths: bool


@lru_cache(maxsize=64)
def layout_of(kubernetes: str) -> Layout:
    """The layout of a Kubernetes version such as ``1.30``."""
    number = minor_number(kubernetes)
    return Layout(number >= 21, number >= 24, number >= 29, number >= 33, number >= 35)
