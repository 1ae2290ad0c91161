"""kubectl lines that change something: offered when shown, carried out by POST, reported as far as the moment knows."""

import re
from html import unescape

import pytest
from django.urls import reverse

from simulator.engine.acts.containers.exec import ExecInContainer
from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import Run
from tests.factories import make_run
from tests.web.helpers import play, sign_in_as_owner, text_of

pytestmark = pytest.mark.django_db
SCRIPT = {"HX-Request": "true"}


@pytest.fixture
def run(client):
    sign_in_as_owner(client)
    return play(make_run(), 5_000)


def panel(client, run, line, *, seq=None, **query):
    url = reverse("sim:run-panel", args=[run.id, run.head_seq if seq is None else seq, "kubectl"])
    return unescape(text_of(client.get(url, {"t": run.head_ms, "k": line, **query}, headers=SCRIPT)))


def answer(page):
    return re.search(r'id="kubectl-answer".*?<code>(.*?)</code>', page, re.DOTALL)[1]


def act(client, run, line, *, key="key-12345678", headers=None, **fields):
    return client.post(reverse("sim:run-kubectl", args=[run.id]), {"k": line, "client_key": key, **fields}, headers=headers or SCRIPT)


def test_line_that_acts_is_offered_and_not_carried_out_by_being_shown(client, run):
    page = panel(client, run, "delete pod web")
    assert 'id="kubectl-act"' in page and "nothing has been done yet" in page and answer(page) == ""
    assert run.commands.count() == 0


def test_line_of_another_visitor_is_not_offered(client, run):
    client.cookies.clear()
    page = panel(client, run, "delete pod web")
    assert "data-carry-out" not in page and "only its owner" in page


def test_mistake_is_reported_before_anything_is_done(client, run):
    page = panel(client, run, "delete pod none")
    assert "data-carry-out" not in page and answer(page) == 'Error from server (NotFound): pods "none" not found\n'


@pytest.mark.parametrize(("line", "edited"), [("apply -f -", ""), ("edit pod web", "Pod/default/web")])
def test_manifest_is_for_the_editor(client, run, line, edited):
    page = panel(client, run, line)
    assert f'data-edit="{edited}" data-carry-out="{line}"' in page and 'id="kubectl-act"' not in page


def test_line_gives_the_command_of_the_button_and_its_answer(client, run):
    assert act(client, run, "delete pod web").json() == {"did": 1, "url": ""}
    (row,) = run.commands.all()
    assert row.command() == DeletePod(target="default/web")
    assert "had not run yet" in panel(client, run, "delete pod web", did=1)
    play(run, 6_000)
    page = panel(client, run, "delete pod web", did=1)
    assert answer(page) == 'pod "web" deleted\n' and "Not finished" in page and "data-carry-out" not in page
    play(run, 45_000)
    assert "Not finished" not in panel(client, run, "delete pod web", did=1)


def test_pod_that_a_line_attaches_to_is_deleted_by_the_line_that_is_due(client, run):
    line = "run r --image=busybox:1.28 --restart=Never --rm -i -- echo hi"
    assert act(client, run, line).json()["did"] == 1
    play(run, 9_000)
    page = panel(client, run, line, did=1)
    due = "delete pod/r --namespace=default --ignore-not-found --wait=false"
    assert answer(page) == "hi\n" and 'id="kubectl-then"' in page and due in page and "Not finished" in page
    assert act(client, run, due, key="key-23456789").json()["did"] == 2
    play(run, 12_000)
    page = panel(client, run, line, did=1)
    assert answer(page) == 'hi\npod "r" deleted\n' and 'id="kubectl-then"' not in page and "Not finished" not in page


def test_line_that_is_due_is_not_offered_to_others(client, run):
    line = "run r --image=busybox:1.28 --restart=Never --rm -i -- echo hi"
    act(client, run, line)
    play(run, 9_000)
    client.cookies.clear()
    assert 'id="kubectl-then"' not in panel(client, run, line, did=1)


def test_moment_before_the_act_does_not_know_its_answer(client, run):
    before = run.head_seq
    act(client, run, "label pod web tier=front")
    play(run, 6_000)
    assert answer(panel(client, run, "label pod web tier=front", did=1)) == "pod/web labeled\n"
    assert answer(panel(client, run, "label pod web tier=front", did=1, seq=before, t=5_000)) == ""


def test_command_in_a_container_is_recorded_with_its_output(client, run):
    act(client, run, "exec web -- sh -c 'echo one; exit 3'")
    assert run.commands.get().command() == ExecInContainer(target="default/web", container="app", command=("sh", "-c", "echo one; exit 3"))
    play(run, 7_000)
    page = panel(client, run, "exec web -- sh -c 'echo one; exit 3'", did=1)
    assert answer(page) == "one\ncommand terminated with exit code 3\n"


def test_objects_of_a_line_are_changed_at_one_moment(client, run):
    assert act(client, run, "delete pod/web node/node1").json()["did"] == 1
    assert [row.n for row in run.commands.all()] == [1, 2]
    play(run, 6_000)
    assert answer(panel(client, run, "delete pod/web node/node1", did=1)).splitlines() == ['pod "web" deleted', 'node "node1" deleted']


def test_same_request_twice_acts_once(client, run):
    for _ in range(2):
        assert act(client, run, "delete pod/web node/node1").json()["did"] == 1
    assert run.commands.count() == 2


def test_past_is_changed_on_a_branch(client, run):
    given = act(client, run, "cordon node1", at_ms=3_000).json()
    branch = Run.objects.exclude(id=run.id).get()
    assert branch.parent_id == run.id and run.commands.count() == 0
    assert given["url"].startswith(f"/r/{branch.id}/?") and "tab=kubectl" in given["url"] and "did=1" in given["url"]
    play(branch, 6_000)
    page = text_of(client.get(given["url"]))
    assert "node/node1 cordoned" in page


def test_plain_form_leads_to_the_answer(client, run):
    response = act(client, run, "cordon node1", headers={"Accept": "text/html"})
    assert response.status_code == 302 and response.url == f"/r/{run.id}/?tab=kubectl&k=cordon+node1&did=1"


def test_line_that_cannot_be_done_is_refused(client, run):
    response = act(client, run, "cordon none")
    assert response.status_code == 422 and "not found" in response.json()["text"]
    assert act(client, run, "get pods").status_code == 422


def test_number_of_another_act_does_not_pass_for_the_line(client, run):
    act(client, run, "cordon node1")
    play(run, 6_000)
    page = panel(client, run, "delete pod web", did=1)
    assert "under different circumstances" in page and answer(page) == ""


def test_number_beyond_every_act_is_not_an_error(client, run):
    assert "had not run yet" in panel(client, run, "delete pod web", did=9)


def test_a_shell_takes_what_is_typed_next_until_it_is_left(client, run):
    act(client, run, "exec -it web -- sh")
    play(run, 6_000)
    page = panel(client, run, "exec -it web -- sh", did=1)
    session = re.search(r'data-session="(\d+)"', page)[1]
    assert "What you type goes to the command" in page and answer(page).endswith("# \n")
    line = f"type {session} -- 'echo hi; exit 3'"
    assert act(client, run, line, key="key-23456789").json()["did"] == 2
    play(run, 7_000)
    page = panel(client, run, line, did=2)
    assert "data-session" not in page and answer(page).endswith("exit 3\nhi\ncommand terminated with exit code 3\n")


def test_line_acts_in_the_namespace_of_its_context(client, run):
    given = act(client, run, "create configmap c --from-literal=a=b", ns="team").json()
    command = run.commands.get(n=given["did"]).command()
    assert command.namespace == "team"
    run = play(run, 6_000)
    assert answer(panel(client, run, "create configmap c --from-literal=a=b", ns="team", did=given["did"])).endswith("\n")


def test_line_that_acts_is_sent_with_the_namespace_of_its_context(client, run):
    page = panel(client, run, "create configmap c --from-literal=a=b", ns="team")
    form = page[page.index('id="kubectl-act"') :]
    assert '<input type="hidden" name="ns" value="team">' in form


def test_namespace_of_no_possible_name_carries_nothing_out(client, run):
    assert act(client, run, "create configmap c", ns="a/b").status_code == 422
    assert run.commands.count() == 0


def test_branch_goes_on_in_the_namespace(client, run):
    given = act(client, run, "create configmap c --from-literal=a=b", ns="team", at_seq=1, at_ms=0).json()
    assert "ns=team" in given["url"]


@pytest.mark.parametrize(
    ("line", "ns", "there"),
    [
        ("apply -f web.yaml", "", "default"),
        ("apply -f web.yaml", "team", "team"),
        ("create -f web.yaml -n other", "team", "other"),
        ("edit pod web", "", ""),
    ],
)
def test_editor_is_opened_for_the_namespace_of_the_line(client, run, line, ns, there):
    assert f'data-edit-ns="{there}"' in panel(client, run, line, ns=ns)


def test_editor_creates_objects_in_the_namespace_of_the_line(client, run):
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
    sent = {"manifest": text, "ns": "kube-system", "client_key": "key-34567890"}
    assert client.post(reverse("sim:run-commands", args=[run.id]), sent, headers={"HX-Request": "true"}).status_code == 204
    run = play(run, 6_000)
    assert answer(panel(client, run, "get cm c -n kube-system -o name")) == "configmap/c\n"


def test_preview_of_the_editor_is_for_the_namespace_of_the_line(client, run):
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
    found = client.post(reverse("sim:run-preview", args=[run.id]), {"manifest": text, "ns": "kube-system"}).json()
    assert found["objects"][0]["namespace"] == "kube-system"
