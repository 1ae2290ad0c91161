from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from simulator.models import Run, Runner, SharedScenario
from simulator.runs.services.retention import runs_prune
from simulator.runs.services.runs import run_branch
from simulator.runs.services.shares import share_create, shared_run
from tests.factories import OWNER, make_run, own

pytestmark = pytest.mark.django_db


def aged(run, days=31):
    Run.objects.filter(id=run.id).update(viewers_seen_at=timezone.now() - timedelta(days=days))
    return run


def pruned(run, **fields):
    runs_prune(**({"days": 30} | fields))
    return not Run.objects.filter(id=run.id).exists()


@pytest.mark.parametrize(("days", "gone"), [(29, False), (31, True)])
def test_run_goes_when_nobody_watched_it_for_long(days, gone):
    assert pruned(aged(make_run(), days)) is gone


def test_run_stays_when_a_link_was_made_from_it():
    run = make_run(paused=True)
    share_create(run=run)
    assert not pruned(aged(run))


def test_run_behind_a_link_stays():
    source = make_run(paused=True)
    assert not pruned(aged(shared_run(share=share_create(run=source))))


def test_run_stays_when_somebody_owns_it_now():
    run = aged(make_run())
    own(run)
    assert not pruned(run)


def test_run_stays_as_long_as_a_branch_of_it():
    parent = make_run(paused=True)
    branch = run_branch(parent=parent, owner_key=OWNER, at_ms=0)
    aged(branch, 5)
    assert not pruned(aged(parent))


def test_tree_goes_from_its_leaves():
    parent = make_run(paused=True)
    aged(run_branch(parent=parent, owner_key=OWNER, at_ms=0))
    aged(parent)
    assert [runs_prune(days=30) for _ in range(3)] == [1, 1, 0]


def test_everything_stays_when_the_site_keeps_forever():
    assert not pruned(aged(make_run(), 4000), days=0)


def test_no_more_runs_go_at_once_than_asked_for():
    for _ in range(3):
        aged(make_run())
    assert runs_prune(days=30, limit=2) == 2


def test_links_outlive_their_runs_branches():
    run = make_run(paused=True)
    share = share_create(run=run)
    SharedScenario.objects.filter(id=share.id).update(run=None)
    assert pruned(aged(run)) and shared_run(share=share).is_frozen


def test_processes_that_died_long_ago_are_forgotten():
    for name, days in (("old", 2), ("new", 0)):
        Runner.objects.create(name=name, beat_at=timezone.now() - timedelta(days=days))
    runs_prune(days=30)
    assert list(Runner.objects.values_list("name", flat=True)) == ["new"]


def test_command_deletes_and_counts():
    for _ in range(3):
        aged(make_run())
    out = StringIO()
    call_command("prune", "--dry-run", stdout=out)
    call_command("prune", stdout=out)
    assert out.getvalue().splitlines() == ["3 runs would be deleted", "3 runs deleted"]


def test_command_refuses_to_delete_what_is_in_use():
    with pytest.raises(CommandError):
        call_command("prune", "--days", "0")
