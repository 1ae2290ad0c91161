import os
import subprocess
import sys
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from simulator.models import Run
from simulator.runs.runner import lease
from tests.factories import make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    return make_run()


def take(run, owner="host:1:a"):
    return lease.acquire(run.id, owner=owner, lease_ms=10_000)


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
    assert lease.renew(run.id, epoch=epoch, lease_ms=1000) is False


def test_renewal_keeps_the_run_when_it_would_have_expired(run):
    epoch = take(run)
    expire(run)
    assert lease.renew(run.id, epoch=epoch, lease_ms=10_000)
    assert take(run, owner="host:2:b") is None


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
    assert lease.renew(run.id, epoch=epoch, lease_ms=1000) is False
