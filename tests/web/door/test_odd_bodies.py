"""U+0000 in requests to a run's API, which PostgreSQL cannot store in a text: ``tests/production`` also runs this there."""

import json

import pytest

from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.writing import Writing
from simulator.engine.acts.containers.exec import ExecInContainer, WriteToExec
from simulator.models import Run, RunCommand
from simulator.web.door.moments import AskedOf
from simulator.web.door.typed import giver_of
from simulator.web.door.writes import applied_seq, given, write_tried
from tests.factories import make_run
from tests.web.helpers import play

pytestmark = pytest.mark.django_db(transaction=True)
MAPS = "/api/v1/namespaces/default/configmaps"
WEB = "/api/v1/namespaces/default/pods/web"
MERGE = "application/merge-patch+json"


def sent(method: str, path: str, body: object, content_type: str = "application/json", **headers: str) -> DoorRequest:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return DoorRequest(method=method, path=path, body=text, headers={"content-type": content_type, **named})


BODIES = {
    "a value": sent("POST", MAPS, {"metadata": {"name": "m"}, "data": {"a": "b\0c"}}),
    "a name": sent("POST", MAPS, {"metadata": {"name": "m\0"}}),
    "a key": sent("POST", MAPS, {"metadata": {"name": "m"}, "data": {"a\0": "b"}}),
    "a byte": sent("POST", MAPS, b'{"metadata":{"name":"m"},"data":{"a":"b\0c"}}'),
    "YAML": sent("POST", MAPS, b'metadata: {name: m}\ndata: {a: "b\\0c"}\n', "application/yaml"),
    "a patch": sent("PATCH", WEB, {"metadata": {"annotations": {"a": "\0"}}}, MERGE),
    "a precondition": sent("DELETE", WEB, {"preconditions": {"uid": "a\0"}}),
    "a selector": DoorRequest(method="DELETE", path=MAPS, query=(("labelSelector", "a=b\0"),)),
    "a manager": DoorRequest(
        method="POST", path=MAPS, query=(("fieldManager", "me\0"),), body=b'{"metadata":{"name":"m"}}',
        headers={"content-type": "application/json"},
    ),
    "a path": sent("DELETE", f"{MAPS}/m\0", {}),
}  # fmt: skip


@pytest.mark.parametrize("what", BODIES)
def test_a_body_with_it_is_refused_or_stored_without_it(what: str) -> None:
    run = play(make_run(), 10_000)
    of = AskedOf(run_id=run.id, at_ms=None, may_write=True)
    found = write_tried(of, BODIES[what])
    if isinstance(found, DoorReply):
        assert 400 <= found.status < 500
        return
    assert isinstance(found, Writing)
    row = given(of, found.command, "door-1", found.typed, giver_of(of, BODIES[what]))
    play(Run.objects.get(id=run.id), 11_000)
    assert applied_seq(row) is not None


def test_headers_with_it_are_told_without_it() -> None:
    run = play(make_run(), 10_000)
    of = AskedOf(run_id=run.id, at_ms=None, may_write=True, label="Ann\0")
    asked = sent("DELETE", WEB, {}, user_agent="kubectl/v1.37\0.1", kubectl_command="kubectl delete\0")
    found = write_tried(of, asked)
    assert isinstance(found, Writing)
    row = given(of, found.command, "door-1", found.typed, giver_of(of, asked))
    kept = RunCommand.objects.get(id=row)
    assert "\0" not in kept.typed + kept.given_by


def test_what_is_typed_into_a_command_keeps_it() -> None:
    run = play(make_run(), 10_000)
    of = AskedOf(run_id=run.id, at_ms=None, may_write=True)
    begun = given(of, ExecInContainer(target="default/web", container="app", command=("cat",), stdin=True), "door-1")
    play(Run.objects.get(id=run.id), 11_000)
    seq = applied_seq(begun)
    row = given(of, WriteToExec(target="default/web", container="app", exec=seq or 0, text="a\0b", is_end=True), "door-2")
    play(Run.objects.get(id=run.id), 12_000)
    assert applied_seq(row) is not None
