"""The event queue: what is due, in a total order.

Order: ``due_ms``, then lane, then the order of pushing. Lanes settle what happens first when several things are due in the
same millisecond (rule EQUAL-TIME-ORDER): the kernel and container runtime act before the kubelet looks, it looks before it
syncs, syncs come before probes, these before controllers, and housekeeping comes last.
"""

from collections.abc import Callable
from enum import IntEnum
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from simulator.engine.kernel.units import Ms, Seq
from simulator.engine.world.events import Event

PUSHES_BITS = 32
PUSHES = (1 << PUSHES_BITS) - 1
"""Of a push number, the part that counts the pushes; above it stands the moment of the push."""
_SETTLED = 1 << 30
"""A lane after all others: whatever was due by then has been taken."""


class Lane(IntEnum):
    """Who acts first among things due at the same millisecond."""

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
"""Makes a named tuple without the call of a Python function that ``Due(…)`` is."""


class EventQueue:
    """A heap of due events. Cancelling is lazy: the entry is dropped when it comes up."""

    __slots__ = ("_cancelled", "_heap", "pushes", "reached")

    def __init__(self) -> None:
        self._heap: list[Due] = []
        self._cancelled: dict[int, None] = {}
        self.pushes = 0
        self.reached: tuple[Ms, int, int] | Due = (0, -1, 0)  # the latest place in the order from which something was taken

    def push(self, due_ms: Ms, lane: int, event: Event, cause: Seq) -> int:
        """Add an event; returns a handle for ``cancel``. O(log n)."""
        pushes = self.pushes = self.pushes + 1
        n = self.reached[0] << PUSHES_BITS | pushes
        heappush(self._heap, _made(Due, (due_ms, lane, n, event, cause)))
        return n

    def keep_place(self) -> int:
        """The number that a push would have now, for an event that is pushed later, if at all (``push_at``)."""
        self.pushes += 1
        return self.reached[0] << PUSHES_BITS | self.pushes

    def push_at(self, due_ms: Ms, lane: int, n: int, event: Event, cause: Seq) -> None:
        """Add an event as if it had been pushed with that number, which no other event in the queue has. O(log n)."""
        heappush(self._heap, _made(Due, (due_ms, lane, n, event, cause)))

    def cancel(self, handle: int) -> None:
        """Drop the event with that handle when it comes up. A handle that is 0 or no longer queued must not be passed."""
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
        """Take the next event where it is due by that moment, else None. O(log n)."""
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
        """Everything due by then has been taken."""
        self.reached = max(self.reached, (until_ms, _SETTLED, 0))

    def copy(self) -> "EventQueue":
        """An independent queue with the same events (pointers are shared; events are frozen). O(n)."""
        twin = EventQueue()
        twin._heap = self._heap.copy()
        twin._cancelled = self._cancelled.copy()
        twin.pushes, twin.reached = self.pushes, self.reached
        return twin

    def blend(self, other: "EventQueue", blended: Callable[[Due, Due], Due]) -> None:
        """Replace each event by what ``blended`` makes of it and of the one with the same handle in a queue with the same past. O(n log n).

        Raises KeyError where the other queue does not hold the same.
        """
        theirs = {due.n: due for due in other._heap}
        if (len(theirs), self.pushes, self.reached, self._cancelled) != (len(self._heap), other.pushes, other.reached, other._cancelled):
            raise KeyError
        self._heap = [due if due == (other_due := theirs[due.n]) else blended(due, other_due) for due in self._heap]
        heapify(self._heap)

    def __len__(self) -> int:
        return len(self._heap) - len(self._cancelled)


class TracedQueue(EventQueue):
    """A queue that keeps what was taken from it. Its copies are plain queues."""

    __slots__ = ("taken",)

    def __init__(self, queue: EventQueue, taken: list[Due]) -> None:
        """Take over the events of ``queue``, which is of no further use, and what had been taken from it."""
        self._heap, self._cancelled = queue._heap, queue._cancelled
        self.pushes, self.reached = queue.pushes, queue.reached
        self.taken = taken

    def pop(self, until_ms: Ms) -> Due | None:
        """As every queue does."""
        due = super().pop(until_ms)
        if due is not None:
            self.taken.append(due)
        return due
