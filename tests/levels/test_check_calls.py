"""The cost of checking a level, in calls of Python functions: the same on every machine.

A figure that changes by more than 3 % in either direction fails here: update the committed one, in a commit that says why.
"""

from cProfile import Profile

import pytest

from simulator.bench.level_checks import given_to
from simulator.levels.checking import check_commands
from simulator.levels.reading import built_in_levels
from simulator.levels.shared_plays import SHARED_PLAYS

LEVELS = {level.slug: level for level in built_in_levels()}
CALLS = {
    ("two-versions-never-meet", "Recreate"): (87_164, 1_601),
    ("a-release-without-errors", "a longer grace period"): (320_622, 127_602),
    ("who-goes-first", "a request of 1Gi"): (580_100, 527_760),
}
"""By level and attempt: calls of its first check, at its last act, and of one 20 s later."""
MARGIN = 0.03


def checked(level, commands, until_ms):
    """Calls of Python functions in a check."""
    profile = Profile(builtins=False)
    profile.enable()
    check_commands(level, commands, seed=level.seeds[0], until_ms=until_ms)
    profile.disable()
    return sum(row.callcount for row in profile.getstats())


@pytest.mark.parametrize("named", CALLS, ids=lambda named: named[0])
def test_check_makes_no_more_calls_than_it_did(named):
    slug, name = named
    level = LEVELS[slug]
    commands = given_to(level, next(solution for solution in level.solutions if solution.name == name))
    acted_ms = commands[-1].at_ms
    check_commands(level, commands, seed=level.seeds[0])  # permanent caches are filled before counting
    SHARED_PLAYS.clear()
    found = [checked(level, commands, acted_ms + later_ms) for later_ms in (0, 10_000, 20_000)]
    SHARED_PLAYS.clear()
    assert (found[0], found[2]) == pytest.approx(CALLS[named], rel=MARGIN)
