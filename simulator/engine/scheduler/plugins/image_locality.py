"""ImageLocality: prefers nodes that have the pod's images, the more so the larger they are and the more nodes have them.

Source: plugins/imagelocality/image_locality.go. Images below 23 MiB in total do not count.
"""

from simulator.engine.containers import image_facts, with_default_tag
from simulator.engine.model.pod import PodSpec
from simulator.engine.scheduler.framework import Cycle, Plugin
from simulator.engine.world.rows import NodeRow
from simulator.engine.world.world import Tables

_LOW = 23 << 20
_HIGH = 1000 << 20
"""Total bytes below which images do not count, and the bytes per container above which more does not count."""


def images_that_count(spec: PodSpec) -> tuple[tuple[str, int], ...]:
    """The images of the pod with their bytes; none if they are too small to count."""
    images = tuple([(with_default_tag(each.image), image_facts(each.image).size_bytes) for each in spec.containers])
    return images if sum([size for _, size in images]) > _LOW else ()


def locality(tables: Tables, images: tuple[tuple[str, int], ...], node: str, nodes: int) -> int:
    """0 … 100 for one of ``nodes`` nodes."""
    # Scaled by the share of nodes that have the image, so that its pods do not all gather on the
    # only node with it.
    held = sum(size * tables.image_nodes.get(image, 0) // nodes for image, size in images if (node, image) in tables.present)
    high = _HIGH * len(images)
    return 100 * (min(max(held, _LOW), high) - _LOW) // (high - _LOW)


def _score(cycle: Cycle, nodes: list[NodeRow]) -> list[int] | None:
    images = images_that_count(cycle.spec)
    if not images:
        return None
    return [locality(cycle.tables, images, node.name, len(cycle.nodes)) for node in nodes]


IMAGE_LOCALITY = Plugin(name="ImageLocality", score=_score)
