"""The event queue: what is due, in a total order.

Order: ``due_ms``, then lane, then the order of pushing. Lanes settle what happens first when several things are due in the
same millisecond (rule EQUAL-TIME-ORDER): the kernel and container runtime act before the kubelet observes, it observes before it
syncs, syncs come before probes, probes before controllers, and housekeeping comes last.
"""

from collections.abc import Callable
from enum import IntEnum
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from simulator.engine.kernel.units import Ms, Seq
from simulator.engine.world.events import Event

PUSHES_BITS = 32
PUSHES = (1 << PUSHES_BITS) - 1
"""The low bits of a push number, which count the pushes; the bits above hold the moment of the push."""
_SETTLED = 1 << 30
"""A lane after all others: whatever was due by then has been taken."""


class Lane(IntEnum):
    """What goes first among things due in the same millisecond."""

    RUNTIME = 0
    API = 1
    RELIST = 2
    KUBELET = 3
    PROBE = 4
    CONTROLLER = 5
    HOUSEKEEPING = 6
    SCRIPT = 7


class Due(NamedTuple):
    """An event with its moment. ``n`` is the push number, which grows from push to push, and serves as its handle."""

    due_ms: Ms
    lane: int
    n: int
    event: Event
    cause: Seq


_made = tuple.__new__
"""Creates a named tuple without the Python-level call that ``Due(…)`` costs."""


class EventQueue:
    """A heap of due events. Cancelling is lazy: the entry is dropped when it comes up."""

    __slots__ = ("_cancelled", "_heap", "pushes", "reached")

    def __init__(self) -> None:
        self._heap: list[Due] = []
        self._cancelled: dict[int, None] = {}
        self.pushes = 0
        self.reached: tuple[Ms, int, int] | Due = (0, -1, 0)  # the latest position in the order from which something was taken

    def push(self, due_ms: Ms, lane: int, event: Event, cause: Seq) -> int:
        """Add an event; returns a handle for ``cancel``. O(log n)."""
        pushes = self.pushes = self.pushes + 1
        n = self.reached[0] << PUSHES_BITS | pushes
        heappush(self._heap, _made(Due, (due_ms, lane, n, event, cause)))
        return n

    def keep_place(self) -> int:
        """The number that a push would get now, for an event that may be pushed later (``push_at``)."""
        self.pushes += 1
        return self.reached[0] << PUSHES_BITS | self.pushes

    def push_at(self, due_ms: Ms, lane: int, n: int, event: Event, cause: Seq) -> None:
        """Add an event as if it had been pushed with that number, which no other queued event has. O(log n)."""
        heappush(self._heap, _made(Due, (due_ms, lane, n, event, cause)))

    def cancel(self, handle: int) -> None:
        """Drop the event with that handle when it comes up. Do not pass 0 or a handle that is no longer queued."""
        self._cancelled[handle] = None
        if len(self._cancelled) > 1024 and len(self._cancelled) * 2 > len(self._heap):
            self._sweep()

    def _sweep(self) -> None:
        self._heap = [due for due in self._heap if due.n not in self._cancelled]
        heapify(self._heap)
        self._cancelled = {}

    def peek_ms(self) -> Ms | None:
        """When the next event is due, or None."""
        heap, cancelled = self._heap, self._cancelled
        while cancelled and heap and heap[0][2] in cancelled:
            del cancelled[heappop(heap)[2]]
        return heap[0][0] if heap else None

    def pop(self, until_ms: Ms) -> Due | None:
        """Take the next event if it is due by that moment, else None. O(log n)."""
        heap, cancelled = self._heap, self._cancelled
        while cancelled and heap and heap[0][2] in cancelled:
            del cancelled[heappop(heap)[2]]
        if not heap or heap[0][0] > until_ms:
            return None
        due = heappop(heap)
        if due > self.reached:
            self.reached = due
        return due

    def settle(self, until_ms: Ms) -> None:
        """Note that everything due by then has been taken."""
        self.reached = max(self.reached, (until_ms, _SETTLED, 0))

    def copy(self) -> "EventQueue":
        """An independent queue with the same events (pointers are shared; events are frozen). O(n)."""
        twin = EventQueue()
        twin._heap = self._heap.copy()
        twin._cancelled = self._cancelled.copy()
        twin.pushes, twin.reached = self.pushes, self.reached
        return twin

    def blend(self, other: "EventQueue", blended: Callable[[Due, Due], Due]) -> None:
        """Replace each event by ``blended`` of it and the event with the same handle in a queue with the same past. O(n log n).

        Raises KeyError if the other queue does not hold the same handles.
        """
        theirs = {due.n: due for due in other._heap}
        if (len(theirs), self.pushes, self.reached, self._cancelled) != (len(self._heap), other.pushes, other.reached, other._cancelled):
            raise KeyError
        self._heap = [due if due == (other_due := theirs[due.n]) else blended(due, other_due) for due in self._heap]
        heapify(self._heap)

    def __len__(self) -> int:
        return len(self._heap) - len(self._cancelled)


class TracedQueue(EventQueue):
    """A queue that remembers what was taken from it. Its copies are plain queues."""

    __slots__ = ("taken",)

    def __init__(self, queue: EventQueue, taken: list[Due]) -> None:
        """Take over the events of ``queue``, which must not be used afterwards, and what had been taken from it."""
        self._heap, self._cancelled = queue._heap, queue._cancelled
        self.pushes, self.reached = queue.pushes, queue.reached
        self.taken = taken

    def pop(self, until_ms: Ms) -> Due | None:
        """As in every queue."""
        due = super().pop(until_ms)
        if due is not None:
            self.taken.append(due)
        return due
