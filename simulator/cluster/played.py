"""A run that is played as far as its clock says, and whose past is available: what a client saw last may be a while ago.

Nothing is stored. A run consists of its header and the commands given so far, in order.
"""

from collections.abc import Iterator

from simulator.engine import Course, RunHeader, Stamped, World
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.course.replay import Checkpoints
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms

Instant = tuple[World, World]
"""The worlds just before and after a moment at which something happened. The second one is played on, so it is only valid until then."""


class PlayedRun:
    """A header, the commands given so far, and the resulting world. Raises EngineFailed if the engine fails."""

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
        """The next moment at which something will happen; None if nothing will."""
        return self._course.ahead_ms()

    def play(self, until_ms: Ms) -> Iterator[Instant]:
        """Continue to a moment, instant by instant; instants that are not consumed are not played."""
        for instant in instants(self._course, until_ms):
            self._past.keep(self._course)
            yield instant
        self._course.drive(until_ms)

    def give(self, command: AnyCommand) -> Record:
        """Carry out a command now, with everything that follows at the same moment; returns the command's own record."""
        stamped = Stamped(self.world.now_ms, len(self.commands) + 1, command)
        self.commands.append(stamped)
        self._course.give(stamped)
        leg = self._course.drive(stamped.at_ms)
        return next(record for record in leg.records if record.kind == "command")

    def since(self, ms: Ms) -> tuple[World, Iterator[Instant]]:
        """The world at an earlier moment, and what has happened from then to the present."""
        course = self._past.course_at(self.commands, ms=ms)
        return course.world.fork(), instants(course, self.world.now_ms)


def instants(course: Course, until_ms: Ms) -> Iterator[Instant]:
    """Play a course up to a moment, one instant at a time."""
    while (ahead_ms := course.ahead_ms()) is not None and ahead_ms <= until_ms:
        before = course.world.fork()
        course.drive(ahead_ms)
        yield before, course.world
