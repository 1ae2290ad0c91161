"""Rows about the volumes of pods on their nodes. Frozen, as all rows."""

from msgspec import Struct

from simulator.engine.kernel.units import Ms


class Mounting(Struct, frozen=True, kw_only=True, gc=False):
    """A volume that could not be mounted yet, with the tries so far and why the last one failed."""

    volume: str
    tries: int = 0
    problem: str = ""
    handle: int = 0  # of the queued next try


class PodVolumes(Struct, frozen=True, gc=False, kw_only=True):
    """Where the mounting of a pod's volumes stands. ``since_ms``: when the running sync began to wait for them."""

    state: str = ""
    failing: tuple[Mounting, ...] = ()
    since_ms: Ms = 0
    timeout: int = 0
