"""How connections and followed logs start, as computed by a page worker: with their purpose, or with the reason of a refusal."""

import json

import pytest

from simulator.door.exchange import DoorReply, DoorRequest
from simulator.engine.acts.containers.exec import ExecInContainer
from simulator.engine.kernel.records import Record
from simulator.web.door import exec_turns
from simulator.web.door.exec_turns import StreamBegun, stream_begun
from simulator.web.door.log_streams import follow_begun
from simulator.web.door.moments import AskedOf
from tests.factories import make_run
from tests.web.helpers import play

pytestmark = pytest.mark.django_db(transaction=True)
PODS = "/api/v1/namespaces/default/pods"


@pytest.fixture
def of():
    return AskedOf(run_id=play(make_run(), 10_000).id, at_ms=None, may_write=True)


def opened(of, path, *query):
    return stream_begun(of, DoorRequest(method="POST", path=path, query=(("stdout", "true"), *query)))


def refusal(reply):
    assert isinstance(reply, DoorReply)
    return reply.status, json.loads(reply.body)["reason"]


def test_a_connection_is_for_a_command_for_a_port_or_for_what_a_container_prints(of):
    command, port, attached = (opened(of, f"{PODS}/web/{word}", ("command", "ls")) for word in ("exec", "portforward", "attach"))
    assert isinstance(command, StreamBegun) and command.command is not None and command.command.command == ("ls",)
    assert port == StreamBegun()
    assert isinstance(attached, StreamBegun) and (attached.command, attached.cursor is None) == (None, False)


@pytest.mark.parametrize("path", [f"{PODS}/web", f"{PODS}/web/log", "/api/v1/nodes/node1/exec", "/version"])
def test_a_connection_to_anything_else_is_refused(of, path):
    assert refusal(opened(of, path)) == (404, "NotFound")


def test_a_connection_to_no_pod_is_refused(of):
    assert {refusal(opened(of, f"{PODS}/none/{word}", ("command", "ls"))) for word in ("exec", "portforward")} == {(404, "NotFound")}


def followed(of, path, **query):
    return follow_begun(of, DoorRequest(path=path, query=(("follow", "true"), *query.items())))


def test_a_log_begins_with_what_is_printed_so_far(of):
    begun = followed(of, f"{PODS}/web/log")
    assert not isinstance(begun, DoorReply) and begun[0] == ""


def test_a_log_of_nothing_is_refused_and_one_of_the_last_instance_is_not_followed(of):
    replies = [followed(of, f"{PODS}/none/log"), followed(of, f"{PODS}/web/status"), followed(of, f"{PODS}/web/log", previous="true")]
    assert [reply.status for reply in replies if isinstance(reply, DoorReply)] == [404, 404, 404]


@pytest.mark.parametrize(
    ("record", "is_refused"),
    [
        (None, False),
        (Record(1, 0, "command", "pod/default/web", "command", "", "", "accepted", 0, "R", ()), False),
        (Record(1, 0, "command", "pod/default/web", "command", "", "", "refused", 0, "COMMAND-NO-POD", ()), True),
    ],
)
def test_only_a_command_that_was_refused_has_a_reason(of, monkeypatch, record, is_refused):
    monkeypatch.setattr(exec_turns.timemachine, "record_at", lambda run, seq: record)
    command = ExecInContainer(target="default/web", container="app", command=("ls",))
    assert bool(exec_turns.exec_refused(of, command, 1)) is is_refused
