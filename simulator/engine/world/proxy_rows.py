"""Rows about service proxies: what they have learnt of a Service."""

from msgspec import Struct

from simulator.engine.kernel.units import Ms, Seq


class Learnt(Struct, frozen=True, gc=False):
    """The EndpointSlices of a Service as the proxies read them at ``at_ms``; each node's has its rules written some time later.

    ``slices`` are JSON texts, shared with the store's rows; ``exists``: whether the Service is there; ``cause``: what changed them.
    """

    at_ms: Ms
    slices: tuple[str, ...]
    exists: bool = True
    cause: Seq = 0
