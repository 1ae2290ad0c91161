"""The table of an owner's states: every state can be left, and former flags cannot contradict each other."""

import ast
import inspect
from itertools import permutations

import pytest

from simulator.runs.drive import actor
from simulator.runs.drive.actor import RunActor
from simulator.runs.drive.owner import ENDED, LEAVINGS, LEFT, MOVES, OPENING, STATES, moved, overriding


def ways(name):
    return {move.target for move in MOVES if move.source == name}


def reached(name):
    found, open_ends = set(), {name}
    while open_ends:
        found |= open_ends
        open_ends = set().union(*map(ways, open_ends)) - found
    return found


def triggers_of_the_actor():
    calls = (node for node in ast.walk(ast.parse(inspect.getsource(actor))) if isinstance(node, ast.Call))
    becomes = [call.args[0] for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "_become"]
    return {each.value for argument in becomes for each in ast.walk(argument) if isinstance(each, ast.Constant)}


def test_every_state_but_the_last_one_may_be_left_for_good():
    assert {name for name in STATES if LEFT.name not in ways(name)} == {LEFT.name}


def test_every_state_is_reached_from_the_first_one():
    assert reached(OPENING.name) == set(STATES)


def test_run_that_has_ended_goes_nowhere_but_out():
    assert reached(ENDED.name) == {ENDED.name, LEFT.name}


def test_a_state_and_a_trigger_lead_to_one_place():
    assert len({(move.source, move.trigger) for move in MOVES}) == len(MOVES)


def test_owner_takes_exactly_the_moves_of_the_table():
    assert triggers_of_the_actor() == {move.trigger for move in MOVES}


@pytest.mark.parametrize("name", sorted({move.do for move in MOVES if move.do}))
def test_what_a_move_does_is_a_method_of_the_owner(name):
    assert callable(getattr(RunActor, name))


def test_only_a_world_at_the_end_of_its_log_has_its_clock_kept():
    assert {state.name for state in STATES.values() if state.drives and not state.is_open} == set()


def test_a_clock_is_kept_only_from_where_it_stood():
    assert {move.source for move in MOVES if STATES[move.target].drives and not STATES[move.source].drives} == {"standing"}


def test_a_move_that_the_table_lacks_is_a_mistake():
    with pytest.raises(KeyError):
        moved(OPENING, "act_waits")


@pytest.mark.parametrize("given", list(permutations(LEAVINGS, 2)))
def test_the_weightier_reason_to_leave_counts_whichever_came_first(given):
    one, other = given
    assert overriding(overriding(None, one), other) is overriding(overriding(None, other), one)
