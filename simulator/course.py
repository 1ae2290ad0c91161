"""A world on its way through its commands: the one place outside the engine that decides when a command is applied.

A command is applied at a boundary: everything due by its moment has happened first. What a live run does, what a replay does
and what time travel does is this same code, so they cannot differ.
"""

from collections.abc import Iterable

from msgspec import Struct

from simulator.engine import advance, apply, new_world
from simulator.engine.acts.registry import Stamped
from simulator.engine.header import RunHeader
from simulator.engine.records import Record
from simulator.engine.units import Ms, Seq
from simulator.storage import Applied

UNLIMITED = 1_000_000_000


class Leg(Struct, frozen=True, kw_only=True):
    """One stretch of the way: what happened, which commands took their place, and whether the goal was reached.

    Where the limit cut an instant in two, ``is_whole`` is False: nobody may see the world, and no command may take its place, until
    another stretch has ended the instant.
    """

    records: list[Record]
    applied: list[Applied]
    is_there: bool
    is_whole: bool = True


class Course:
    """A world and the commands that lie ahead of it, in the order of their moments."""

    __slots__ = ("_commands", "_next", "next_due_ms", "world")

    def __init__(self, header: RunHeader, commands: Iterable[Stamped] = ()) -> None:
        self.world = new_world(header)
        self._commands = sorted(commands, key=lambda stamped: (stamped.at_ms, stamped.n))
        self._next = 0
        self.next_due_ms: Ms | None = 0

    def fork(self, commands: Iterable[Stamped] | None = None) -> "Course":
        """An independent course with the same past; ``commands`` replaces the list, whose applied beginning must be the same."""
        twin = Course.__new__(Course)
        twin.world = self.world.fork()
        twin._commands = self._commands if commands is None else sorted(commands, key=lambda stamped: (stamped.at_ms, stamped.n))
        twin._next, twin.next_due_ms = self._next, self.next_due_ms
        return twin

    @property
    def applied_count(self) -> int:
        """How many commands lie behind."""
        return self._next

    def give(self, stamped: Stamped) -> None:
        """Add a command at the present moment, after all others."""
        assert stamped.at_ms == self.world.now_ms, "a command takes its place at the present"
        self._commands = [*self._commands[: self._next], stamped, *self._commands[self._next :]]

    def drive(self, until_ms: Ms, *, limit: int = UNLIMITED) -> Leg:
        """Go on to ``until_ms``, or for at most ``limit`` events or commands."""
        until_ms = max(until_ms, self.world.now_ms)
        records: list[Record] = []
        applied: list[Applied] = []
        while True:
            ahead = self._commands[self._next] if self._next < len(self._commands) else None
            goal_ms = min(until_ms, ahead.at_ms) if ahead else until_ms
            batch = advance(self.world, until_ms=goal_ms, limit=limit)
            records.extend(batch.records)
            self.next_due_ms = batch.next_due_ms
            if not batch.exhausted:
                is_whole = self.ahead_ms() != self.world.now_ms
                return Leg(records=records, applied=applied, is_there=False, is_whole=is_whole)
            if ahead is None or ahead.at_ms > goal_ms:
                return Leg(records=records, applied=applied, is_there=True)
            done = self._apply(ahead)
            records.extend(done)
            applied.append(_place(ahead, done))

    def drive_to_seq(self, seq: Seq, *, until_ms: Ms) -> None:
        """Go on to the step that writes record ``seq`` and stop inside its instant, or at ``until_ms``. One event at a time."""
        while self.world.seq < seq:
            ahead = self._commands[self._next] if self._next < len(self._commands) else None
            batch = advance(self.world, until_ms=min(until_ms, ahead.at_ms) if ahead else until_ms, limit=1)
            if batch.exhausted:
                if ahead is None or ahead.at_ms > until_ms:
                    return
                self._apply(ahead)

    def ahead_ms(self) -> Ms | None:
        """The next moment at which something is due, an event or a command; None where nothing is."""
        moments = [self.next_due_ms] if self.next_due_ms is not None else []
        moments += [stamped.at_ms for stamped in self._commands[self._next : self._next + 1]]
        return min(moments, default=None)

    def _apply(self, stamped: Stamped) -> list[Record]:
        self._next += 1
        return list(apply(self.world, stamped.command))


def _place(stamped: Stamped, records: list[Record]) -> Applied:
    """Where a command took its place, by its own record (kind command)."""
    own = next(record for record in records if record.kind == "command")
    outcome = "accepted" if own.target == "accepted" else "refused"
    return Applied(n=stamped.n, at_ms=stamped.at_ms, seq=own.seq, outcome=outcome)
