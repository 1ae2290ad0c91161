"""Play an attempt without a site: the acts of a solution, or of a learner, from a level's beginning to its horizon.

Raises Elsewhere in a process that leaves playing to others.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.course.header import ScriptStep
from simulator.engine.course.replay import Course
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms
from simulator.levels.allowing import allowed_as, allows
from simulator.levels.level import Level
from simulator.levels.shared_plays import Lived, PlayBeginning, play_shared
from simulator.levels.start import LevelStart, given_acts, start_of
from simulator.runs.log import elsewhere
from simulator.scenarios.grading.attempt import AttemptResult, grade

PLAY_WORK = 1_000_000
"""The most that is played of an attempt, in units of work (engine/world/work.py): about 10 s of one core."""


class PlayedAttempt(Struct, frozen=True, kw_only=True):
    """An attempt at one seed. ``ended_ms`` is before the horizon if the allowed work was used up, and then the attempt does not pass.

    ``work`` is what the play cost, in units of work (engine/world/work.py).
    """

    seed: int
    result: AttemptResult
    records: list[Record]
    ended_ms: Ms
    is_whole: bool = True
    forbidden: tuple[str, ...] = ()
    work: int = 0

    @property
    def passed(self) -> bool:
        """Whether every check was kept, using only allowed acts."""
        return self.is_whole and not self.forbidden and self.result.passed


def play_level(level: Level, acts: Sequence[ScriptStep], *, seed: int, work: int = PLAY_WORK) -> PlayedAttempt:
    """Play acts to the level's horizon and grade them. Raises BadLevel if the level has no beginning, EngineFailed."""
    start = start_of(level, seed=seed)
    ahead = len(start.commands)
    given = [Stamped(at_ms=step.at_ms, n=n, command=step.command) for n, step in enumerate(acts, start=ahead + 1)]
    return play_commands(level, start, [*start.commands, *given], seed=seed, work=work)


def play_commands(level: Level, start: LevelStart, commands: Sequence[Stamped], *, seed: int, work: int = PLAY_WORK) -> PlayedAttempt:
    """Like ``play_level``, for the numbered commands of a run, including those before the level begins."""
    elsewhere.plays()
    course = Course(start.header, commands)
    begun = list(course.world.first_records)
    leg = course.drive(level.horizon_ms, limit=work)
    records = begun + leg.records
    ended_ms = level.horizon_ms if leg.is_there else course.world.now_ms
    result = grade(level.checks, records, end_ms=ended_ms, given=given_acts(start))
    forbidden = not_allowed(level, [item for item in commands if item.n > len(start.commands)])
    return PlayedAttempt(
        seed=seed, result=result, records=records, ended_ms=ended_ms, is_whole=leg.is_there, forbidden=forbidden, work=leg.work
    )


def check_play(
    level: Level,
    start: LevelStart,
    commands: Sequence[Stamped],
    *,
    seed: int,
    work: int,
    stops_ms: Iterable[Ms],
    lived: Lived | None = None,
) -> PlayedAttempt:
    """The same verdicts, without repeating what was played before for this attempt or others (shared_plays.py).

    ``records`` may end before the horizon if nothing later could change a verdict.
    """
    elsewhere.plays()
    checks, end_ms = level.checks, level.horizon_ms
    beginning = PlayBeginning(header=start.header, checks=checks, given=given_acts(start))
    play, is_whole = play_shared(beginning, commands, end_ms=end_ms, work=work, stops_ms=stops_ms, lived=lived)
    ended_ms = end_ms if is_whole else play.course.world.now_ms
    forbidden = not_allowed(level, [item for item in commands if item.n > len(start.commands)])
    return PlayedAttempt(
        seed=seed,
        result=play.grader.finish(ended_ms),
        records=play.records,
        ended_ms=ended_ms,
        is_whole=is_whole,
        forbidden=forbidden,
        work=play.course.done,
    )


def not_allowed(level: Level, commands: Sequence[Stamped]) -> tuple[str, ...]:
    """The tags of the acts among ``commands`` that the level does not allow."""
    return tuple(name for stamped in commands if not allows(level.allow, name := allowed_as(stamped.command)))
