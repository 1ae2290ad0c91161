"""``manage.py runs`` as used by an operator."""

from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from simulator.models import Run
from simulator.runs.drive import lease
from simulator.runs.log import storage
from tests.factories import drive, make_run, own

pytestmark = pytest.mark.django_db


def listed(capsys, *words):
    call_command("runs", "list", *words)
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_list_shows_state_owner_lease_head_and_take_overs(capsys):
    run = make_run(title="web")
    own(run)
    _heading, cells = listed(capsys)
    assert cells[:4] == [str(run.id), "web", "live", "host:1:tests"] and cells[-3:] == ["0:00.0", "0", "1"]


def test_list_is_limited_to_a_state(capsys):
    make_run()
    assert len(listed(capsys, "--state", "failed")) == 1


def test_stopped_run_is_ended_with_a_note(capsys):
    run = make_run()
    call_command("runs", "stop", str(run.id))
    run.refresh_from_db()
    assert (run.state, run.state_note, f"{run.id} stopped" in capsys.readouterr().out) == ("stopped", {"code": "stopped"}, True)


def test_owner_of_a_stopped_run_loses_it():
    run = make_run()
    epoch = drive(run)
    call_command("runs", "stop", str(run.id))
    assert not lease.renew([lease.Hold(run_id=run.id, epoch=epoch)], lease_ms=1000)
    with pytest.raises(storage.LostLease):
        storage.append(run.id, epoch=epoch, batch=storage.Addition(head_seq=0, head_ms=0, digest=b""))


def test_run_that_was_left_alone_may_try_again():
    run = make_run()
    epoch = own(run)
    Run.objects.filter(id=run.id).update(lease_until=None)
    lease.give_up(run.id, epoch=epoch, note="why")
    call_command("runs", "retry", str(run.id))
    run.refresh_from_db()
    assert (run.state, run.state_note, run.take_overs, lease.acquire(run.id, owner="host:1:a", lease_ms=1000)) == ("live", {}, 0, epoch + 3)


@pytest.mark.parametrize("verb", ["stop", "retry"])
def test_what_cannot_be_done_is_said_after_the_rest_is_done(verb):
    run = make_run()
    if verb == "retry":
        call_command("runs", "stop", str(run.id))
    with pytest.raises(CommandError, match="no such run"):
        call_command("runs", verb, str(uuid4()), str(run.id))
    run.refresh_from_db()
    assert run.state == {"stop": "stopped", "retry": "live"}[verb]
