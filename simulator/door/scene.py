"""What the door needs to know of the moment it answers for."""

from msgspec import Struct

from simulator.engine.kernel.units import Ms
from simulator.engine.world.world import World
from simulator.kubectl.tables.model import Sight


class DoorScene(Struct, frozen=True, kw_only=True):
    """A moment of a cluster. ``now_ms`` is the run's, ``wall_ms`` what the server's clock shows, in milliseconds since 1970.

    ``is_past``: the moment is fixed, and nothing can be written. ``may_write``: the key lets its holder write.
    """

    world: World
    now_ms: Ms
    wall_ms: Ms
    is_past: bool = False
    may_write: bool = False

    @property
    def sight(self) -> Sight:
        """The same for what prints tables."""
        return Sight(self.world, self.now_ms)

    @property
    def epoch_now_ms(self) -> Ms:
        """The moment as the cluster's clock shows it, in milliseconds since 1970."""
        return self.sight.epoch_now_ms
