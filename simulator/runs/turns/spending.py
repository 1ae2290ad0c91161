"""Recent usage by name. Pure: the caller passes the time."""

from heapq import nlargest

from simulator.runs.turns.constants import NAMES_KNOWN_MAX


class Spending:
    """Seconds used by each name, decaying exponentially. Used under a lock."""

    def __init__(self, *, half_s: float) -> None:
        """``half_s`` is the half-life."""
        self._half_s = half_s
        self._had: dict[str, tuple[float, float]] = {}

    def of(self, name: str, now_s: float) -> float:
        """The seconds that ``name`` has used, decayed to ``now_s``."""
        seconds, at_s = self._had.get(name, (0.0, now_s))
        return seconds * float(0.5 ** ((now_s - at_s) / self._half_s))

    def add(self, name: str, seconds: float, now_s: float) -> None:
        """Add to what ``name`` has used."""
        self._had[name] = (self.of(name, now_s) + seconds, now_s)
        if len(self._had) > NAMES_KNOWN_MAX:  # drop half at a time, so that not every call has to scan all
            most = nlargest(NAMES_KNOWN_MAX // 2, self._had, key=lambda each: self.of(each, now_s))
            self._had = {each: self._had[each] for each in most}

    def at_least(self, seconds: float, now_s: float) -> frozenset[str]:
        """The names that have used at least that much."""
        return frozenset(name for name in self._had if self.of(name, now_s) >= seconds)
