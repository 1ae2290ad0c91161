"""The lines of a trial: what passes, what was expected, and what is wrong."""

from simulator.levels.reading import BadLevel, read_level
from simulator.levels.report import level_lines, level_tests
from simulator.levels.trial import tried
from tests.levels.test_trial import LEVEL

WRONG = '\n[[solution]]\nname = "wrong"\nexpect = "fail"\nacts = [{ at = 5, do = "delete_pod", target = "default/hello", grace_s = 1 }]\n'


def lines(text):
    return [*level_lines("a.toml", tried(read_level(text)))]


def test_lines_say_what_each_play_came_to_and_whether_that_was_expected():
    told = lines(LEVEL + WRONG)
    assert told[0] == "a.toml: t"
    assert [line.strip() for line in told if ", seed " in line and not line.startswith(("  !", "  ?"))] == [
        "delete, seed 42: passes, as expected", "delete, seed 7: passes, as expected",
        "wrong, seed 42: passes, NOT AS EXPECTED", "wrong, seed 7: passes, NOT AS EXPECTED",
        "nothing, seed 42: fails, as expected", "nothing, seed 7: fails, as expected",
    ]  # fmt: skip
    assert sum(line.startswith("  ! ") for line in told) == 2 and sum(line.startswith("  ? ") for line in told) == 1
    assert any(line.startswith("    kept ") and " gone" in line for line in told)


def test_acts_that_are_not_allowed_are_named():
    told = lines("allow = ['cordon']\n" + LEVEL)
    assert "    The level does not allow this: delete_pod." in told
    assert not any("does not allow this" in line for line in lines(LEVEL))


def test_text_that_is_no_level_has_its_problems():
    bad = BadLevel("one", "two")
    assert [*level_lines("a.toml", bad)] == ["a.toml: This is not a level.", "  ! one", "  ! two"]
    (row,) = level_tests("a", bad)
    assert (row.status, row.message) == ("error", "one; two")


def test_problem_of_the_level_as_a_whole_is_a_test_of_its_own():
    rows = level_tests("a", tried(read_level(LEVEL.replace('"pass"', '"fail"'))))
    whole = [row for row in rows if " · " not in row.name]
    assert [row.status for row in whole] == ["fail"] and "no correct solution" in whole[0].message
