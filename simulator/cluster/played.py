"""A run that is played as far as its clock says, and whose past is at hand: what a client saw last may lie a while back.

Nothing is stored. The commands that were given, in their order, are all that a run is beside its header.
"""

from collections.abc import Iterator

from simulator.engine import Course, RunHeader, Stamped, World
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.course.replay import Checkpoints
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms

Instant = tuple[World, World]
"""The world just before a moment at which something happened, and after it. The second goes on: it is only good until then."""


class PlayedRun:
    """A header, the commands given so far, and the world that they have made. Raises EngineFailed where the engine does."""

    def __init__(self, header: RunHeader) -> None:
        self.header = header
        self.commands: list[Stamped] = []
        self._course = Course(header)
        self._past = Checkpoints(header)

    @property
    def world(self) -> World:
        """The world at the present moment."""
        return self._course.world

    def ahead_ms(self) -> Ms | None:
        """The next moment at which something will happen; None where nothing will."""
        return self._course.ahead_ms()

    def play(self, until_ms: Ms) -> Iterator[Instant]:
        """Go on to a moment, instant by instant: what is not taken is not played."""
        for instant in instants(self._course, until_ms):
            self._past.keep(self._course)
            yield instant
        self._course.drive(until_ms)

    def give(self, command: AnyCommand) -> Record:
        """Carry out a command now, with what follows at this very moment: the command's own record."""
        stamped = Stamped(self.world.now_ms, len(self.commands) + 1, command)
        self.commands.append(stamped)
        self._course.give(stamped)
        leg = self._course.drive(stamped.at_ms)
        return next(record for record in leg.records if record.kind == "command")

    def since(self, ms: Ms) -> tuple[World, Iterator[Instant]]:
        """The world at an earlier moment, and what has happened from there to the present."""
        course = self._past.course_at(self.commands, ms=ms)
        return course.world.fork(), instants(course, self.world.now_ms)


def instants(course: Course, until_ms: Ms) -> Iterator[Instant]:
    """Play a course to a moment, one instant at a time."""
    while (ahead_ms := course.ahead_ms()) is not None and ahead_ms <= until_ms:
        before = course.world.fork()
        course.drive(ahead_ms)
        yield before, course.world
