"""What the page of a branch says about moving what it begins with, and about its parent's later acts."""

import pytest

from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import Run
from simulator.runs.services.runs import encode_command, run_branch
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
