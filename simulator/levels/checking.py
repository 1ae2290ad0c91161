"""A learner's attempt checked: played ahead to the horizon at every seed of the level, and what of it was not needed.

Raises Elsewhere in a process that leaves playing to others.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.kernel.units import Ms
from simulator.levels.level import Level, Solution
from simulator.levels.playing import PlayedAttempt, check_play
from simulator.levels.shared_plays import Lived
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


def check_commands(level: Level, commands: Sequence[Stamped], *, seed: int, until_ms: Ms = 0, lived: Lived | None = None) -> CheckedRun:
    """Check the commands of a run of the level at ``seed``, those before its beginning included.

    The run has come to ``until_ms``: what it is given later comes after that moment, so the next check goes on from there. ``lived`` gives
    the run itself. Costs what was not played before, at most a play a seed, 10 to 200 ms each. Raises BadLevel, EngineFailed.
    """
    seeds = [seed, *(each for each in level.seeds if each != seed)]
    own, best = _own(level, commands), best_acts(level)
    # Before the first act all attempts are one. The others share what comes before an act that may turn out not to be needed.
    may_be_less = 1 < len(own) <= _LEFT_OUT_MAX and (best is None or len(own) > best)
    acted_ms = [stamped.at_ms - 1 for stamped in own]
    stops_ms = [until_ms, *sorted(acted_ms)[:1]]
    own_stops_ms = (*stops_ms, *(acted_ms if may_be_less else ()))
    plays = (
        _played(level, commands, seed, own_stops_ms, lived=None if may_be_less else lived),
        *(_played(level, commands, each, stops_ms) for each in seeds[1:]),
    )
    checked = CheckedRun(plays=plays, acts=len(own), best=best)
    if checked.passed and may_be_less:
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


def _played(
    level: Level, commands: Sequence[Stamped], seed: int, stops_ms: Iterable[Ms] = (), *, lived: Lived | None = None
) -> PlayedAttempt:
    start = start_of(level, seed=seed)
    return check_play(level, start, commands, seed=seed, work=CHECK_WORK, stops_ms=stops_ms, lived=lived)


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
