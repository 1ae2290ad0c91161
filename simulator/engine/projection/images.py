"""What the registry offers."""

from simulator.engine.containers.images.reference import with_default_tag
from simulator.engine.world.world import World


def is_in_registry(world: World, image: str) -> bool:
    """Whether the image can be pulled from the registry."""
    row = world.tables.images.get(with_default_tag(image))
    return row.available if row is not None else world.header.cluster.unlisted_images == "pullable"
