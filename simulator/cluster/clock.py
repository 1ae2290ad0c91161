"""The clock of a cluster: a number of simulated seconds per second, with occasional jumps ahead."""

from collections.abc import Callable
from time import monotonic

from simulator.engine.kernel.units import Ms


class RunClock:
    """Converts a clock of seconds to moments of a run. ``rate`` is in simulated seconds per second."""

    def __init__(self, *, rate: float = 1.0, seconds: Callable[[], float] = monotonic) -> None:
        self._rate, self._seconds = rate, seconds
        self._since_s, self._from_ms = seconds(), 0

    def now_ms(self) -> Ms:
        """The present moment."""
        return self._from_ms + int((self._seconds() - self._since_s) * 1000 * self._rate)

    def jump(self, to_ms: Ms) -> None:
        """Continue from a moment; never goes back."""
        to_ms = max(to_ms, self.now_ms())
        self._since_s, self._from_ms = self._seconds(), to_ms
