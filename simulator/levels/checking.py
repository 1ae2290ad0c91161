"""Check a learner's attempt: play it to the horizon at every seed of the level, and find acts that were not needed.

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
"""How much is played per seed for a learner's check, in units of work (engine/world/work.py): about 4 s of one core."""
_LEFT_OUT_MAX = 8
"""With more acts than this, leaving them out one by one is not tried."""


class CheckedRun(Struct, frozen=True, kw_only=True):
    """An attempt at every seed, its own first. ``unneeded`` are the numbers of acts without which it would still pass.

    ``best`` is the number of acts in the shortest known solution, None if there is none.
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
        """The most informative play: the first that does not pass, otherwise the one at the attempt's own seed."""
        return next((played for played in self.plays if not played.passed), self.plays[0])


def check_commands(level: Level, commands: Sequence[Stamped], *, seed: int, until_ms: Ms = 0, lived: Lived | None = None) -> CheckedRun:
    """Check the commands of a run of the level at ``seed``, including those before the level begins.

    The run has reached ``until_ms``: later commands come after that moment, so the next check continues from there. ``lived`` gives access
    to the run itself. Costs whatever was not played before, at most one play per seed, 10 to 200 ms each. Raises BadLevel, EngineFailed.
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
    """How many of a run's ``commands`` are the learner's own acts. Raises BadLevel."""
    return len(_own(level, commands))


def best_acts(level: Level) -> int | None:
    """The number of acts in the shortest right solution."""
    return min((len(solution.acts) for solution in level.solutions if solution.expect == "pass"), default=None)


def best_solution(level: Level) -> Solution | None:
    """The first of the right solutions with the fewest acts."""
    return min((solution for solution in level.solutions if solution.expect == "pass"), key=lambda each: len(each.acts), default=None)


def _played(
    level: Level, commands: Sequence[Stamped], seed: int, stops_ms: Iterable[Ms] = (), *, lived: Lived | None = None
) -> PlayedAttempt:
    start = start_of(level, seed=seed)
    return check_play(level, start, commands, seed=seed, work=CHECK_WORK, stops_ms=stops_ms, lived=lived)


def _own(level: Level, commands: Sequence[Stamped]) -> list[Stamped]:
    """The learner's acts, without those given before the level begins."""
    before = len(start_of(level, seed=level.seeds[0]).commands)
    return sorted(commands, key=lambda stamped: stamped.n)[before:]


def _unneeded(level: Level, commands: Sequence[Stamped], seed: int) -> list[int]:
    """Acts that can all be left out together without failing the attempt; later ones are tried first."""
    left, unneeded = list(commands), list[int]()
    for act in reversed(_own(level, commands)):
        without = [stamped for stamped in left if stamped.n != act.n]
        if _played(level, without, seed).passed:
            left, unneeded = without, [act.n, *unneeded]
    return unneeded
