"""A learner's attempt checked: played ahead to the horizon at every seed of the level, and what of it was not needed.

Raises Elsewhere in a process that leaves playing to others.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.acts.all_acts import Stamped
from simulator.levels.level import Level, Solution
from simulator.levels.playing import PlayedAttempt, play_commands
from simulator.levels.start import start_of

CHECK_WORK = 400_000
"""How much is played of one seed when a learner asks, in units of work (engine/world/work.py): some 4 s of one core."""
_LEFT_OUT_MAX = 8
"""More acts are not tried one by one."""


class CheckedRun(Struct, frozen=True, kw_only=True):
    """An attempt at every seed, its own first. ``unneeded`` are the numbers of acts without which it passes all the same.

    ``best`` is how many acts the shortest known solution has, None where the level knows none.
    """

    plays: tuple[PlayedAttempt, ...]
    acts: int
    unneeded: tuple[int, ...] = ()
    best: int | None = None

    @property
    def passed(self) -> bool:
        """Whether it passes at every seed."""
        return all(played.passed for played in self.plays)

    @property
    def shown(self) -> PlayedAttempt:
        """The play that says most: the first one that does not pass, else that of the attempt's own seed."""
        return next((played for played in self.plays if not played.passed), self.plays[0])


def check_commands(level: Level, commands: Sequence[Stamped], *, seed: int) -> CheckedRun:
    """Check the commands of a run of the level at ``seed``, those before its beginning included. Costs a play a seed, 10 to 200 ms each.

    Raises BadLevel, EngineFailed.
    """
    seeds = [seed, *(each for each in level.seeds if each != seed)]
    plays = tuple(_played(level, commands, at) for at in seeds)
    checked = CheckedRun(plays=plays, acts=acts_used(level, commands), best=best_acts(level))
    if checked.passed and 1 < checked.acts <= _LEFT_OUT_MAX and (checked.best is None or checked.acts > checked.best):
        return replace(checked, unneeded=tuple(_unneeded(level, commands, seed)))
    return checked


def acts_used(level: Level, commands: Sequence[Stamped]) -> int:
    """How many acts of a run's ``commands`` are the learner's. Raises BadLevel."""
    return len(_own(level, commands))


def best_acts(level: Level) -> int | None:
    """How many acts the shortest right solution has."""
    return min((len(solution.acts) for solution in level.solutions if solution.expect == "pass"), default=None)


def best_solution(level: Level) -> Solution | None:
    """The right solution with the fewest acts, the first of those."""
    return min((solution for solution in level.solutions if solution.expect == "pass"), key=lambda each: len(each.acts), default=None)


def _played(level: Level, commands: Sequence[Stamped], seed: int) -> PlayedAttempt:
    return play_commands(level, start_of(level, seed=seed), commands, seed=seed, work=CHECK_WORK)


def _own(level: Level, commands: Sequence[Stamped]) -> list[Stamped]:
    """The acts of the learner, without those that were given before the level begins."""
    before = len(start_of(level, seed=level.seeds[0]).commands)
    return sorted(commands, key=lambda stamped: stamped.n)[before:]


def _unneeded(level: Level, commands: Sequence[Stamped], seed: int) -> list[int]:
    """The acts without which, all taken away together, the attempt passes; the last ones are tried first."""
    left, unneeded = list(commands), list[int]()
    for act in reversed(_own(level, commands)):
        without = [stamped for stamped in left if stamped.n != act.n]
        if _played(level, without, seed).passed:
            left, unneeded = without, [act.n, *unneeded]
    return unneeded
