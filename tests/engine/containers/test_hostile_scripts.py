"""Expensive containers: each runs without an interpreter error, and with the same result at any stack depth.

``manage.py bench hostile`` measures the same containers; nothing is timed here. Anything that does not return within MINUTE_S ends the run
with a traceback that names it.
"""

import faulthandler
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from simulator.bench.hostile import SCRIPTS, TEXTS, HostileScript
from simulator.bench.hostile.doors import DOORS
from simulator.bench.hostile.play import PlayedStep, play

MINUTE_S = 60
TURNS = 8
FEW_TURNS = 3
"""Used for four scripts of five, unless ``--all-stories`` is given: the first turn, and two that resume from a stored state."""
DEEP_TURNS = 2
"""This many turns are repeated further down the stack: the first, and one that resumes from a stored state."""
FRAMES = 200


@pytest.fixture(autouse=True)
def _no_longer_than_a_minute() -> Iterator[None]:
    faulthandler.dump_traceback_later(MINUTE_S, exit=True, file=sys.__stderr__)
    yield
    faulthandler.cancel_dump_traceback_later()


def deeper(frames: int, act: Callable[[], Any]) -> Any:
    """The result of ``act``, called this many Python frames further down the stack."""
    return act() if not frames else deeper(frames - 1, act)


def turns_of(script: HostileScript, turns: int = TURNS) -> list[PlayedStep]:
    return list(play(script, lambda: 0.0, turns_max=turns))


@pytest.mark.parametrize(("number", "script"), [*enumerate(SCRIPTS)], ids=lambda given: getattr(given, "name", ""))
def test_hostile_container_goes_on_and_comes_out_the_same_at_any_depth_of_the_stack(request, number, script):
    is_whole = number % 5 == 0 or request.config.getoption("--all-stories")
    steps = turns_of(script, TURNS if is_whole else FEW_TURNS)
    said = [note.text for step in steps for note in step.notes]
    assert not [text for text in said if "interpreter failed" in text]
    assert all(step.exit_code is None or 0 <= step.exit_code <= 255 for step in steps)
    assert all(step.wake_ms is None or step.wake_ms > step.at_ms for step in steps)
    assert deeper(FRAMES, lambda: turns_of(script, DEEP_TURNS)) == steps[:DEEP_TURNS]


@pytest.mark.parametrize("text", [item for item in TEXTS if item.name.startswith(("shell-", "behaviour-"))], ids=lambda text: text.name)
def test_hostile_text_that_a_container_answers_is_answered_alike_at_any_depth_of_the_stack(text):
    given = text.build()
    assert deeper(FRAMES, lambda: DOORS[text.door](given)) == DOORS[text.door](given)
