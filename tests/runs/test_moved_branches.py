"""The same act at another moment: a branch is moved by making another one."""

import pytest

from simulator.engine.acts.pods.delete import DeletePod
from simulator.runs.history import commands_of
from simulator.runs.selectors.runs import run_branches
from simulator.runs.services.commands import command_submit_at
from simulator.runs.services.errors import Refused
from simulator.runs.services.runs import run_branch, run_move
from tests.factories import OWNER, STRANGER, make_run
from tests.web.helpers import play

pytestmark = pytest.mark.django_db


@pytest.fixture
def branch():
    """A branch at 0:20 of a run at 0:30, in which the pod is deleted, played to 0:40."""
    main = play(make_run(paused=True), 30_000)
    there, _given = command_submit_at(
        run=main, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="a-deletion", at_ms=20_000
    )
    there.commands.filter(at_ms=None).update(at_ms=20_000)
    there = play(there, 40_000)
    there.base_ms = 40_000
    there.save()
    return there


def test_moved_branch_gives_the_same_act_at_the_other_moment(branch):
    moved = run_move(branch=branch, owner_key=OWNER, at_ms=15_000)
    assert (moved.parent_id, moved.parent_ms, moved.base_ms) == (branch.parent_id, 15_000, 40_000)
    assert [(one.at_ms, one.command) for one in commands_of(moved)] == [(15_000, DeletePod(target="default/web"))]
    moved = play(moved, 40_000)
    assert moved.head_ms == 40_000


def test_moved_branch_is_named_by_its_act(branch):
    moved = run_move(branch=branch, owner_key=OWNER, at_ms=15_000)
    assert next(row for row in run_branches(moved) if row.is_current).first == DeletePod(target="default/web")


def test_branch_that_is_moved_stays_as_it_is(branch):
    before = [(one.at_ms, one.n) for one in commands_of(branch)]
    run_move(branch=branch, owner_key=STRANGER, at_ms=5_000)
    branch.refresh_from_db()
    assert [(one.at_ms, one.n) for one in commands_of(branch)] == before and branch.parent_ms == 20_000


def test_same_key_gives_the_same_moved_branch(branch):
    first, second = (run_move(branch=branch, owner_key=OWNER, at_ms=15_000, branch_key="once") for _ in range(2))
    assert first.id == second.id


def test_branch_cannot_be_moved_beyond_its_parent(branch):
    with pytest.raises(Refused):
        run_move(branch=branch, owner_key=OWNER, at_ms=31_000)


def test_run_in_which_nobody_acted_cannot_be_moved(branch):
    with pytest.raises(Refused):
        run_move(branch=branch.parent, owner_key=OWNER, at_ms=1_000)
    with pytest.raises(Refused):
        run_move(branch=run_branch(parent=branch.parent, owner_key=OWNER, at_ms=3_000), owner_key=OWNER, at_ms=1_000)
