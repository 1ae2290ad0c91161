"""What the HorizontalPodAutoscaler controller remembers of an autoscaler."""

from msgspec import Struct

from simulator.engine.kernel.units import Ms


class AutoscalerRow(Struct, frozen=True, gc=False):
    """Replicas that were recommended, and by how many it was scaled up and down, each with its moment; the newest last."""

    recommended: tuple[tuple[Ms, int], ...] = ()
    ups: tuple[tuple[Ms, int], ...] = ()
    downs: tuple[tuple[Ms, int], ...] = ()
