"""Who is watching: this process's sockets by run, and the counts that other processes announce. In
memory; a silent process counts as gone.

Two things depend on it. Pages show the number of viewers, and a run that is not watched gives up its
place and is released. The first may be slightly wrong. The second is decided by the database
(``viewers_seen_at``), which hubs write while anyone is here.

A process knows its own sockets exactly. Of others it knows only their last announcement. Each
announces its count every few seconds, so a process that died is forgotten after
``REMOTE_SILENT_S``, without having to take anything back.

A socket whose page is in the background still counts against its address, but not as a viewer, so
the two are counted separately.
"""

from collections import Counter
from collections.abc import Callable
from secrets import token_hex
from time import monotonic
from uuid import UUID

PROCESS = token_hex(8)
REMOTE_SILENT_S = 20.0
"""Processes announce their counts every few seconds; one that has been silent for this long counts as gone."""


class Presence:
    """Counts of sockets. Used in one event loop only, so it needs no lock."""

    def __init__(self, clock_s: Callable[[], float] = monotonic) -> None:
        self._clock_s = clock_s
        self._here: Counter[UUID] = Counter()
        self._addresses: Counter[str] = Counter()
        self._elsewhere: dict[tuple[UUID, str], tuple[int, float]] = {}

    def enter(self, run_id: UUID, address: str) -> None:
        """A socket of ``address`` opened on a page in the foreground; ``open`` alone is for one in the background."""
        self._here[run_id] += 1
        self.open(address)

    def open(self, address: str) -> None:
        """A socket of ``address`` opened; it counts against the address, not as a viewer."""
        self._addresses[address] += 1

    def close(self, address: str) -> None:
        """That socket closed."""
        self._addresses[address] -= 1
        self._addresses = +self._addresses  # drops what is at zero

    def leave(self, run_id: UUID, address: str, *, is_away: bool = False) -> None:
        """That socket closed; ``is_away`` if its page was in the background."""
        if not is_away:
            self.look_away(run_id)
        self.close(address)

    def look_away(self, run_id: UUID) -> None:
        """A socket's page went to the background; the socket stays open."""
        self._here[run_id] -= 1
        self._here = +self._here

    def look_back(self, run_id: UUID) -> None:
        """That page came back to the foreground."""
        self._here[run_id] += 1

    def from_address(self, address: str) -> int:
        """Open sockets of ``address`` in this process."""
        return self._addresses[address]

    def here(self, run_id: UUID) -> int:
        """Open sockets of the run in this process whose pages are in the foreground."""
        return self._here[run_id]

    def is_anybody_here(self) -> bool:
        """Whether this process has any open socket whose page is in the foreground. Callable from any thread."""
        return bool(self._here)

    def heard(self, run_id: UUID, process: str, viewers: int) -> None:
        """Another process announced its count."""
        if process == PROCESS:
            return
        if viewers:
            self._elsewhere[run_id, process] = (viewers, self._clock_s())
        else:
            self._elsewhere.pop((run_id, process), None)

    def viewers(self, run_id: UUID) -> int:
        """Viewers of the run in all processes, as far as known; forgets silent processes. O(other processes' runs)."""
        oldest = self._clock_s() - REMOTE_SILENT_S
        self._elsewhere = {key: seen for key, seen in self._elsewhere.items() if seen[1] >= oldest}
        return self._here[run_id] + sum(count for (run, _), (count, _at) in self._elsewhere.items() if run == run_id)


PRESENCE = Presence()
