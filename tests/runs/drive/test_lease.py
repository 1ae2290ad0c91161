import os
import subprocess
import sys
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import Run
from simulator.runs.drive import desk, lease
from simulator.runs.log.content import Unreadable
from simulator.runs.log.storage import LostLease
from simulator.runs.services.commands import command_submit
from tests.factories import OWNER, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    return make_run()


def take(run, owner="host:1:a"):
    return lease.acquire(run.id, owner=owner, lease_ms=10_000)


def renew(run, epoch):
    return lease.renew([lease.Hold(run_id=run.id, epoch=epoch)], lease_ms=10_000) == {run.id}


def expire(run):
    Run.objects.filter(id=run.id).update(lease_until=Now() - timedelta(milliseconds=5))


def test_lease_is_given_with_the_next_epoch_when_free(run):
    assert take(run) == run.epoch + 1


def test_lease_is_refused_when_held(run):
    take(run)
    assert take(run, owner="host:2:b") is None


def test_lease_is_given_when_the_old_one_expired(run):
    first = take(run)
    expire(run)
    assert take(run, owner="host:2:b") == first + 1


def test_lease_is_refused_when_the_run_does_not_exist(run):
    run_id = run.id
    run.delete()
    assert lease.acquire(run_id, owner="host:1:a", lease_ms=1000) is None


def test_renewal_fails_when_another_took_over(run):
    epoch = take(run)
    expire(run)
    take(run, owner="host:2:b")
    assert not renew(run, epoch)


def test_renewal_keeps_the_run_when_it_would_have_expired(run):
    epoch = take(run)
    expire(run)
    assert renew(run, epoch)
    assert take(run, owner="host:2:b") is None


def test_renewal_of_many_reports_those_that_were_lost(run):
    kept, lost = make_run(), make_run()
    holds = [lease.Hold(run_id=each.id, epoch=take(each)) for each in (run, kept, lost)]
    expire(lost)
    take(lost, owner="host:2:b")
    assert lease.renew(holds, lease_ms=10_000) == {run.id, kept.id}
    assert Run.objects.get(id=lost.id).owner == "host:2:b"


def test_signs_of_many_go_to_their_own_runs(run):
    other, moved = make_run(), make_run()
    Run.objects.filter(id=moved.id).update(controls=moved.controls + 1, stands_ms=7)
    shown = {run.id: 100, other.id: 200, moved.id: 300}
    signs = {each.id: lease.Sign(controls=each.controls, shown_ms=shown[each.id]) for each in (run, other, moved)}
    lease.renew([lease.Hold(run_id=each.id, epoch=take(each), sign=signs[each.id]) for each in (run, other, moved)], lease_ms=10_000)
    stands = dict(Run.objects.values_list("id", "stands_ms"))
    assert (stands[run.id], stands[other.id], stands[moved.id]) == (100, 200, 7)


def test_release_frees_the_run(run):
    lease.release(run.id, epoch=take(run))
    assert take(run, owner="host:2:b") is not None


def test_release_changes_nothing_when_the_lease_was_lost(run):
    epoch = take(run)
    expire(run)
    take(run, owner="host:2:b")
    lease.release(run.id, epoch=epoch)
    assert Run.objects.get(id=run.id).owner == "host:2:b"


def ended_process():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_stale_lease_is_freed_when_its_process_is_gone(run):
    take(run, owner=f"host:{ended_process()}:a")
    assert lease.release_stale(owner=f"host:{os.getpid()}:me") == 1
    assert take(run) is not None


def test_stale_lease_is_freed_when_a_former_process_had_our_number(run):
    take(run, owner=f"host:{os.getpid()}:before")
    assert lease.release_stale(owner=f"host:{os.getpid()}:me") == 1


def test_lease_is_kept_when_its_process_lives(run):
    take(run, owner=f"host:{os.getppid()}:a")
    assert lease.release_stale(owner=f"host:{os.getpid()}:me") == 0


def test_lease_is_kept_when_it_belongs_to_another_host(run):
    take(run, owner=f"elsewhere:{ended_process()}:a")
    assert lease.release_stale(owner=f"host:{os.getpid()}:me") == 0


def test_old_owner_cannot_renew_when_its_lease_was_freed_as_stale(run):
    epoch = take(run, owner=f"host:{os.getpid()}:before")
    lease.release_stale(owner=f"host:{os.getpid()}:me")
    assert not renew(run, epoch)


def test_inboxes_of_many_are_read_with_three_queries(run, django_assert_num_queries):
    others = [make_run() for _ in range(5)]
    holds = [lease.Hold(run_id=each.id, epoch=take(each)) for each in (run, *others)]
    command_submit(run=others[2], owner_key=OWNER, command=DeletePod(target="default/web"), client_key="k")
    with django_assert_num_queries(3):
        inboxes = desk.look(holds, lease_ms=1000)
    assert [len(inbox.waiting) for inbox in inboxes] == [0, 0, 0, 1, 0, 0]


def test_what_is_wrong_with_one_run_is_no_other_runs_matter(run):
    lost, unreadable = make_run(), make_run()
    holds = [lease.Hold(run_id=each.id, epoch=take(each)) for each in (lost, unreadable, run)]
    expire(lost)
    take(lost, owner="host:2:b")
    command_submit(run=unreadable, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="k")
    unreadable.commands.update(body='{"do": "of another release"}')
    found = desk.look(holds, lease_ms=1000)
    assert [type(each) for each in found] == [LostLease, Unreadable, desk.Inbox]


@pytest.mark.parametrize(("controls", "stands_ms"), [(None, 700), (0, 5000), (1, 700)])
def test_clock_of_a_run_that_is_given_back_stands_where_its_owner_showed_it_unless_it_was_moved(run, controls, stands_ms):
    epoch = take(run)
    Run.objects.filter(id=run.id).update(stands_ms=700)
    sign = None if controls is None else lease.Sign(controls=controls, shown_ms=5000)
    lease.release(run.id, epoch=epoch, sign=sign)
    run.refresh_from_db()
    assert (run.owner, run.stands_ms) == ("", stands_ms)
