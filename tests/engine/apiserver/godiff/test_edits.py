"""The edits that turn one list into another."""

import pytest

from simulator.engine.apiserver.godiff.edits import Likeness, edit_script


def script(x: str, y: str, *, parts: int = 9) -> str:
    """Edits for strings as lists of letters; upper and lower case differ in one of ``parts`` parts."""

    def likeness(one: int, other: int) -> Likeness:
        if x[one] == y[other]:
            return Likeness(parts, 0)
        return Likeness(parts - 1, 1) if x[one].lower() == y[other].lower() else Likeness(0, parts)

    return "".join(edit_script(len(x), len(y), likeness))


@pytest.mark.parametrize(
    ("x", "y", "edits"),
    [
        ("", "", ""),
        ("abc", "abc", "==="),
        ("ab", "a", "=x"),
        ("a", "ba", "y="),
        ("abc", "axc", "=xy="),
        ("abc", "aBc", "=~="),
        ("ab", "ba", "x=y"),
        ("abcdef", "abXcdef", "==y===="),
    ],
)
def test_edits_turn_one_list_into_the_other(x: str, y: str, edits: str) -> None:
    assert script(x, y) == edits


def test_plain_values_that_differ_are_changed_into_each_other() -> None:
    assert script("ab", "xyz", parts=1) == "~~y"
