"""How many of the waiting runs a runner takes at once, depending on what it and the others drive."""

import pytest

from simulator.runs.turns.constants import EVEN_SLACK
from simulator.runs.turns.evenness import share_of
from simulator.runs.turns.places import OtherRunner


def runners(*driven, places=50):
    return tuple(OtherRunner(name=f"runner {number}", runs=runs, places=places) for number, runs in enumerate(driven))


@pytest.mark.parametrize(
    ("waiting", "held", "driven", "share"),
    [
        (1, 0, (0,), 1),  # either may have it
        (1, 3, (0,), -2),
        (10, 0, (0,), 5),
        (10, 4, (0,), 3),  # 7 each
        (3, 0, (5, 9), 3),  # both others have more than this one would have with all of them
        (6, 0, (4, 20), 5),  # 5 and 5; the third is far above
        (7, 4, (0, 20), 2),  # 6 and 5 or 5 and 6
        (1, 5, (0, 20), -4),  # not because the third has more
    ],
)
def test_runs_fill_the_emptiest_runner_first(waiting, held, driven, share):
    assert share_of(waiting, held=held, others=runners(*driven)) == max(0, min(waiting, share + EVEN_SLACK))


def test_runner_alone_takes_them_all():
    assert share_of(7, held=3, others=()) == 7


def test_nothing_is_left_to_a_runner_that_is_full():
    assert share_of(2, held=9, others=runners(4, places=4)) == 2
