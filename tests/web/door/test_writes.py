"""Writes through the API: commands of the run, given once, answered from their result."""

import json
from uuid import UUID

import pytest
from django.urls import reverse
from msgspec.structs import replace

from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.writing import Writing
from simulator.engine.acts.act import do_of
from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.nodes.delete import DeleteNode
from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import Run, RunCommand
from simulator.runs.log import timemachine
from simulator.runs.selectors.typed_lines import act_key
from simulator.runs.services.errors import NotAllowed, Refused
from simulator.web.door.moments import AskedOf
from simulator.web.door.typed import giver_of, session_of
from simulator.web.door.writes import applied_seq, given, write_answered, write_tried
from tests.built_in import LEVELS
from tests.factories import make_content, make_run
from tests.web.helpers import play, sign_in_as_owner, text_of

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


# ---- lines and marks -------------------------------------------------------------------------------------------------
SITE = """\
{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "site"}, "spec": {"selector": {"matchLabels": {"app": "site"}},
"template": {"metadata": {"labels": {"app": "site"}}, "spec": {"containers": [{"name": "app", "image": "nginx:1.27"}]}}}}
"""
KUBECTL = {"user-agent": "kubectl/v1.37.1 (linux/amd64)", "content-type": "application/strategic-merge-patch+json"}


def cordoning(run, **headers):
    node = next(iter(timemachine.seek(run, ms=1000).tables.nodes))
    body = b'{"spec":{"unschedulable":true}}'
    return node, DoorRequest(method="PATCH", path=f"/api/v1/nodes/{node}", headers={**KUBECTL, **headers}, body=body)


def test_a_write_has_the_line_that_it_stands_for():
    run = play(make_run(), 10_000)
    node, asked = cordoning(run, **{"kubectl-command": "kubectl cordon"})
    writing = write_tried(of(run), asked)
    assert (writing.command, writing.typed) == (CordonNode(node=node), f"kubectl cordon {node}")


def test_a_scale_has_its_line_whatever_the_client_calls_itself():
    run = play(make_run(content=make_content(SITE)), 10_000)
    asked = DoorRequest(
        method="PATCH", path="/apis/apps/v1/namespaces/default/deployments/site/scale", body=b'{"spec":{"replicas":3}}',
        headers={**KUBECTL, "content-type": "application/merge-patch+json", "kubectl-command": "kubectl scale"},
    )  # fmt: skip
    assert write_tried(of(run), asked).typed == "kubectl scale deployment/site --replicas=3"


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("kubectl create configmap", "kubectl create configmap one --namespace=kube-system"),
        ("kubectl replace", "kubectl replace configmaps/one --namespace=kube-system"),
        ("", "POST configmaps/one --namespace=kube-system"),
    ],
)
def test_a_line_of_what_is_made_names_it_and_its_namespace(said, typed):
    run, body = play(make_run(), 10_000), b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one"}}'
    headers = {"content-type": "application/json", "kubectl-command": said}
    asked = DoorRequest(method="POST", path="/api/v1/namespaces/kube-system/configmaps", headers=headers, body=body)
    assert write_tried(of(run), asked).typed == typed


def test_a_line_that_no_button_has_is_what_the_client_says_of_it():
    run = play(make_run(), 10_000)
    node, asked = cordoning(run, **{"kubectl-command": "kubectl patch"})
    assert write_tried(of(run), asked).typed == f"kubectl patch nodes/{node}"
    node, asked = cordoning(run, **{"kubectl-command": "kubectl <b>"})
    assert write_tried(of(run), asked).typed == f"kubectl cordon {node}"
    assert write_tried(of(run), DoorRequest(method="DELETE", path=WEB, headers={"user-agent": "x"})).typed == "kubectl delete pod web"


def test_who_gave_it_is_the_key_and_the_program():
    named = AskedOf(run_id=UUID(int=1), at_ms=None, may_write=True, label="Ann")
    assert giver_of(named, DoorRequest(headers=KUBECTL)) == "Ann · kubectl/v1.37.1"
    assert giver_of(named, DoorRequest(headers={"user-agent": "<b>"})) == "Ann"


def test_the_page_shows_the_line_next_to_the_act(client):
    run = play(make_run(), 10_000)
    row_id = given(of(run), DeletePod(target="default/web"), "door-1", "kubectl delete pod web", "Ann · kubectl/v1.37.1")
    play(run, 11_000)
    seq = applied_seq(row_id)
    assert client.get(reverse("sim:run-typed", args=[run.id])).json() == {
        str(seq): ["kubectl delete pod web", "Ann · kubectl/v1.37.1", seq]
    }
    why = text_of(client.get(f"/r/{run.id}/?tab=why&rec={seq}"))
    assert "<code>kubectl delete pod web</code> · Ann · kubectl/v1.37.1" in why


def test_what_a_drain_sends_is_reported_by_the_line_of_the_drain():
    run = play(make_run(), 10_000)
    node, asked = cordoning(run, **{"kubectl-command": "kubectl drain"})
    evicting = DoorRequest(method="POST", path=f"{WEB}/eviction", body=b"{}", headers={**KUBECTL, "content-type": "application/json"})
    deleting = DoorRequest(method="DELETE", path=WEB, headers=asked.headers)
    assert {write_tried(of(run), each).typed for each in (asked, evicting, deleting)} == {f"kubectl drain {node}"}
    other = replace(evicting, headers={**evicting.headers, "user-agent": "x"})
    assert "drain" not in write_tried(of(run), other).typed


def test_acts_of_one_session_belong_together(client):
    run = play(make_run(), 10_000)
    node, asked = cordoning(run, **{"kubectl-command": "kubectl drain", "kubectl-session": "one"})
    session = session_of(of(run), asked)
    line = f"kubectl drain {node}"
    rows = [given(of(run), CordonNode(node=node, unschedulable=is_shut), act_key(session), line, "Ann") for is_shut in (True, False)]
    rows.append(given(of(run), CordonNode(node=node), act_key(session_of(of(run), DoorRequest())), line, "Ann"))
    play(run, 11_000)
    first, second, alone = (applied_seq(row) for row in rows)
    found = client.get(reverse("sim:run-typed", args=[run.id])).json()
    assert {int(seq): said[2] for seq, said in found.items()} == {first: first, second: first, alone: alone}


def test_a_line_of_the_tab_is_reported_as_well(client):
    run = play(make_run(), 10_000)
    sign_in_as_owner(client)
    client.post(reverse("sim:run-kubectl", args=[run.id]), {"k": "delete pod web", "client_key": "12345678"})
    assert RunCommand.objects.get().typed == "kubectl delete pod web"


def test_what_stands_beside_an_act_is_no_part_of_its_record():
    plain, typed = play(make_run(), 10_000), play(make_run(), 10_000)
    given(of(plain), DeletePod(target="default/web"), "door-1")
    given(of(typed), DeletePod(target="default/web"), "door-1", "kubectl delete pod web", "Ann")
    assert play(plain, 60_000).head_digest == play(typed, 60_000).head_digest
