"""The moment that a request is answered for."""

from msgspec import Struct

from simulator.engine.kernel.units import Ms
from simulator.engine.world.world import World
from simulator.kubectl.tables.model import Sight


class DoorScene(Struct, frozen=True, kw_only=True):
    """A moment of a cluster. ``now_ms`` is the run's, ``wall_ms`` the server's clock, in milliseconds since 1970.

    ``is_past`` means the moment is fixed and nothing can be written; ``may_write`` that the key allows writing.
    """

    world: World
    now_ms: Ms
    wall_ms: Ms
    is_past: bool = False
    may_write: bool = False

    @property
    def sight(self) -> Sight:
        """The same moment, for code that prints tables."""
        return Sight(self.world, self.now_ms)

    @property
    def epoch_now_ms(self) -> Ms:
        """The moment as the cluster's clock shows it, in milliseconds since 1970."""
        return self.sight.epoch_now_ms
