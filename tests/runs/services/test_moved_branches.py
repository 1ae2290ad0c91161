"""The same act at another moment: moving a branch makes another one."""

import pytest

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import Run
from simulator.runs.log.clock import idle
from simulator.runs.log.history import branch_acts, commands_of
from simulator.runs.selectors.runs import run_branches
from simulator.runs.services.commands import command_submit_at
from simulator.runs.services.errors import Refused
from simulator.runs.services.runs import encode_command, run_branch, run_move, run_take_along
from simulator.web.run.page import branch_items
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


@pytest.fixture
def dated():
    """A branch at 0:10 of a run at 0:30, in which the pod is deleted; the run itself was given acts at 0:05, 0:20 and 0:25."""
    main = make_run(paused=True)
    uncordon = CordonNode(node="node1", unschedulable=False)
    acts = {5_000: CordonNode(node="node1"), 20_000: uncordon, 25_000: DeletePod(target="default/web")}
    for n, (at_ms, command) in enumerate(acts.items(), start=1):
        main.commands.create(n=n, client_key=f"act-{n}", body=encode_command(command), at_ms=at_ms)
    main = play(main, 30_000)
    delete = DeletePod(target="default/web", grace_s=0)
    branch, _given = command_submit_at(run=main, owner_key=OWNER, command=delete, client_key="a-deletion", at_ms=10_000)
    branch.commands.filter(at_ms=None).update(at_ms=10_000)
    return play(branch, 12_000)


def given(run):
    return [(one.at_ms, type(one.command).__name__) for one in commands_of(run)]


def test_branch_that_starts_over_has_no_later_acts(dated):
    assert given(dated) == [(5_000, "CordonNode"), (10_000, "DeletePod")]


def test_only_the_change_differs_where_later_acts_are_taken_along(dated):
    taken = run_take_along(branch=dated, owner_key=OWNER)
    assert (taken.parent_id, taken.parent_ms, taken.base_ms) == (dated.parent_id, 10_000, 25_000)
    assert given(taken) == [(5_000, "CordonNode"), (10_000, "DeletePod"), (20_000, "CordonNode"), (25_000, "DeletePod")]
    assert given(dated) == [(5_000, "CordonNode"), (10_000, "DeletePod")]


def test_later_act_that_does_not_apply_any_more_is_refused_in_the_branch(dated):
    taken = play(run_take_along(branch=dated, owner_key=OWNER), 25_000)
    assert [row.outcome for row in taken.commands.order_by("at_ms", "n")] == ["accepted", "accepted", "accepted", "refused"]


def test_act_that_was_refused_in_the_parent_is_not_taken_along(dated):
    dated.parent.commands.filter(n=2).update(outcome="refused")
    assert given(run_take_along(branch=dated, owner_key=OWNER))[2:] == [(25_000, "DeletePod")]


def test_branch_with_later_acts_begins_with_its_own_and_moves_with_it(dated):
    taken = run_take_along(branch=dated, owner_key=OWNER)
    assert [row.command() for row in branch_acts(taken)] == [DeletePod(target="default/web", grace_s=0)]


@pytest.mark.parametrize(
    ("moments", "count"), [((10_000,), 1), ((10_000, 10_000), 2), ((10_000, 10_000, 12_000), 2), ((10_000, 12_000), 1)]
)
def test_branch_begins_with_the_acts_of_its_first_moment(dated, moments, count):
    acts = [Stamped(at_ms=at_ms, n=n, command=CordonNode(node=f"node{n}")) for n, at_ms in enumerate(moments, start=1)]
    branch = run_branch(parent=dated.parent, owner_key=OWNER, at_ms=10_000, own=acts)
    assert [row.command() for row in branch_acts(branch)] == [act.command for act in acts[:count]]


def test_act_that_is_on_its_way_is_taken_to_the_moment_of_the_branch(dated):
    dated.commands.filter(client_key="a-deletion").update(at_ms=None, outcome="pending")
    assert given(run_take_along(branch=dated, owner_key=OWNER))[1] == (10_000, "DeletePod")


def test_later_act_of_the_very_instant_comes_after_what_the_branch_begins_with(dated):
    dated.parent.commands.filter(n=2).update(at_ms=10_000, applied_seq=99)
    dated.parent_seq = 1
    taken = run_take_along(branch=dated, owner_key=OWNER)
    assert given(taken)[1:] == [(10_000, "DeletePod"), (10_001, "CordonNode"), (25_000, "DeletePod")]


def test_later_acts_are_taken_along_once(dated):
    first, second = (run_take_along(branch=dated, owner_key=OWNER, branch_key="once") for _ in range(2))
    assert first.id == second.id
    with pytest.raises(Refused):
        run_take_along(branch=first, owner_key=OWNER)


def test_run_that_is_not_a_branch_has_nothing_to_take_along(dated):
    with pytest.raises(Refused):
        run_take_along(branch=dated.parent, owner_key=OWNER)


def test_act_whose_moment_is_to_come_keeps_no_paused_run_from_being_idle(dated):
    dated.commands.create(n=9, client_key="given-later-1", body=encode_command(CordonNode(node="node1")), at_ms=60_000)
    Run.objects.filter(id=dated.id).update(is_paused=True, idle_as_of=dated.controls)
    assert Run.objects.filter(idle(), id=dated.id).exists()


def test_no_two_branches_of_a_tree_have_one_name(branch):
    main = branch.parent
    run_move(branch=branch, owner_key=OWNER, at_ms=15_000)
    run_move(branch=branch, owner_key=OWNER, at_ms=15_000)
    for _ in range(2):
        run_branch(parent=main, owner_key=OWNER, at_ms=10_000)
    names = [item.label for item in branch_items(run_branches(main))]
    assert len(set(names)) == len(names) == 6
    assert [name for name in names if "0:15.0" in name] == [f"{names[2]}", f"{names[2]} (2)"]


def test_branch_whose_act_names_it_alone_says_no_moment(branch):
    [_main, item] = branch_items(run_branches(branch))
    assert not item.is_dated and "0:20.0" not in item.label
