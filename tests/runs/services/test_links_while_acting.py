"""Links that are copied while somebody acts: a link always shows what its content gives, whatever happens between two queries."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from simulator.engine.acts.pods.delete import DeletePod
from simulator.headless.replays import verdict_of
from simulator.models import Run, RunCommand
from simulator.runs.log import so_far, timemachine
from simulator.runs.log.replays import head_of, replay_task
from simulator.runs.log.wall import wall_ms
from simulator.runs.services import shares
from simulator.runs.services.commands import command_submit
from simulator.runs.services.runs import run_branch
from simulator.runs.services.shares import content_so_far, share_create, shared_run
from tests.factories import OWNER, make_content, make_run, own, pod_json
from tests.runs.log.kept import old_run, records_of
from tests.web.helpers import play

pytestmark = pytest.mark.django_db(transaction=True)


def act(run, key="delete-it"):
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key=key)


def busy_run(**fields):
    """A run at 25 s whose log goes to 20 s; its container ends in between."""
    return play(make_run(content=make_content(pod_json(command=("sleep", "20"))), at_ms=25_000, **fields), 20_000)


def acts_and_goes_on(run):
    act(run)
    play(Run.objects.get(id=run.id), 24_000)


def goes_on(run):
    play(Run.objects.get(id=run.id), 24_000)


def meanwhile(monkeypatch, place, name, work):
    """Do ``work`` once, just before the function of that name is called."""
    function, is_done = getattr(place, name), []

    def called(*args, **fields):
        if not is_done:
            is_done.append(True)
            work()
        return function(*args, **fields)

    monkeypatch.setattr(place, name, called)
    return is_done


def is_whole(share):
    """Whether the link shows what its content gives, act by act and record by record."""
    frozen = shared_run(share=share)
    acts = [record.seq for record in records_of(frozen) if record.kind == "command"]
    places = list(frozen.commands.exclude(applied_seq=None).order_by("n").values_list("applied_seq", flat=True))
    given = [stamped.command for stamped in share.content().commands]
    return (
        acts == places
        and given == [row.command() for row in frozen.commands.order_by("n")]
        and verdict_of(replay_task(head_of(frozen))).agrees
    )


WINDOWS = [(shares, "share_content"), (timemachine, "log"), (shares, "run_create")]
"""The steps of copying a link before which the run may go on."""


@pytest.mark.parametrize(("place", "name"), WINDOWS, ids=[name for _, name in WINDOWS])
@pytest.mark.parametrize("work", [acts_and_goes_on, goes_on])
def test_link_is_whole_though_its_run_goes_on_while_it_is_copied(monkeypatch, place, name, work):
    run = busy_run()
    is_done = meanwhile(monkeypatch, place, name, lambda: work(run))
    share = share_create(run=run)
    assert is_done and is_whole(share)


def test_link_of_an_older_release_is_filled_without_an_act_that_came_later(monkeypatch):
    run = old_run(differs=False)
    share = share_create(run=run)
    Run.objects.filter(share=share).delete()
    monkeypatch.setattr(shares, "_as_recorded", _then(shares._as_recorded, lambda: _acts_again(run)))
    frozen = shared_run(share=share)
    assert (is_whole(share), frozen.revision, frozen.commands.count()) == (True, 2, 1)


def awaiting_act():
    """A run whose log goes to 20 s, its clock to 25 s, with an act that is not recorded yet."""
    run = busy_run()
    Run.objects.filter(id=run.id).update(controls=1)
    act(run)
    return Run.objects.get(id=run.id)


def test_file_ends_where_the_log_does_while_an_act_is_on_its_way():
    assert content_so_far(awaiting_act()).until_ms == 20_000


def test_branch_begins_where_the_log_ends_while_an_act_is_on_its_way():
    branch = run_branch(parent=awaiting_act(), owner_key=OWNER, at_ms=24_000)
    assert (branch.parent_ms, branch.base_ms) == (20_000, 20_000)


def test_branch_of_a_moment_that_is_recorded_begins_there_whatever_is_on_its_way():
    assert run_branch(parent=awaiting_act(), owner_key=OWNER, at_ms=12_000).parent_ms == 12_000


def test_run_that_nobody_has_moved_is_fixed_to_where_it_began():
    run = busy_run()
    act(run)
    assert content_so_far(run).until_ms == 25_000


def playing_run():
    """A run whose log goes to 20 s and whose clock goes on beyond that under an owner."""
    run = play(make_run(), 20_000)
    own(run)
    now = timezone.now()
    Run.objects.filter(id=run.id).update(driven_at=now, base_ms=20_000, base_at=now - timedelta(seconds=3), rate_permille=1000)
    return Run.objects.get(id=run.id)


def clock_columns(run):
    return Run.objects.values("base_ms", "base_at", "stands_ms", "controls").get(id=run.id)


def test_file_of_a_run_that_plays_ends_where_its_log_does_and_changes_nothing():
    run = playing_run()
    before = clock_columns(run)
    with CaptureQueriesContext(connection) as asked:
        assert content_so_far(run).until_ms == 20_000
    assert all(query["sql"].startswith("SELECT") for query in asked) and clock_columns(run) == before


def test_link_of_a_run_that_plays_ends_where_its_clock_is():
    run = playing_run()
    assert share_create(run=run).content().until_ms >= 23_000
    assert clock_columns(run)["base_ms"] >= 23_000


def branch_create(run):
    return run_branch(parent=run, owner_key=OWNER, at_ms=3_600_000)


@pytest.mark.parametrize("fix", [share_create, branch_create])
def test_process_whose_clock_is_ahead_moves_no_run_further_than_the_databases(monkeypatch, fix):
    monkeypatch.setattr(so_far, "wall_ms", lambda: wall_ms() + 600_000)
    run = playing_run()
    fix(run=run)
    assert clock_columns(run)["base_ms"] < 120_000


def test_history_is_compared_without_an_act_that_came_after_its_head():
    run = old_run(differs=False)
    _acts_again(run)
    assert timemachine.divergence_of(run) is None


def _then(function, work):
    def called(*args):
        found = function(*args)
        work()
        return found

    return called


def _acts_again(run):
    """An act at the very instant at which the link ends, as appended by another process."""
    RunCommand.objects.create(run=run, n=2, client_key="again", body=run.commands.get().body)
    play(Run.objects.get(id=run.id), 61_000)


def test_run_of_another_revision_is_played_again_as_one_of_other_rules():
    run = busy_run()
    own_task = replay_task(head_of(run))
    Run.objects.filter(id=run.id).update(revision=run.revision - 1)
    run.refresh_from_db()
    assert (own_task.is_own, replay_task(head_of(run)).is_own) == (True, False)
