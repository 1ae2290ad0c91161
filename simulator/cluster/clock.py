"""The clock of a cluster: so many simulated seconds a second, and now and then a jump ahead."""

from collections.abc import Callable
from time import monotonic

from simulator.engine.kernel.units import Ms


class RunClock:
    """Moments of a run by a clock of seconds. ``rate``: simulated seconds a second."""

    def __init__(self, *, rate: float = 1.0, seconds: Callable[[], float] = monotonic) -> None:
        self._rate, self._seconds = rate, seconds
        self._since_s, self._from_ms = seconds(), 0

    def now_ms(self) -> Ms:
        """The present moment."""
        return self._from_ms + int((self._seconds() - self._since_s) * 1000 * self._rate)

    def jump(self, to_ms: Ms) -> None:
        """Go on from a moment; never back."""
        to_ms = max(to_ms, self.now_ms())
        self._since_s, self._from_ms = self._seconds(), to_ms
