"""Watches: which components are notified of a write to the API server's store. They form a table, so that no writer knows its readers.

A component declares what it watches: a kind, which parts of an object interest it, and a handler, which client-go calls an event
handler: it gets the object before and after the write and puts keys into the component's queue. Handlers run at the moment of the
write, in table order; the delay between a write and the component that sees it is the latency of its queue.
"""

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct

from simulator.engine.world.queue import Lane

ADDED, CHANGED, BOUND, DELETING, STATUS, ENDED, GONE = 1, 2, 4, 8, 16, 32, 64
"""Parts of an object that a write may change: it is new; spec or metadata; nodeName; deletionTimestamp and grace; status; a pod's phase
becoming terminal; it is gone."""

EVERY_KIND = ""
ANYBODY, NOBODY = "*", ""
"""Owner of a watched pod: any controller, or none."""

Handler = Callable[[Any, Any, Any], None]
"""Receives the effects, the row before the write (None: new) and the row after it."""


class Queue(Struct, frozen=True):
    """A component's queue of keys. ``latency`` names the profile field that says how long a write takes to get there."""

    name: str
    lane: Lane
    latency: str


class Watch(Struct, frozen=True):
    """One line of the table: the component is notified when one of the parts in ``on`` of an object of that kind changes.

    ``owner``: only of pods that a controller of that kind manages (``NOBODY``: that no controller manages), before or after the write.
    ``beside``: only of pods whose namespace contains an object of that kind, without which the handler has nothing to do.
    """

    component: str
    kind: str
    on: int
    handler: Handler
    ignores_own: bool = False  # not notified of the component's own writes
    counts: bool = False  # maintains a count, and therefore follows an imported past too
    owner: str = ANYBODY
    beside: str = ""


Notified = tuple[tuple[str, Handler, str], ...]
"""Components, each with its handler and the kind that the pod's namespace must contain; in table order."""


class Watches:
    """The table by kind. Empty for a world without components, such as those of unit tests."""

    __slots__ = ("_by_kind", "_every", "_found", "answers")

    def __init__(self, lines: Iterable[Watch] = ()) -> None:
        table = tuple(lines)
        self._every = tuple(line for line in table if line.kind == EVERY_KIND)
        kinds = dict.fromkeys(line.kind for line in table)
        self._by_kind = {kind: tuple(line for line in table if line.kind in (kind, EVERY_KIND)) for kind in kinds}
        self._found: dict[tuple[str, int], tuple[Watch, ...]] = {}  # cached results of ``of``: there are few
        self.answers: dict[tuple[str, int, str, str, str], Notified] = {}  # likewise of ``notified``

    def of(self, kind: str, changed: int) -> tuple[Watch, ...]:
        """The lines for objects of that kind that ask for one of the parts, in table order."""
        found = self._found.get((kind, changed))
        if found is None:
            lines = self._by_kind.get(kind, self._every)
            found = self._found[(kind, changed)] = tuple(line for line in lines if line.on & changed)
        return found

    def notified(self, kind: str, changed: int, writer: str, owner: str = NOBODY, before: str = NOBODY) -> Notified:
        """Which components are notified of a write by ``writer``, and their handlers, in table order.

        ``owner`` and ``before``: the kinds of a pod's controllers after and before the write.
        """
        found = self.answers.get((kind, changed, writer, owner, before))
        if found is None:
            lines = (line for line in self.of(kind, changed) if not line.ignores_own or line.component != writer)
            matching = (line for line in lines if line.owner in (ANYBODY, owner, before))
            found = tuple((line.component, line.handler, line.beside) for line in matching)
            self.answers[(kind, changed, writer, owner, before)] = found
        return found
