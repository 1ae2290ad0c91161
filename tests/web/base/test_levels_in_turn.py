"""The level after a given one."""

from msgspec.structs import replace

from simulator.web.base.levels import builtin_levels, next_level


def test_levels_follow_each_other_to_the_last():
    levels = [*builtin_levels().values()]
    assert [next_level(level) for level in levels] == [*levels[1:], None]


def test_nothing_follows_a_level_of_somebodys():
    assert next_level(replace(next(iter(builtin_levels().values())), slug="")) is None
