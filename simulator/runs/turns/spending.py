"""Who has had how much of late. Pure: whoever asks brings the time along."""

from heapq import nlargest

from simulator.runs.turns.constants import NAMES_KNOWN_MAX


class Spending:
    """Seconds had by whoever it was, in which those of long ago count less and less. Used under a lock."""

    def __init__(self, *, half_s: float) -> None:
        """Time that was had ``half_s`` ago counts half."""
        self._half_s = half_s
        self._had: dict[str, tuple[float, float]] = {}

    def of(self, name: str, now_s: float) -> float:
        """What ``name`` has had."""
        seconds, at_s = self._had.get(name, (0.0, now_s))
        return seconds * float(0.5 ** ((now_s - at_s) / self._half_s))

    def add(self, name: str, seconds: float, now_s: float) -> None:
        """``name`` has had so much more."""
        self._had[name] = (self.of(name, now_s) + seconds, now_s)
        if len(self._had) > NAMES_KNOWN_MAX:  # half of them go at once: not every call should have to look through all
            most = nlargest(NAMES_KNOWN_MAX // 2, self._had, key=lambda each: self.of(each, now_s))
            self._had = {each: self._had[each] for each in most}

    def at_least(self, seconds: float, now_s: float) -> frozenset[str]:
        """Whoever has had so much."""
        return frozenset(name for name in self._had if self.of(name, now_s) >= seconds)
