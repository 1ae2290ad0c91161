"""What differs between the clients and servers of the versions in how an object looks, besides its meaning.

The engine's behaviour never asks for a version number (``Profile`` answers by meaning); layouts of printed text do.
"""

from functools import lru_cache

from msgspec import Struct

from simulator.engine.versions.minors import minor_number


class Layout(Struct, frozen=True, gc=False):
    """Since when: ``bound_tokens`` 1.21 (kube-api-access volumes), ``service_account_line`` and ``spread_constraints`` 1.24,
    ``host_ips`` 1.29, ``pod_resources`` 1.32, ``optional_line`` 1.33 (of projected ConfigMaps), ``event_paths`` 1.35
    (describe names the container before the message).
    """

    bound_tokens: bool
    service_account_line: bool
    spread_constraints: bool
    host_ips: bool
    pod_resources: bool
    optional_line: bool
    event_paths: bool


@lru_cache(maxsize=64)
def layout_of(kubernetes: str) -> Layout:
    """The layout of a Kubernetes version such as ``1.30``."""
    number = minor_number(kubernetes)
    return Layout(
        bound_tokens=number >= 21,
        service_account_line=number >= 24,
        spread_constraints=number >= 24,
        host_ips=number >= 29,
        pod_resources=number >= 32,
        optional_line=number >= 33,
        event_paths=number >= 35,
    )
