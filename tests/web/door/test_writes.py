"""Writes through the door: commands of the run, given once, answered from what they made."""

import json

import pytest

from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.writing import Writing
from simulator.engine.acts.act import do_of
from simulator.engine.acts.nodes.delete import DeleteNode
from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import Run, RunCommand
from simulator.runs.services.errors import NotAllowed, Refused
from simulator.web.door.moments import AskedOf
from simulator.web.door.writes import applied_seq, given, write_answered, write_tried
from tests.built_in import LEVELS
from tests.factories import make_run
from tests.web.helpers import play

pytestmark = pytest.mark.django_db(transaction=True)
WEB = "/api/v1/namespaces/default/pods/web"


def of(run, *, may_write=True):
    return AskedOf(run_id=run.id, at_ms=None, may_write=may_write)


def test_a_write_is_a_command_of_the_run_and_answered_from_its_record():
    run, asked = play(make_run(), 10_000), DoorRequest(method="DELETE", path=WEB)
    writing = write_tried(of(run), asked)
    assert isinstance(writing, Writing)
    row_id = given(of(run), writing.command, "door-1")
    assert applied_seq(row_id) is None
    play(run, 11_000)
    reply = write_answered(of(run), asked, writing, applied_seq(row_id))
    assert RunCommand.objects.get().command() == DeletePod(target="default/web")
    assert "deletionTimestamp" in json.loads(reply.body)["metadata"]


def test_a_dry_run_and_a_refusal_leave_nothing_in_the_run():
    run = play(make_run(), 10_000)
    dry = write_tried(of(run), DoorRequest(method="DELETE", path=WEB, query=(("dryRun", "All"),)))
    missing = write_tried(of(run), DoorRequest(method="DELETE", path=f"{WEB}2"))
    assert isinstance(dry, DoorReply) and dry.status == 200
    assert isinstance(missing, DoorReply) and missing.status == 404
    assert not RunCommand.objects.exists()


def test_who_may_not_write_gives_no_command():
    run = play(make_run(), 10_000)
    with pytest.raises(NotAllowed):
        given(of(run, may_write=False), DeletePod(target="default/web"), "door-1")


def test_a_write_outside_the_level_of_the_run_gives_no_command():
    run = play(make_run(), 10_000)
    command = DeleteNode(node="node-1")
    level = next(level for level in LEVELS if level.allow and do_of(command) not in level.allow)
    Run.objects.filter(id=run.id).update(level=f"exam:{level.slug}")
    with pytest.raises(Refused):
        given(of(run), command, "door-1")
    assert not RunCommand.objects.exists()
