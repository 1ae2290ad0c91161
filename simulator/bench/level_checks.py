"""The cost of checking a level: every attempt foreseen by the built-in levels, checked with every seed. All figures are for one core."""

from collections.abc import Iterator, Sequence
from time import process_time

from msgspec import Struct

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.kernel.units import MINUTE, SECOND
from simulator.levels.checking import check_commands
from simulator.levels.level import Level, Solution
from simulator.levels.reading import built_in_levels
from simulator.levels.shared_plays import SHARED_PLAYS
from simulator.levels.start import start_of
from simulator.levels.trial import NOTHING

BAR_MS = 150.0
"""Limit for a check over three seeds of a level of two minutes."""
LATER_MS = 10 * SECOND
DEAREST = 3


class AttemptCost(Struct, frozen=True, kw_only=True):
    """An attempt of a level: milliseconds of its first check, at its last act, and of one 20 s later; both as for 3 seeds and 2 minutes."""

    level: str
    attempt: str
    first_ms: float
    later_ms: float


def given_to(level: Level, solution: Solution) -> list[Stamped]:
    """The commands of a run of the level in which a learner does what the solution does."""
    ahead = start_of(level, seed=level.seeds[0]).commands
    own = (Stamped(at_ms=step.at_ms, n=n, command=step.command) for n, step in enumerate(solution.steps(), len(ahead) + 1))
    return [*ahead, *own]


def cost_of(level: Level, solution: Solution) -> AttemptCost:
    """The cost of checking an attempt when nobody has tried the level before."""
    SHARED_PLAYS.clear()
    commands = given_to(level, solution)
    acted_ms = max((stamped.at_ms for stamped in commands), default=0)
    spent = []
    for more in range(3):
        began = process_time()
        check_commands(level, commands, seed=level.seeds[0], until_ms=acted_ms + more * LATER_MS)
        spent.append((process_time() - began) * 1000)
    scale = 3 / len(level.seeds) * 2 * MINUTE / level.horizon_ms
    return AttemptCost(level=level.slug, attempt=solution.name, first_ms=spent[0] * scale, later_ms=spent[2] * scale)


def report() -> Iterator[str]:
    """The lines; takes some minutes."""
    costs = [cost_of(level, solution) for level in built_in_levels() for solution in (NOTHING, *level.solutions)]
    firsts, laters = sorted(cost.first_ms for cost in costs), sorted(cost.later_ms for cost in costs)
    yield (
        f"checks    {len(costs)} attempts that levels foresee, as for 3 seeds and 2 minutes: first check {_spread(firsts)}; "
        f"one 20 s after the last act {_spread(laters)}"
    )
    dearest = sorted(costs, key=lambda cost: -cost.first_ms)[:DEAREST]
    named = ", ".join(f"{cost.level} ({cost.attempt}) {cost.first_ms:.0f} ms" for cost in dearest)
    over = sum(ms > BAR_MS for ms in firsts)
    yield f"checks    first checks over {BAR_MS:.0f} ms: {over} of {len(costs)}; the dearest: {named}"


def _spread(spent_ms: Sequence[float]) -> str:
    count = len(spent_ms)
    return f"p50 {spent_ms[count // 2]:.0f} ms, p95 {spent_ms[count * 95 // 100]:.0f} ms, at most {spent_ms[-1]:.0f} ms"
