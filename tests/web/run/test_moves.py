"""What the page of a branch says about moving what it begins with, and about its parent's later acts."""

import pytest

from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import Run
from simulator.runs.log.history import LATER
from simulator.runs.services.runs import encode_command, run_branch
from simulator.runs.turns.allowance import StillComputing
from simulator.web.run import moves
from simulator.web.run.moves import later_context, move_context
from tests.factories import OWNER, make_run
from tests.web.helpers import play

pytestmark = pytest.mark.django_db
DELETE = DeletePod(target="default/web")


@pytest.fixture
def main():
    """A run at 0:30 that was given an act at 0:20."""
    run = make_run(paused=True)
    run.commands.create(n=1, client_key="an-act", body=encode_command(DELETE), at_ms=20_000)
    return play(run, 30_000)


def test_branch_can_be_moved_as_far_as_its_parent_has_got(main):
    context = move_context(run_branch(parent=main, owner_key=OWNER, at_ms=10_000, acts=[DELETE]))
    assert (context["at_ms"], context["max_ms"], context["line"]) == (10_000, 30_000, "kubectl delete pod web")


def test_branch_in_which_nobody_acted_cannot_be_moved(main):
    assert move_context(run_branch(parent=main, owner_key=OWNER, at_ms=10_000)) is None


def test_run_that_is_no_branch_cannot_be_moved(main, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert (move_context(main), later_context(main)) == (None, None)


def test_branch_whose_parent_was_deleted_cannot_be_moved(main):
    branch = run_branch(parent=main, owner_key=OWNER, at_ms=10_000, acts=[DELETE])
    Run.objects.filter(id=branch.id).update(parent=None)
    branch.refresh_from_db()
    assert (move_context(branch), later_context(branch)) == (None, None)


def test_branch_can_be_moved_while_the_moment_at_which_it_begins_is_being_computed(main, monkeypatch):
    def still(*args, **fields):
        raise StillComputing(reached_ms=0, goal_ms=10_000)

    branch = run_branch(parent=main, owner_key=OWNER, at_ms=10_000, acts=[DELETE])
    monkeypatch.setattr(moves, "world_of", still)
    context = move_context(branch)
    assert (context["at_ms"], context["line"]) == (10_000, "")


def test_acts_that_were_carried_over_say_whether_they_were_refused(main):
    branch = run_branch(parent=main, owner_key=OWNER, at_ms=10_000, acts=[DELETE])
    for n, outcome in enumerate(("accepted", "refused"), start=1):
        body = encode_command(DELETE)
        branch.commands.create(n=10 + n, client_key=f"{LATER}{n}", body=body, at_ms=20_000 + n, outcome=outcome)
    later = later_context(branch)
    assert [act["is_refused"] for act in later["acts"]] == [False, True]
    assert (later["is_taken"], later["count"], later["refused"]) == (True, 2, 1)
