"""Rows about what a node is short of."""

from msgspec import Struct

from simulator.engine.kernel.units import Key, Ms, Seq


class NodePressure(Struct, frozen=True, gc=False, kw_only=True):
    """What the eviction manager of a node remembers. Exists only once something on the node can run short."""

    node: str
    loads: tuple[tuple[str, int], ...] = ()  # signal → what others than pods take of it
    observed: tuple[tuple[str, Ms], ...] = ()  # threshold → since when it is met without a break
    last_seen: tuple[tuple[str, Ms], ...] = ()  # node condition → when one of its thresholds was last met
    handle: int = 0  # queued EvictionTick
    oom_handle: int = 0  # queued NodeOom
    waits_for: Key = ""  # an evicted pod whose clean-up the loop waits for …
    waits_until_ms: Ms = 0  # … but not longer than this
    seq: Seq = 0  # what brought the pressure


class MeasuredVolumes(Struct, frozen=True, gc=False):
    """What the last look, about once a minute, found in a pod's volumes."""

    at_ms: Ms
    volumes: tuple[tuple[str, int], ...]


class MeasuredLayer(Struct, frozen=True, gc=False, kw_only=True):
    """What the last look found in the writable layer of one instance of a container."""

    container: str
    attempt: int
    size_bytes: int
    shown_ms: Ms = 0  # when the kubelet is told; until then it knows …
    before_bytes: int = 0  # … what the look before that found

    def at(self, now: Ms) -> int:
        """Bytes that the kubelet knows of at that moment."""
        return self.size_bytes if now >= self.shown_ms else self.before_bytes
