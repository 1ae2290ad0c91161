"""The kubectl panel: a read-only command line at the moment shown."""

import re
from html import unescape

import pytest
from django.urls import reverse

from simulator.kubectl.context import context_name
from tests.factories import make_content, make_run
from tests.web.helpers import play, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    return play(make_run(), 20_000)


def asked(client, run, line, *, t=None, **query):
    url = reverse("sim:run-panel", args=[run.id, run.head_seq, "kubectl"])
    moment = {"t": run.head_ms if t is None else t}
    return text_of(client.get(url, {**moment, "k": line, **query}, headers={"HX-Request": "true"}))


def answer(page):
    return unescape(re.search(r'id="kubectl-answer".*?<code>(.*?)</code>', page, re.DOTALL)[1])


def test_line_is_answered_at_the_moment(client, run):
    assert answer(asked(client, run, "get pods --no-headers")).split() == ["web", "1/1", "Running", "0", "20s"]


def test_line_stays_in_its_field_and_can_be_copied(client, run):
    page = asked(client, run, "get pods -o name")
    assert 'name="k" value="get pods -o name"' in page and 'data-copy="kubectl get pods -o name"' in page


def test_mistake_is_answered_in_the_words_of_kubectl(client, run):
    assert answer(asked(client, run, "get foo")) == 'error: the server doesn\'t have a resource type "foo"\n'


def test_answer_is_text_and_no_markup(client, run):
    assert "<script>" not in asked(client, run, "get <script>alert(1)</script>")


def test_panel_begins_with_the_pods(client, run):
    assert answer(asked(client, run, "")).startswith("NAME")


def test_buttons_are_about_the_selection(client, run):
    assert 'value="describe pod web"' in asked(client, run, "")
    assert 'value="describe node node1"' in asked(client, run, "", sel="node/node1")


def test_line_that_is_too_long_is_no_moment(client, run):
    url = reverse("sim:run-panel", args=[run.id, run.head_seq, "kubectl"])
    assert client.get(url, {"k": "x" * 501}).status_code == 400


def test_form_works_without_scripts_in_the_past(client, run):
    page = text_of(client.get(f"/r/{run.id}/", {"t": "0.1", "tab": "kubectl", "k": "get pods --no-headers"}))
    assert answer(page).split() == ["web", "0/1", "ContainerCreating", "0", "0s"] and 'name="t" value="0.1"' in page


def test_form_of_the_present_names_no_moment(client, run):
    page = text_of(client.get(f"/r/{run.id}/", {"tab": "kubectl"}))
    form = page[page.index('id="kubectl-form"') : page.index("</form>", page.index('id="kubectl-form"'))]
    assert 'name="t"' not in form and 'name="tab" value="kubectl"' in form


@pytest.mark.parametrize(("tab", "begins"), [("yaml", "apiVersion: v1\nkind: Node"), ("describe", "Name:               node1")])
def test_node_is_shown_as_kubectl_shows_it(client, run, tab, begins):
    url = reverse("sim:run-panel", args=[run.id, run.head_seq, tab])
    page = text_of(client.get(url, {"sel": "node/node1", "t": run.head_ms}, headers={"HX-Request": "true"}))
    assert begins in unescape(page)


def test_other_objects_lead_to_their_description(client):
    service = '{"apiVersion":"v1","kind":"Service","metadata":{"name":"front"},"spec":{"ports":[{"port":80}]}}'
    run = play(make_run(content=make_content(service)), 2_000)
    url = reverse("sim:run-panel", args=[run.id, run.head_seq, "inspector"])
    page = text_of(client.get(url, {"t": run.head_ms}, headers={"HX-Request": "true"}))
    assert 'data-ask="describe service front -n default"' in page
    assert "Session Affinity:" in answer(asked(client, run, "describe service front -n default"))


def test_line_is_asked_in_the_namespace_of_its_context(client, run):
    assert answer(asked(client, run, "get pods", ns="team")) == "No resources found in team namespace.\n"


@pytest.mark.parametrize(
    ("line", "ns", "later"),
    [
        ("config set-context --current --namespace=team", "", "team"),
        ("config set-context --current --namespace=team", "other", "team"),
        ("config set-context --current", "other", "other"),
        ("get pods", "other", "other"),
        ("get pods", "", ""),
    ],
)
def test_answer_tells_the_namespace_of_later_lines(client, run, line, ns, later):
    page = asked(client, run, line, ns=ns)
    assert f'data-ns="{ns}" data-ns-next="{later}"' in page
    assert ('<input type="hidden" name="ns"' in page) == bool(later)


def test_context_has_the_name_that_it_has_in_a_kubeconfig(client, run):
    assert answer(asked(client, run, "config current-context")) == f"{context_name(run.id.hex)}\n"


def test_buttons_name_the_namespace_where_the_context_has_another(client, run):
    assert 'value="describe pod web -n default"' in asked(client, run, "config set-context --current --namespace=team")
    assert 'value="describe pod web"' in asked(client, run, "get pods", ns="default")


def test_namespace_of_no_possible_name_is_refused(client, run):
    url = reverse("sim:run-panel", args=[run.id, run.head_seq, "kubectl"])
    assert [client.get(url, {"ns": ns}).status_code for ns in ("a/b", "A", "a" * 64, "-a", "team")] == [400, 400, 400, 400, 200]


def test_link_keeps_the_namespace_of_its_line(client, run):
    page = text_of(client.get(f"/r/{run.id}/", {"t": "10", "tab": "kubectl", "k": "get pods", "ns": "team"}))
    assert answer(page) == "No resources found in team namespace.\n" and 'name="ns" value="team"' in page
    mangled = text_of(client.get(f"/r/{run.id}/", {"t": "10", "tab": "kubectl", "k": "get pods -o name", "ns": "a b"}))
    assert answer(mangled) == "pod/web\n"
