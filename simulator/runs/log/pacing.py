"""Convert wall time to simulated time. Pure: the wall clock is passed in as Unix milliseconds, so tests can use any values."""

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.kernel.units import Ms

PERMILLE = 1000


class Pacer(Struct, frozen=True, kw_only=True):
    """A run's clock: at wall time ``base_wall_ms`` it showed ``base_ms``, and it continues at ``rate_permille`` unless paused.

    Every change makes a new Pacer that starts from the moment of the change, so that a change of speed never makes the clock jump.
    ``end_ms`` is the last moment the run may reach.
    """

    base_ms: Ms
    base_wall_ms: int
    rate_permille: int = PERMILLE
    is_paused: bool = False
    end_ms: Ms

    def now_ms(self, wall_ms: int) -> Ms:
        """The moment shown at ``wall_ms``. A wall clock that was set back counts as not having moved."""
        if self.is_paused:
            return min(self.base_ms, self.end_ms)
        elapsed = max(0, wall_ms - self.base_wall_ms)
        return min(self.base_ms + elapsed * self.rate_permille // PERMILLE, self.end_ms)

    def wait_ms(self, until_ms: Ms, wall_ms: int) -> int | None:
        """Wall milliseconds from ``wall_ms`` until ``until_ms`` is shown; None if that never happens."""
        if until_ms <= self.now_ms(wall_ms):
            return 0
        if self.is_paused or until_ms > self.end_ms:
            return None
        needed = -(-(until_ms - self.base_ms) * PERMILLE // self.rate_permille)
        return max(0, self.base_wall_ms + needed - wall_ms)

    def behind_ms(self, reached_ms: Ms, wall_ms: int) -> int:
        """Wall milliseconds by which a world at ``reached_ms`` trails the clock."""
        return max(0, self.now_ms(wall_ms) - reached_ms) * PERMILLE // self.rate_permille

    def changed(self, wall_ms: int, *, rate_permille: int | None = None, is_paused: bool | None = None) -> "Pacer":
        """The same clock with another speed, or stopped or started, from this moment on."""
        return replace(
            self,
            base_ms=self.now_ms(wall_ms),
            base_wall_ms=wall_ms,
            rate_permille=self.rate_permille if rate_permille is None else rate_permille,
            is_paused=self.is_paused if is_paused is None else is_paused,
        )

    def moved(self, to_ms: Ms, wall_ms: int) -> "Pacer":
        """The same clock showing ``to_ms`` now."""
        return replace(self, base_ms=to_ms, base_wall_ms=wall_ms)
